// Branches, calls, and ends.
#include "test/emulated/ptx/Operations.h"

namespace smex::ptx {
namespace {

void runBranch(Thread &t, const Instruction &i) { t.jump(i.target); }

void runTable(Thread &t, const Instruction &i) {
  const std::vector<uint32_t> &table = t.function().jumpTables[i.list];
  auto index = static_cast<uint32_t>(t.r[i.a]);
  if (index >= table.size())
    t.fault(FaultKind::Limit, "the index " + std::to_string(index) +
                                  " is past the branch's " +
                                  std::to_string(table.size()) + " targets");
  t.jump(table[index]);
}

void runCall(Thread &t, const Instruction &i) { t.call(i.target); }
void runReturn(Thread &t, const Instruction &) { t.leave(); }
void runExit(Thread &t, const Instruction &) { t.finish(); }
void runNothing(Thread &, const Instruction &) {}
void runTrap(Thread &t, const Instruction &) {
  t.fault(FaultKind::Trap, "the kernel stopped itself");
}

void decodeBranch(Decoder &decoder, const Statement &s, Modifiers &m) {
  m.take("uni");
  decoder.expectOperands(s, 1, 1);
  uint32_t target = decoder.label(s, s.operands[0].name);
  Instruction &result = decoder.emit(s, runBranch);
  result.target = target + 1; // a statement's number, see finishBranches
  result.flow = Flow::Jump;
}

void decodeTable(Decoder &decoder, const Statement &s, Modifiers &m) {
  m.take("uni");
  if (!m.take("idx"))
    decoder.fail("expected brx.idx");
  decoder.expectOperands(s, 2, 2);
  uint32_t a = decoder.use(s.operands[0], Type::U32);
  uint32_t table = decoder.jumpTable(s, s.operands[1].name);
  Instruction &result = decoder.emit(s, runTable);
  result.a = a;
  result.list = table;
  result.flow = Flow::Table;
}

void decodeCall(Decoder &decoder, const Statement &s, Modifiers &m) {
  m.take("uni");
  // call f; call f, (a); call (r), f; call (r), f, (a)
  size_t at = 0;
  const Operand *results = nullptr, *arguments = nullptr;
  if (at < s.operands.size() && s.operands[at].kind == Operand::List)
    results = &s.operands[at++];
  if (at >= s.operands.size() || s.operands[at].kind != Operand::Name)
    decoder.fail("calls through pointers are not supported");
  const std::string &name = s.operands[at++].name;
  if (at < s.operands.size() && s.operands[at].kind == Operand::List)
    arguments = &s.operands[at++];
  if (at != s.operands.size())
    decoder.fail("calls through pointers are not supported");
  uint32_t call = decoder.call(s, results, name, arguments);
  decoder.emit(s, runCall).target = call;
}

template <Handler run>
void decodeEnd(Decoder &decoder, const Statement &s, Modifiers &m) {
  m.take("uni");
  decoder.expectOperands(s, 0, 0);
  decoder.emit(s, run).flow = Flow::End;
}

void decodeSleep(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 1, 1);
  m.optionalType();
  decoder.use(s.operands[0], Type::U32);
  decoder.emit(s, runNothing);
}

} // namespace

void addControl(OpcodeTable &table) {
  table["bra"] = decodeBranch;
  table["brx"] = decodeTable;
  table["call"] = decodeCall;
  table["ret"] = decodeEnd<runReturn>;
  table["exit"] = decodeEnd<runExit>;
  table["trap"] = decodeEnd<runTrap>;
  table["nanosleep"] = decodeSleep;
}

} // namespace smex::ptx
