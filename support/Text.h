// Names from outside: what may be printed, and written as JSON.
#ifndef SMEX_SUPPORT_TEXT_H
#define SMEX_SUPPORT_TEXT_H

#include <string>
#include <string_view>

namespace smex {

/// Is it UTF-8 without control characters?
bool isText(std::string_view name);

/// ASCII alone, '?' for anything else: for messages about names that are not
/// text.
std::string printable(std::string_view name);

} // namespace smex

#endif
