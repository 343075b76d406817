#include "test/compiler/codegen/Trial.h"

#include "test/compiler/codegen/RowCases.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace smex;
using namespace smex::codegen;

namespace {

std::vector<int64_t> extentsOf(const Case &c, Random &random) {
  std::vector<int64_t> extents;
  for (int64_t e : c.indices)
    extents.push_back(e < 0 ? pick(random, 1, -e) : e);
  return extents;
}

std::vector<Tensor> operandsOf(const Case &c, const tdl::Lambda &lambda,
                               const std::vector<int64_t> &extents,
                               Random &random) {
  std::vector<Tensor> operands;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    TensorType type{lambda.operands[i].type, c.operands[i]};
    for (int64_t &d : type.shape)
      if (d >= 1000)
        d = extents[size_t(d / 1000 - 1)] + d % 1000;
    operands.push_back(randomTensor(random, type, c.lo, c.hi));
    if (lambda.operands[i].name != "row")
      continue;
    // Rising offsets, the last of them the number of edges.
    int64_t offset = 0;
    for (int64_t v = 0; v < type.shape[0]; ++v, offset += pick(random, 0, 5))
      if (type.dtype == DType::I64)
        operands.back().data<int64_t>()[v] = std::min<int64_t>(offset, 40);
      else
        operands.back().data<int32_t>()[v] =
            int32_t(std::min<int64_t>(offset, 40));
  }
  return operands;
}

/// Random parts of the output, never empty as in a plan, all of the reductions.
Box partOf(const std::vector<int64_t> &extents, int rank, Random &random) {
  Box part;
  for (int i = 0; i < int(extents.size()); ++i) {
    Interval whole{0, extents[size_t(i)]};
    if (i < rank && pick(random, 0, 2)) {
      const int64_t ways = std::min(pick(random, 1, 4), whole.size());
      whole = cut(whole, ways, pick(random, 0, ways - 1));
    }
    part.push_back(whole);
  }
  return part;
}

/// Makes the operands' boxes as small as the interpreter lets them be.
void shrink(const tdl::Lambda &lambda, const Box &part,
            std::vector<Buffer> &buffers, const std::vector<Tensor> &operands) {
  const auto fits = [&] {
    std::vector<tdl::OperandView> views;
    for (const Buffer &buffer : buffers)
      views.push_back({buffer.shape, buffer.box, buffer.bytes.data()});
    return bool(tdl::interpret(lambda, part, views));
  };
  for (size_t i = 0; i < buffers.size(); ++i)
    for (size_t d = 0; d < buffers[i].box.size(); ++d)
      for (int side = 0; side < 2; ++side)
        for (int64_t step = buffers[i].box[d].size(); step > 0; step /= 2) {
          const Box before = buffers[i].box;
          (side ? buffers[i].box[d].hi : buffers[i].box[d].lo) +=
              side ? -step : step;
          if (buffers[i].box[d].lo <= buffers[i].box[d].hi) {
            buffers[i] = bufferOf(operands[i], buffers[i].box);
            if (fits())
              continue;
          }
          buffers[i] = bufferOf(operands[i], before);
        }
}

double largestFinite(const Tensor &tensor) {
  double most = 0;
  for (int64_t i = 0; i < *elementCount(tensor.type.shape); ++i)
    if (const double x = std::abs(elementAt(tensor, size_t(i)));
        std::isfinite(x))
      most = std::max(most, x);
  return most;
}

} // namespace

void codegen::checkWholeAndParts(const tdl::Lambda &lambda,
                                 const std::vector<int64_t> &extents,
                                 const std::vector<Buffer> &operands,
                                 double relative, Random &random,
                                 const RunKernel &run) {
  std::vector<tdl::OperandView> views;
  for (const Buffer &operand : operands)
    views.push_back({operand.shape, operand.box, operand.bytes.data()});
  const Box indices = wholeBox(extents);
  const std::vector<int64_t> shape(extents.begin(),
                                   extents.begin() + lambda.rank());
  Buffer whole = emptyBuffer(lambda.result, shape, wholeBox(shape));
  run(0, indices, whole);
  const Tensor got{{lambda.result, shape}, whole.bytes};

  const Result<Tensor> want = tdl::interpret(lambda, indices, views);
  REQUIRE(want);
  const double tolerance = largestFinite(*want) * relative;
  for (int64_t i = 0; i < *elementCount(shape); ++i) {
    const double a = elementAt(got, size_t(i)), b = elementAt(*want, size_t(i));
    if (a != b && !(std::abs(a - b) <= tolerance)) {
      INFO("element " << i << ": got " << a << ", want " << b);
      CHECK(false);
      break;
    }
  }
  for (int number : {1, 2}) {
    Box part = indices;
    for (int d = 0; d < lambda.rank(); ++d) {
      part[size_t(d)].lo = pick(random, 0, shape[size_t(d)] - 1);
      part[size_t(d)].hi =
          pick(random, part[size_t(d)].lo + 1, shape[size_t(d)]);
    }
    const Box outputs(part.begin(), part.begin() + lambda.rank());
    Buffer some = emptyBuffer(lambda.result, shape, outputs);
    run(number, part, some);
    INFO("part " << toString(part));
    CHECK((some.bytes == bufferOf(got, outputs).bytes));
  }
}

bool codegen::same(const Tensor &got, const Tensor &want) {
  if (got.bytes.size() != want.bytes.size())
    return false;
  const size_t count = got.bytes.size() / size_t(byteSize(got.type.dtype));
  for (size_t i = 0; i < count; ++i) {
    // Not the bits: an empty sum may be 0 here and a sum of -0 there.
    const double a = elementAt(got, i), b = elementAt(want, i);
    if (a != b && !(a != a && b != b)) {
      UNSCOPED_INFO("element " << i << ": got " << a << ", want " << b);
      return false;
    }
  }
  return true;
}

std::vector<Case> codegen::allCases() {
  std::vector<Case> all(std::begin(cases), std::end(cases));
  all.insert(all.end(), std::begin(rowCases), std::end(rowCases));
  return all;
}

std::vector<KernelRequest> codegen::requestsOf(const std::vector<Case> &cases) {
  std::vector<KernelRequest> requests;
  for (const Case &c : cases)
    requests.push_back(
        {"k" + std::to_string(requests.size()), lambdaOf(c.text)});
  return requests;
}

Trial codegen::drawTrial(const Case &c, const tdl::Lambda &lambda,
                         Random &random, bool isSmall) {
  const std::vector<int64_t> extents = extentsOf(c, random);
  const std::vector<Tensor> operands = operandsOf(c, lambda, extents, random);
  Trial trial;
  trial.part = partOf(extents, lambda.rank(), random);
  for (const Tensor &operand : operands)
    trial.operands.push_back(bufferOf(operand, wholeBox(operand.type.shape)));
  if (isSmall)
    shrink(lambda, trial.part, trial.operands, operands);
  std::vector<tdl::OperandView> views;
  for (const Buffer &buffer : trial.operands)
    views.push_back({buffer.shape, buffer.box, buffer.bytes.data()});
  Result<Tensor> want = tdl::interpret(lambda, trial.part, views);
  if (!want)
    FAIL(want.error().message);
  trial.want = std::move(*want);
  trial.outputs = Box(trial.part.begin(), trial.part.begin() + lambda.rank());
  trial.shape.assign(extents.begin(), extents.begin() + lambda.rank());
  return trial;
}
