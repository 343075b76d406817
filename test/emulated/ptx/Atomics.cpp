// atom and red: a thread's operation is not interrupted by another's.
#include "test/emulated/ptx/Operations.h"

#include <algorithm>

namespace smex::ptx {
namespace {

enum Atomic { And, Or, Xor, Exch, Add, Inc, Dec, Min, Max, Cas };

template <class T> T combine(T old, T b, T c, unsigned operation) {
  if constexpr (std::is_floating_point_v<T>) {
    return operation == Add ? old + b : b; // or exch
  } else {
    switch (operation) {
    case And:
      return old & b;
    case Or:
      return old | b;
    case Xor:
      return old ^ b;
    case Add:
      return static_cast<T>(static_cast<uint64_t>(old) +
                            static_cast<uint64_t>(b));
    case Inc:
      return old >= b ? 0 : old + 1;
    case Dec:
      return old == 0 || old > b ? b : old - 1;
    case Min:
      return std::min(old, b);
    case Max:
      return std::max(old, b);
    case Cas:
      return old == b ? c : old;
    default:
      return b;
    }
  }
}

template <class T> void run(Thread &t, const Instruction &i) {
  uint8_t *place =
      t.access(i, t.r[i.a] + i.offset, sizeof(T), AccessKind::Atomic);
  T old;
  std::memcpy(&old, place, sizeof(T));
  T result =
      combine<T>(old, valueOf<T>(t.r[i.b]), valueOf<T>(t.r[i.c]), i.detail);
  // Only in shared memory does atom.add.f32 know subnormal numbers (PTX ISA).
  if constexpr (std::is_same_v<T, float>)
    if ((Thread::generic(i.space, t.r[i.a] + i.offset) & windowMask) !=
        sharedWindow)
      result = flush(
          combine<T>(flush(old), flush(valueOf<T>(t.r[i.b])), 0, i.detail));
  if constexpr (std::is_floating_point_v<T>)
    if (result != result)
      result = valueOf<T>(sizeof(T) == 4 ? canonicalNaN32 : canonicalNaN64);
  std::memcpy(place, &result, sizeof(T));
  t.r[i.d] = toCell<T>(old);
}

/// The addition of halves, alone or in a pair, rounded to nearest.
template <bool isBrain, class T> void runHalf(Thread &t, const Instruction &i) {
  constexpr Format format = isBrain ? formatBF16 : formatF16;
  uint8_t *place =
      t.access(i, t.r[i.a] + i.offset, sizeof(T), AccessKind::Atomic);
  T old, result = 0;
  std::memcpy(&old, place, sizeof(T));
  for (unsigned shift = 0; shift < 8 * sizeof(T); shift += 16) {
    double sum = oddAdd(decode(old >> shift & 0xffff, format),
                        decode(t.r[i.b] >> shift & 0xffff, format));
    result |= static_cast<T>(encode(sum, format, Rounding::Nearest) << shift);
  }
  std::memcpy(place, &result, sizeof(T));
  t.r[i.d] = old;
}

Handler handlerFor(Type type) {
  switch (type) {
  case Type::U32:
  case Type::B32:
    return run<uint32_t>;
  case Type::S32:
    return run<int32_t>;
  case Type::S64:
    return run<int64_t>;
  case Type::B16:
    return run<uint16_t>;
  case Type::F32:
    return run<float>;
  case Type::F64:
    return run<double>;
  case Type::F16:
    return runHalf<false, uint16_t>;
  case Type::BF16:
    return runHalf<true, uint16_t>;
  case Type::F16x2:
    return runHalf<false, uint32_t>;
  case Type::BF16x2:
    return runHalf<true, uint32_t>;
  default: // .b64 and .u64
    return run<uint64_t>;
  }
}

template <bool hasResult>
void decodeAtomic(Decoder &decoder, const Statement &s, Modifiers &m) {
  for (const char *name : {"relaxed", "acquire", "release", "acq_rel", "cta",
                           "gpu", "sys", "cluster", "noftz"})
    m.take(name);
  Space space = m.space();
  const unsigned operation = m.oneOf({"and", "or", "xor", "exch", "add", "inc",
                                      "dec", "min", "max", "cas"})
                                 .value();
  Type type = m.type();
  size_t count = (hasResult ? 3 : 2) + (operation == Cas);
  decoder.expectOperands(s, count, count);
  size_t first = hasResult ? 1 : 0;
  Decoder::AddressParts at = decoder.address(s.operands[first], space);
  uint32_t b = decoder.use(s.operands[first + 1], type);
  uint32_t c = operation == Cas ? decoder.use(s.operands[first + 2], type) : b;
  Operand nobody;
  nobody.kind = Operand::Underscore;
  uint32_t d = decoder.define(hasResult ? s.operands[0] : nobody);
  Instruction &result = decoder.emit(s, handlerFor(type));
  result.d = d;
  result.a = at.base;
  result.b = b;
  result.c = c;
  result.offset = at.offset;
  result.size = bytesOf(type);
  result.space = space;
  result.detail = operation;
  decoder.keepAllReads();
}

} // namespace

void addAtomics(OpcodeTable &table) {
  table["atom"] = decodeAtomic<true>;
  table["red"] = decodeAtomic<false>;
}

} // namespace smex::ptx
