// cp.async: copies from global to shared memory that are done, at the latest,
// when the thread waits for them. Here they are done at the latest, so that
// what reads too early finds the old bytes.
#include "test/emulated/ptx/Operations.h"

namespace smex::ptx {
namespace {

// One statement becomes two instructions, so that both addresses are checked
// for the buffers that their pointers are to.
void runSource(Thread &t, const Instruction &i) {
  t.copySource = {&i, t.r[i.a] + i.offset};
}

/// i.b is the cell of the bytes to read; the rest of the target becomes 0.
void runTarget(Thread &t, const Instruction &i) {
  auto sourceBytes = static_cast<uint32_t>(t.r[i.b]);
  if (sourceBytes > i.detail)
    t.fault(FaultKind::OutOfBounds, "reads more than the copy writes");
  t.copies.push_back(
      {t.copySource, {&i, t.r[i.a] + i.offset}, i.detail, sourceBytes});
}

void runCommit(Thread &t, const Instruction &) {
  t.copyGroups.push_back(std::move(t.copies));
  t.copies.clear();
}

void perform(Thread &t, const std::vector<Thread::AsyncCopy> &copies) {
  for (const Thread::AsyncCopy &each : copies) {
    uint8_t bytes[16] = {};
    // As single bytes, where it is less than a whole.
    if (each.sourceBytes == each.bytes)
      std::memcpy(bytes,
                  t.access(*each.from.instruction, each.from.address,
                           each.bytes, AccessKind::Read),
                  each.bytes);
    else
      for (unsigned k = 0; k < each.sourceBytes; ++k)
        bytes[k] = *t.access(*each.from.instruction, each.from.address + k, 1,
                             AccessKind::Read);
    std::memcpy(t.access(*each.to.instruction, each.to.address, each.bytes,
                         AccessKind::Write),
                bytes, each.bytes);
  }
}

/// All but the last i.offset groups; -1: what was not committed, too.
void runWait(Thread &t, const Instruction &i) {
  size_t keep = i.offset < 0 ? 0 : static_cast<size_t>(i.offset);
  while (t.copyGroups.size() > keep) {
    perform(t, t.copyGroups.front());
    t.copyGroups.erase(t.copyGroups.begin());
  }
  if (i.offset < 0) {
    perform(t, t.copies);
    t.copies.clear();
  }
}

void decodeCopy(Decoder &decoder, const Statement &s, Modifiers &m) {
  if (!m.take("async"))
    decoder.fail("only cp.async is supported");
  if (m.take("commit_group")) {
    decoder.expectOperands(s, 0, 0);
    decoder.emit(s, runCommit);
    return;
  }
  if (m.take("wait_all")) {
    decoder.expectOperands(s, 0, 0);
    decoder.emit(s, runWait).offset = -1;
    return;
  }
  if (m.take("wait_group")) {
    decoder.expectOperands(s, 1, 1);
    if (s.operands[0].kind != Operand::Integer)
      decoder.fail("a number of groups is a constant");
    decoder.emit(s, runWait).offset = s.operands[0].bits & 0xffff;
    return;
  }
  decoder.expectOperands(s, 3, 4);
  bool bypasses = m.take("cg");
  m.take("ca");
  m.oneOf({"L2::64B", "L2::128B", "L2::256B"});
  bool shared = m.take("shared") || m.take("shared::cta");
  if (!shared || !m.take("global"))
    decoder.fail("expected .shared.global");
  const Operand &size = s.operands[2];
  uint64_t bytes = size.kind == Operand::Integer ? size.bits : 0;
  if (bytes != 16 && (bypasses || (bytes != 4 && bytes != 8)))
    decoder.fail("cp.async copies 4, 8 or 16 bytes, .cg only 16");
  Space from = Space::Global, to = Space::Shared;
  Decoder::AddressParts source = decoder.address(s.operands[1], from);
  Instruction &first = decoder.emit(s, runSource);
  first.a = source.base;
  first.offset = source.offset;
  first.space = from;
  first.size = 1;
  Decoder::AddressParts target = decoder.address(s.operands[0], to);
  uint32_t b = s.operands.size() == 4 ? decoder.use(s.operands[3], Type::U32)
                                      : decoder.constant(bytes);
  Instruction &second = decoder.emit(s, runTarget);
  second.a = target.base;
  second.b = b;
  second.offset = target.offset;
  second.space = to;
  second.size = 1;
  second.detail = bytes;
}

} // namespace

void addAsyncCopies(OpcodeTable &table) { table["cp"] = decodeCopy; }

} // namespace smex::ptx
