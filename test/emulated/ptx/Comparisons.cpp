// setp, set and selp.
#include "test/emulated/ptx/Operations.h"

namespace smex::ptx {
namespace {

enum Comparison {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Lo,
  Ls,
  Hi,
  Hs,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  NaN
};

template <class T> bool compare(T a, T b, unsigned comparison) {
  switch (comparison) {
  case Eq:
    return a == b;
  case Ne: // of floats: ordered and not equal
    return a < b || a > b;
  case Lt:
  case Lo:
    return a < b;
  case Le:
  case Ls:
    return a <= b;
  case Gt:
  case Hi:
    return a > b;
  case Ge:
  case Hs:
    return a >= b;
  case Equ:
    return !(a < b || a > b);
  case Neu:
    return !(a == b);
  case Ltu:
    return !(a >= b);
  case Leu:
    return !(a > b);
  case Gtu:
    return !(a <= b);
  case Geu:
    return !(a < b);
  case Num:
    return a == a && b == b;
  default:
    return a != a || b != b;
  }
}

// Instruction::detail of setp: comparison, then how the third operand joins.
enum {
  JoinShift = 5,
  JoinAnd = 1,
  JoinOr = 2,
  JoinXor = 3,
  NegateShift = 7,
  FlushShift = 8
};

bool join(bool value, bool other, unsigned how) {
  switch (how & 3) {
  case JoinAnd:
    return value && other;
  case JoinOr:
    return value || other;
  case JoinXor:
    return value != other;
  default:
    return value;
  }
}

/// d = (a ? b) join c; the second result, if any, is !(a ? b) join c.
void store(Thread &t, const Instruction &i, bool value) {
  if (!(i.detail >> JoinShift)) {
    t.r[i.d] = value;
    if (i.count)
      t.r[i.e] = !value;
    return;
  }
  bool other = (t.r[i.c] & 1) != (i.detail >> NegateShift & 1);
  t.r[i.d] = join(value, other, i.detail >> JoinShift);
  if (i.count)
    t.r[i.e] = join(!value, other, i.detail >> JoinShift);
}

template <class T> void runSetp(Thread &t, const Instruction &i) {
  T a = valueOf<T>(t.r[i.a]), b = valueOf<T>(t.r[i.b]);
  if constexpr (std::is_same_v<T, float>)
    if (i.detail >> FlushShift & 1) {
      a = flush(a);
      b = flush(b);
    }
  store(t, i, compare<T>(a, b, i.detail & 31));
}

template <class T, unsigned comparison>
void runSimple(Thread &t, const Instruction &i) {
  t.r[i.d] = compare<T>(valueOf<T>(t.r[i.a]), valueOf<T>(t.r[i.b]), comparison);
}

template <bool isBrain> void runHalf(Thread &t, const Instruction &i) {
  constexpr Format format = isBrain ? formatBF16 : formatF16;
  store(t, i,
        compare<double>(decode(t.r[i.a] & 0xffff, format),
                        decode(t.r[i.b] & 0xffff, format), i.detail & 31));
}

/// Of a pair: the first result is the low half's, the second the high half's.
template <bool isBrain> void runPair(Thread &t, const Instruction &i) {
  constexpr Format format = isBrain ? formatBF16 : formatF16;
  auto lane = [&](unsigned shift) {
    return compare<double>(decode(t.r[i.a] >> shift & 0xffff, format),
                           decode(t.r[i.b] >> shift & 0xffff, format),
                           i.detail & 31);
  };
  bool low = lane(0), high = lane(16);
  t.r[i.d] = low;
  t.r[i.e] = high;
}

template <class T> Handler simple(unsigned comparison) {
  switch (comparison) {
  case Eq:
    return runSimple<T, Eq>;
  case Ne:
    return runSimple<T, Ne>;
  case Lt:
  case Lo:
    return runSimple<T, Lt>;
  case Le:
  case Ls:
    return runSimple<T, Le>;
  case Gt:
  case Hi:
    return runSimple<T, Gt>;
  case Ge:
  case Hs:
    return runSimple<T, Ge>;
  default:
    return runSetp<T>;
  }
}

template <class T> Handler choose(unsigned detail, bool second) {
  return detail >> JoinShift || second ? runSetp<T> : simple<T>(detail);
}

Handler handlerFor(Type type, unsigned detail, bool second) {
  switch (type) {
  case Type::U16:
  case Type::B16:
    return choose<uint16_t>(detail, second);
  case Type::U32:
  case Type::B32:
    return choose<uint32_t>(detail, second);
  case Type::U64:
  case Type::B64:
    return choose<uint64_t>(detail, second);
  case Type::S16:
    return choose<int16_t>(detail, second);
  case Type::S32:
    return choose<int32_t>(detail, second);
  case Type::F32:
    return choose<float>(detail, second);
  case Type::F64:
    return choose<double>(detail, second);
  case Type::F16:
    return runHalf<false>;
  case Type::BF16:
    return runHalf<true>;
  case Type::F16x2:
    return runPair<false>;
  case Type::BF16x2:
    return runPair<true>;
  default: // .s64
    return choose<int64_t>(detail, second);
  }
}

void decodeSetp(Decoder &decoder, const Statement &s, Modifiers &m) {
  const unsigned comparison =
      m.oneOf({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs",
               "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"})
          .value();
  auto joined = m.oneOf({"and", "or", "xor"});
  decoder.expectOperands(s, joined ? 4 : 3, joined ? 4 : 3);
  unsigned detail = comparison;
  if (joined)
    detail |= (*joined + 1) << JoinShift | s.operands[3].negated << NegateShift;
  if (m.take("ftz"))
    detail |= 1 << FlushShift;
  Type type = m.type();
  bool pair = type == Type::F16x2 || type == Type::BF16x2;
  bool second = !s.operands[0].other.empty();
  if (pair && (joined || !second))
    decoder.fail("expected setp with two results, and no third operand");
  Handler run = handlerFor(type, detail, second);
  uint32_t a = decoder.use(s.operands[1], type);
  uint32_t b = decoder.use(s.operands[2], type);
  uint32_t c = joined ? decoder.use(s.operands[3], Type::Pred) : 0;
  uint32_t d = decoder.define(s.operands[0]);
  uint32_t e = 0;
  if (second) {
    Operand other;
    other.name = s.operands[0].other;
    e = decoder.define(other);
  }
  Instruction &result = decoder.emit(s, run);
  result.d = d;
  result.a = a;
  result.b = b;
  result.c = c;
  result.e = e;
  result.count = second;
  result.detail = detail;
}

void runSelect(Thread &t, const Instruction &i) {
  t.r[i.d] = t.r[i.c] & 1 ? t.r[i.a] : t.r[i.b];
}

void decodeSelp(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 4, 4);
  Type type = m.type();
  uint32_t a = decoder.use(s.operands[1], type);
  uint32_t b = decoder.use(s.operands[2], type);
  uint32_t c = decoder.use(s.operands[3], Type::Pred);
  uint32_t d = decoder.define(s.operands[0]);
  Instruction &result = decoder.emit(s, runSelect);
  result.d = d;
  result.a = s.operands[3].negated ? b : a;
  result.b = s.operands[3].negated ? a : b;
  result.c = c;
  result.flags |= PropagatesAny;
}

} // namespace

void addComparisons(OpcodeTable &table) {
  table["setp"] = decodeSetp;
  table["selp"] = decodeSelp;
}

} // namespace smex::ptx
