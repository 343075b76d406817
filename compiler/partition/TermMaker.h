// Makes the costs of one tensor's term (TensorTerms.h).
#ifndef SMEX_COMPILER_PARTITION_TERMMAKER_H
#define SMEX_COMPILER_PARTITION_TERMMAKER_H

#include "compiler/partition/ReadRegions.h"
#include "compiler/partition/TensorTerms.h"

namespace smex::partition {

/// An operator that reads a tensor, perhaps with several operands.
struct Reading {
  struct Use {
    int table; // of PairCosts
    int operand;
  };
  int op;
  std::vector<Use> uses; // ascending by table
};

/// Of a tensor with this list of histories. The writer, if there is one, then
/// the kinds of readers, all in the same way, then `finish`.
class TermMaker {
public:
  TermMaker(const PairCosts &costs, const Tensor &tensor, int list);

  void addWriter(int table);

  /// A reader of which bytes count: the most of its operands.
  void addReader(const Reading &reading);
  /// A reader of which regions count: of several operands one, whose region
  /// contains the others. `list` is the operator's.
  void addReader(const Reading &reading, int list, RegionFinder &finder);

  /// Nothing if there are more different costs than can be numbered, or, where
  /// regions count, if a reader needs several that none contains, or the list
  /// of what may be fetched has more than `maxFetched` entries.
  std::optional<TermCosts> finish(int64_t maxFetched);

private:
  void listByBytes();
  bool listByRegions(int64_t maxFetched);
  bool findOverlaps(const std::vector<std::vector<bool>> &contained,
                    int64_t maxOnce);
  int64_t bytesOf(int column, const std::vector<int64_t> &bytes, int region,
                  int64_t level) const;
  void findWithin(const std::vector<std::vector<bool>> &contained);
  void addLevels(int column, int64_t least);
  bool servesAll(int column, const Fetched &fetched) const;
  int64_t leastForAll(int column) const;

  /// Of a region: another that lies not within it, and may be fetched with it.
  struct Overlap {
    int other;
    std::vector<int64_t>
        bytes; // per column: what both fetch of what they share
  };

  const PairCosts &costs;
  const Tensor &tensor;
  const Candidates &histories;
  TermCosts made;
  RegionSet regions;
  std::vector<std::vector<Overlap>> overlaps;  // per region
  std::vector<std::vector<int>> regionsOfRows; // per kind of reader
  std::vector<std::vector<int64_t>> needed;    // bytes, per kind of reader
  std::vector<int64_t> levels;                 // of a column
  bool fails = false;
};

} // namespace smex::partition

#endif
