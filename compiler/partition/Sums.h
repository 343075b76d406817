// Sums of sums. A weight that several operators read, as a recurrent network's
// in each timestep, has a gradient that is a sum over the samples for each of
// them, and then the sum of these. Where the samples are cut, each worker may
// add up its own terms of all, and bring together one sum instead of many.
//
//   dW_1 = x_1^T dy_1, .., dW_T = x_T^T dy_T;  dW = dW_1 + .. + dW_T
//
// For a search this is one operator,
//
//   dW[i, j] = Sum(lambda b: x_1[b, i] * dy_1[b, j] + .. + x_T[b, i] * dy_T[b,
//   j])
//
// since all dW_t are sums over index variables of the same extents; so it
// counts what crosses as of any other operator. What it decides holds for all
// of them; where it cuts what they sum over, the dW_t and what adds them up are
// divided into terms (Division::Kind::Term), and stay where they are made.
#ifndef SMEX_COMPILER_PARTITION_SUMS_H
#define SMEX_COMPILER_PARTITION_SUMS_H

#include "compiler/partition/Graph.h"

namespace smex::partition {

/// A graph whose sums of sums are one operator each.
struct JoinedSums {
  OperatorGraph graph;
  /// Its numbers, by those of the graph that it was made of: of an operator,
  /// what it has become a part of; of a tensor, or -1 where it is inside.
  std::vector<int> operators, tensors;
};

/// Joined is what one operator after the other adds up (Operator::isLinear), of
/// results that nobody else reads, of operators that sum over index variables
/// of the same extents (Operator::isSum); two of these at least. Operators keep
/// their order.
JoinedSums joinSums(const OperatorGraph &graph);

/// A plan for the joined graph as one for the graph that it was made of. Its
/// bytes stay, and are what that plan moves.
PartitionPlan inTerms(const OperatorGraph &graph, const JoinedSums &joined,
                      PartitionPlan plan);

} // namespace smex::partition

#endif
