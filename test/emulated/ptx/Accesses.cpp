// ld, st and prefetch.
#include "test/emulated/ptx/Operations.h"

namespace smex::ptx {
namespace {

/// i.offset: added to the address. i.detail: bytes of the result's register,
/// which a signed value fills.
template <class T> uint64_t loaded(const uint8_t *bytes, unsigned width) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  if constexpr (!std::is_signed_v<T>)
    return value;
  auto wide = static_cast<uint64_t>(static_cast<int64_t>(value));
  return width == 8 ? wide : wide & ((uint64_t(1) << (8 * width)) - 1);
}

template <class T> void runLoad(Thread &t, const Instruction &i) {
  const uint8_t *bytes =
      t.access(i, t.r[i.a] + i.offset, sizeof(T), AccessKind::Read);
  t.r[i.d] = loaded<T>(bytes, i.detail);
}
template <class T> void runLoadVector(Thread &t, const Instruction &i) {
  const uint8_t *bytes =
      t.access(i, t.r[i.a] + i.offset, sizeof(T) * i.count, AccessKind::Read);
  const uint32_t *cells = &t.function().lists[i.list];
  for (unsigned k = 0; k < i.count; ++k)
    t.r[cells[k]] = loaded<T>(bytes + k * sizeof(T), i.detail);
}
template <class T> void runStore(Thread &t, const Instruction &i) {
  auto value = static_cast<T>(t.r[i.d]);
  std::memcpy(t.access(i, t.r[i.a] + i.offset, sizeof(T), AccessKind::Write),
              &value, sizeof(T));
}
template <class T> void runStoreVector(Thread &t, const Instruction &i) {
  uint8_t *bytes =
      t.access(i, t.r[i.a] + i.offset, sizeof(T) * i.count, AccessKind::Write);
  const uint32_t *cells = &t.function().lists[i.list];
  for (unsigned k = 0; k < i.count; ++k) {
    auto value = static_cast<T>(t.r[cells[k]]);
    std::memcpy(bytes + k * sizeof(T), &value, sizeof(T));
  }
}

template <class T> Handler handler(bool isLoad, bool isVector) {
  return isLoad ? (isVector ? runLoadVector<T> : runLoad<T>)
                : (isVector ? runStoreVector<T> : runStore<T>);
}

Handler handlerFor(Type type, bool isLoad, bool isVector) {
  bool sign = isLoad && isSigned(type);
  switch (bytesOf(type)) {
  case 1:
    return sign ? handler<int8_t>(isLoad, isVector)
                : handler<uint8_t>(isLoad, isVector);
  case 2:
    return sign ? handler<int16_t>(isLoad, isVector)
                : handler<uint16_t>(isLoad, isVector);
  case 4:
    return sign ? handler<int32_t>(isLoad, isVector)
                : handler<uint32_t>(isLoad, isVector);
  case 8:
    return handler<uint64_t>(isLoad, isVector);
  default:
    return nullptr;
  }
}

/// Whether the access is a strong one, which races with no other such access.
bool takeStrength(const Decoder &decoder, Modifiers &m, bool isLoad) {
  enum Strength { Weak, Volatile, Mmio, Relaxed, Acquire, Release };
  const unsigned strength =
      m.oneOf({"weak", "volatile", "mmio", "relaxed", "acquire", "release"})
          .value_or(Weak);
  const auto scope = m.oneOf({"cta", "gpu", "sys", "cluster"});
  if (bool(scope) != (strength == Mmio || strength >= Relaxed))
    decoder.fail(scope ? "a scope without .relaxed, .acquire or .release"
                       : "expected a scope");
  if (strength == (isLoad ? Release : Acquire))
    decoder.fail("loads acquire, and stores release");
  return strength != Weak;
}

/// Hints about caches change nothing.
void takeHints(Modifiers &m, bool isLoad) {
  if (isLoad)
    m.oneOf({"ca", "cg", "cs", "lu", "cv"});
  else
    m.oneOf({"wb", "cg", "cs", "wt"});
  for (const char *name :
       {"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
        "L1::evict_last", "L1::no_allocate", "L2::64B", "L2::128B", "L2::256B",
        "L2::evict_first", "L2::evict_last", "L2::evict_normal", "unified"})
    m.take(name);
}

template <bool isLoad>
void decodeAccess(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 2, 2);
  const bool isReadOnly = m.take("nc");
  const bool isVolatile = takeStrength(decoder, m, isLoad);
  takeHints(m, isLoad);
  Space space = m.space();
  auto vector = m.oneOf({"v2", "v4", "v8"});
  unsigned count = vector ? 2u << *vector : 0;
  Type type = m.type();
  const Operand &value = s.operands[isLoad ? 0 : 1];
  const Operand &place = s.operands[isLoad ? 1 : 0];
  const bool isNumber =
      !isFloat(type) || type == Type::F32 || type == Type::F64;
  if (type == Type::Pred || !isNumber || count * bytesOf(type) > 32 ||
      (count == 8 && bytesOf(type) != 4))
    decoder.fail("no access of this type and size");
  if (isVolatile && space != Space::Global && space != Space::Shared &&
      space != Space::Generic)
    decoder.fail("a strong access is of global or shared memory");
  if (!isLoad && space == Space::Const)
    decoder.fail("a constant is not written");
  if (isReadOnly && (!isLoad || space != Space::Global))
    decoder.fail(".nc is of loads of global memory");
  if (count * bytesOf(type) == 32) {
    if (space != Space::Global && space != Space::Generic)
      decoder.fail("32 bytes at once are of global memory");
    decoder.needs(100, "an access of 32 bytes");
  }
  Handler run = handlerFor(type, isLoad, count != 0);
  if (!run)
    decoder.fail("no access of this type");
  // The raw bits are what matters: a type of the same width.
  const Type bits[] = {Type::B8, Type::B16, Type::B32, Type::B64};
  Type raw = isFloat(type) ? bits[bytesOf(type) == 2   ? 1
                                  : bytesOf(type) == 4 ? 2
                                                       : 3]
                           : type;
  Decoder::AddressParts at = decoder.address(place, space);
  std::vector<uint32_t> cells;
  auto cell = [&](const Operand &operand) {
    if (isLoad)
      return decoder.define(operand);
    bool isConstant =
        operand.kind == Operand::Float32 || operand.kind == Operand::Float64;
    return decoder.use(operand, isConstant ? type : raw);
  };
  unsigned width = 8;
  auto widthOf = [&](const Operand &operand) {
    if (auto declared = decoder.registerType(operand)) {
      width = bytesOf(*declared);
      if (width < bytesOf(type))
        decoder.fail("the register is narrower than the value");
    }
  };
  if (count) {
    if (value.kind != Operand::Vector || value.list.size() != count)
      decoder.fail("expected as many registers as the vector has elements");
    for (const Operand &each : value.list) {
      cells.push_back(cell(each));
      widthOf(each);
    }
  } else {
    cells.push_back(cell(value));
    widthOf(value);
  }
  uint32_t list = count ? decoder.list(cells) : 0;
  Instruction &result = decoder.emit(s, run);
  result.d = cells[0];
  result.a = at.base;
  result.offset = at.offset;
  result.list = list;
  result.count = count;
  result.size = bytesOf(type);
  result.space = space;
  result.detail = width;
  result.isVolatile = isVolatile;
  result.isReadOnly = isReadOnly;
  if (isVolatile)
    decoder.keepAllReads();
}

void runNothing(Thread &, const Instruction &) {}

/// Tells the caches something.
void decodePrefetch(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 1, 1);
  m.oneOf({"L1", "L2"});
  Space space = m.space();
  decoder.address(s.operands[0], space);
  decoder.emit(s, runNothing);
}

/// Orders a thread's accesses. It is no barrier: two threads still race.
void decodeFence(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 0, 0);
  for (const char *name : {"cta", "gl", "sys", "gpu", "cluster", "sc",
                           "acq_rel", "acquire", "release"})
    m.take(name);
  decoder.emit(s, runNothing);
}

} // namespace

void addAccesses(OpcodeTable &table) {
  table["ld"] = table["ldu"] = decodeAccess<true>;
  table["st"] = decodeAccess<false>;
  table["prefetch"] = decodePrefetch;
  table["membar"] = table["fence"] = decodeFence;
}

} // namespace smex::ptx
