#include "test/dialects/tdl/analysis/ProveStrategy.h"

#include "dialects/tdl/analysis/Access.h"
#include "dialects/tdl/analysis/Strategies.h"
#include "dialects/tdl/lambda/Arithmetic.h"
#include "dialects/tdl/lambda/Interpreter.h"

#include "test/dialects/tdl/analysis/RandomExpr.h"

#include <cmath>
#include <map>
#include <optional>

using namespace smex;
using namespace smex::analysis;

namespace {

/// Ways per index variable; 1 where it is not cut.
using Cut = std::vector<int64_t>;

/// True if whole operands give whole terms, so that sums are exact.
bool isExact(const tdl::ExprRef &body) {
  bool exact = true;
  tdl::walk(body, [&](const tdl::ExprRef &e) {
    using tdl::BinaryOp;
    if (!isFloat(e->type))
      return;
    if (e->kind == tdl::ExprKind::Float)
      exact &= std::isinf(e->real) || e->real == std::floor(e->real);
    else if (e->kind == tdl::ExprKind::Unary)
      exact &= e->unary <= tdl::UnaryOp::Trunc;
    else if (e->kind == tdl::ExprKind::Binary)
      exact &= e->binary != BinaryOp::Div && e->binary != BinaryOp::Pow &&
               e->binary != BinaryOp::Atan2;
  });
  return exact;
}

bool isWhole(const Tensor &tensor) {
  const DType type = tensor.type.dtype;
  if (!isFloat(type))
    return true;
  for (size_t b = 0; b < tensor.bytes.size(); b += byteSize(type)) {
    const double value = tdl::load(type, &tensor.bytes[b]).real;
    if (value != std::floor(value) || std::fabs(value) > 256)
      return false;
  }
  return true;
}

int64_t offsetIn(const Box &box, const std::vector<int64_t> &at) {
  int64_t offset = 0;
  for (size_t d = 0; d < box.size(); ++d)
    offset = offset * box[d].size() + (at[d] - box[d].lo);
  return offset;
}

class Proof {
public:
  Proof(const tdl::Lambda &lambda, const std::vector<int64_t> &extents,
        const std::vector<Tensor> &operands)
      : lambda(lambda), extents(extents), operands(operands) {
    for (const Tensor &operand : operands)
      shapes.push_back(operand.type.shape);
    access = accesses(lambda, shapes);
  }

  Status run() {
    std::vector<const Tensor *> pointers;
    for (const Tensor &operand : operands)
      pointers.push_back(&operand);
    Result<Tensor> reference = tdl::interpret(lambda, extents, pointers);
    if (!reference)
      return fail("uncut: ", reference.error().message);
    whole = std::move(*reference);
    const std::vector<int> indices = cuttableIndices(lambda);
    for (size_t i = 0; i < indices.size(); ++i)
      for (int64_t ways : {2, 3}) {
        Cut cut(extents.size(), 1);
        cut[indices[i]] = ways;
        if (Status proved = prove(cut); !proved)
          return proved;
        for (size_t j = 0; j < i && ways == 2; ++j) {
          Cut pair = cut;
          pair[indices[j]] = 2;
          if (Status proved = prove(pair); !proved)
            return proved;
        }
      }
    return {};
  }

private:
  Status prove(const Cut &cut) {
    // Parts in row-major order: the partial results of one output part follow
    // each other.
    std::map<std::vector<int64_t>, Tensor> results; // by output part
    Status failed;
    forEachPoint(wholeBox(cut), [&](const std::vector<int64_t> &part) {
      if (!failed)
        return;
      if (Status done = compute(cut, part, results); !done)
        failed = fail(describe(cut), ": ", done.error().message);
    });
    if (!failed)
      return failed;
    if (Status same = compare(cut, results); !same)
      return fail(describe(cut), ": ", same.error().message);
    return {};
  }

  Box boxOf(const Cut &cut, const std::vector<int64_t> &part) const {
    Box box;
    for (size_t v = 0; v < part.size(); ++v)
      box.push_back(smex::cut({0, extents[v]}, cut[v], part[v]));
    return box;
  }

