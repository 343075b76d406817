// The cost model's weights, fitted to measured times while they come in (Roc's
// equation 7): the least squares of predicted less measured seconds, over all
// ranges of vertices and iterations so far, layer by layer.
//
// Features x2 to x5 go nearly together: where runs are single vertices and the
// width is a multiple of 32, x5 is a multiple of x2. Plain least squares then
// gives weights that are large, of both signs, and worthless on another graph,
// and a range that costs less than a part of it cannot be found by binary
// search. Here weights are not negative. Then features that go together share
// what they explain, and none can be balanced by another; and a small ridge on
// features that are scaled alike makes the sharing one and the same. With five
// features, non-negative least squares are exact by trying each set of positive
// weights.
#ifndef SMEX_RUNTIME_GRAPHPARTITION_FIT_H
#define SMEX_RUNTIME_GRAPHPARTITION_FIT_H

#include "runtime/graphpartition/CostModel.h"

#include <string>

namespace smex::graphpartition {

/// What one layer took on one range.
struct Timing {
  Features features;
  double seconds = 0;
};

class LayerFit {
public:
  /// What is minimized: squares of seconds, as in the paper, or of each
  /// timing's share of itself: small graphs then count as much as large ones.
  enum class Squares { Seconds, Shares };
  explicit LayerFit(Squares squares = Squares::Seconds) : squares(squares) {}

  /// O(1) in the number of timings so far: sums of products are kept, not
  /// timings. A range without vertices takes what it takes to do nothing and is
  /// left out. Errors: seconds that are not finite or not positive; `what`
  /// names the timing.
  Status add(const Timing &timing, const std::string &what);

  int64_t timings() const { return count; }
  Squares minimized() const { return squares; }
  /// All 0 before the first timing.
  Weights weights() const;

  /// The sums: of products of two features, and of a feature and the seconds.
  struct Sums {
    std::array<std::array<double, featureCount>, featureCount> products{};
    std::array<double, featureCount> seconds{};
  };
  const Sums &sums() const { return all; }
  /// Goes on from there.
  LayerFit(const Sums &sums, int64_t timings, Squares squares)
      : squares(squares), all(sums), count(timings) {}

private:
  Squares squares;
  Sums all;
  int64_t count = 0;
};

/// How far predictions are off, of timings that the fit may not have seen.
struct FitError {
  double meanShare = 0; // of |predicted - measured| / measured
  double mostShare = 0;
  /// 1 less the squares that are left over the squares around the mean: 1 is
  /// exact, 0 as good as the mean. 0 where all timings are equal.
  double explained = 0;
};
FitError errorOf(const Weights &weights, const std::vector<Timing> &timings);

} // namespace smex::graphpartition

#endif
