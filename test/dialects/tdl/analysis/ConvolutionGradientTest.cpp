// On gradients as they are derived, from convolutions drawn at random; and on
// what is almost one.
#include "dialects/tdl/analysis/ConvolutionGradient.h"
#include "compiler/training/Adjoint.h"
#include "test/dialects/tdl/analysis/Lambdas.h"

#include <random>

using namespace smex;
using namespace smex::analysis;
using Shape = std::vector<int64_t>;

namespace {

/// A convolution and its sizes.
struct Example {
  Convolution convolution;
  Shape data, filter, result;

  std::string lambda() const {
    const size_t rank = convolution.strides.size();
    const std::string type = "f32[" + std::to_string(rank + 2) + "]";
    const int64_t m = filter[0] / convolution.groups, c = filter[1];
    std::string outputs, sums, places, window;
    for (size_t d = 0; d < rank; ++d) {
      const std::string i = std::to_string(d);
      outputs += ", o" + i;
      sums += ", k" + i;
      window += ", k" + i;
      places += ", o" + i + " * " + std::to_string(convolution.strides[d]) +
                " + k" + i + " * " + std::to_string(convolution.dilations[d]) +
                " - " + std::to_string(convolution.pads[d]);
    }
    const std::string channel =
        convolution.groups == 1
            ? "c"
            : "m // " + std::to_string(m) + " * " + std::to_string(c) + " + c";
    return "(x: " + type + ", w: " + type + ") -> f32: lambda n, m" + outputs +
           ": Sum(lambda c" + sums + ": (x[n, " + channel + places +
           "] else 0) * w[m, c" + window + "])";
  }
};

Example randomExample(unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](int low, int high) {
    return low + int64_t(random() % unsigned(high - low + 1));
  };
  Example e;
  const int64_t groups = draw(0, 1) ? 1 : draw(1, 4);
  const int64_t n = draw(1, 3), m = draw(1, 4), c = draw(1, 4);
  e.convolution.groups = groups;
  e.data = {n, groups * c};
  e.filter = {groups * m, c};
  e.result = {n, groups * m};
  for (int64_t d = draw(1, 3); d-- > 0;) {
    const int64_t k = draw(1, 5), stride = draw(1, 4), dilation = draw(1, 3);
    const int64_t low = draw(0, 3), high = draw(0, 3);
    const int64_t reach = (k - 1) * dilation + 1;
    const int64_t in = std::max<int64_t>(1, reach - low - high) + draw(0, 6);
    e.convolution.strides.push_back(stride);
    e.convolution.dilations.push_back(dilation);
    e.convolution.pads.push_back(low);
    e.data.push_back(in);
    e.filter.push_back(k);
    e.result.push_back((in + low + high - reach) / stride + 1);
  }
  return e;
}

struct Derived {
  tdl::Lambda lambda;
  Shape extents;
  Shapes shapes;
};

Derived derive(const Example &e, int operand) {
  const tdl::Lambda forward = tdl::canonicalize(parse(e.lambda()));
  Shape extents = e.result;
  extents.insert(extents.end(), e.filter.begin() + 1, e.filter.end());
  const Shapes shapes = {e.data, e.filter};
  REQUIRE(matchConvolution(forward, extents));
  const auto instance = training::adjoint(forward, extents, shapes, operand);
  REQUIRE(instance);
  REQUIRE(instance->applications.size() == 1);
  const auto &made = instance->applications.front();
  Derived derived{made.lambda, made.extents, {}};
  const Shapes all = {e.data, e.filter, e.result, e.result};
  for (int source : made.operands)
    derived.shapes.push_back(all[size_t(source)]);
  return derived;
}

/// Where (o, k) meet in the data: different numbers may say the same.
std::vector<Shape> meetings(const Example &e, const Convolution &c, size_t d) {
  std::vector<Shape> all;
  for (int64_t o = 0; o < e.result[2 + d]; ++o)
    for (int64_t k = 0; k < e.filter[2 + d]; ++k) {
      const int64_t x = o * c.strides[d] + k * c.dilations[d] - c.pads[d];
      if (x >= 0 && x < e.data[2 + d])
        all.push_back({o, k, x});
    }
  return all;
}

} // namespace

TEST_CASE("gradients of convolutions as they are derived") {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    const Example e = randomExample(seed);
    for (int operand : {0, 1}) {
      const Derived derived = derive(e, operand);
      INFO(e.lambda() << "\n" << tdl::toString(derived.lambda));
      CAPTURE(derived.extents, derived.shapes);
      // Nothing to call a library for, nothing summed; or one channel per
      // group, which is derived as a search for the filters that read it.
      bool skip = e.convolution.groups > 1 && e.filter[1] == 1 &&
                  e.filter[0] > e.convolution.groups;
      skip |= derived.lambda.reducer == tdl::Reducer::None;
      for (size_t d = 0; d < e.convolution.strides.size(); ++d)
        skip |= meetings(e, e.convolution, d).empty();
      const auto match = matchConvolutionGradient(
          derived.lambda, derived.extents, derived.shapes);
      if (skip && operand == 0)
        continue;
      REQUIRE(match);
      CHECK((match->of == ConvolutionGradient::Of::Filter) == (operand == 1));
      CHECK(match->convolution.groups == e.convolution.groups);
      CHECK(derived.shapes[size_t(match->gradient)] == e.result);
      for (size_t d = 0; d < e.convolution.strides.size(); ++d)
        CHECK(meetings(e, match->convolution, d) ==
              meetings(e, e.convolution, d));
    }
  }
}

