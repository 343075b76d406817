#include "test/emulated/ptx/Thread.h"

#include "test/emulated/ptx/Block.h"

#include <algorithm>
#include <cstring>

namespace smex::ptx {

/// CUDA allows 512 KiB of local memory per thread.
static constexpr uint64_t localLimit = 512 << 10;

void Thread::start(Block &newBlock, uint32_t newIndex) {
  block = &newBlock;
  index = newIndex;
  const Dim3 &shape = block->launch.options.block;
  position = {index % shape[0], index / shape[0] % shape[1],
              index / shape[0] / shape[1]};
  state = Ready;
  budget = block->launch.options.instructionsPerThread;
  carry = false;
  copies.clear();
  copyGroups.clear();
  frames.clear();
  enter(*block->launch.program.functions.front());
}

void Thread::enter(const Code &callee) {
  Frame frame{&callee, pc, 0, 0};
  if (!frames.empty()) {
    const Frame &caller = frames.back();
    frame.cells = caller.cells + caller.code->cells;
    frame.memory = caller.memory + caller.code->frameBytes;
  }
  frame.memory = (frame.memory + callee.frameAlign - 1) / callee.frameAlign *
                 callee.frameAlign;
  if (frame.memory + callee.frameBytes > localLimit)
    fault(FaultKind::Limit, "more than 512 KiB of local memory");
  if (frames.size() > 1000)
    fault(FaultKind::Limit, "calls that are nested 1,000 deep");
  if (cells.size() < frame.cells + callee.cells) {
    cells.resize(frame.cells + callee.cells);
    defined.resize(cells.size());
  }
  if (local.size() < frame.memory + callee.frameBytes) {
    local.resize(frame.memory + callee.frameBytes);
    localInitialized.resize(local.size());
  }
  frames.push_back(frame);
  code = &callee;
  r = &cells[frame.cells];
  pc = code->instructions.data();
  // An old frame's values must not be seen.
  std::fill(localInitialized.begin() + frame.memory, localInitialized.end(), 0);
  if (code->hasSuspects)
    std::fill_n(defined.begin() + frame.cells, code->registers, 0);
  for (const auto &each : code->constants)
    r[each.first] = each.second;
  for (const auto &each : code->specials)
    r[each.first] = block->special(*this, each.second);
  for (const auto &each : code->frameAddresses)
    r[each.first] = frame.memory + each.second;
}

void Thread::call(uint32_t which) {
  const Call &call = code->calls[which];
  const size_t callerCells = frames.back().cells;
  const uint64_t callerMemory = frames.back().memory;
  enter(*call.callee);
  for (const Call::Copy &copy : call.arguments) {
    if (copy.isCell) {
      r[copy.toCell] = cells[callerCells + copy.cell];
      defined[frames.back().cells + copy.toCell] = 1;
      continue;
    }
    uint64_t from = callerMemory + copy.offset;
    uint64_t to = frames.back().memory + copy.toOffset;
    std::copy_n(&local[from], copy.size, &local[to]);
    std::copy_n(&localInitialized[from], copy.size, &localInitialized[to]);
  }
}

void Thread::leave() {
  if (frames.size() == 1)
    return finish();
  Frame callee = frames.back();
  frames.pop_back();
  const Frame &caller = frames.back();
  code = caller.code;
  r = &cells[caller.cells];
  pc = callee.back;
  const Call &call = code->calls[current().target];
  for (const Call::Copy &copy : call.results) {
    if (copy.isCell) {
      r[copy.cell] = cells[callee.cells + copy.toCell];
      continue;
    }
    uint64_t from = callee.memory + copy.toOffset;
    uint64_t to = caller.memory + copy.offset;
    std::copy_n(&local[from], copy.size, &local[to]);
    std::copy_n(&localInitialized[from], copy.size, &localInitialized[to]);
  }
}

void Thread::finish() { state = Done; }

void Thread::run() {
  uint64_t left = budget;
  while (state == Ready) {
    const Instruction &instruction = *pc++;
    if (left-- == 0)
      fault(FaultKind::Limit, "the thread ran more instructions than allowed: "
                              "a loop that does not end?");
    if (instruction.flags && !prepare(instruction))
      continue;
    instruction.run(*this, instruction);
  }
  block->launch.instructions += budget - left;
  budget = left;
}

/// Returns whether the instruction is still to be run.
bool Thread::prepare(const Instruction &instruction) {
  const uint8_t flags = instruction.flags;
  if (flags & Guarded) {
    if ((flags & ReadsSuspect) && code->suspect[instruction.guard] &&
        !defined[frames.back().cells + instruction.guard])
      fault(FaultKind::Uninitialized, "the predicate is not initialized");
    if ((r[instruction.guard] & 1) == ((flags & GuardNegated) != 0))
      return false;
  }
  if (!(flags & (ReadsSuspect | WritesSuspect)))
    return true;
  runChecked(instruction);
  return false;
}

void Thread::runChecked(const Instruction &instruction) {
  const size_t which = &instruction - code->instructions.data();
  const Code::Use &use = code->uses[which];
  const size_t base = frames.back().cells;
  bool all = true, any = use.reads.empty();
  for (uint32_t cell : use.reads) {
    bool is = !code->suspect[cell] || defined[base + cell];
    all &= is;
    any |= is;
    if (!is && !(instruction.flags & (Propagates | PropagatesAny))) {
      std::string name = orderedRegisters(*code->function)[cell];
      fault(FaultKind::Uninitialized,
            "the register " + name.substr(0, name.find('#')) +
                " is read, and nothing was written to it");
    }
  }
  bool result = instruction.flags & Propagates      ? all
                : instruction.flags & PropagatesAny ? any
                                                    : true;
  for (uint32_t cell : use.writes)
    defined[base + cell] = result;
  instruction.run(*this, instruction);
}

void Thread::fault(FaultKind kind, const std::string &reason) const {
  const Statement &statement = code->statementOf(current());
  const std::string &kernel = block->launch.program.kernel->name;
  auto text = [](const Dim3 &at) {
    return "(" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " +
           std::to_string(at[2]) + ")";
  };
  const std::string place =
      "kernel " + kernel + ", block " + text(block->position) + ", thread " +
      text(position) + ", PTX line " + std::to_string(statement.line) + ": " +
      statement.text;
  Fault fault(kind, place + "\n  " + reason);
  fault.kernel = kernel;
  fault.block = block->position;
  fault.thread = position;
  fault.line = statement.line;
  fault.instruction = statement.text;
  fault.place = place;
  fault.reason = reason;
  throw fault;
}

} // namespace smex::ptx
