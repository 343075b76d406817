// Which registers may be read before they are written. Only those are watched
// when a kernel runs; compilers' PTX has few.
#include "test/emulated/ptx/Decoder.h"

#include <deque>

namespace smex::ptx {
namespace {

using Registers = std::vector<bool>; // those that are certainly written

class Analysis {
public:
  explicit Analysis(Code &code) : code(code) {}

  void run() {
    const size_t count = code.instructions.size();
    std::vector<bool> leads(count + 1);
    leads[0] = true;
    for (size_t i = 0; i < count; ++i)
      for (uint32_t next : successors(i))
        if (code.instructions[i].flow != Flow::Next)
          leads[next] = true;
    in.resize(count);
    reached.resize(count);
    Registers start(code.registers);
    for (uint32_t cell : parameterCells())
      start[cell] = true;
    in[0] = start;
    reached[0] = true;
    std::deque<size_t> work{0};
    while (!work.empty()) {
      size_t i = work.front();
      work.pop_front();
      Registers state = in[i];
      for (;; ++i) {
        transfer(i, state);
        std::vector<uint32_t> next = successors(i);
        if (next.size() == 1 && next[0] == i + 1 && !leads[i + 1])
          continue;
        for (uint32_t each : next)
          if (meet(each, state))
            work.push_back(each);
        break;
      }
    }
    code.suspect.assign(code.registers, false);
    // Once more, to mark; blocks that nothing reaches stay as they are.
    for (size_t first = 0; first < count; ++first) {
      if (!leads[first] || !reached[first])
        continue;
      Registers state = in[first];
      for (size_t i = first; i < count && (i == first || !leads[i]); ++i) {
        mark(i, state);
        transfer(i, state);
      }
    }
    for (size_t i = 0; i < count; ++i)
      for (uint32_t cell : code.uses[i].writes)
        if (code.suspect[cell])
          code.instructions[i].flags |= WritesSuspect;
  }

private:
  std::vector<uint32_t> successors(size_t i) const {
    const Instruction &each = code.instructions[i];
    std::vector<uint32_t> result;
    if (each.flow == Flow::Jump)
      result.push_back(each.target);
    if (each.flow == Flow::Table)
      result = code.jumpTables[each.list];
    bool falls = each.flow == Flow::Next || (each.flags & Guarded);
    if (falls && i + 1 < code.instructions.size())
      result.push_back(i + 1);
    return result;
  }

  std::vector<uint32_t> parameterCells() const {
    std::vector<uint32_t> result;
    std::vector<std::string> names = orderedRegisters(*code.function);
    for (const Variable &each : code.function->parameters)
      for (size_t i = 0; i < names.size(); ++i)
        if (each.space == Space::Register && names[i] == each.name)
          result.push_back(i);
    return result;
  }

  void transfer(size_t i, Registers &state) const {
    const Instruction &each = code.instructions[i];
    const Code::Use &use = code.uses[i];
    bool all = true, any = use.reads.empty();
    for (uint32_t cell : use.reads) {
      all &= state[cell];
      any |= state[cell];
    }
    bool written = each.flags & Propagates      ? all
                   : each.flags & PropagatesAny ? any
                                                : true;
    for (uint32_t cell : use.writes) {
      if (!written)
        state[cell] = false;
      else if (!(each.flags & Guarded))
        state[cell] = true;
    }
  }

  void mark(size_t i, const Registers &state) {
    for (uint32_t cell : code.uses[i].reads)
      if (!state[cell]) {
        code.suspect[cell] = true;
        code.hasSuspects = true;
        code.instructions[i].flags |= ReadsSuspect;
      }
  }

  bool meet(uint32_t target, const Registers &state) {
    if (!reached[target]) {
      reached[target] = true;
      in[target] = state;
      return true;
    }
    bool changed = false;
    for (size_t i = 0; i < state.size(); ++i)
      if (in[target][i] && !state[i]) {
        in[target][i] = false;
        changed = true;
      }
    return changed;
  }

  Code &code;
  std::vector<Registers> in;
  std::vector<bool> reached;
};

} // namespace

void findSuspects(Code &code) { Analysis(code).run(); }

} // namespace smex::ptx
