#include "test/emulated/ptx/Decoder.h"

#include <algorithm>

namespace smex::ptx {
namespace {

const std::unordered_map<std::string, Special> specialNames = {
    {"%tid.x", Special::TidX},
    {"%tid.y", Special::TidY},
    {"%tid.z", Special::TidZ},
    {"%ntid.x", Special::NtidX},
    {"%ntid.y", Special::NtidY},
    {"%ntid.z", Special::NtidZ},
    {"%ctaid.x", Special::CtaidX},
    {"%ctaid.y", Special::CtaidY},
    {"%ctaid.z", Special::CtaidZ},
    {"%nctaid.x", Special::NctaidX},
    {"%nctaid.y", Special::NctaidY},
    {"%nctaid.z", Special::NctaidZ},
    {"%laneid", Special::Laneid},
    {"%warpid", Special::Warpid},
    {"%nwarpid", Special::Nwarpid},
    {"%lanemask_eq", Special::LanemaskEq},
    {"%lanemask_le", Special::LanemaskLe},
    {"%lanemask_lt", Special::LanemaskLt},
    {"%lanemask_ge", Special::LanemaskGe},
    {"%lanemask_gt", Special::LanemaskGt},
    {"%smid", Special::Smid},
    {"%nsmid", Special::Nsmid},
    {"%gridid", Special::Gridid},
    {"%dynamic_smem_size", Special::DynamicShared},
    {"%total_smem_size", Special::TotalShared},
};

uint64_t masked(uint64_t value, Type type) {
  unsigned bytes = bytesOf(type);
  return bytes >= 8 ? value : value & ((uint64_t(1) << (8 * bytes)) - 1);
}

} // namespace

uint32_t Decoder::constant(uint64_t value) {
  auto [entry, isNew] = constants.emplace(value, code.cells);
  if (isNew)
    code.constants.emplace_back(newCell(), value);
  return entry->second;
}

uint32_t Decoder::special(Special which) {
  auto [entry, isNew] = specials.emplace(which, code.cells);
  if (isNew)
    code.specials.emplace_back(newCell(), which);
  return entry->second;
}

uint32_t Decoder::frameAddress(uint64_t offset) {
  auto [entry, isNew] = frameAddresses.emplace(offset, code.cells);
  if (isNew)
    code.frameAddresses.emplace_back(newCell(), offset);
  return entry->second;
}

/// Apart from other constants, so that the variable is known (findOrigins).
uint32_t Decoder::sharedAddress(uint32_t variable, uint64_t address) {
  auto [entry, isNew] =
      sharedAddresses.emplace(std::pair(variable, address), code.cells);
  if (isNew) {
    code.sharedCells[code.cells] = variable;
    code.constants.emplace_back(newCell(), address);
  }
  pending.shared.push_back(variable);
  return entry->second;
}

uint32_t Decoder::symbol(const std::string &name) {
  auto [entry, isNew] = symbols.emplace(name, code.cells);
  if (isNew)
    code.symbols.emplace_back(newCell(), name);
  return entry->second;
}

/// The address of a variable, in its own space, as `mov` gives it.
uint32_t Decoder::variableAddress(const std::string &name, int64_t offset,
                                  bool &found) {
  found = true;
  if (function.isEntry)
    for (const Program::Parameter &each : program.parameters)
      if (each.name == name)
        return constant(each.offset + offset);
  if (auto entry = layout.variables.find(name); entry != layout.variables.end())
    return frameAddress(entry->second.offset + offset);
  for (uint32_t i = 0; i < program.shared.size(); ++i)
    if (program.shared[i].name == name)
      return sharedAddress(i, program.shared[i].offset + offset);
  if (const Variable *variable = module.variable(name)) {
    if (variable->space != Space::Shared)
      return symbol(offset ? name + "+" + std::to_string(offset) : name);
  }
  found = false;
  return 0;
}

std::optional<Type> Decoder::registerType(const Operand &operand) const {
  auto found = registers.find(operand.name);
  if (operand.kind != Operand::Name || found == registers.end())
    return std::nullopt;
  return types[found->second];
}

uint32_t Decoder::use(const Operand &operand, Type type) {
  switch (operand.kind) {
  case Operand::Integer:
    if (isFloat(type) && bytesOf(type) >= 4 && type != Type::F16x2 &&
        type != Type::BF16x2)
      fail("an integer where a floating-point constant is wanted");
    if (type == Type::Pred)
      return constant(operand.bits != 0);
    return constant(masked(operand.bits, type));
  case Operand::Float32:
  case Operand::Float64:
    return constant(masked(
        constantOfType(operand.bits, operand.kind == Operand::Float32, type),
        type));
  case Operand::Name:
    break;
  default:
    fail("an operand that is no value");
  }
  if (auto found = registers.find(operand.name); found != registers.end()) {
    Type declared = types[found->second];
    if ((declared == Type::Pred) != (type == Type::Pred))
      fail("'" + operand.name + "' is a register of type ." + nameOf(declared));
    if (bytesOf(declared) < bytesOf(type))
      fail("'" + operand.name + "' is narrower than ." + nameOf(type));
    pending.reads.push_back(found->second);
    return found->second;
  }
  if (auto found = specialNames.find(operand.name); found != specialNames.end())
    return special(found->second);
  if (operand.name == "WARP_SZ")
    return constant(32);
  bool isVariable = false;
  uint32_t cell = variableAddress(
      operand.name, static_cast<int64_t>(operand.bits), isVariable);
  if (!isVariable)
    fail("unknown name '" + operand.name + "'");
  return cell;
}

uint32_t Decoder::define(const Operand &operand) {
  if (operand.kind == Operand::Underscore)
    return newCell(); // written, and read by nobody
  auto found = registers.find(operand.name);
  if (operand.kind != Operand::Name || found == registers.end())
    fail("a result has to be a register");
  pending.writes.push_back(found->second);
  return found->second;
}

Decoder::AddressParts Decoder::address(const Operand &operand, Space &space) {
  if (operand.kind != Operand::Address)
    fail("expected an address in brackets");
  int64_t offset = static_cast<int64_t>(operand.bits);
  if (operand.name.empty())
    return {constant(0), offset};
  if (registers.count(operand.name)) {
    if (space == Space::Param && !function.isEntry)
      space = Space::Local;
    Operand base;
    base.name = operand.name;
    // Addresses of shared, local and parameter memory may have 32 bits.
    return {use(base, space == Space::Generic || space == Space::Global
                          ? Type::B64
                          : Type::B32),
            offset};
  }
  bool found = false;
  uint32_t base = variableAddress(operand.name, 0, found);
  if (!found)
    fail("unknown name '" + operand.name + "'");
  // Parameters of calls lie in a frame, in local memory.
  if (space == Space::Param && layout.variables.count(operand.name))
    space = Space::Local;
  return {base, offset};
}

void Decoder::copies(std::vector<Call::Copy> &into, const Operand *list,
                     const std::vector<Variable> &formal, const Code &callee,
                     bool isResult) {
  size_t count = list ? list->list.size() : 0;
  if (count != formal.size())
    fail("a call with " + std::to_string(count) + " values for " +
         std::to_string(formal.size()));
  FrameLayout theirs = layOutFrame(*callee.function);
  std::vector<std::string> names = orderedRegisters(*callee.function);
  for (size_t i = 0; i < count; ++i) {
    const Operand &actual = list->list[i];
    Call::Copy copy{};
    copy.size = formal[i].size;
    if (formal[i].space == Space::Register) {
      copy.isCell = true;
      copy.toCell =
          std::lower_bound(names.begin(), names.end(), formal[i].name) -
          names.begin();
      copy.cell = isResult ? define(actual) : use(actual, formal[i].type);
    } else {
      auto found = layout.variables.find(actual.name);
      if (actual.kind != Operand::Name || found == layout.variables.end())
        fail("a call needs a .param variable for '" + formal[i].name + "'");
      if (found->second.size != formal[i].size)
        fail("'" + actual.name + "' has another size than '" + formal[i].name +
             "'");
      copy.offset = found->second.offset;
      copy.toOffset = theirs.variables.at(formal[i].name).offset;
    }
    into.push_back(copy);
  }
}

uint32_t Decoder::call(const Statement &, const Operand *results,
                       const std::string &name, const Operand *arguments) {
  Call call;
  for (auto &each : program.functions)
    if (each->function->name == name)
      call.callee = each.get();
  if (!call.callee || call.callee->function->isEntry)
    fail("'" + name + "' is no function");
  const Function &callee = *call.callee->function;
  copies(call.arguments, arguments, callee.parameters, *call.callee, false);
  copies(call.results, results, callee.results, *call.callee, true);
  code.calls.push_back(std::move(call));
  return code.calls.size() - 1;
}

} // namespace smex::ptx
