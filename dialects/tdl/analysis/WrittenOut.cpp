#include "dialects/tdl/analysis/WrittenOut.h"

#include "dialects/tdl/lambda/Accumulated.h"

#include <algorithm>

using namespace smex;
using tdl::BinaryOp;
using tdl::ExprRef;

std::optional<tdl::Lambda> analysis::writtenOut(Instance sum) {
  const tdl::Lambda lambda = tdl::accumulated(sum.lambda);
  constexpr int64_t most = tdl::maxSize;
  int64_t points = 1;
  for (size_t r = size_t(lambda.rank()); r < sum.extents.size(); ++r)
    if (__builtin_mul_overflow(points, sum.extents[r], &points) ||
        points > most)
      return std::nullopt;
  if (lambda.reducer != tdl::Reducer::Sum ||
      (lambda.result != DType::F32 && lambda.result != DType::F64) ||
      lambda.body->kind == tdl::ExprKind::Opaque || points == 0 ||
      points * lambda.body->size > most)
    return std::nullopt;
  std::vector<ExprRef> terms;
  for (int64_t point = 0; point < points; ++point) {
    std::vector<ExprRef> values(size_t(lambda.indexCount()));
    int64_t rest = point;
    for (size_t r = values.size(); r-- > size_t(lambda.rank());) {
      values[r] = tdl::constant(rest % sum.extents[r]);
      rest /= sum.extents[r];
    }
    ExprRef term = tdl::substitute(lambda.body, values);
    if (lambda.guard)
      term = tdl::select(tdl::substitute(lambda.guard, values), term,
                         tdl::constant(0.0, lambda.result));
    terms.push_back(std::move(term));
  }
  // In the order of kernels (compiler/codegen/cpu/Reduction.cpp): the same
  // bits.
  const size_t lanes = size_t(128 / byteSize(lambda.result));
  const auto add = [&](size_t to, size_t from) {
    terms[to] = tdl::binary(BinaryOp::Add, terms[to], terms[from]);
  };
  for (size_t t = lanes; t < terms.size(); ++t)
    add(t % lanes, t);
  terms.resize(std::min(terms.size(), lanes));
  for (size_t half = lanes / 2; half > 0; half /= 2) {
    for (size_t i = half; i < terms.size(); ++i)
      add(i - half, i);
    terms.resize(std::min(terms.size(), half));
  }
  tdl::Lambda made = lambda;
  made.result = sum.lambda.result;
  made.reducer = tdl::Reducer::None;
  made.reductions.clear();
  made.guard = nullptr;
  made.body = tdl::cast(made.result, terms.front());
  made = tdl::canonicalize(std::move(made));
  if (!tdl::verify(made))
    return std::nullopt;
  return made;
}
