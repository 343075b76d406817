// A place in a JSON document, with the way there: typed access that remembers
// the first error instead of throwing, with its key path
// ("buffers[12].box[1]").
#ifndef SMEX_RUNTIME_PLAN_CURSOR_H
#define SMEX_RUNTIME_PLAN_CURSOR_H

#include "runtime/plan/Json.h"

#include <initializer_list>
#include <optional>
#include <type_traits>
#include <vector>

namespace smex::plan {

class Cursor {
public:
  /// `file` names the document in messages; the first error goes to `error`.
  Cursor(const Json &value, const std::string &file,
         std::optional<Error> &error)
      : value(value), file(file), error(error) {}

  bool ok() const { return !error; }
  /// Remembers an error at this place, unless there is one already.
  void refuse(const std::string &what) const;

  /// The members of an object must be the required and perhaps the optional
  /// ones, and no other.
  void object(std::initializer_list<const char *> required,
              std::initializer_list<const char *> optional = {}) const;
  bool has(const char *key) const { return find(key) != nullptr; }
  bool isList() const { return value.is_array(); }

  // After an error, and where the type is wrong, these return a default.
  int64_t integer(int64_t lo, int64_t hi) const;
  double real() const;
  bool boolean() const;
  std::string string() const;

  int64_t integer(const char *key, int64_t lo, int64_t hi) const;
  double real(const char *key) const;
  bool boolean(const char *key) const;
  std::string string(const char *key) const;

  /// Calls `use` with the member's place; a member that is not there is an
  /// error and yields a default.
  template <typename Use> auto with(const char *key, Use &&use) const {
    const Json *member = find(key);
    if (!member)
      refuse(std::string("has no \"") + key + "\"");
    using Value = decltype(use(*this));
    if constexpr (std::is_void_v<Value>) {
      if (member)
        use(Cursor(*member, *this, key, 0));
    } else {
      return member ? use(Cursor(*member, *this, key, 0)) : Value();
    }
  }

  /// The elements of an array, each read by `use`.
  template <typename Use> auto list(Use &&use) const {
    std::vector<decltype(use(*this))> elements;
    if (!value.is_array()) {
      refuse("must be an array");
      return elements;
    }
    elements.reserve(value.size());
    for (size_t i = 0; i < value.size() && ok(); ++i)
      elements.push_back(use(Cursor(value[i], *this, nullptr, i)));
    return elements;
  }
  template <typename Use> auto list(const char *key, Use &&use) const {
    return with(key, [&](const Cursor &at) { return at.list(use); });
  }
  std::vector<int64_t> integers(const char *key, int64_t lo, int64_t hi) const {
    return list(key, [&](const Cursor &at) { return at.integer(lo, hi); });
  }

  const Json &json() const { return value; }

private:
  Cursor(const Json &value, const Cursor &parent, const char *key, size_t index)
      : value(value), file(parent.file), error(parent.error), parent(&parent),
        key(key), index(index) {}

  const Json *find(const char *key) const;
  std::string path() const;

  const Json &value;
  const std::string &file;
  std::optional<Error> &error;
  const Cursor *parent = nullptr;
  const char *key = nullptr; // null: element `index` of an array
  size_t index = 0;
};

} // namespace smex::plan

#endif
