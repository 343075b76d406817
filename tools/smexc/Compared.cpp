#include "tools/smexc/Compared.h"

#include "runtime/plan/Inspect.h"

#include <algorithm>
#include <tuple>

using namespace smex;
using namespace smex::tools;

/// What is to be known of a plan beside its figures, behind a comma or a colon.
static std::string remarks(const pipeline::Compared &plan) {
  std::string text;
  if (!plan.isSimulated)
    text += ", not simulated: none of its copies hidden";
  if (!plan.behind.empty())
    text += ": at least, since that is more than there is; given up, no better "
            "than --algorithm " +
            plan.behind;
  else if (!plan.fits)
    text += ": more than there is";
  return text;
}

void tools::printCompared(const pipeline::CompileStats &stats) {
  std::vector<const pipeline::Compared *> lines;
  for (const pipeline::Compared &each : stats.compared)
    lines.push_back(&each);
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto *a, const auto *b) {
                     const auto rank = [](const pipeline::Compared &each) {
                       return std::make_tuple(!each.failure.empty(), !each.fits,
                                              each.seconds.value_or(0));
                     };
                     return rank(*a) < rank(*b);
                   });
  for (const pipeline::Compared *each : lines) {
    const std::string name = toString(each->by);
    if (!each->failure.empty())
      std::printf("  %-44s no plan: %s\n", name.c_str(), each->failure.c_str());
    else
      std::printf("  %-44s %10.4g ms, moves %s, peak %s%s\n", name.c_str(),
                  each->seconds.value_or(0) * 1000,
                  plan::humanBytes(each->communicationBytes).c_str(),
                  plan::humanBytes(each->peakBytes).c_str(),
                  remarks(*each).c_str());
  }
}

nlohmann::json tools::comparedJson(const pipeline::CompileStats &stats) {
  nlohmann::json list = nlohmann::json::array();
  for (const pipeline::Compared &each : stats.compared) {
    nlohmann::json plan = {{"search", toString(each.by)}};
    if (!each.failure.empty()) {
      plan["failure"] = each.failure;
    } else {
      plan["communication_bytes"] = each.communicationBytes;
      plan["peak_bytes"] = each.peakBytes;
      plan["fits"] = each.fits;
      if (!each.behind.empty())
        plan["given_up_for"] = each.behind;
      if (each.seconds)
        plan["predicted_step_seconds"] = *each.seconds;
      if (!each.isSimulated)
        plan["copies_are_simulated"] = false;
    }
    list.push_back(std::move(plan));
  }
  return list;
}
