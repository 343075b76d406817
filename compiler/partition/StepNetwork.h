// A choice per tensor and operator as a cost function network: a variable per
// tensor, then one per operator, whose values are candidate histories. Costs
// are pairwise, because what an operator reads of a tensor, or writes to it,
// depends on nothing but how the two were cut.
#ifndef SMEX_COMPILER_PARTITION_STEPNETWORK_H
#define SMEX_COMPILER_PARTITION_STEPNETWORK_H

#include "compiler/partition/PairCosts.h"

#include "compiler/partition/CostNetwork.h"

namespace smex::partition {

/// Lists of PairCosts, one per tensor and one per operator.
struct CandidateLists {
  std::vector<int> tensors, operators;
};

/// What counts of a tensor that several operators read.
enum class Sharing {
  /// Each reader's fetch: the sum is B.
  None,
  /// Of readers that are alike (the same operand of operators of one class, as
  /// the timesteps of a recurrent layer read its weights), one fetch: each
  /// counts with one n-th, rounded down. Exact where the search cuts them
  /// alike,
  /// and a sum of pairs all the same.
  AlikeReaders,
};

/// The networks of a graph's steps.
class StepNetworks {
public:
  StepNetworks(const OperatorGraph &graph, PairCosts &costs);

  /// Whether so many alike operators read one tensor that B is far off.
  bool hasAlikeReaders() const { return someAlike; }

  /// Least bytes, or, with Params::linkCosts, least cost; of equal ones, least
  /// bytes with `tieLists`, whose i-th candidates stand for the i-th of
  /// `lists`, if it is not null, an operator's place in its list counting like
  /// a byte.
  network::Problem make(const CandidateLists &lists,
                        const CandidateLists *tieLists, Sharing sharing,
                        const std::vector<int64_t> &linkCosts = {});

  /// B of these values: candidates of the lists, of tensors, then of operators.
  /// kMostBytes where it cannot be counted (PairCosts::most).
  int64_t bytes(const CandidateLists &lists, const std::vector<int> &values);

private:
  std::vector<Priced> write(const CandidateLists &lists, int op,
                            const std::vector<int64_t> &linkCosts);
  std::vector<Priced> read(const CandidateLists &lists, int op, int operand,
                           const std::vector<int64_t> &linkCosts);

  const OperatorGraph &graph;
  PairCosts &costs;
  std::vector<std::vector<int>> alike; // readers, per operator and operand
  bool someAlike = false;
};

/// Bytes that every program with these histories moves at least, shared fetches
/// taken into account.
///
/// A worker fetches for every reader a region that holds what that reader needs
/// (`sharedCommunicationBytes` drops only what lies inside others), so of a
/// tensor at least what the most demanding reader needs, hence at least the
/// mean of what its readers need: each counts with one n-th, rounded down.
/// Operands of one operator that read alike need the same, and count as one
/// reader. Writes are never shared.
network::Problem makeBoundNetwork(const OperatorGraph &graph, PairCosts &costs,
                                  const CandidateLists &lists, Count count);

} // namespace smex::partition

#endif
