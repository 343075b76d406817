// The ways of the recursion's steps (thesis section 3.5.2): k = k_1 * k_2 * ...
// with k_i >= k_{i+1}.
#ifndef SMEX_COMPILER_PARTITION_FACTORIZE_H
#define SMEX_COMPILER_PARTITION_FACTORIZE_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace smex::partition {

/// The prime factors, largest first; none for 1.
inline std::vector<int64_t> factorize(int64_t workers) {
  std::vector<int64_t> factors;
  for (int64_t p = 2; p <= workers / p; ++p)
    for (; workers % p == 0; workers /= p)
      factors.push_back(p);
  if (workers > 1)
    factors.push_back(workers);
  std::reverse(factors.begin(), factors.end());
  return factors;
}

/// All sequences of numbers from 2 up whose product is `workers`, that of the
/// prime factors first; at most `limit` of them.
std::vector<std::vector<int64_t>> sequences(int64_t workers, size_t limit);

} // namespace smex::partition

#endif
