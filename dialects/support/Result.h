// Errors as values: what every reader of outside data (models, plans, arrays)
// returns. A message says where and what to do, in one line; the tools put
// "smexc: error: " in front of it.
#ifndef SMEX_DIALECTS_SUPPORT_RESULT_H
#define SMEX_DIALECTS_SUPPORT_RESULT_H

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace smex {

/// Who is at fault; the tools turn it into their exit status (DESIGN.md).
enum class Fault {
  Input = 1,       // the model, plan, array or option value
  Usage = 2,       // the command line
  Difference = 3,  // a check, comparison or verification found a difference
  Environment = 4, // device, memory, disk, a lost rank
  Defect = 70,     // a bug in smex
};

struct Error {
  std::string message;
  Fault fault = Fault::Input;
};

/// A value or the error that kept it from being made.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::move(value)) {}
  Result(Error error) : state(std::move(error)) {}
  explicit operator bool() const { return state.index() == 0; }
  T &operator*() { return std::get<0>(state); }
  const T &operator*() const { return std::get<0>(state); }
  T *operator->() { return &std::get<0>(state); }
  const T *operator->() const { return &std::get<0>(state); }
  const Error &error() const { return std::get<1>(state); }
  Error takeError() { return std::move(std::get<1>(state)); }

private:
  std::variant<T, Error> state;
};

/// Success or an error.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Error error) : state(std::move(error)) {}
  explicit operator bool() const { return !state; }
  const Error &error() const { return *state; }
  Error takeError() { return std::move(*state); }

private:
  std::optional<Error> state;
};

/// `return fail("weights.npy: ", got, " bytes, ", want, " expected");`
template <typename... Parts> Error fail(Parts &&...parts);

namespace detail {
inline void append(std::string &out, const std::string &part) { out += part; }
inline void append(std::string &out, const char *part) { out += part; }
inline void append(std::string &out, char part) { out += part; }
template <typename Text>
auto append(std::string &out, const Text &part)
    -> decltype(out.append(part.data(), part.size()), void()) {
  out.append(part.data(), part.size());
}
template <typename Number>
auto append(std::string &out, Number part)
    -> std::enable_if_t<std::is_arithmetic_v<Number>> {
  out += std::to_string(part);
}
} // namespace detail

template <typename... Parts> Error fail(Parts &&...parts) {
  Error error;
  (detail::append(error.message, std::forward<Parts>(parts)), ...);
  return error;
}

} // namespace smex

#endif
