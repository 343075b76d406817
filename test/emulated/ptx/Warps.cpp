// What the lanes of a warp do together: a thread waits in Block::join until the
// members of its mask are there, then the collective runs once for all.
#include "test/emulated/ptx/Block.h"
#include "test/emulated/ptx/Operations.h"

#include <algorithm>

namespace smex::ptx {
namespace {

/// i.e is the cell of the member mask.
void runJoin(Thread &t, const Instruction &i) {
  t.block->join(t, static_cast<uint32_t>(t.r[i.e]));
}

Thread &laneOf(Block &block, unsigned warp, unsigned lane) {
  return block.threads[warp * 32 + lane];
}

template <class Function> void forEachLane(uint32_t members, Function f) {
  for (unsigned lane = 0; lane < 32; ++lane)
    if (members >> lane & 1)
      f(lane);
}

enum Shuffle { Up, Down, Butterfly, Index };

/// The source lane of a shuffle, or -1 where it is out of range: the algorithm
/// of the PTX ISA, shfl.sync.
int sourceLane(unsigned mode, int lane, uint32_t b, uint32_t c) {
  int bval = b & 31, cval = c & 31, mask = c >> 8 & 31;
  int most = (lane & mask) | (cval & ~mask), least = lane & mask;
  switch (mode) {
  case Up:
    return lane - bval >= most ? lane - bval : -1;
  case Down:
    return lane + bval <= most ? lane + bval : -1;
  case Butterfly:
    return (lane ^ bval) <= most ? lane ^ bval : -1;
  default: {
    int source = least | (bval & ~mask);
    return source <= most ? source : -1;
  }
  }
}

void shuffle(Block &block, unsigned warp, uint32_t members,
             const Instruction &i) {
  uint64_t values[32] = {};
  bool inRange[32] = {};
  forEachLane(members, [&](unsigned lane) {
    Thread &thread = laneOf(block, warp, lane);
    int source = sourceLane(i.detail, lane, thread.r[i.b], thread.r[i.c]);
    inRange[lane] = source >= 0;
    if (source < 0)
      source = lane;
    if (!(members >> source & 1))
      thread.fault(FaultKind::Warp,
                   "reads from lane " + std::to_string(source) +
                       ", which is not in the member mask or has exited");
    values[lane] = laneOf(block, warp, source).r[i.a];
  });
  forEachLane(members, [&](unsigned lane) {
    Thread &thread = laneOf(block, warp, lane);
    thread.r[i.d] = values[lane];
    if (i.count)
      thread.r[static_cast<uint32_t>(i.offset)] = inRange[lane];
  });
}

/// What "d|p" names: a value, and perhaps a predicate beside it.
struct Destination {
  uint32_t value = 0, predicate = 0;
  bool hasPredicate = false;
};

Destination defineBoth(Decoder &decoder, const Operand &both) {
  Operand value = both, other;
  value.other.clear();
  other.name = both.other;
  Destination to;
  to.value = decoder.define(value);
  to.hasPredicate = !other.name.empty();
  to.predicate = to.hasPredicate ? decoder.define(other) : 0;
  return to;
}

void decodeShuffle(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 5, 5);
  if (!m.take("sync"))
    decoder.fail("only shfl.sync is supported");
  auto mode = m.oneOf({"up", "down", "bfly", "idx"});
  if (!mode || m.type() != Type::B32)
    decoder.fail("expected shfl.sync.{up,down,bfly,idx}.b32");
  uint32_t a = decoder.use(s.operands[1], Type::B32);
  uint32_t b = decoder.use(s.operands[2], Type::B32);
  uint32_t c = decoder.use(s.operands[3], Type::B32);
  uint32_t e = decoder.use(s.operands[4], Type::B32);
  const Destination to = defineBoth(decoder, s.operands[0]);
  Instruction &result = decoder.emit(s, runJoin);
  result.d = to.value;
  result.a = a;
  result.b = b;
  result.c = c;
  result.e = e;
  result.count = to.hasPredicate;
  result.offset = to.predicate;
  result.detail = *mode;
  result.collective = shuffle;
}

enum Vote { All, Any, Uniform, Ballot };

void vote(Block &block, unsigned warp, uint32_t members, const Instruction &i) {
  uint32_t ballot = 0;
  forEachLane(members, [&](unsigned lane) {
    bool holds = (laneOf(block, warp, lane).r[i.a] & 1) != (i.count & 1);
    ballot |= uint32_t(holds) << lane;
  });
  bool all = ballot == members, none = ballot == 0;
  uint32_t result = i.detail == All       ? all
                    : i.detail == Any     ? !none
                    : i.detail == Uniform ? all || none
                                          : ballot;
  forEachLane(members, [&](unsigned lane) {
    laneOf(block, warp, lane).r[i.d] = result;
  });
}

void decodeVote(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 3, 3);
  if (!m.take("sync"))
    decoder.fail("only vote.sync is supported");
  auto mode = m.oneOf({"all", "any", "uni", "ballot"});
  if (!mode || m.type() != (*mode == Ballot ? Type::B32 : Type::Pred))
    decoder.fail("unknown vote");
  uint32_t a = decoder.use(s.operands[1], Type::Pred);
  uint32_t e = decoder.use(s.operands[2], Type::B32);
  uint32_t d = decoder.define(s.operands[0]);
  Instruction &result = decoder.emit(s, runJoin);
  result.d = d;
  result.a = a;
  result.e = e;
  result.detail = *mode;
  result.count = s.operands[1].negated;
  result.collective = vote;
}

