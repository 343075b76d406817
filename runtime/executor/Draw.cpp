#include "runtime/executor/Draw.h"

#include "dialects/support/Random.h"
#include "kernels/cpu/Nest.h"

#include <cstring>

using namespace smex;

namespace {
template <typename T> void put(std::byte *to, T value) {
  std::memcpy(to, &value, sizeof value);
}

void store(DType type, uint64_t bits, double scale, std::byte *to) {
  // k * 2^-23 - 1 is exact in f32, and its product with the scale, rounded, is
  // below the scale.
  const float single = float(int64_t(bits >> 40)) * 0x1p-23f - 1.f;
  switch (type) {
  case DType::F16:
    return put(to, floatToHalf(single * float(scale)));
  case DType::BF16:
    return put(to, floatToBfloat(single * float(scale)));
  case DType::F32:
    return put(to, single * float(scale));
  case DType::F64:
    return put(to, (double(bits >> 11) * 0x1p-52 - 1.) * scale);
  default: { // little-endian: the first byte is the lowest
    const uint64_t value =
        scale > 1 ? (bits >> 11) % uint64_t(scale) : bits >> 63;
    std::memcpy(to, &value, size_t(byteSize(type)));
  }
  }
}
} // namespace

void runtime::draw(uint64_t seed, const std::string &name,
                   const TensorType &type, double scale, const Box &box,
                   std::byte *to) {
  if (scale == 0) {
    std::memset(to, 0, size_t(volume(box) * byteSize(type.dtype)));
    return;
  }
  if (isEmpty(box))
    return;
  const Random random(seed, name);
  const Box whole = wholeBox(type.shape);
  const int64_t size = byteSize(type.dtype);
  cpu::Offsets<1> first;
  const cpu::Nest<1> nest = cpu::nestOf<1>(box, {&whole}, first);
  cpu::forEach(nest, first, [&](const cpu::Offsets<1> &at) {
    store(type.dtype, random.bits(uint64_t(at[0])), scale, to);
    to += size;
  });
}

void runtime::drawRange(uint64_t seed, const std::string &name, int64_t low,
                        int64_t high, Tensor &to) {
  const Random random(seed, name);
  const uint64_t count = uint64_t(high) - uint64_t(low) + 1; // 0: all 2^64
  const int64_t size = byteSize(to.type.dtype);
  for (int64_t e = 0; e < int64_t(to.bytes.size()) / size; ++e) {
    const uint64_t bits = random.bits(uint64_t(e));
    const uint64_t value = uint64_t(low) + (count ? bits % count : bits);
    std::memcpy(to.bytes.data() + e * size, &value, size_t(size));
  }
}
