#include "runtime/backends/cuda/ExchangeParts.h"

using namespace smex;
using namespace smex::cuda;

ExchangeParts::~ExchangeParts() {
  for (const Parts &each : all)
    for (Event event : each.events)
      if (event)
        driver.eventDestroy(event);
}

Code ExchangeParts::start(const std::vector<Exchange> &list) {
  for (const Exchange &exchange : list) {
    Parts &made = all.emplace_back();
    const auto add = [&](bool isThere, Part part) {
      if (isThere && (made.parts.empty() || made.parts.back() != part))
        made.parts.push_back(part);
    };
    for (const ExchangeRound &round : exchange.rounds) {
      add(!round.packs.empty(), Part::Own);
      add(round.moves(), Part::Others);
      add(!round.unpacks.empty(), Part::Own);
    }
    for (size_t i = 1; i < made.parts.size(); ++i)
      if (const Code code = driver.eventCreate(
              &made.events.emplace_back(nullptr), eventDisableTiming);
          code != success)
        return code;
  }
  return success;
}

void ExchangeParts::begin(size_t number) {
  exchange = number;
  entered = 0;
}

Code ExchangeParts::enter(Part part, Stream stream) {
  const Parts &these = all[exchange];
  if (entered == 0) {
    entered = 1; // it is the first
    return success;
  }
  if (these.parts[entered - 1] == part)
    return success;
  return driver.eventRecord(these.events[entered++ - 1], stream);
}

ExchangeParts::State ExchangeParts::look(size_t number) const {
  const Parts &these = all[number];
  State state;
  while (state.over < these.events.size() &&
         driver.eventQuery(these.events[state.over]) != errorNotReady)
    ++state.over;
  if (!these.parts.empty())
    state.at = these.parts[state.over];
  return state;
}