/// match.any: who has my value. match.all: all, or nobody.
void match(Block &block, unsigned warp, uint32_t members,
           const Instruction &i) {
  uint32_t results[32] = {};
  forEachLane(members, [&](unsigned lane) {
    forEachLane(members, [&](unsigned other) {
      if (laneOf(block, warp, lane).r[i.a] == laneOf(block, warp, other).r[i.a])
        results[lane] |= 1u << other;
    });
  });
  forEachLane(members, [&](unsigned lane) {
    Thread &thread = laneOf(block, warp, lane);
    bool all = results[lane] == members;
    thread.r[i.d] = i.detail && !all ? 0 : results[lane];
    if (i.count)
      thread.r[i.b] = all;
  });
}

void decodeMatch(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 3, 3);
  auto mode = m.oneOf({"any", "all"});
  if (!mode || !m.take("sync"))
    decoder.fail("expected match.{any,all}.sync");
  uint32_t a = decoder.use(s.operands[1], m.type());
  uint32_t e = decoder.use(s.operands[2], Type::B32);
  const Destination to = defineBoth(decoder, s.operands[0]);
  Instruction &result = decoder.emit(s, runJoin);
  result.d = to.value;
  result.a = a;
  result.b = to.predicate;
  result.e = e;
  result.detail = *mode;
  result.count = to.hasPredicate;
  result.collective = match;
}

enum Reduce { Add, Min, Max, And, Or, Xor };

void reduce(Block &block, unsigned warp, uint32_t members,
            const Instruction &i) {
  bool first = true;
  uint32_t result = 0;
  forEachLane(members, [&](unsigned lane) {
    auto value = static_cast<uint32_t>(laneOf(block, warp, lane).r[i.a]);
    auto order = [&](uint32_t x) { return i.count ? x ^ 0x80000000 : x; };
    if (first)
      result = value;
    else if (i.detail == Add)
      result += value;
    else if (i.detail == Min || i.detail == Max)
      result =
          (order(value) < order(result)) == (i.detail == Min) ? value : result;
    else
      result = i.detail == And  ? result & value
               : i.detail == Or ? result | value
                                : result ^ value;
    first = false;
  });
  forEachLane(members, [&](unsigned lane) {
    laneOf(block, warp, lane).r[i.d] = result;
  });
}

void decodeReduce(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 3, 3);
  if (!m.take("sync"))
    decoder.fail("expected redux.sync");
  auto mode = m.oneOf({"add", "min", "max", "and", "or", "xor"});
  Type type = m.type();
  if (!mode || bytesOf(type) != 4 || isFloat(type))
    decoder.fail("unknown redux.sync");
  uint32_t a = decoder.use(s.operands[1], type);
  uint32_t e = decoder.use(s.operands[2], Type::B32);
  uint32_t d = decoder.define(s.operands[0]);
  Instruction &result = decoder.emit(s, runJoin);
  result.d = d;
  result.a = a;
  result.e = e;
  result.detail = *mode;
  result.count = isSigned(type);
  result.collective = reduce;
}

/// Which lanes run together is up to the GPU. Here each runs alone, which is
/// the answer that code relies on least.
void runActive(Thread &t, const Instruction &i) {
  t.r[i.d] = 1u << (t.index & 31);
}
void decodeActive(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 1, 1);
  if (m.type() != Type::B32)
    decoder.fail("expected activemask.b32");
  uint32_t d = decoder.define(s.operands[0]);
  decoder.emit(s, runActive).d = d;
}

} // namespace

void addWarps(OpcodeTable &table) {
  table["shfl"] = decodeShuffle;
  table["vote"] = decodeVote;
  table["match"] = decodeMatch;
  table["redux"] = decodeReduce;
  table["activemask"] = decodeActive;
}

} // namespace smex::ptx
