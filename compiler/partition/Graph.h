// What the partition search sees of a model, and what it decides: plain structs
// without IR, filled in and read back by the pass that runs the search.
#ifndef SMEX_COMPILER_PARTITION_GRAPH_H
#define SMEX_COMPILER_PARTITION_GRAPH_H

#include "dialects/support/Result.h"
#include "dialects/support/Shares.h"
#include "dialects/tdl/analysis/Access.h"
#include "dialects/tdl/analysis/RowReads.h"

#include <string>
#include <string_view>
#include <vector>

namespace smex::partition {

struct Tensor {
  std::string name;
  std::vector<int64_t> shape;
  int64_t elementBytes = 4;
  /// What algorithms of the papers ask beyond semantics; `recursive` does not.
  bool isParameter = false;
  int gradientOf = -1; // the tensor, or -1
  /// Whether anything else than operators reads it: an output of the model.
  bool isOutput = false;
};

struct Operand {
  int tensor = -1;
  analysis::Access access; // one interval program per dimension of the tensor
  /// Which rows of that are read, where known lists of integers say so; or
  /// null. Operands that are alike have the same.
  std::shared_ptr<const analysis::RowReads> rows;
};

struct Operator {
  std::string name;
  /// Extents of the index variables: the result's, one per dimension of the
  /// result tensor and equal to its shape, then the reduction's.
  std::vector<int64_t> extents;
  int result = -1;               // a tensor; no two operators have the same
  std::vector<Operand> operands; // the same tensor may occur more than once
  /// The index variables that may be cut, most preferred first. Cutting one at
  /// or beyond the result's rank leaves partial results to be reduced.
  std::vector<int> splits;
  /// Bytes of an element of a partial result; 0: as many as of the result's. A
  /// sum of 16-bit floats is kept in f32 until it is whole.
  int64_t partialBytes = 0;
  /// Whether what it reduces is summed up, in the result's own type.
  bool isSum = false;
  /// Whether it may be applied to the terms of sums one by one
  /// (analysis::isLinearMap).
  bool isLinear = false;
  /// Operators of one node of the model, its gradients among them, have the
  /// same number, or -1.
  int group = -1;
};

/// Tensors and operators are known by their place in these lists.
struct OperatorGraph {
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;
};

/// One step of the recursion (thesis section 3.5.2): every group of workers is
/// divided into `ways` groups, and this is what is left to each of them of
/// every tensor, and of every operator's index space. Search algorithms cut
/// evenly only, the definition of the bytes and its tables count any division.
struct Step {
  int64_t ways = 1;
  std::vector<Division> tensors;
  std::vector<Division> operators;

  /// Set by the search: B_i, the bytes that would cross if the recursion
  /// stopped after this step; a bound on it, given the steps before, that no
  /// choice in this step undercuts; whether the two are equal.
  int64_t bytes = 0;
  int64_t lowerBoundBytes = 0;
  bool optimal = false;
  /// The choices that both speak of are those that cut repeated timesteps alike
  /// (Timesteps.h).
  bool tied = false;
};

/// Whether a search decided all steps together, exactly, and of what
/// (Flat.cpp): not at all, of what Tofu's coarsening leaves of a graph, or of
/// the graph as it is. Tables may be too large for either.
enum class Together { No, Coarsened, Graph };

/// As plan.json says it: "", "coarsened", "graph".
std::string_view name(Together together);

/// Steps in order; what a worker has after them: dialects/support/Shares.h.
struct PartitionPlan {
  std::vector<Step> steps;

  /// Set by the search; see CommunicationBytes.h for the first two. No plan
  /// that the choices allow (Choices.h), whose steps have these ways, has fewer
  /// shared bytes than lowerBoundBytes.
  int64_t bytes = 0;
  int64_t sharedBytes = 0;
  int64_t lowerBoundBytes = 0;
  bool optimal = false; // sharedBytes == lowerBoundBytes
  /// What all steps were decided together of, in one of the searches that this
  /// plan is the best of; it need not be that one's.
  Together together = Together::No;

  Ways ways() const {
    Ways all;
    for (const Step &step : steps)
      all.push_back(step.ways);
    return all;
  }
  int64_t workers() const { return workersOf(ways()); }
};

/// Sums of bytes stay below this, so that adding, comparing and doubling them
/// never leaves 63 bits. A step of so many is one that cannot be counted.
constexpr int64_t kMostBytes = int64_t(1) << 60;

/// What the search relies on: ids, ranks and programs in range, one producer
/// per tensor, and sizes so small that `workers` workers can read, own and
/// compute all tensors whole without a sum of bytes that leaves 63 bits.
/// Partial results of all of them, for all of them, may be more: PairCosts.h
/// counts those up to a limit.
Status validate(const OperatorGraph &graph, int64_t workers);

/// Bytes of an element of what an operator computes, where there are `partials`
/// results of each: in how many parts the reduction is done.
int64_t resultBytes(const OperatorGraph &graph, const Operator &op,
                    int64_t partials);

/// Whether an operator reduces nothing at all, as a sum over the edges of a
/// graph that has none. Its result is the identity, which whoever has a share
/// of the result's indices makes of it; but where a reduction variable is cut,
/// there are no partial results, and owners make it alone.
bool isReductionOfNothing(const OperatorGraph &graph, const Operator &op);

/// Whether any of these is along the dimension, or along a later one.
bool cutsFrom(const Divisions &divisions, size_t dimension);

/// Steps divide every tensor and every operator along dimensions and index
/// variables that exist, and that may be cut. None is divided into terms, which
/// no search decides (Sums.h).
Status validate(const OperatorGraph &graph, const PartitionPlan &plan);

/// How a tensor, or an operator's index space, is divided, step by step.
Divisions divisionsOf(const PartitionPlan &plan,
                      const std::vector<Division> Step::*divisions, size_t id);

/// What `worker` owns of a tensor.
Box ownedBox(const OperatorGraph &graph, const PartitionPlan &plan, int tensor,
             int64_t worker);

/// The share of `worker` in an operator's index space.
Box indexBox(const OperatorGraph &graph, const PartitionPlan &plan, int op,
             int64_t worker);

} // namespace smex::partition

#endif
