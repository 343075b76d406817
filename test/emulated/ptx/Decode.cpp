#include "test/emulated/ptx/Decoder.h"
#include "test/emulated/ptx/Forms.h"

#include <algorithm>

namespace smex::ptx {
namespace {

const OpcodeTable &opcodes() {
  static const OpcodeTable table = [] {
    OpcodeTable result;
    for (auto add :
         {addArithmetic, addBits, addApproximations, addComparisons,
          addConversions, addMoves, addAccesses, addAtomics, addControl,
          addWarps, addBarriers, addCarry, addAsyncCopies, addMatrices})
      add(result);
    return result;
  }();
  return table;
}

uint64_t alignTo(uint64_t value, uint64_t align) {
  return (value + align - 1) / align * align;
}

/// The functions that a kernel reaches, the kernel first.
std::vector<const Function *> reachable(const Module &module,
                                        const Function &kernel) {
  std::vector<const Function *> found{&kernel};
  for (size_t i = 0; i < found.size(); ++i)
    for (const Statement &statement : found[i]->body) {
      if (statement.opcode != "call")
        continue;
      for (const Operand &operand : statement.operands) {
        if (operand.kind != Operand::Name)
          continue;
        const Function *callee = module.function(operand.name);
        if (!callee)
          throw ParseError(statement.line,
                           "no function '" + operand.name + "'");
        if (callee->isDeclaration)
          throw ParseError(statement.line, "the function '" + operand.name +
                                               "' is declared, not defined");
        if (std::find(found.begin(), found.end(), callee) == found.end())
          found.push_back(callee);
      }
    }
  return found;
}

/// Static shared variables one after the other, then the dynamic ones, which
/// all begin at the same place.
void layOutShared(Program &program, const Module &module,
                  const std::vector<const Function *> &functions) {
  std::vector<const Variable *> variables;
  for (const Variable &each : module.variables)
    if (each.space == Space::Shared)
      variables.push_back(&each);
  for (const Function *function : functions)
    for (const Variable &each : function->variables)
      if (each.space == Space::Shared)
        variables.push_back(&each);
  uint64_t end = sharedBase, dynamicAlign = 16;
  for (const Variable *each : variables) {
    if (each->unsized) {
      dynamicAlign = std::max(dynamicAlign, each->align);
      continue;
    }
    end = alignTo(end, each->align);
    program.shared.push_back({each->name, end, each->size});
    end += each->size;
  }
  program.sharedBytes = end - sharedBase;
  // As ptxas has it, whatever the architecture; more is dynamic.
  constexpr uint64_t most = 48 << 10;
  if (program.sharedBytes > most)
    throw ParseError(program.kernel->line,
                     "the entry uses too much shared data: " +
                         std::to_string(program.sharedBytes) + " bytes, " +
                         std::to_string(most) + " at most");
  program.dynamicOffset = alignTo(end, dynamicAlign);
  for (const Variable *each : variables)
    if (each->unsized)
      program.shared.push_back({each->name, program.dynamicOffset, 0});
}

} // namespace

FrameLayout layOutFrame(const Function &function) {
  FrameLayout layout;
  auto place = [&](const Variable &variable) {
    layout.align = std::max(layout.align, variable.align);
    layout.bytes = alignTo(layout.bytes, variable.align);
    layout.variables[variable.name] = {layout.bytes, variable.size};
    layout.bytes += variable.size;
  };
  if (!function.isEntry)
    for (const auto *list : {&function.parameters, &function.results})
      for (const Variable &each : *list)
        if (each.space == Space::Param)
          place(each);
  for (const Variable &each : function.variables)
    if (each.space == Space::Local || each.space == Space::Param)
      place(each);
  layout.bytes = alignTo(layout.bytes, layout.align);
  return layout;
}

std::vector<std::string> orderedRegisters(const Function &function) {
  std::vector<std::string> names;
  for (const auto &each : function.registers)
    names.push_back(each.first);
  std::sort(names.begin(), names.end());
  return names;
}

std::unique_ptr<Program> decode(const Module &module, const Function &kernel) {
  auto program = std::make_unique<Program>();
  program->kernel = &kernel;
  for (const Variable &parameter : kernel.parameters) {
    uint64_t offset = alignTo(program->parameterBytes, parameter.align);
    program->parameters.push_back({offset, parameter.size, parameter.name});
    program->parameterBytes = offset + parameter.size;
  }
  std::vector<const Function *> functions = reachable(module, kernel);
  layOutShared(*program, module, functions);
  for (const Function *function : functions) {
    program->functions.push_back(std::make_unique<Code>());
    program->functions.back()->function = function;
  }
  for (auto &code : program->functions) {
    Decoder(module, *program, *code).run();
    findSuspects(*code);
  }
  findOrigins(*program);
  return program;
}

Decoder::Decoder(const Module &module, Program &program, Code &code)
    : module(module), program(program), code(code), function(*code.function) {}

void Decoder::run() {
  layOut();
  for (const Statement &statement : function.body) {
    current = &statement;
    starts.push_back(code.instructions.size());
    auto found = opcodes().find(statement.opcode);
    if (found == opcodes().end())
      fail("unknown instruction '" + statement.opcode + "'");
    checkForm(statement);
    Modifiers modifiers(statement);
    found->second(*this, statement, modifiers);
    modifiers.finish();
  }
  starts.push_back(code.instructions.size());
  // Falling off the end returns.
  static const Statement end = [] {
    Statement result;
    result.opcode = "ret";
    result.text = "the function's end";
    return result;
  }();
  current = &end;
  Modifiers none(end);
  opcodes().at("ret")(*this, end, none);
  finishBranches();
}

void Decoder::layOut() {
  for (const std::string &name : orderedRegisters(function)) {
    registers[name] = newCell();
    types.push_back(function.registers.at(name));
  }
  code.registers = code.cells;
  layout = layOutFrame(function);
  code.frameBytes = layout.bytes;
  code.frameAlign = layout.align;
}

/// Branches were given statements' numbers.
void Decoder::finishBranches() {
  for (Instruction &each : code.instructions)
    if (each.flow == Flow::Jump)
      each.target = starts[each.target - 1];
  for (std::vector<uint32_t> &table : code.jumpTables)
    for (uint32_t &target : table)
      target = starts[target];
}

Instruction &Decoder::emit(const Statement &statement, Handler run) {
  Instruction instruction;
  instruction.run = run;
  if (!statement.guard.empty()) {
    Operand guard;
    guard.name = statement.guard;
    instruction.guard = use(guard, Type::Pred);
    instruction.flags = Guarded;
    if (statement.guardNegated)
      instruction.flags |= GuardNegated;
  }
  code.instructions.push_back(instruction);
  code.statements.push_back(&statement);
  code.uses.push_back(std::move(pending));
  pending = {};
  return code.instructions.back();
}

Instruction &Decoder::emitOperation(const Statement &statement, Type type,
                                    Handler run) {
  if (!run)
    fail(std::string("'") + statement.opcode + "' has no type ." +
         nameOf(type));
  uint32_t cells[4] = {};
  for (size_t i = 1; i < statement.operands.size() && i < 4; ++i)
    cells[i] = use(statement.operands[i], type);
  uint32_t d = define(statement.operands.at(0));
  Instruction &result = emit(statement, run);
  result.d = d;
  result.a = cells[1];
  result.b = cells[2];
  result.c = cells[3];
  return result;
}

void Decoder::expectOperands(const Statement &statement, size_t atLeast,
                             size_t atMost) const {
  size_t have = statement.operands.size();
  if (have < atLeast || have > atMost)
    fail("'" + statement.opcode + "' with " + std::to_string(have) +
         " operands");
}

uint32_t Decoder::label(const Statement &statement, const std::string &name) {
  (void)statement;
  auto found = function.labels.find(name);
  if (found == function.labels.end())
    fail("no label '" + name + "'");
  return found->second;
}

uint32_t Decoder::jumpTable(const Statement &statement,
                            const std::string &name) {
  auto found = function.branchTargets.find(name);
  if (found == function.branchTargets.end())
    fail("no .branchtargets '" + name + "'");
  std::vector<uint32_t> table;
  for (const std::string &each : found->second)
    table.push_back(label(statement, each));
  code.jumpTables.push_back(std::move(table));
  return code.jumpTables.size() - 1;
}

uint32_t Decoder::list(const std::vector<uint32_t> &cells) {
  uint32_t first = code.lists.size();
  code.lists.insert(code.lists.end(), cells.begin(), cells.end());
  return first;
}

void Decoder::fail(const std::string &what) const {
  throw ParseError(current ? current->line : function.line,
                   what + (current ? ": " + current->text : ""));
}

void Decoder::checkForm(const Statement &statement) const {
  if (!hasForms(statement.opcode))
    return;
  std::string name = statement.opcode;
  for (const std::string &modifier : statement.modifiers)
    name += "." + modifier;
  const auto form = forms().find(name);
  if (form == forms().end())
    fail("there is no instruction " + name);
  needs(form->second, name);
}

void Decoder::needs(unsigned architecture, const std::string &what) const {
  const size_t digits = module.target.find('_') + 1; // "sm_90a"
  if (std::strtoul(module.target.c_str() + digits, nullptr, 10) < architecture)
    fail(what + " needs sm_" + std::to_string(architecture) +
         ", and the text is for " + module.target);
}

} // namespace smex::ptx
