// What one step of a partition leaves of a box to each of the groups that it
// makes (thesis section 3.5.2): of a tensor, or of an operator's index space.
// Nothing else in this project cuts a box.
#ifndef SMEX_DIALECTS_SUPPORT_DIVISION_H
#define SMEX_DIALECTS_SUPPORT_DIVISION_H

#include "dialects/support/Box.h"
#include "dialects/support/Reducer.h"

#include <memory>

namespace smex {

/// Immutable, cheap to copy, compared by value.
class Division {
public:
  enum class Kind : uint8_t {
    Whole,  // every group has all of it
    Part,   // a group has its part along one dimension
    Term,   // a group has all of the tensor, but only its term of a reduction
    Placed, // one group has all of it, the others nothing
  };
  /// Where parts end and the next begin: one fewer than there are groups,
  /// ascending, in the coordinates of the tensor. One list for each group of
  /// the steps before.
  using Bounds = std::vector<std::vector<int64_t>>;

  Division() = default; // whole
  static Division whole() { return {}; }
  /// Nearly equal parts: uneven where the groups do not divide the size, empty
  /// where there are more groups than elements.
  static Division part(int dimension);
  /// Parts in proportion to weights, one per group, none negative and not all
  /// 0. Weights are added up before they are rounded: groups 0 to g have
  /// together their weights' share of the size, rounded down. Equal weights
  /// give the parts of `part`.
  static Division weighted(int dimension, std::vector<int64_t> weights);
  /// Without any bounds, here and above: an even part.
  static Division bounded(int dimension, Bounds bounds);
  static Division term(Reducer reducer);
  static Division placed(int64_t group);

  Kind kind() const { return is; }
  bool isWhole() const { return is == Kind::Whole; }
  bool isPart() const { return is == Kind::Part; }
  bool isTerm() const { return is == Kind::Term; }
  bool isPlaced() const { return is == Kind::Placed; }
  bool cuts(int dimension) const { return isPart() && number == dimension; }
  /// Parts that are neither weighted nor bounded.
  bool isEven() const { return isPart() && !sizes; }

  int dimension() const { return int(number); }       // of a Part
  int64_t group() const { return number; }            // Placed
  Reducer reducer() const { return Reducer(number); } // of a Term
  /// Of a Part; empty where it has none.
  const std::vector<int64_t> &weights() const;
  const Bounds &bounds() const;

  /// Group `group`'s part of a side, a Part's alone. `before`: the number of
  /// the group that is divided, among those of the steps before.
  Interval partOf(Interval side, int64_t ways, int64_t group,
                  int64_t before) const;
  /// What is left of the box to group `group` of `ways`.
  void take(Box &box, int64_t ways, int64_t group, int64_t before) const;

  /// What makes two divisions equal, as words; no division's words begin with
  /// those of another one.
  template <typename Words> void appendTo(Words &words) const {
    words.push_back(int64_t(is) | number << 3 | int64_t(sizes != nullptr) << 2);
    if (sizes)
      appendSizes(words);
  }
  bool operator==(const Division &other) const {
    return is == other.is && number == other.number && sameSizes(other);
  }
  bool operator!=(const Division &other) const { return !(*this == other); }
  /// Whole comes first, then parts by their dimensions.
  bool operator<(const Division &other) const;

private:
  struct Sizes {
    std::vector<int64_t> weights;
    Bounds bounds;
  };

  Division(Kind is, int64_t number, std::shared_ptr<const Sizes> sizes = {})
      : is(is), number(number), sizes(std::move(sizes)) {}
  bool sameSizes(const Division &other) const {
    return sizes == other.sizes ||
           (sizes && other.sizes && sizes->weights == other.sizes->weights &&
            sizes->bounds == other.sizes->bounds);
  }
  template <typename Words> void appendSizes(Words &words) const {
    words.push_back(int64_t(sizes->weights.size()));
    words.insert(words.end(), sizes->weights.begin(), sizes->weights.end());
    words.push_back(int64_t(sizes->bounds.size()));
    for (const auto &list : sizes->bounds) {
      words.push_back(int64_t(list.size()));
      words.insert(words.end(), list.begin(), list.end());
    }
  }

  Kind is = Kind::Whole;
  int64_t number = 0; // dimension, reducer or group
  std::shared_ptr<const Sizes> sizes;
};

/// "whole", "part 0", "part 0 by weights [1, 2]", "part 0 at bounds [[2],
/// [5]]", "term Sum", "placed 1".
std::string toString(const Division &division);

} // namespace smex

#endif
