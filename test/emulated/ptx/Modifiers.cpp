#include "test/emulated/ptx/Decoder.h"

#include <algorithm>

namespace smex::ptx {

bool Modifiers::take(std::string_view name) {
  auto found = std::find(rest.begin(), rest.end(), name);
  if (found == rest.end())
    return false;
  rest.erase(found);
  return true;
}

std::optional<Type> Modifiers::optionalType() {
  for (auto each = rest.begin(); each != rest.end(); ++each)
    if (std::optional<Type> type = typeNamed(*each)) {
      rest.erase(each);
      return type;
    }
  return std::nullopt;
}

Type Modifiers::type() {
  std::optional<Type> result = optionalType();
  if (!result)
    throw ParseError(statement.line,
                     "an instruction without a type: " + statement.text);
  return *result;
}

std::optional<unsigned>
Modifiers::oneOf(std::initializer_list<const char *> names) {
  for (auto each = rest.begin(); each != rest.end(); ++each) {
    unsigned index = 0;
    for (const char *name : names) {
      if (*each == name) {
        rest.erase(each);
        return index;
      }
      ++index;
    }
  }
  return std::nullopt;
}

std::string Modifiers::first() {
  if (rest.empty())
    return "";
  std::string result = rest.front();
  rest.erase(rest.begin());
  return result;
}

Rounding Modifiers::rounding(Rounding unnamed) {
  auto which = oneOf({"rn", "rz", "rm", "rp", "rna"});
  return which ? static_cast<Rounding>(*which) : unnamed;
}

Space Modifiers::space() {
  auto which = oneOf({"global", "shared", "local", "const", "param",
                      "shared::cta", "param::entry", "param::func"});
  const Space spaces[] = {Space::Global, Space::Shared, Space::Local,
                          Space::Const,  Space::Param,  Space::Shared,
                          Space::Param,  Space::Param};
  return which ? spaces[*which] : Space::Generic;
}

void Modifiers::finish() const {
  if (!rest.empty())
    throw ParseError(statement.line,
                     "the modifier ." + rest.front() +
                         " is not supported: " + statement.text);
}

} // namespace smex::ptx
