// Dropout and random numbers. A generator counts over the elements of the whole
// tensor, so that the numbers do not depend on how it is cut.
#include "compiler/frontend/onnx/Table.h"

#include "dialects/support/Sha256.h"

#include <cstdlib>

using namespace smex;
using namespace smex::frontend;

/// The node's own seed, or one made of its name: another one for every node.
static ValueId uniform(Node &n, const std::vector<int64_t> &shape,
                       const char *salt = "") {
  std::string source = n.name + salt;
  // A number, but of one type or another.
  if (n.hasAttribute("seed"))
    source = n.attributes.at("seed")->SerializeAsString() + salt;
  n.ignore("seed");
  const int64_t seed =
      int64_t(std::strtoul(sha256(source).substr(0, 8).c_str(), nullptr, 16));
  return n.apply("random_uniform", {n.builder.randomSeed()},
                 {{"out", shape}, {"seed", seed}});
}

static ValueId normal(Node &n, const std::vector<int64_t> &shape) {
  const ValueId v = n.apply(
      "normal_of", {uniform(n, shape, ".radius"), uniform(n, shape, ".angle")});
  return n.apply(
      "affine", {v},
      {{"alpha", n.real("scale", 1.0)}, {"beta", n.real("mean", 0.0)}});
}

static ValueId between(Node &n, const std::vector<int64_t> &shape) {
  const double low = n.real("low", 0.0), high = n.real("high", 1.0);
  return n.apply("affine", {uniform(n, shape)},
                 {{"alpha", high - low}, {"beta", low}});
}

using Generate = ValueId (*)(Node &, const std::vector<int64_t> &);

static Convert ofShape(Generate generate) {
  return [generate](Node &n) {
    const auto shape = n.integers("shape");
    n.require(elementCount(shape).has_value(), "the shape is impossible");
    n.out(0, n.cast(generate(n, shape), n.dtype("dtype", DType::F32)));
  };
}

static Convert like(Generate generate) {
  return [generate](Node &n) {
    const DType type = n.dtype("dtype", n.inType(0).dtype);
    n.out(0, n.cast(generate(n, n.shape(0)), type));
  };
}

static void convertBernoulli(Node &n) {
  n.out(0, n.apply("bernoulli_of", {n.in(0), uniform(n, n.shape(0))},
                   {{"to", n.dtype("dtype", n.inType(0).dtype)}}));
}

static void convertMultinomial(Node &n) {
  n.require(n.rank(0) == 2, "its operand must be a matrix");
  const ValueId u = uniform(n, {n.shape(0)[0], n.integer("sample_size", 1)});
  n.out(0, n.apply("multinomial_of", {n.in(0), u},
                   {{"to", n.dtype("dtype", DType::I32)}}));
}

static void dropNothing(Node &n) {
  n.out(0, n.in(0));
  if (!n.wants(1))
    return;
  Tensor kept = makeTensor({DType::Bool, {}});
  kept.bytes[0] = std::byte(1);
  n.out(1, n.cast(n.expand(n.addConstant(std::move(kept)), n.shape(0)),
                  n.opset < 10 ? n.inType(0).dtype : DType::Bool));
}

static void drop(Node &n, double ratio) {
  n.require(ratio >= 0 && ratio < 1, "ratio is out of range");
  if (ratio == 0) {
    n.ignore("seed");
    return dropNothing(n);
  }
  const auto results = n.applyAll(
      "dropout_of", {n.in(0), uniform(n, n.shape(0))}, {{"ratio", ratio}});
  n.out(0, results[0]);
  if (n.wants(1))
    n.out(1,
          n.cast(results[1], n.opset < 10 ? n.inType(0).dtype : DType::Bool));
}

/// Before opset 12, whether to drop is a matter of the run.
static void convertDropout7(Node &n) {
  const double ratio = n.real("ratio", 0.5);
  drop(n, n.training ? ratio : 0);
}

static void convertDropout(Node &n) {
  const bool training = n.has(2) && n.constantInt(2) != 0;
  drop(n, !training ? 0 : n.has(1) ? n.constantReal(1) : 0.5);
}

std::vector<Row> smex::frontend::randomRows() {
  return {
      {"Dropout", 7, convertDropout7},
      {"Dropout", 12, convertDropout},
      {"RandomUniform", 1, ofShape(between)},
      {"RandomUniformLike", 1, like(between)},
      {"RandomNormal", 1, ofShape(normal)},
      {"RandomNormalLike", 1, like(normal)},
      {"Bernoulli", 15, convertBernoulli},
      {"Multinomial", 7, convertMultinomial},
  };
}
