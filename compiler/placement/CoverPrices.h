// What blocks cost where sets of them are to be covered: for StageProof.
#ifndef SMEX_COMPILER_PLACEMENT_COVERPRICES_H
#define SMEX_COMPILER_PLACEMENT_COVERPRICES_H

#include <cstdint>
#include <vector>

namespace smex::placement {

/// The linear program over sets S of blocks
///
///   smallest sum of shares(S), so that the shares of the sets with a block are
///   at least 1 in sum, for each block; none is negative,
///
/// by the revised simplex method, while sets are added. Its dual gives each
/// block a price, such that no set has prices of more than 1 in sum, and the
/// sum of all prices is the same. A block is a set of its own from the start.
class CoverPrices {
public:
  explicit CoverPrices(int blocks);

  /// Blocks by number, each once.
  void add(std::vector<int> set) { sets.push_back(std::move(set)); }

  /// Steps until no set's prices are above 1, but for rounding, or until so
  /// much `work` is done, counted in numbers looked at, which is subtracted.
  /// False if work ran out first.
  bool solve(int64_t &work);
  /// By block; none is negative.
  const std::vector<double> &prices() const { return price; }
  double total() const;

private:
  void enter(const std::vector<int> &set, double sign, int which);
  void updatePrices();
  void forget();

  const int count;
  std::vector<std::vector<int>> sets; // the first are single blocks
  // Of the basis, by row: the set, or -1 - block for what is covered too much;
  // how much of it; and the inverse of its columns, row by row.
  std::vector<int> basis;
  std::vector<double> share, inverse;
  std::vector<double> price;
  std::vector<double> dual; // the same, below 0 too while it is not solved
};

} // namespace smex::placement

#endif
