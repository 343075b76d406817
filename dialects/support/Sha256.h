// SHA-256 (FIPS 180-4): the hash that guards every file of a plan.
#ifndef SMEX_DIALECTS_SUPPORT_SHA256_H
#define SMEX_DIALECTS_SUPPORT_SHA256_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace smex {

class Sha256 {
public:
  void update(std::string_view bytes);
  /// 64 lower-case hexadecimal digits; call once.
  std::string finish();

private:
  void blocks(const uint8_t *bytes, size_t count);
  std::array<uint32_t, 8> state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                   0xa54ff53a, 0x510e527f, 0x9b05688c,
                                   0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending{};
  uint64_t length = 0;
};

std::string sha256(std::string_view bytes);

} // namespace smex

#endif
