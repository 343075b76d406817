#include "runtime/graphpartition/Fit.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace smex;
using namespace smex::graphpartition;

namespace {

using Matrix = std::array<std::array<double, featureCount>, featureCount>;
using Vector = std::array<double, featureCount>;

/// On the diagonal, where features are scaled to have 1 there: enough to decide
/// between features that are multiples of each other, and far below what is
/// measured.
constexpr double ridge = 1e-9;

/// Least squares with the features in `set` alone, by Cholesky. Nothing where
/// rounding leaves no positive pivot.
std::optional<Vector> solve(const Matrix &products, const Vector &right,
                            unsigned set) {
  std::array<size_t, featureCount> members;
  size_t n = 0;
  for (size_t i = 0; i < featureCount; ++i)
    if (set >> i & 1)
      members[n++] = i;
  Matrix lower{};
  Vector y{}, solution{};
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      double sum = products[members[i]][members[j]];
      for (size_t k = 0; k < j; ++k)
        sum -= lower[i][k] * lower[j][k];
      if (i != j)
        lower[i][j] = sum / lower[j][j];
      else if (sum > 0)
        lower[i][i] = std::sqrt(sum);
      else
        return std::nullopt;
    }
    y[i] = right[members[i]];
    for (size_t k = 0; k < i; ++k)
      y[i] -= lower[i][k] * y[k];
    y[i] /= lower[i][i];
  }
  for (size_t i = n; i-- > 0;) {
    double sum = y[i];
    for (size_t k = i + 1; k < n; ++k)
      sum -= lower[k][i] * solution[members[k]];
    solution[members[i]] = sum / lower[i][i];
  }
  return solution;
}

} // namespace

Status LayerFit::add(const Timing &timing, const std::string &what) {
  if (!std::isfinite(timing.seconds) || timing.seconds <= 0)
    return fail(what, ": measured ", timing.seconds,
                " seconds: a positive number is needed to fit a cost model");
  if (timing.features[0] == 0)
    return {};
  const double scale =
      squares == Squares::Shares ? 1 / (timing.seconds * timing.seconds) : 1;
  for (size_t i = 0; i < featureCount; ++i) {
    const double x = scale * double(timing.features[i]);
    for (size_t j = 0; j < featureCount; ++j)
      all.products[i][j] += x * double(timing.features[j]);
    all.seconds[i] += x * timing.seconds;
  }
  ++count;
  return {};
}

Weights LayerFit::weights() const {
  Vector scale{}, right{};
  for (size_t i = 0; i < featureCount; ++i)
    scale[i] = all.products[i][i] > 0 ? 1 / std::sqrt(all.products[i][i]) : 0;
  Matrix products{};
  for (size_t i = 0; i < featureCount; ++i) {
    for (size_t j = 0; j < featureCount; ++j)
      products[i][j] = all.products[i][j] * scale[i] * scale[j];
    products[i][i] = 1 + ridge; // of a feature that is always 0, too
    right[i] = all.seconds[i] * scale[i];
  }

  // Of the sets whose least squares are not negative, the best one.
  Weights best{};
  double least = 0; // squares, less those of the seconds themselves
  for (unsigned set = 1; set < 1u << featureCount; ++set) {
    const std::optional<Vector> found = solve(products, right, set);
    if (!found || std::any_of(found->begin(), found->end(),
                              [](double weight) { return weight < 0; }))
      continue;
    // At least squares, products * weights = right: half of the cross term.
    double squaresLeft = 0;
    for (size_t i = 0; i < featureCount; ++i)
      squaresLeft -= (*found)[i] * right[i];
    if (squaresLeft < least) {
      least = squaresLeft;
      for (size_t i = 0; i < featureCount; ++i)
        best[i] = (*found)[i] * scale[i];
    }
  }
  return best;
}

FitError graphpartition::errorOf(const Weights &weights,
                                 const std::vector<Timing> &timings) {
  FitError error;
  if (timings.empty())
    return error;
  double mean = 0, left = 0, around = 0;
  for (const Timing &timing : timings)
    mean += timing.seconds / double(timings.size());
  for (const Timing &timing : timings) {
    const double off =
        std::abs(costOf(weights, timing.features) - timing.seconds);
    error.meanShare += off / timing.seconds / double(timings.size());
    error.mostShare = std::max(error.mostShare, off / timing.seconds);
    left += off * off;
    around += (timing.seconds - mean) * (timing.seconds - mean);
  }
  error.explained = around > 0 ? 1 - left / around : 0;
  return error;
}
