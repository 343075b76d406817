#include "compiler/simulate/Flows.h"

#include <algorithm>
#include <limits>

using namespace smex::simulate;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
// What is over this many seconds after now is over now: sums of seconds are not
// exact, and flows that are alike must end together.
constexpr double instant = 1e-13;
} // namespace

Flows::Flows(std::vector<double> capacities)
    : capacities(std::move(capacities)), free(this->capacities.size()),
      users(this->capacities.size()) {}

void Flows::start(int id, const std::vector<int> &resources, double bytes) {
  flows.push_back({id, &resources, bytes});
  changed = true;
}

void Flows::shareOut() {
  // Progressive filling: the resource that has least for each of its users
  // fixes their rate, and what they take is gone for the others.
  std::vector<int> used;
  for (Flow &flow : flows) {
    flow.rate = 0;
    for (int r : *flow.resources)
      if (users[size_t(r)]++ == 0) {
        used.push_back(r);
        free[size_t(r)] = capacities[size_t(r)];
      }
  }
  for (size_t open = flows.size(); open > 0;) {
    double least = infinity;
    for (int r : used)
      if (users[size_t(r)] > 0)
        least = std::min(least, free[size_t(r)] / users[size_t(r)]);
    // Alike up to rounding counts as equal, or each round fixes one flow.
    const double limit = least * (1 + 1e-12);
    bool any = false;
    for (Flow &flow : flows) {
      if (flow.rate > 0)
        continue;
      const bool tight = std::any_of(
          flow.resources->begin(), flow.resources->end(),
          [&](int r) { return free[size_t(r)] <= limit * users[size_t(r)]; });
      if (!tight)
        continue;
      flow.rate = least;
      any = true;
      --open;
      for (int r : *flow.resources) {
        free[size_t(r)] = std::max(0.0, free[size_t(r)] - least);
        --users[size_t(r)];
      }
    }
    if (!any)
      break; // not reached: the least resource has a user
  }
  for (int r : used)
    users[size_t(r)] = 0;
}

double Flows::nextEnd() {
  if (!changed)
    return end;
  shareOut();
  end = infinity;
  for (const Flow &flow : flows)
    end = std::min(end, now + flow.left / flow.rate);
  changed = false;
  return end;
}

void Flows::advance(double time, std::vector<int> &ended) {
  const bool over = time >= nextEnd();
  const double seconds = time - now;
  const double tolerance = std::max(instant, time * 1e-14);
  for (Flow &flow : flows)
    flow.left -= seconds * flow.rate;
  now = time;
  if (!over)
    return;
  const auto first =
      std::stable_partition(flows.begin(), flows.end(), [&](const Flow &flow) {
        return flow.left > flow.rate * tolerance;
      });
  for (auto flow = first; flow != flows.end(); ++flow)
    ended.push_back(flow->id);
  flows.erase(first, flows.end());
  changed = true;
}
