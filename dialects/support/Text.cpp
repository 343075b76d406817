#include "dialects/support/Text.h"

#include <cstdint>

/// Bytes of the character that starts at `i`: 0 where there is none, or a
/// control character.
static size_t characterAt(std::string_view text, size_t i) {
  const uint8_t first = uint8_t(text[i]);
  if (first < 0x20 || first == 0x7f || (first & 0xc0) == 0x80 || first >= 0xf8)
    return 0;
  const size_t length = first < 0x80   ? 1
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                                       : 4;
  uint32_t code = length == 1 ? first : first & (0x7f >> length);
  for (size_t k = 1; k < length; ++k) {
    if (i + k >= text.size() || (uint8_t(text[i + k]) & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (uint8_t(text[i + k]) & 0x3f);
  }
  constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  const bool control = code >= 0x80 && code < 0xa0;
  const bool known = code >= least[length] && code <= 0x10ffff;
  return known && !surrogate && !control ? length : 0;
}

bool smex::isText(std::string_view name) {
  for (size_t i = 0; i < name.size();) {
    const size_t length = characterAt(name, i);
    if (length == 0)
      return false;
    i += length;
  }
  return true;
}

std::string smex::printable(std::string_view name) {
  std::string text(name);
  for (char &c : text)
    if (c < 0x20 || c > 0x7e)
      c = '?';
  return text;
}

static std::string cleanedOf(std::string_view text, std::string_view kept) {
  std::string clean;
  clean.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = characterAt(text, i);
    if (length == 0)
      clean += kept.find(text[i]) != kept.npos ? text[i] : '?';
    else
      clean += text.substr(i, length);
    i += length ? length : 1;
  }
  return clean;
}

std::string smex::cleaned(std::string_view text) {
  return cleanedOf(text, "\n\t");
}

std::string smex::cleanedLine(std::string_view text) {
  return cleanedOf(text, "");
}
