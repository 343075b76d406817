#include "support/Text.h"

#include <cstdint>

bool smex::isText(std::string_view name) {
  for (size_t i = 0; i < name.size();) {
    const uint8_t first = uint8_t(name[i]);
    if (first < 0x20 || first == 0x7f || (first & 0xc0) == 0x80 ||
        first >= 0xf8)
      return false;
    const size_t length = first < 0x80   ? 1
                          : first < 0xe0 ? 2
                          : first < 0xf0 ? 3
                                         : 4;
    uint32_t code = length == 1 ? first : first & (0x7f >> length);
    for (size_t k = 1; k < length; ++k) {
      if (i + k >= name.size() || (uint8_t(name[i + k]) & 0xc0) != 0x80)
        return false;
      code = code << 6 | (uint8_t(name[i + k]) & 0x3f);
    }
    constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    const bool control = code >= 0x80 && code < 0xa0;
    if (code < least[length] || code > 0x10ffff || surrogate || control)
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
