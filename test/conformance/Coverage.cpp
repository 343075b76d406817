#include "test/conformance/Coverage.h"

#include <algorithm>
#include <iterator>

using namespace smex;
using namespace smex::conformance;

namespace {

constexpr const char *absent = "absent share";

const char *nameOf(const Division &division) {
  switch (division.kind()) {
  case Division::Kind::Whole:
    return "whole";
  case Division::Kind::Part:
    return division.isEven()           ? "even part"
           : division.bounds().empty() ? "weighted part"
                                       : "bounded part";
  case Division::Kind::Term:
    return "term";
  case Division::Kind::Placed:
    break;
  }
  return "placed";
}

const char *nameOf(plan::Opcode op) {
  switch (op) {
  case plan::Opcode::Fetch:
    return "fetch";
  case plan::Opcode::Compute:
    return "compute";
  case plan::Opcode::Reduce:
    return "reduce";
  case plan::Opcode::ToHost:
    return "to_host";
  case plan::Opcode::FromHost:
    break;
  }
  return "from_host";
}

std::string nameOf(DType type) { return "type " + std::string(name(type)); }

/// All that there is but terms, which no tensor of a decided plan is.
std::set<std::string> everything() {
  std::set<std::string> all = {
      "whole", "even part",   "weighted part", "bounded part", "placed",
      absent,  "reducer Sum", "reducer Prod",  "reducer Max",  "reducer Min"};
  for (plan::Opcode op :
       {plan::Opcode::Fetch, plan::Opcode::Compute, plan::Opcode::Reduce,
        plan::Opcode::ToHost, plan::Opcode::FromHost})
    all.insert(nameOf(op));
  for (int kind = 0; kind < collectiveKinds; ++kind)
    all.insert(std::string(name(CollectiveKind(kind))));
  for (int type = 0; type <= int(DType::F64); ++type)
    all.insert(nameOf(DType(type)));
  return all;
}

} // namespace

void Coverage::add(const plan::Program &program) {
  for (const plan::Instruction &each : program.instructions) {
    seen.insert(nameOf(each.op));
    seen.insert(nameOf(plan::elementType(program, each.to)));
    if (each.op == plan::Opcode::Reduce)
      seen.insert("reducer " + each.reducer);
    if (each.collective)
      seen.insert(std::string(name(each.collective->kind)));
  }
  for (const plan::Region &region : program.regions)
    if (std::any_of(region.boxes.begin(), region.boxes.end(),
                    [](const Box &box) { return isEmpty(box); }))
      seen.insert(absent);
}

void Coverage::add(const Division &division) { seen.insert(nameOf(division)); }

std::set<std::string> Coverage::missing() const {
  const std::set<std::string> wanted = everything();
  std::set<std::string> left;
  std::set_difference(wanted.begin(), wanted.end(), seen.begin(), seen.end(),
                      std::inserter(left, left.end()));
  return left;
}

std::string Coverage::text() const { return listed(seen); }

std::string conformance::listed(const std::set<std::string> &names) {
  std::string all;
  for (const std::string &each : names)
    all += (all.empty() ? "" : ", ") + each;
  return all;
}
