// What the processes of a world say to one another in its own channel.
#ifndef SMEX_RUNTIME_TRANSPORTS_MPI_CONTROL_H
#define SMEX_RUNTIME_TRANSPORTS_MPI_CONTROL_H

#include "runtime/transports/mpi/Post.h"

#include <cstring>
#include <string>

namespace smex::mpi {

constexpr int control = 0; // the channel
enum Kind : int32_t { Hello, Ball, Brought, Ended, Lost, Heard, Doubt };

inline void append(Bytes &bytes, int64_t number) {
  const auto *from = reinterpret_cast<const std::byte *>(&number);
  bytes.insert(bytes.end(), from, from + sizeof number);
}
/// The first number, which is taken off.
inline int64_t takeNumber(Bytes &bytes) {
  int64_t number = 0;
  if (bytes.size() < sizeof number)
    return 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.erase(bytes.begin(), bytes.begin() + sizeof number);
  return number;
}
inline Bytes bytesOf(const std::string &text) {
  const auto *from = reinterpret_cast<const std::byte *>(text.data());
  return {from, from + text.size()};
}

} // namespace smex::mpi

#endif
