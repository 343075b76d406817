#include "runtime/plan/Cursor.h"

#include "dialects/support/Text.h"

#include <algorithm>
#include <limits>

using namespace smex;
using namespace smex::plan;

std::string Cursor::path() const {
  if (!parent)
    return "";
  const std::string before = parent->path();
  if (!key)
    return before + "[" + std::to_string(index) + "]";
  return before.empty() ? key : before + "." + key;
}

void Cursor::refuse(const std::string &what) const {
  if (error)
    return;
  const std::string place = path();
  error = fail(file, ": ", place, place.empty() ? "" : ": ", what);
}

const Json *Cursor::find(const char *key) const {
  if (!value.is_object())
    return nullptr;
  const auto member = value.find(key);
  return member == value.end() ? nullptr : &*member;
}

void Cursor::object(std::initializer_list<const char *> required,
                    std::initializer_list<const char *> optional) const {
  if (!value.is_object())
    return refuse("must be an object");
  for (const char *key : required)
    if (!has(key))
      return refuse(std::string("has no \"") + key + "\"");
  constexpr size_t kMost = 200; // of a key that may have megabytes
  for (auto member = value.begin(); member != value.end(); ++member) {
    const auto isIt = [&](const char *key) { return member.key() == key; };
    if (std::none_of(required.begin(), required.end(), isIt) &&
        std::none_of(optional.begin(), optional.end(), isIt))
      return refuse(
          "has a key \"" +
          cleanedLine(std::string_view(member.key()).substr(0, kMost)) +
          "\", which this version of the format does not know");
  }
}

int64_t Cursor::integer(int64_t lo, int64_t hi) const {
  if (!value.is_number_integer()) {
    refuse("must be an integer");
    return 0;
  }
  const bool fits =
      !value.is_number_unsigned() ||
      value.get<uint64_t>() <= uint64_t(std::numeric_limits<int64_t>::max());
  const int64_t number = fits ? value.get<int64_t>() : 0;
  if (fits && lo <= number && number <= hi)
    return number;
  refuse(value.dump() + " is not in " + std::to_string(lo) + " .. " +
         std::to_string(hi));
  return 0;
}

double Cursor::real() const {
  if (value.is_number())
    return value.get<double>();
  refuse("must be a number");
  return 0;
}

bool Cursor::boolean() const {
  if (value.is_boolean())
    return value.get<bool>();
  refuse("must be true or false");
  return false;
}

std::string Cursor::string() const {
  if (value.is_string())
    return value.get<std::string>();
  refuse("must be a string");
  return "";
}

int64_t Cursor::integer(const char *key, int64_t lo, int64_t hi) const {
  return with(key, [&](const Cursor &at) { return at.integer(lo, hi); });
}

double Cursor::real(const char *key) const {
  return with(key, [](const Cursor &at) { return at.real(); });
}

bool Cursor::boolean(const char *key) const {
  return with(key, [](const Cursor &at) { return at.boolean(); });
}

std::string Cursor::string(const char *key) const {
  return with(key, [](const Cursor &at) { return at.string(); });
}