namespace {
const std::string kHead =
    "(x0: f32[3], x1: f32[3]) -> f32: lambda i0, i1, i2: ";

std::string rolesOf(const std::string &text, const Shape &extents,
                    const Shapes &shapes) {
  const auto match =
      matchConvolutionGradient(parse(kHead + text), extents, shapes);
  return match ? match->roles : "none";
}
} // namespace

TEST_CASE("the roles of index variables") {
  // 8 outputs of 10 elements, window of 3.
  const Shapes data = {{2, 4, 8}, {4, 5, 3}};
  CHECK(rolesOf("Sum(lambda r0, r1: x0[i0, r0, i2 - r1] * x1[r0, i1, r1] where "
                "i2 - r1 >= 0 and i2 - r1 < 8)",
                {2, 5, 10, 4, 3}, data) == "n c x0 m k0");
  CHECK(rolesOf("Sum(lambda r0, r1: (x0[i0, r1, i2 - r0] else 0) * "
                "x1[r1, i1, r0])",
                {2, 5, 10, 3, 4}, data) == "n c x0 k0 m");
  CHECK(rolesOf("Sum(lambda r0, r1: x0[i0, r0, r1] * (x1[r0, i1, i2 - r1] else "
                "0))",
                {2, 5, 10, 4, 8}, data) == "n c x0 m o0");
  CHECK(rolesOf("Sum(lambda r0: x0[i0, r0, i2 // 2] * x1[r0, i1, i2 % 2])",
                {2, 5, 10, 4}, {{2, 4, 5}, {4, 5, 2}}) == "n c x0 m");
  CHECK(rolesOf("Sum(lambda r0, r1: x0[r0, i0, r1] * x1[r0, i1, i2 + r1])",
                {4, 5, 3, 2, 8}, {{2, 4, 8}, {2, 5, 10}}) == "m c k0 n o0");
  CHECK(rolesOf("Sum(lambda r0, r1: x0[r1, i1, i2 + r0] * x1[r1, i0, r0])",
                {4, 5, 3, 8, 2}, {{2, 5, 10}, {2, 4, 8}}) == "m c k0 o0 n");
}

TEST_CASE("what is no gradient of a convolution") {
  const Shapes data = {{2, 4, 8}, {4, 5, 3}};
  const Shape extents = {2, 5, 10, 4, 3};
  const std::string sum = "Sum(lambda r0, r1: x0[i0, r0, i2 - r1] * "
                          "x1[r0, i1, r1] where ";
  // Rows of the gradient that it leaves out, and one that it adds.
  CHECK(rolesOf(sum + "i2 - r1 >= 0 and i2 - r1 < 7)", extents, data) ==
        "none");
  CHECK(rolesOf(sum + "i2 - r1 >= 1 and i2 - r1 < 8)", extents, data) ==
        "none");
  CHECK(rolesOf(sum + "i2 - r1 >= 0)", extents, data) == "none");
  // Conditions on others.
  CHECK(rolesOf(sum + "i2 - r1 >= 0 and i2 - r1 < 8 and r0 < 3)", extents,
                data) == "none");
  CHECK(rolesOf(sum + "i2 - r1 >= 0 and i2 - r1 < 8 and i0 < r1)", extents,
                data) == "none");
  CHECK(rolesOf(sum + "i2 - r1 >= 0 and i2 - r1 < 8 and x0[i0, r0, 0] < 1)",
                extents, data) == "none");
  // The window the other way round; a diagonal; a part of the channels.
  CHECK(rolesOf("Sum(lambda r0, r1: (x0[i0, r0, i2 - 2 + r1] else 0) * "
                "x1[r0, i1, r1])",
                extents, data) == "none");
  CHECK(rolesOf("Sum(lambda r0, r1: (x0[i0, r0, i2 - r1] else 0) * "
                "x1[r0, r0, r1])",
                extents, data) == "none");
  CHECK(rolesOf("Sum(lambda r0, r1: (x0[i0, r0, i2 - r1] else 0) * "
                "x1[r0, i1, r1])",
                {2, 5, 10, 3, 3}, data) == "none");
  CHECK(rolesOf("Sum(lambda r0, r1: (x0[i0, r0, i2 - r1] else 1) * "
                "x1[r0, i1, r1])",
                extents, data) == "none");
  // By the filter: a step back, a sum that is not over images.
  CHECK(rolesOf("Sum(lambda r0, r1: x0[r0, i0, r1] * (x1[r0, i1, i2 - r1] else "
                "0))",
                {4, 5, 3, 2, 8}, {{2, 4, 8}, {2, 5, 10}}) == "none");
  CHECK(rolesOf("Sum(lambda r0, r1: x0[r0, i0, r1] * (x1[r1, i1, i2 + r1] else "
                "0))",
                {4, 5, 3, 2, 8}, {{2, 4, 8}, {2, 5, 10}}) == "none");
}
