// What a step may decide: the dimensions along which a tensor may be cut, and
// the index variables along which an operator may be, given the steps before.
// Every algorithm and every oracle draws from these lists.
#ifndef SMEX_COMPILER_PARTITION_CHOICES_H
#define SMEX_COMPILER_PARTITION_CHOICES_H

#include "compiler/partition/CostNetwork.h"
#include "compiler/partition/Overlaps.h"

#include <functional>
#include <optional>

namespace smex::partition {

struct Step;

/// Where sides of this length are cut, and not evenly: such as the vertices of
/// a graph, whose edges are not alike.
struct Side {
  int64_t extent = 0;
  /// All bounds, 0 and the extent among them, where steps of these ways cut it
  /// one after the other: ascending, one more than there are parts. Those of
  /// fewer steps are among those of more.
  std::function<std::vector<int64_t>(const std::vector<int64_t> &ways)> bounds;
};

struct Params {
  /// With `ways`. The first step, where it has been decided already, as by a
  /// placement on groups of workers; alive as long as these are used.
  const Step *first = nullptr;
  /// Tofu's rule: whatever can be cut is cut, however small.
  bool alwaysCut = false;
  /// The smallest tensors, as many as have together at most one
  /// wholeTensorShare-th of all tensors' bytes, may be held whole by every
  /// group. Together: in a model of a thousand equal layers each tensor is a
  /// small part, and yet to hold all of them whole is to not partition at all.
  int64_t wholeTensorShare = 1024;
  /// The same for computing operators whole, by the product of their extents.
  int64_t wholeOperatorShare = 1024;
  /// Where several operators that are alike read one tensor, search a second
  /// time, counting what they fetch once, and keep the better plan.
  bool shareAlikeReaders = true;
  /// The ways of `recursive`'s steps, in order, whose product is the number of
  /// workers; none: its prime factors, the largest first.
  std::vector<int64_t> ways;
  /// With `ways`. What a byte between two workers costs, by the first step that
  /// parts them, where links differ: positive, in order of the steps. None: all
  /// alike. A step then costs the least, and need not move the least.
  std::vector<int64_t> linkCosts;
  /// With `ways`. What part of the work each group of a step gets, where
  /// devices are unlike: a list of positive weights per step. None: even parts.
  std::vector<std::vector<int64_t>> weights;
  /// Of different extents. `weights` are for all other sides.
  std::vector<Side> sides;
  /// Whatever has such a side is cut along it in each step, as long as it can
  /// be; of several, along the one that comes first in `sides`.
  bool alongSides = false;
  /// What an operator's computing costs where all wait for the group that takes
  /// longest: in bytes on the fastest links, of all groups together, so that it
  /// adds up with what crosses. `shares`: what each group has of its index
  /// space. Not negative. Null: only bytes count.
  std::function<int64_t(int op, const std::vector<Box> &shares)> work;
  /// Of algorithms that draw.
  uint64_t seed = 0;
  /// `best` tries so many sequences of ways at most.
  int maxSequences = 16;
  /// `flat` and `icml18` consider so many histories of each tensor and operator
  /// at most.
  int64_t maxFlatHistories = 512;
  /// `best` takes all steps together where elimination makes tables of so many
  /// entries at most, and of so many in all.
  int64_t maxFlatTableEntries = int64_t(1) << 25;
  int64_t maxFlatEntries = int64_t(1) << 26;
  /// Where elimination would make larger tables than that, or more entries in
  /// all, repeated timesteps are cut alike (Timesteps.h), from then on.
  int64_t maxUntiedTableEntries = int64_t(1) << 18;
  int64_t maxUntiedEntries = int64_t(1) << 22;
  /// How a step is solved.
  network::Params network;
  /// Whether to compute a lower bound for the whole plan beyond 0, and how many
  /// entries its tables may have (LowerBound.h): those of one operator and one
  /// tensor, which decide for how many steps there are tables, and those that
  /// elimination makes.
  bool lowerBound = true;
  int64_t maxBoundPairEntries = int64_t(1) << 16;
  int64_t maxBoundEntries = int64_t(1) << 12;
  /// And how many costs the ascent may look at (DualAscent.h): a second takes
  /// about a billion. `best` looks at more.
  int64_t maxBoundWork = int64_t(1) << 29;
  /// Of a tensor, regions are told apart where so many numbers at most say what
  /// may be fetched (TensorTerms.h).
  int64_t maxFetched = int64_t(1) << 17;
};

/// The rule. A cut must leave no group without work, since one that puts
/// everything into one group costs no communication at all: a dimension may be
/// cut if its largest part so far has at least `ways` elements. Where there is
/// no such dimension, the longest may be, if it has more than one element.
/// Holding or computing the whole is possible where that is small, or where no
/// part has a dimension of more than one element. With Params::alwaysCut, a
/// dimension is cut if there is one. Cuts are even, or by Params::weights; then
/// the group of the least weight must get an element. Params::sides are cut
/// where they say, whoever gets none of them; with Params::alongSides, what has
/// one that can be cut has no other choice.
class Choices {
public:
  Choices(const OperatorGraph &graph, const Params &params);

  /// The choices for one more step of `ways.back()` ways after `history`, whose
  /// steps had the ways before that; most preferred first, never empty.
  std::vector<Division> ofTensor(int tensor, const History &history,
                                 const std::vector<int64_t> &ways) const;
  std::vector<Division> ofOperator(int op, const History &history,
                                   const std::vector<int64_t> &ways) const;

  /// All histories over steps of these ways; nothing if there are more than
  /// `limit`.
  std::optional<std::vector<History>>
  tensorHistories(int tensor, const std::vector<int64_t> &ways,
                  size_t limit) const;
  std::optional<std::vector<History>>
  operatorHistories(int op, const std::vector<int64_t> &ways,
                    size_t limit) const;

  /// Whether it is small enough to be whole: with shapes and splits, all that
  /// the lists depend on.
  bool isSmallTensor(int tensor) const { return smallTensors[tensor]; }
  bool isSmallOperator(int op) const { return smallOperators[op]; }

private:
  const OperatorGraph &graph;
  const bool alwaysCut;
  const std::vector<std::vector<int64_t>> weights; // of steps that have some
  const std::vector<Side> sides;
  const bool alongSides;
  std::vector<bool> smallTensors, smallOperators;
};

} // namespace smex::partition

#endif
