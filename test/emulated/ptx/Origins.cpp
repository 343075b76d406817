// Which pointer arguments and shared variables an address is computed from.
// The analysis does not follow the order of instructions: a register has one
// origin in its function, which compilers' PTX makes exact enough. Values that
// are loaded have none, except those of parameters and of a frame's variables.
#include "test/emulated/ptx/Decoder.h"

namespace smex::ptx {
namespace {

struct Facts {
  std::vector<Origin> cells;
  std::map<uint64_t, Origin> frame; // by 8-byte word of the frame
  std::unordered_map<uint32_t, uint64_t> constants, frameAddresses;
};

class Analysis {
public:
  explicit Analysis(Program &program) : program(program) {
    for (auto &code : program.functions) {
      Facts &facts = all[code.get()];
      facts.cells.resize(code->cells);
      facts.constants.insert(code->constants.begin(), code->constants.end());
      facts.frameAddresses.insert(code->frameAddresses.begin(),
                                  code->frameAddresses.end());
      for (const auto &[cell, variable] : code->sharedCells)
        facts.cells[cell] = ofShared(variable);
    }
  }

  void run() {
    do {
      changed = false;
      for (auto &code : program.functions)
        for (size_t i = 0; i < code->instructions.size(); ++i)
          visit(*code, i);
    } while (changed);
    std::map<Origin, uint32_t> numbers{{Origin(), 0}};
    program.origins.assign(1, Origin());
    for (auto &code : program.functions)
      for (Instruction &each : code->instructions) {
        if (!each.size)
          continue;
        const Origin &origin = all[code.get()].cells[each.a];
        auto [entry, isNew] = numbers.emplace(origin, program.origins.size());
        if (isNew)
          program.origins.push_back(origin);
        each.origin = entry->second;
      }
  }

private:
  static Origin ofShared(uint32_t variable) {
    Origin result;
    if (variable < 64)
      result.shared = uint64_t(1) << variable;
    else
      result.beyond = true;
    return result;
  }

  void merge(Origin &into, const Origin &from) { changed |= into.merge(from); }

  void visit(const Code &code, size_t i) {
    Facts &facts = all[&code];
    const Instruction &each = code.instructions[i];
    const Code::Use &use = code.uses[i];
    if (each.size)
      return access(code, each, use, facts);
    if (code.statements[i]->opcode == "call")
      return call(code, code.calls[each.target], facts);
    Origin origin;
    for (uint32_t cell : use.reads)
      origin.merge(facts.cells[cell]);
    for (uint32_t variable : use.shared)
      origin.merge(ofShared(variable));
    for (uint32_t cell : use.writes)
      merge(facts.cells[cell], origin);
  }

  void access(const Code &code, const Instruction &each, const Code::Use &use,
              Facts &facts) {
    const unsigned lanes = each.count ? each.count : 1;
    if (each.size != 8)
      return;
    auto constant = facts.constants.find(each.a);
    if (each.space == Space::Param && constant != facts.constants.end()) {
      for (unsigned lane = 0; lane < lanes && lane < use.writes.size();
           ++lane) {
        uint64_t word = (constant->second + each.offset) / 8 + lane;
        Origin origin;
        if (word < 64)
          origin.words = uint64_t(1) << word;
        else
          origin.beyond = true;
        merge(facts.cells[use.writes[lane]], origin);
      }
      return;
    }
    auto slot = facts.frameAddresses.find(each.a);
    if (slot == facts.frameAddresses.end())
      return;
    uint64_t word = (slot->second + each.offset) / 8;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      Origin &stored = facts.frame[word + lane];
      if (!use.writes.empty())
        merge(facts.cells[use.writes[std::min<size_t>(lane,
                                                      use.writes.size() - 1)]],
              stored);
      else
        merge(stored,
              facts.cells[each.count ? code.lists[each.list + lane] : each.d]);
    }
  }

  void call(const Code &, const Call &call, Facts &mine) {
    Facts &theirs = all[call.callee];
    for (const Call::Copy &copy : call.arguments)
      pass(copy, mine, theirs, true);
    for (const Call::Copy &copy : call.results)
      pass(copy, mine, theirs, false);
  }

  void pass(const Call::Copy &copy, Facts &mine, Facts &theirs, bool in) {
    if (copy.isCell)
      return in ? merge(theirs.cells[copy.toCell], mine.cells[copy.cell])
                : merge(mine.cells[copy.cell], theirs.cells[copy.toCell]);
    for (uint64_t at = 0; at < copy.size; at += 8) {
      Origin &here = mine.frame[(copy.offset + at) / 8];
      Origin &there = theirs.frame[(copy.toOffset + at) / 8];
      in ? merge(there, here) : merge(here, there);
    }
  }

  Program &program;
  std::unordered_map<const Code *, Facts> all;
  bool changed = false;
};

} // namespace

void findOrigins(Program &program) { Analysis(program).run(); }

} // namespace smex::ptx
