// What instructions do, on which queue, and how the bytes are counted that they
// move to the host's memory and from there.
#ifndef SMEX_RUNTIME_PLAN_HOSTTRAFFIC_H
#define SMEX_RUNTIME_PLAN_HOSTTRAFFIC_H

#include "dialects/support/Queue.h"

#include <cstdint>

namespace smex::plan {

enum class Opcode {
  /// Assembles `to` from regions of `from` on several workers (MultiFetch,
  /// thesis section 3.6).
  Fetch,
  Compute,
  /// `to` = the partial results `from` of several workers, combined.
  Reduce,
  /// `to` = `from`, the same region of the same tensor, in the other space.
  ToHost,
  FromHost,
};

/// Moves a worker's own buffer between spaces.
constexpr bool isMove(Opcode op) {
  return op == Opcode::ToHost || op == Opcode::FromHost;
}

constexpr Queue queueOf(Opcode op) {
  switch (op) {
  case Opcode::Compute:
    return Queue::Computing;
  case Opcode::ToHost:
    return Queue::ToHost;
  case Opcode::FromHost:
    return Queue::FromHost;
  case Opcode::Fetch:
  case Opcode::Reduce:
    break;
  }
  return Queue::Transfers;
}

/// Bytes that workers copy to the host's memory in one run, and from there.
struct HostTraffic {
  int64_t toHost = 0, fromHost = 0;

  /// The bytes of moves of this kind.
  int64_t &of(Opcode move) {
    return move == Opcode::ToHost ? toHost : fromHost;
  }
  bool isNone() const { return toHost == 0 && fromHost == 0; }
  HostTraffic &operator+=(const HostTraffic &other) {
    toHost += other.toHost;
    fromHost += other.fromHost;
    return *this;
  }
  bool operator==(const HostTraffic &other) const {
    return toHost == other.toHost && fromHost == other.fromHost;
  }

  /// As members of a JSON object, those that are not 0.
  template <typename Json> void writeTo(Json &json) const {
    if (fromHost > 0)
      json["from_host_bytes"] = fromHost;
    if (toHost > 0)
      json["to_host_bytes"] = toHost;
  }
};

} // namespace smex::plan

#endif
