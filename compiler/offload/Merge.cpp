#include "compiler/offload/Merge.h"

#include <algorithm>
#include <utility>

using namespace smex;
using namespace smex::offload;

namespace {

/// A step of one schedule; a load has the operation that it is for.
struct Step {
  Action action;
  int reader = -1;

  bool isAlike(const Step &other) const {
    return action.kind == other.action.kind && action.what == other.action.what;
  }
};

/// What comes before each operation runs first, that included, and what comes
/// behind all of them.
std::vector<std::vector<Step>> segmentsOf(const Schedule &schedule) {
  std::vector<std::vector<Step>> segments(1);
  std::vector<Step> loads;
  for (const Action &action : schedule) {
    if (action.kind == Action::Kind::Load) {
      loads.push_back({action});
      continue;
    }
    std::vector<Step> &own = segments.back();
    if (action.kind == Action::Kind::Run)
      for (Step &load : std::exchange(loads, {})) {
        load.reader = action.what;
        own.push_back(load);
      }
    own.push_back({action});
    if (action.kind == Action::Kind::Run &&
        action.what == int(segments.size()) - 1)
      segments.emplace_back();
  }
  return segments;
}

class Merging {
public:
  explicit Merging(const std::vector<Schedule> &schedules) {
    for (const Schedule &schedule : schedules)
      all.push_back(segmentsOf(schedule));
  }

  std::vector<Joint> run() {
    for (size_t s = 0; s < all.front().size(); ++s) {
      at.assign(all.size(), 0);
      while (const Step *next = choose(s))
        take(s, *next);
    }
    return std::move(joint);
  }

private:
  const Step *head(size_t problem, size_t segment) const {
    const std::vector<Step> &own = all[problem][segment];
    return at[problem] < own.size() ? &own[at[problem]] : nullptr;
  }

  /// A step that is next in some schedules, and rather one that no other has
  /// later; null: the segment is done. Where each has what another has later,
  /// some step is taken twice; but not the operation that ends the segment,
  /// which all run at once.
  const Step *choose(size_t segment) const {
    const Step *first = nullptr;
    for (size_t k = 0; k < all.size(); ++k) {
      const Step *candidate = head(k, segment);
      if (!candidate)
        continue;
      if (!first && !ends(*candidate, segment))
        first = candidate;
      if (!isLater(*candidate, segment))
        return candidate;
    }
    return first;
  }

  static bool ends(const Step &step, size_t segment) {
    return step.action.kind == Action::Kind::Run &&
           step.action.what == int(segment);
  }

  bool isLater(const Step &step, size_t segment) const {
    for (size_t k = 0; k < all.size(); ++k) {
      const std::vector<Step> &own = all[k][segment];
      for (size_t i = at[k] + 1; i < own.size(); ++i)
        if (own[i].isAlike(step) && !own[at[k]].isAlike(step))
          return true;
    }
    return false;
  }

  void take(size_t segment, const Step &step) {
    Joint made = {step.action, {}, step.reader};
    for (size_t k = 0; k < all.size(); ++k)
      if (const Step *own = head(k, segment); own && own->isAlike(step)) {
        made.problems.push_back(k);
        ++at[k];
      }
    joint.push_back(std::move(made));
  }

  std::vector<std::vector<std::vector<Step>>> all; // by problem and segment
  std::vector<size_t> at; // by problem: what comes next of the segment
  std::vector<Joint> joint;
};

} // namespace

std::vector<Joint>
smex::offload::merge(const std::vector<Schedule> &schedules) {
  return Merging(schedules).run();
}
