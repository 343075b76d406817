// Whether a function that is declared by hand has the binary interface of one
// that NVIDIA's headers declare: for programs that are compiled where those are
// found, and never run.
#ifndef SMEX_TEST_EMULATED_SIGNATURE_H
#define SMEX_TEST_EMULATED_SIGNATURE_H

#include <type_traits>

namespace smex::emulated {

/// What the binary interface sees of a parameter, or of a result.
template <class T> constexpr int classOf() {
  if constexpr (std::is_pointer_v<T>)
    return 1000; // pointers to whatever
  else if constexpr (std::is_void_v<T>)
    return 0;
  else // gcc's enumerations are ints or unsigned ints
    return sizeof(T) + (std::is_floating_point_v<T> ? 100 : 0);
}

template <class Mine, class Theirs> struct Same : std::false_type {};
template <class R, class... A, class S, class... B>
struct Same<R(A...), S(B...)> {
  static constexpr bool check() {
    if constexpr (sizeof...(A) != sizeof...(B))
      return false;
    else
      return classOf<R>() == classOf<S>() &&
             ((classOf<A>() == classOf<B>()) && ...);
  }
  static constexpr bool value = check();
};

} // namespace smex::emulated

#endif
