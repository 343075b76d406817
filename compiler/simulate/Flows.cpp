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
    : capacities(std::move(capacities)), users(this->capacities.size()),
      free(this->capacities.size()), open(this->capacities.size()) {}

void Flows::start(int id, const std::vector<int> &resources, double bytes,
                  double most) {
  Flow flow{id, &resources, bytes, most};
  for (int r : resources)
    areRatesKnown &= users[size_t(r)]++ == 0;
  // Kernels have the memory of their GPU for themselves most of the time: then
  // nothing changes for others.
  if (areRatesKnown) {
    flow.rate = rateAlone(flow);
    end = std::min(end, now + flow.left / flow.rate);
  }
  flows.push_back(flow);
}

double Flows::rateAlone(const Flow &flow) const {
  double rate = flow.most;
  for (int r : *flow.resources)
    rate = std::min(rate, capacities[size_t(r)]);
  return rate;
}

void Flows::shareOut() {
  // Progressive filling: the resource that has least for each of its users, or
  // the flow that wants least, fixes a rate, and what they take is gone for the
  // others.
  std::vector<int> used;
  std::vector<Flow *> rest;
  for (Flow &flow : flows) {
    flow.rate = 0;
    rest.push_back(&flow);
    for (int r : *flow.resources)
      if (open[size_t(r)]++ == 0) {
        used.push_back(r);
        free[size_t(r)] = capacities[size_t(r)];
      }
  }
  while (!rest.empty()) {
    double least = infinity;
    for (int r : used)
      if (open[size_t(r)] > 0)
        least = std::min(least, free[size_t(r)] / open[size_t(r)]);
    for (const Flow *flow : rest)
      least = std::min(least, flow->most);
    // Alike up to rounding counts as equal, or each round fixes one flow.
    const double limit = least * (1 + 1e-12);
    const auto fix = [&](Flow &flow) {
      const bool tight =
          flow.most <= limit ||
          std::any_of(flow.resources->begin(), flow.resources->end(),
                      [&](int r) {
                        return free[size_t(r)] <= limit * open[size_t(r)];
                      });
      if (!tight)
        return false;
      flow.rate = least;
      for (int r : *flow.resources) {
        free[size_t(r)] = std::max(0.0, free[size_t(r)] - least);
        --open[size_t(r)];
      }
      return true;
    };
    std::vector<Flow *> others;
    for (Flow *flow : rest)
      if (!fix(*flow))
        others.push_back(flow);
    if (others.size() == rest.size())
      break; // not reached: the least resource has a user
    rest = std::move(others);
  }
  for (int r : used)
    open[size_t(r)] = 0;
}

double Flows::nextEnd() {
  if (!areRatesKnown) {
    shareOut();
    areRatesKnown = true;
    isEndKnown = false;
  }
  if (!isEndKnown) {
    end = infinity;
    for (const Flow &flow : flows)
      end = std::min(end, now + flow.left / flow.rate);
    isEndKnown = true;
  }
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
  for (auto flow = first; flow != flows.end(); ++flow) {
    ended.push_back(flow->id);
    for (int r : *flow->resources)
      areRatesKnown &= --users[size_t(r)] == 0;
  }
  flows.erase(first, flows.end());
  isEndKnown = false;
}
