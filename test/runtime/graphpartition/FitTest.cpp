#include "runtime/graphpartition/Fit.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>

using namespace smex;
using namespace smex::graphpartition;

namespace {

struct Draw {
  std::mt19937 engine;
  double unit() { return double(engine()) / 4294967296.; }
};

/// Ranges as a graph has them: x3 to x5 grow with x2, and differ from it by
/// `spread` of it at most.
Features drawFeatures(Draw &draw, double spread) {
  const double vertices = 1000 * (1 + 9 * draw.unit());
  const double edges = vertices * (2 + 48 * draw.unit());
  const auto near = [&](double times) {
    return int64_t(edges * times * (1 - spread * draw.unit()));
  };
  return {int64_t(vertices), int64_t(edges), near(1), near(1), near(2)};
}

std::vector<Timing> drawTimings(Draw &draw, const Weights &weights, int count,
                                double noise, double spread) {
  std::vector<Timing> timings;
  for (int i = 0; i < count; ++i) {
    const Features x = drawFeatures(draw, spread);
    timings.push_back(
        {x, costOf(weights, x) * (1 + noise * (2 * draw.unit() - 1))});
  }
  return timings;
}

Weights fitted(const std::vector<Timing> &timings,
               LayerFit::Squares squares = LayerFit::Squares::Seconds) {
  LayerFit fit(squares);
  for (const Timing &timing : timings)
    REQUIRE(fit.add(timing, "a timing"));
  return fit.weights();
}

double squaresLeft(const Weights &weights, const std::vector<Timing> &timings) {
  double sum = 0;
  for (const Timing &timing : timings) {
    const double off = costOf(weights, timing.features) - timing.seconds;
    sum += off * off;
  }
  return sum;
}

} // namespace

TEST_CASE("weights are found again where features differ") {
  Draw draw{std::mt19937(1)};
  const Weights weights = {3e-7, 2e-8, 0, 5e-9, 1e-8};
  for (auto squares : {LayerFit::Squares::Seconds, LayerFit::Squares::Shares}) {
    const Weights found =
        fitted(drawTimings(draw, weights, 200, 0, 0.9), squares);
    for (size_t i = 0; i < featureCount; ++i)
      CHECK(found[i] == Approx(weights[i]).epsilon(1e-3).margin(1e-12));
  }
}

TEST_CASE("with noise and features that go together, held-out times are near") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    INFO("seed " << seed);
    Draw draw{std::mt19937(seed)};
    const Weights weights = {1e-7 * draw.unit(), 1e-8 * draw.unit(),
                             1e-8 * draw.unit(), 1e-8 * draw.unit(),
                             1e-8 * draw.unit()};
    const Weights found = fitted(drawTimings(draw, weights, 40, 0.05, 0.001));
    for (double weight : found) {
      CHECK(std::isfinite(weight));
      CHECK(weight >= 0);
    }
    const FitError error =
        errorOf(found, drawTimings(draw, weights, 100, 0, 0.001));
    CHECK(error.meanShare < 0.03);
    CHECK(error.explained > 0.99);
    CHECK(error.mostShare < 0.15);
  }
}

TEST_CASE("features that are the same share what they explain") {
  std::vector<Timing> timings;
  for (int64_t edges : {10, 30, 80})
    timings.push_back({{5, edges, edges, edges, 2 * edges}, 1e-3 * edges});
  const Weights found = fitted(timings);
  for (double weight : found)
    CHECK(weight >= 0);
  for (const Timing &timing : timings)
    CHECK(costOf(found, timing.features) ==
          Approx(timing.seconds).epsilon(1e-4));
}

TEST_CASE("no weights that are not negative leave fewer squares") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    INFO("seed " << seed);
    Draw draw{std::mt19937(seed)};
    // Times that no weights explain, so that some would be negative.
    std::vector<Timing> timings;
    for (int i = 0; i < 8; ++i)
      timings.push_back({drawFeatures(draw, 0.8), 1e-3 + draw.unit()});
    const Weights found = fitted(timings);
    const double least = squaresLeft(found, timings);
    for (int tries = 0; tries < 500; ++tries) {
      Weights other = found;
      for (size_t i = 0; i < featureCount; ++i)
        if (draw.unit() < 0.5)
          other[i] =
              std::max(0., other[i] + (draw.unit() - 0.5) *
                                          std::pow(10, -3 - 5 * draw.unit()));
      CHECK(squaresLeft(other, timings) >= least * (1 - 1e-6));
    }
  }
}

TEST_CASE("a fit goes on where another one stopped") {
  Draw draw{std::mt19937(3)};
  const auto timings =
      drawTimings(draw, {1e-7, 1e-8, 0, 0, 1e-8}, 30, 0.1, 0.5);
  LayerFit whole, half;
  for (size_t i = 0; i < timings.size(); ++i) {
    REQUIRE(whole.add(timings[i], ""));
    if (i < 15)
      REQUIRE(half.add(timings[i], ""));
  }
  LayerFit rest(half.sums(), half.timings(), LayerFit::Squares::Seconds);
  for (size_t i = 15; i < timings.size(); ++i)
    REQUIRE(rest.add(timings[i], ""));
  CHECK(rest.weights() == whole.weights());
  CHECK(rest.timings() == 30);
}

TEST_CASE("timings that say nothing are refused") {
  LayerFit fit;
  const Features x = {10, 20, 20, 20, 20};
  for (double seconds : {0., -1., std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()}) {
    const Status status = fit.add({x, seconds}, "layer 1, worker 3");
    REQUIRE(!status);
    CHECK(status.error().message.find("layer 1, worker 3: measured ") == 0);
    CHECK(status.error().fault == Fault::Input);
  }
  CHECK(fit.timings() == 0);
  CHECK(fit.weights() == Weights{});
  // A worker without vertices says nothing of what vertices cost.
  CHECK(fit.add({{}, 1e-6}, "layer 1, worker 3"));
  CHECK(fit.timings() == 0);
}

TEST_CASE("errors are shares of what was measured") {
  const Weights weights = {1, 0, 0, 0, 0};
  const FitError error =
      errorOf(weights, {{{10, 0, 0, 0, 0}, 10}, {{10, 0, 0, 0, 0}, 20}});
  CHECK(error.meanShare == Approx(0.25));
  CHECK(error.mostShare == Approx(0.5));
  CHECK(error.explained == Approx(-1)); // worse than the mean, 15
}