  Status compute(const Cut &cut, const std::vector<int64_t> &part,
                 std::map<std::vector<int64_t>, Tensor> &results) {
    const Box indices = boxOf(cut, part);
    // A worker without points does nothing; but if there is no point at all,
    // the identity is still to be had from somewhere.
    if (isEmpty(indices) && volume(wholeBox(extents)) != 0)
      return {};
    std::vector<Tensor> copies;
    for (size_t i = 0; i < operands.size(); ++i)
      copies.push_back(
          copyPart(operands[i], access[i].region(indices, shapes[i])));
    std::vector<tdl::OperandView> views;
    for (size_t i = 0; i < operands.size(); ++i)
      views.push_back({shapes[i], access[i].region(indices, shapes[i]),
                       copies[i].bytes.data()});
    Result<Tensor> result = tdl::interpret(lambda, indices, views);
    if (!result)
      return result.takeError();
    const std::vector<int64_t> key(part.begin(), part.begin() + lambda.rank());
    const auto known = results.find(key);
    if (known == results.end())
      results.emplace(key, std::move(*result));
    else
      tdl::combine(lambda.reducer, known->second, *result);
    return {};
  }

  Status compare(const Cut &cut,
                 const std::map<std::vector<int64_t>, Tensor> &results) const {
    bool reduced = false;
    for (size_t v = lambda.rank(); v < cut.size(); ++v)
      reduced |= cut[v] > 1;
    const DType type = lambda.result;
    const bool exact = isExact(lambda.body) &&
                       std::all_of(operands.begin(), operands.end(), isWhole);
    const bool close = reduced && isFloat(type) && !exact &&
                       lambda.reducer != tdl::Reducer::Max &&
                       lambda.reducer != tdl::Reducer::Min;
    const double allowed = close ? 1e-4 * largest() : 0;
    const Box all = wholeBox(whole.type.shape);
    const int64_t size = byteSize(type);
    Status differs;
    int64_t seen = 0;
    for (const auto &[part, result] : results) {
      const Box box =
          boxOf(Cut(cut.begin(), cut.begin() + lambda.rank()), part);
      forEachPoint(box, [&](const std::vector<int64_t> &at) {
        ++seen;
        const std::byte *want = &whole.bytes[offsetIn(all, at) * size];
        const std::byte *got = &result.bytes[offsetIn(box, at) * size];
        if (std::equal(want, want + size, got) || !differs)
          return;
        if (close && std::fabs(tdl::load(type, want).real -
                               tdl::load(type, got).real) <= allowed)
          return;
        Box place;
        for (int64_t i : at)
          place.push_back({i, i + 1});
        differs = fail("the result differs at ", toString(place));
      });
    }
    if (differs && seen != volume(all))
      return fail("the parts do not cover the result");
    return differs;
  }

  double largest() const {
    double most = 0;
    for (size_t b = 0; b < whole.bytes.size(); b += byteSize(lambda.result)) {
      const double value =
          std::fabs(tdl::load(lambda.result, &whole.bytes[b]).real);
      if (std::isfinite(value))
        most = std::max(most, value);
    }
    return most;
  }

  std::string describe(const Cut &cut) const {
    std::string text = toString(lambda);
    for (size_t v = 0; v < cut.size(); ++v)
      if (cut[v] > 1)
        text += ", " + lambda.indexName(int(v)) + " in " +
                std::to_string(cut[v]) + " parts";
    return text;
  }

  const tdl::Lambda &lambda;
  const std::vector<int64_t> &extents;
  const std::vector<Tensor> &operands;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<Access> access;
  Tensor whole;
};

} // namespace

Tensor analysis::drawIntegers(std::mt19937_64 &random, const TensorType &type,
                              int64_t least, int64_t most) {
  Tensor tensor = makeTensor(type);
  if (isUnsigned(type.dtype))
    least = std::max<int64_t>(least, 0);
  for (size_t b = 0; b < tensor.bytes.size(); b += byteSize(type.dtype)) {
    const int64_t value =
        least + int64_t(random() % uint64_t(most - least + 1));
    tdl::store(type.dtype,
               tdl::convert(DType::I64, type.dtype, tdl::scalarOf(value)),
               &tensor.bytes[b]);
  }
  return tensor;
}

Tensor analysis::copyPart(const Tensor &whole, const Box &box) {
  Tensor part = makeTensor({whole.type.dtype, extents(box)});
  const int64_t size = byteSize(whole.type.dtype);
  const Box all = wholeBox(whole.type.shape);
  std::byte *to = part.bytes.data();
  forEachPoint(box, [&](const std::vector<int64_t> &at) {
    const std::byte *from = &whole.bytes[offsetIn(all, at) * size];
    to = std::copy(from, from + size, to);
  });
  return part;
}

Status analysis::proveStrategies(const tdl::Lambda &lambda,
                                 const std::vector<int64_t> &extents,
                                 const std::vector<Tensor> &operands) {
  return Proof(lambda, extents, operands).run();
}
