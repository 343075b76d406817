// A plan in the making, step by step: what every algorithm works with.
#ifndef SMEX_COMPILER_PARTITION_PLANBUILDER_H
#define SMEX_COMPILER_PARTITION_PLANBUILDER_H

#include "compiler/partition/Choices.h"
#include "compiler/partition/Numbering.h"
#include "compiler/partition/StepNetwork.h"

#include <functional>

namespace smex::partition {

/// A list of options per variable, most preferred first. Many variables have
/// the same one.
class OptionLists {
public:
  size_t size() const { return lists.size(); }
  const std::vector<Division> &operator[](size_t variable) const {
    return *lists[variable];
  }
  void push_back(const std::vector<Division> *list) { lists.push_back(list); }

private:
  std::vector<const std::vector<Division> *> lists;
};

/// The next step to decide on, valid as long as the builder that it comes from.
/// Variables are tensors, then operators.
struct NextStep {
  int64_t ways = 1;
  OptionLists options;
  CandidateLists lists; // the histories with each option
  /// The same with each option once more, in the step after: decides between
  /// equals. Empty in the last step.
  CandidateLists tieLists;
};

class PlanBuilder {
public:
  PlanBuilder(const OperatorGraph &graph, std::vector<int64_t> ways,
              const Params &params, PairCosts &costs);

  /// May this index variable of an operator be cut? Where set, options that it
  /// refuses are left out, unless none would be left. Operators alike must get
  /// the same answers. Set before the first step.
  std::function<bool(const Operator &op, int index)> allows;

  bool done() const { return plan.steps.size() == ways.size(); }
  NextStep next() const;

  /// Least B of stopping after this step, or what counts of it; least cost with
  /// Params::linkCosts, and with Params::work least of this and that together.
  network::Problem problem(const NextStep &step, Sharing sharing) const;
  bool hasAlikeReaders() const { return networks.hasAlikeReaders(); }

  /// A class per variable: those that are cut alike where the problem is tied.
  const std::vector<int> &timesteps() const;

  /// Decides the step: an option per variable, by its number. `lowerBound`, if
  /// it is known: no choice (that cuts timesteps alike, if `tied`) moves less.
  void decide(NextStep step, const std::vector<int> &values,
              std::optional<int64_t> lowerBound = std::nullopt,
              bool tied = false);

  /// The histories of a variable over all steps, at most `limit`: where there
  /// are more, those whose choices ascend, which has every tiling once.
  std::vector<History> allHistories(int variable, size_t limit) const;

  /// Decides all steps: a history per variable, of the choices' lists.
  void decideAll(const std::vector<History> &histories);

  /// The shared bytes of what was decided.
  int64_t sharedBytes() const;
  /// These, and what computing costs (Params::work).
  int64_t cost() const;

  /// With bytes and bounds.
  PartitionPlan finish();

  const OperatorGraph &graph;
  const Params &params;
  const Choices choices;
  const std::vector<int64_t> ways; // of all steps

  PairCosts &pairCosts() const { return costs; }
  /// The choices for a variable in the steps so far.
  const History &history(int variable) const { return histories[variable]; }

private:
  /// Variables alike, with equal histories, have the same options and lists.
  struct Lists {
    std::vector<Division> options;
    int list, tieList;
  };
  const Lists &listsOf(int variable) const;
  std::vector<Division> optionsOf(int variable, const History &history) const;
  /// The last division of the history once more, in the next step: bounds are
  /// other ones there, of the same dimension.
  Division repeated(int variable, const History &history) const;
  /// What an operator's computing costs so; as much as bytes do at most.
  int64_t workOf(int op, const Ways &soFar, const History &history) const;
  /// What Params::first says of the variable, in the first step; else null.
  const Division *decidedFirst(int variable, const History &history) const;

  PairCosts &costs;
  mutable StepNetworks networks;
  mutable Numbering keys; // of what has the same lists
  mutable Numbering::Key key;
  mutable std::deque<Lists> known; // per key; references stay valid
  mutable std::vector<int> classes;
  std::vector<History> histories; // per variable
  std::vector<NextStep> decided;
  std::vector<bool> hasBound;
  mutable std::optional<int64_t> saved; // what fetches share
  PartitionPlan plan;
};

/// The place of a choice among options; the first one's if it is not there.
int placeOf(const Division &choice, const std::vector<Division> &options);

} // namespace smex::partition

#endif
