// Numbers and bytes in a row, as processes of one program on like machines send
// them to each other.
#ifndef SMEX_RUNTIME_TRANSPORTS_MPI_PARCEL_H
#define SMEX_RUNTIME_TRANSPORTS_MPI_PARCEL_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace smex::mpi {

class Parcel {
public:
  void put(int64_t number) { put(&number, sizeof number); }
  void put(const void *from, size_t count) {
    const auto *bytes = static_cast<const std::byte *>(from);
    all.insert(all.end(), bytes, bytes + count);
  }
  std::vector<std::byte> take() { return std::move(all); }

private:
  std::vector<std::byte> all;
};

/// Reads what a Parcel has put, in its order. What is not there is zeros.
class Unpacking {
public:
  explicit Unpacking(const std::vector<std::byte> &all)
      : at(all.data()), end(all.data() + all.size()) {}
  int64_t number() {
    int64_t value = 0;
    if (const std::byte *from = bytes(sizeof value))
      std::memcpy(&value, from, sizeof value);
    return value;
  }
  /// Null: there are not so many left.
  const std::byte *bytes(size_t count) {
    if (size_t(end - at) < count)
      return nullptr;
    at += count;
    return at - count;
  }
  size_t left() const { return size_t(end - at); }

private:
  const std::byte *at, *end;
};

} // namespace smex::mpi

#endif
