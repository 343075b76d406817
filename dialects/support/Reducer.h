// How the terms of a reduction become one value.
#ifndef SMEX_DIALECTS_SUPPORT_REDUCER_H
#define SMEX_DIALECTS_SUPPORT_REDUCER_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace smex {

enum class Reducer : uint8_t { None, Sum, Max, Min, Prod };

/// "Sum"; of None, "".
std::string_view name(Reducer reducer);
/// Of the others than None.
std::optional<Reducer> parseReducer(std::string_view name);

} // namespace smex

#endif
