#include "test/emulated/ptx/Memory.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

namespace smex::ptx {

Allocation &Memory::add(uint64_t base, uint64_t size, uint8_t *bytes,
                        const std::string &name) {
  auto allocation = std::make_unique<Allocation>();
  allocation->base = base;
  allocation->size = size;
  allocation->bytes = bytes;
  allocation->name = name;
  allocation->initialized =
      static_cast<uint8_t *>(std::calloc(size ? size : 1, 1));
  if (!allocation->initialized)
    throw std::bad_alloc();
  last = nullptr;
  return *(allocations[base] = std::move(allocation));
}

Allocation &Memory::allocate(uint64_t size, const std::string &name) {
  std::unique_ptr<uint8_t[]> bytes(new uint8_t[size ? size : 1]());
  uint64_t base = nextBase;
  nextBase += (size / 256 + 2) * 256; // a gap between two allocations
  Allocation &result = add(base, size, bytes.get(), name);
  result.owned = std::move(bytes);
  return result;
}

void Memory::remove(uint64_t base) {
  last = nullptr;
  allocations.erase(base);
}

Allocation *Memory::find(uint64_t address) {
  if (last && address - last->base < last->size)
    return last;
  auto above = allocations.upper_bound(address);
  if (above == allocations.begin())
    return nullptr;
  Allocation *candidate = std::prev(above)->second.get();
  if (address - candidate->base >= candidate->size)
    return nullptr;
  return last = candidate;
}

const Allocation *Memory::below(uint64_t address) const {
  auto above = allocations.upper_bound(address);
  return above == allocations.begin() ? nullptr
                                      : std::prev(above)->second.get();
}

void Memory::addBuffer(uint64_t begin, uint64_t size, const std::string &name) {
  Allocation *allocation = find(begin);
  if (!allocation || size > allocation->end() - begin)
    throw std::runtime_error("the buffer '" + name +
                             "' does not lie in one allocation");
  allocation->buffers[begin] = {begin, begin + size, name};
}

void Memory::removeBuffer(uint64_t begin) {
  if (Allocation *allocation = find(begin))
    allocation->buffers.erase(begin);
}

Range Memory::rangeOf(uint64_t address) {
  Allocation *allocation = find(address);
  if (!allocation)
    return {};
  Range best{allocation->base, allocation->end(), allocation->name};
  auto above = allocation->buffers.upper_bound(address);
  for (auto each = allocation->buffers.begin(); each != above; ++each)
    if (each->second.holds(address, 1) &&
        each->second.end - each->second.begin < best.end - best.begin)
      best = each->second;
  return best;
}

void Memory::write(uint64_t address, const void *from, uint64_t size) {
  Allocation *allocation = find(address);
  if (!allocation || size > allocation->end() - address)
    throw std::runtime_error("a copy to outside an allocation");
  std::memcpy(allocation->bytes + (address - allocation->base), from, size);
  std::fill_n(allocation->initialized + (address - allocation->base), size, 1);
}

void Memory::read(uint64_t address, void *into, uint64_t size) {
  Allocation *allocation = find(address);
  if (!allocation || size > allocation->end() - address)
    throw std::runtime_error("a copy from outside an allocation");
  std::memcpy(into, allocation->bytes + (address - allocation->base), size);
}

} // namespace smex::ptx
