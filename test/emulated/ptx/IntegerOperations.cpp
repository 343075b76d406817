// Integers wrap around, as PTX says.
#include "test/emulated/ptx/Operations.h"

#include <algorithm>
#include <limits>

namespace smex::ptx {
namespace {

template <class T> using Unsigned = std::make_unsigned_t<T>;
template <class T>
using Wide = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
    std::conditional_t<
        sizeof(T) == 4,
        std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;

/// Arithmetic in 64 bits without sign, which wraps; the result is cut off.
template <class T> uint64_t u(T value) { return static_cast<uint64_t>(value); }

template <class T> struct Add {
  static T apply(T a, T b, T) { return static_cast<T>(u(a) + u(b)); }
};
template <class T> struct Sub {
  static T apply(T a, T b, T) { return static_cast<T>(u(a) - u(b)); }
};
template <class T> struct Mul {
  static T apply(T a, T b, T) { return static_cast<T>(u(a) * u(b)); }
};
template <class T> struct MulHi {
  static T apply(T a, T b, T) {
    return static_cast<T>(Wide<T>(a) * Wide<T>(b) >> (8 * sizeof(T)));
  }
};
template <class T> struct Mad {
  static T apply(T a, T b, T c) { return static_cast<T>(u(a) * u(b) + u(c)); }
};
template <class T> struct MadHi {
  static T apply(T a, T b, T c) {
    return static_cast<T>(u(MulHi<T>::apply(a, b, 0)) + u(c));
  }
};
/// Division by zero is unspecified in PTX; NVIDIA's GPUs give all ones.
template <class T> struct Div {
  static T apply(T a, T b, T) {
    if (b == 0)
      return static_cast<T>(~uint64_t(0));
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return static_cast<T>(-u(a));
    return a / b;
  }
};
template <class T> struct Rem {
  static T apply(T a, T b, T) {
    if (b == 0)
      return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return 0;
    return a % b;
  }
};
template <class T> struct Abs {
  static T apply(T a, T, T) { return a < 0 ? static_cast<T>(-u(a)) : a; }
};
template <class T> struct Neg {
  static T apply(T a, T, T) { return static_cast<T>(-u(a)); }
};
template <class T> struct Min {
  static T apply(T a, T b, T) { return std::min(a, b); }
};
template <class T> struct Max {
  static T apply(T a, T b, T) { return std::max(a, b); }
};
template <class T> struct Sad {
  static T apply(T a, T b, T c) {
    return static_cast<T>(u(c) + (a > b ? u(a) - u(b) : u(b) - u(a)));
  }
};

int32_t saturated(int64_t value) {
  return std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(),
                             std::numeric_limits<int32_t>::max());
}
struct SaturatedAdd {
  static int32_t apply(int32_t a, int32_t b, int32_t) {
    return saturated(int64_t(a) + b);
  }
};
struct SaturatedSub {
  static int32_t apply(int32_t a, int32_t b, int32_t) {
    return saturated(int64_t(a) - b);
  }
};
struct SaturatedMadHi {
  static int32_t apply(int32_t a, int32_t b, int32_t c) {
    return saturated(int64_t(MulHi<int32_t>::apply(a, b, 0)) + c);
  }
};

template <class T, class Op> void run(Thread &t, const Instruction &i) {
  t.r[i.d] = toCell<T>(Op::apply(valueOf<T>(t.r[i.a]), valueOf<T>(t.r[i.b]),
                                 valueOf<T>(t.r[i.c])));
}

template <class T, bool adds> void runWide(Thread &t, const Instruction &i) {
  using W = Wide<T>;
  W product =
      static_cast<W>(u(W(valueOf<T>(t.r[i.a]))) * u(W(valueOf<T>(t.r[i.b]))));
  if (adds)
    product = static_cast<W>(u(product) + u(valueOf<W>(t.r[i.c])));
  t.r[i.d] = toCell<W>(product);
}

template <template <class> class Op> Handler forType(Type type) {
  switch (type) {
  case Type::U16:
    return run<uint16_t, Op<uint16_t>>;
  case Type::U32:
    return run<uint32_t, Op<uint32_t>>;
  case Type::U64:
    return run<uint64_t, Op<uint64_t>>;
  case Type::S16:
    return run<int16_t, Op<int16_t>>;
  case Type::S32:
    return run<int32_t, Op<int32_t>>;
  case Type::S64:
    return run<int64_t, Op<int64_t>>;
  default:
    return nullptr;
  }
}

template <bool adds> Handler forWide(Type type) {
  switch (type) {
  case Type::U16:
    return runWide<uint16_t, adds>;
  case Type::U32:
    return runWide<uint32_t, adds>;
  case Type::S16:
    return runWide<int16_t, adds>;
  case Type::S32:
    return runWide<int32_t, adds>;
  default:
    return nullptr;
  }
}

} // namespace

Handler integerOperation(Operation operation, Type type, bool saturate) {
  if (saturate)
    return operation == Operation::Add   ? run<int32_t, SaturatedAdd>
           : operation == Operation::Sub ? run<int32_t, SaturatedSub>
                                         : run<int32_t, SaturatedMadHi>;
  switch (operation) {
  case Operation::Add:
    return forType<Add>(type);
  case Operation::Sub:
    return forType<Sub>(type);
  case Operation::Mul:
    return forType<Mul>(type);
  case Operation::MulHi:
    return forType<MulHi>(type);
  case Operation::MulWide:
    return forWide<false>(type);
  case Operation::Fma:
    return forType<Mad>(type);
  case Operation::MadHi:
    return forType<MadHi>(type);
  case Operation::MadWide:
    return forWide<true>(type);
  case Operation::Div:
    return forType<Div>(type);
  case Operation::Rem:
    return forType<Rem>(type);
  case Operation::Abs:
    return forType<Abs>(type);
  case Operation::Neg:
    return forType<Neg>(type);
  case Operation::Min:
    return forType<Min>(type);
  case Operation::Max:
    return forType<Max>(type);
  case Operation::Sad:
    return forType<Sad>(type);
  default:
    return nullptr;
  }
}

} // namespace smex::ptx
