// Bytes of a program, computed from it: for who emits a plan as well as for who
// checks or prints one, so that there is one way to count.
#ifndef SMEX_RUNTIME_PLAN_TOTALS_H
#define SMEX_RUNTIME_PLAN_TOTALS_H

#include "runtime/plan/Plan.h"

namespace smex::plan {

/// What plan.json says in `totals`; flops are the compiler's to count. Sums
/// that do not fit stay at the largest number.
struct Totals {
  int64_t communicationBytes = 0; // pieces that come from another worker
  std::vector<int64_t> peakBytes; // one per worker: its arena
  int64_t parameterBytes = 0;     // every parameter whole, and once
  HostTraffic hostTraffic;        // of all workers' moves
};
Totals totals(const Partitioned &partitioned);

/// Bytes that cross between groups of `gpus` consecutive workers; of groups of
/// one, all communication.
int64_t bytesBetween(const Partitioned &partitioned, int64_t gpus);
/// Sets the bytes of the levels: of a pair of workers, those count at the level
/// whose groups are the smallest that have both.
void countBytes(const Partitioned &partitioned, std::vector<LinkLevel> &levels);

/// Communication in detail: the same sum, by node, by receiving worker and by
/// instruction.
struct Traffic {
  struct OfNode {
    int64_t fetched = 0, reduced = 0;
    int64_t bytes() const { return saturatingAdd(fetched, reduced); }
  };
  static int64_t saturatingAdd(int64_t a, int64_t b);

  std::map<std::string, OfNode> nodes; // those that communicate
  std::vector<int64_t> received;       // per worker
  std::vector<int64_t> instructions;
};
Traffic traffic(const Partitioned &partitioned);

/// Instructions that compute again what an earlier one has computed, into
/// another buffer, in order.
std::vector<int> repeated(const Program &program);

/// How a tensor lies on the workers: "2 x 4" for a grid, "2 x 1, each on 4"
/// where shares are held more than once, "whole on 8", "on gpu3", "nowhere";
/// "in terms" where each has nothing but its term of a sum. Of its buffers the
/// one counts that has it first: the input's or parameter's, or the first that
/// is computed.
std::string cutOf(const Partitioned &partitioned, int tensor);

/// "1.50 GiB", "512 B"
std::string humanBytes(int64_t bytes);
/// "1.50 GiB to the host and 512 B back"
std::string toString(const HostTraffic &traffic);
/// "1.50 T", "12"
std::string humanCount(int64_t count);

} // namespace smex::plan

#endif
