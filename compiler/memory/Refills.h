// Which of the holes in an arena the buffers that start now may fill.
//
// A refill takes some holes, to be neighbours, and puts some buffers there. The
// best ones leave nothing over. How likely each is, is said as if the arena was
// a rectangle of memory and time cut at random: an edge between what ends and
// what starts is some stretch of those alive, and its buffers are one of all
// ways to divide its bytes. So one edge for all is the first guess, and parts
// with equal sums are another, the better the fewer sums are equal by chance.
#ifndef SMEX_COMPILER_MEMORY_REFILLS_H
#define SMEX_COMPILER_MEMORY_REFILLS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace smex::memory {

struct Hole {
  int64_t size;
  bool isNew; // what was there ends now
};

/// That starts now.
struct Starting {
  int64_t size, end;
};

struct Refill {
  std::vector<int> holes, buffers; // numbers in the lists given
  int64_t left = 0;                // bytes that stay a hole
  double likelihood = 0;           // natural logarithm
};

struct RefillOdds {
  int alive;        // buffers and holes
  double edges = 1; // at a time, on average
};

/// The likeliest, so many at most; the first buffer, one of them, is in all of
/// them. `steps` grows with what was looked at.
std::vector<Refill> refills(const std::vector<Hole> &holes,
                            const std::vector<Starting> &buffers,
                            const RefillOdds &odds, std::size_t most,
                            int64_t &steps);

} // namespace smex::memory

#endif
