// Names from outside: what may be printed, and written as JSON.
#ifndef SMEX_DIALECTS_SUPPORT_TEXT_H
#define SMEX_DIALECTS_SUPPORT_TEXT_H

#include <string>
#include <string_view>

namespace smex {

/// Is it UTF-8 without control characters?
bool isText(std::string_view name);

/// ASCII alone, '?' for anything else: for messages about names that are not
/// text.
std::string printable(std::string_view name);

/// The same text with a '?' for each byte that is not part of UTF-8, or is of a
/// control character other than ends of lines and tabs: what a terminal may be
/// given.
std::string cleaned(std::string_view text);

/// The same, with a '?' for ends of lines and tabs, too: what is one line,
/// whatever it quotes.
std::string cleanedLine(std::string_view text);

} // namespace smex

#endif
