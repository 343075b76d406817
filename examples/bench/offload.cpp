// What moves between a GPU and the host: problems as JSON from standard input,
// one a line, and for each a line of JSON with what the search and its rivals
// move. For examples/papers/roc_figure_10.
//
//   {"capacity": 5, "writes_all": true,
//    "tensors": [{"name": "x", "bytes": 1, "start": "host"}, {"name": "y",
//                 "bytes": 1, "to_host": true}],
//    "operations": [{"name": "f", "reads": ["x"], "writes": ["y"]}]}
#include "compiler/offload/Policies.h"
#include "compiler/offload/Search.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <map>

using namespace smex;
using namespace smex::offload;
using nlohmann::json;

namespace {

Problem problemOf(const json &from) {
  Problem problem;
  problem.capacities = {from.at("capacity").get<int64_t>()};
  problem.writesAll = from.value("writes_all", false);
  std::map<std::string, int> numbers;
  for (const json &each : from.at("tensors")) {
    const auto bytes = each.at("bytes").get<int64_t>();
    const std::string start = each.value("start", "");
    numbers[each.at("name")] = int(problem.tensors.size());
    problem.tensors.push_back({each.at("name"),
                               {bytes},
                               bytes,
                               start == "host"     ? Start::Host
                               : start == "device" ? Start::Device
                                                   : Start::Nowhere,
                               each.value("to_host", false),
                               true});
  }
  for (const json &each : from.at("operations")) {
    Operation op;
    op.name = each.at("name");
    for (const json &name : each.at("reads"))
      op.reads.push_back(numbers.at(name));
    for (const json &name : each.at("writes"))
      op.writes.push_back(numbers.at(name));
    problem.operations.push_back(std::move(op));
  }
  return problem;
}

json toJson(const Traffic &traffic) {
  return {{"loaded", traffic.loaded},
          {"stored", traffic.stored},
          {"peak", traffic.peak[0]}};
}

Result<json> searched(const Problem &problem, bool anyOrder) {
  SearchOptions options;
  options.mostStates = 20000;
  options.anyOrder = anyOrder;
  const auto found = search(problem, options);
  if (!found)
    return found.error();
  json made = toJson(found->traffic);
  made["lower_bound"] = found->lowerBound;
  made["optimal"] = found->isOptimal;
  made["states"] = found->states;
  return made;
}

json answer(const Problem &problem) {
  json made;
  for (const auto &[name, anyOrder] :
       {std::pair("search", false), std::pair("any_order", true)}) {
    auto found = searched(problem, anyOrder);
    if (!found)
      return {{"error", found.error().message}};
    made[name] = std::move(*found);
  }
  const std::pair<const char *, Policy> policies[] = {
      {"none", Policy::NoCache},
      {"lru", Policy::Lru},
      {"lru_of_needed", Policy::LruOfNeeded},
      {"swapping", Policy::Swapping},
      {"furthest", Policy::FurthestUse},
  };
  for (const auto &[name, policy] : policies) {
    const auto schedule = scheduleBy(policy, problem);
    if (!schedule)
      return {{"error", schedule.error().message}};
    const auto traffic = replay(problem, *schedule);
    if (!traffic)
      return {{"error", traffic.error().message}};
    made[name] = toJson(*traffic);
  }
  return made;
}

} // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    try {
      std::cout << answer(problemOf(json::parse(line))) << "\n";
    } catch (const std::exception &error) {
      std::cerr << "offload: error: " << error.what() << "\n";
      return 1;
    }
  }
  return 0;
}
