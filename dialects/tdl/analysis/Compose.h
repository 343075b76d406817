// Putting one lambda into another: fusion is composition of functions. Message
// and reduce, bias and activation, a chain of element-wise operators become one
// lambda, and with it one kernel.
//
//     y: lambda i, j: exp(x[i, j])      z: lambda i: Sum(lambda j: y[i, j])
//     composed: lambda i: Sum(lambda j: exp(x[i, j]))
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_COMPOSE_H
#define SMEX_DIALECTS_TDL_ANALYSIS_COMPOSE_H

#include "dialects/tdl/lambda/Lambda.h"

#include <optional>
#include <vector>

namespace smex::analysis {

/// A lambda and the extents of all its index variables.
struct Instance {
  const tdl::Lambda &lambda;
  const std::vector<int64_t> &extents;
};

struct Composition {
  tdl::Lambda lambda; // canonical; has the consumer's index variables
  /// What each of its operands was an operand of.
  struct Origin {
    bool producer;
    int operand;
  };
  std::vector<Origin> operands;
};

/// The consumer with the producer's body in place of its reads of `operand`,
/// which is the producer's result. Its operands are the consumer's, in order,
/// with the producer's in place of `operand`. `same[p]`, where given, is the
/// consumer's operand that is the same tensor as the producer's operand p, or
/// -1: the two become one.
///
/// Nothing if the producer is no map, if the consumer does not read the operand
/// or hands it to an opaque function, if a read with an `else` may be out of
/// range (the producer's body has a value there, too, but not this one; but of
/// a producer `x[i, j]` of some of x's first i and j the ends are asked for),
/// or if the result would be too large for a lambda.
std::optional<Composition> compose(Instance consumer, int operand,
                                   Instance producer,
                                   const std::vector<int> &same = {});

/// True if composing is no loss, provided that nobody else reads the producer's
/// result: the producer is a map, and either
/// - nothing is computed twice: all reads of the operand are one and the same
///   and take every index variable of the consumer exactly once, but for
///   outputs that a term's condition determines, so that each of its points
///   reads an element of its own (a permutation, or the message of an edge
///   where each edge has one destination); or
/// - what is computed twice is cheap: the producer does no arithmetic on data
///   and has one read at most (a broadcast, reshape, slice, constant), so that
///   reading through it costs what reading its result would.
bool fusable(const tdl::Lambda &consumer, int operand,
             const tdl::Lambda &producer);

} // namespace smex::analysis

#endif
