#include "dialects/support/Sha256.h"

#include <algorithm>
#include <cstring>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

using namespace smex;

namespace {
constexpr uint32_t roundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t rotate(uint32_t x, int by) { return x >> by | x << (32 - by); }

void plainBlocks(uint32_t *state, const uint8_t *bytes, size_t count) {
  for (; count > 0; --count, bytes += 64) {
    uint32_t w[64];
    for (int i = 0; i < 16; ++i)
      w[i] = uint32_t(bytes[4 * i]) << 24 | uint32_t(bytes[4 * i + 1]) << 16 |
             uint32_t(bytes[4 * i + 2]) << 8 | bytes[4 * i + 3];
    for (int i = 16; i < 64; ++i) {
      const uint32_t a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
             (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    std::array<uint32_t, 8> s;
    std::copy(state, state + 8, s.begin());
    for (int i = 0; i < 64; ++i) {
      const uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
      const uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
      const uint32_t one =
          s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
          choice + roundConstants[i] + w[i];
      const uint32_t two =
          (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + majority;
      s = {one + two, s[0], s[1], s[2], s[3] + one, s[4], s[5], s[6]};
    }
    for (int i = 0; i < 8; ++i)
      state[i] += s[i];
  }
}

#ifdef __x86_64__
/// The same by the processor's own instructions, about six times as fast. They
/// keep the state's words a, b, e, f in one register and c, d, g, h in another,
/// and do two rounds each.
__attribute__((target("sha,ssse3,sse4.1"))) void
shaBlocks(uint32_t *state, const uint8_t *bytes, size_t count) {
  const __m128i bigEndian =
      _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  auto *words = reinterpret_cast<__m128i *>(state);
  const __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xb1);
  const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
  for (; count > 0; --count, bytes += 64) {
    const __m128i abefBefore = abef, cdghBefore = cdgh;
    __m128i w[16]; // four words of the schedule each
    for (int i = 0; i < 16; ++i) {
      if (i < 4)
        w[i] = _mm_shuffle_epi8(
            _mm_loadu_si128(reinterpret_cast<const __m128i *>(bytes) + i),
            bigEndian);
      else
        w[i] = _mm_sha256msg2_epu32(
            _mm_add_epi32(_mm_sha256msg1_epu32(w[i - 4], w[i - 3]),
                          _mm_alignr_epi8(w[i - 1], w[i - 2], 4)),
            w[i - 1]);
      const __m128i sum = _mm_add_epi32(
          w[i], _mm_loadu_si128(
                    reinterpret_cast<const __m128i *>(roundConstants) + i));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    }
    abef = _mm_add_epi32(abef, abefBefore);
    cdgh = _mm_add_epi32(cdgh, cdghBefore);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

bool hasShaInstructions() {
  unsigned a, b, c, d;
  const bool hasSse =
      __get_cpuid(1, &a, &b, &c, &d) && c & bit_SSSE3 && c & bit_SSE4_1;
  return hasSse && __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_SHA;
}
#endif
} // namespace

void Sha256::blocks(const uint8_t *bytes, size_t count) {
#ifdef __x86_64__
  static const bool fast = hasShaInstructions();
  if (fast)
    return shaBlocks(state.data(), bytes, count);
#endif
  plainBlocks(state.data(), bytes, count);
}

void Sha256::update(std::string_view bytes) {
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  size_t left = bytes.size();
  while (left) {
    const size_t filled = length % 64;
    if (filled == 0 && left >= 64) { // whole blocks straight from the input
      const size_t whole = left / 64;
      blocks(data, whole);
      data += whole * 64, left -= whole * 64, length += whole * 64;
      continue;
    }
    const size_t take = std::min(left, 64 - filled);
    std::memcpy(pending.data() + filled, data, take);
    data += take, left -= take, length += take;
    if (length % 64 == 0)
      blocks(pending.data(), 1);
  }
}

std::string Sha256::finish() {
  const uint64_t bits = length * 8;
  update(std::string_view("\x80", 1));
  while (length % 64 != 56)
    update(std::string_view("\0", 1));
  char size[8];
  for (int i = 0; i < 8; ++i)
    size[i] = char(bits >> (56 - 8 * i));
  update(std::string_view(size, 8));

  std::string text;
  for (uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4)
      text += "0123456789abcdef"[word >> shift & 15];
  return text;
}

std::string smex::sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}
