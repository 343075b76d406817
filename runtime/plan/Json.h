// Canonical JSON: one text per value, so that plans can be hashed and compared
// line by line. Keys sorted, two spaces, one element per line, `\n` at the end;
// but on one line stands an array of nothing but numbers and such arrays, and,
// in an array, an object of nothing but scalars and such arrays.
#ifndef SMEX_RUNTIME_PLAN_JSON_H
#define SMEX_RUNTIME_PLAN_JSON_H

#include "dialects/support/Result.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace smex::plan {

using Json = nlohmann::json;

/// Doubles get the fewest digits that read back the same, and always a `.` or
/// an `e`, so that they stay doubles. Values without a spelling in JSON
/// (infinity, NaN) must not occur.
std::string canonicalJson(const Json &value);

/// Any byte string is a safe input: nesting beyond 32, a key that occurs twice,
/// and bytes that are not UTF-8 are errors, with line and column.
Result<Json> parseJson(std::string_view text);

} // namespace smex::plan

#endif
