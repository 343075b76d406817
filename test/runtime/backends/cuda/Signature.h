// Signatures as the machine has them, to compare what is declared by hand with
// NVIDIA's headers.
#ifndef SMEX_TEST_RUNTIME_BACKENDS_CUDA_SIGNATURE_H
#define SMEX_TEST_RUNTIME_BACKENDS_CUDA_SIGNATURE_H

#include <type_traits>

namespace smex::cuda {

/// A parameter as the machine passes it: pointers are one kind, whatever they
/// point to; enums are the integers that they are.
template <typename T, typename = void> struct Passed {
  static_assert(std::is_integral_v<T>, "a parameter of a new kind");
  using type = T;
};
template <typename T> struct Passed<T *> {
  using type = void *;
};
template <typename T> struct Passed<T, std::enable_if_t<std::is_enum_v<T>>> {
  using type = std::make_signed_t<std::underlying_type_t<T>>;
};

template <typename F> struct Signature;
template <typename R, typename... P> struct Signature<R(P...)> {
  using type = typename Passed<R>::type(typename Passed<P>::type...);
};
template <typename F> using Same = typename Signature<F>::type;

} // namespace smex::cuda

#endif
