// Plans made by hand, for tests.
#ifndef SMEX_TEST_RUNTIME_EXECUTOR_PROGRAMS_H
#define SMEX_TEST_RUNTIME_EXECUTOR_PROGRAMS_H

#include "runtime/executor/Executor.h"
#include "test/runtime/plan/ByHand.h"

#include <cstring>

namespace smex::runtime {

/// Parameters without a plan on disk: every element is its worker's number.
class NumberParameters : public ParameterSource {
public:
  explicit NumberParameters(int64_t elements) : elements(elements) {}
  Status fill(int worker, int, std::byte *to) const override {
    for (int64_t i = 0; i < elements; ++i)
      reinterpret_cast<float *>(to)[i] = float(worker);
    return {};
  }

private:
  int64_t elements;
};

class ProgramBuilder {
public:
  explicit ProgramBuilder(int workers) {
    result = plan::byHand({}, std::vector<plan::HandWorker>(size_t(workers)));
  }

  int tensor(const std::string &name, std::vector<int64_t> shape,
             DType type = DType::F32) {
    result.program.tensors.push_back({name, {type, std::move(shape)}});
    return int(result.program.tensors.size()) - 1;
  }
  /// A box per worker; each gets a place of its own.
  int buffer(int tensor, const std::vector<Box> &boxes, bool partial = false) {
    std::vector<plan::HandBuffer> all;
    const TensorType &type = result.program.tensors[size_t(tensor)].type;
    for (size_t w = 0; w < boxes.size(); ++w) {
      plan::Worker &worker = result.workers[w];
      const int64_t bytes = volume(boxes[w]) * byteSize(type.dtype);
      const int64_t at = bytes ? (worker.arenaBytes + 63) / 64 * 64 : 0;
      all.push_back({boxes[w], at});
      worker.arenaBytes = std::max(worker.arenaBytes, at + bytes);
    }
    return plan::addBuffer(result, {tensor, partial}, all);
  }
  int kernel(plan::KernelKind kind, const std::string &lambda,
             const std::string &roles = "") {
    plan::Kernel kernel;
    kernel.kind = kind;
    kernel.lambda = lambda;
    kernel.roles = roles;
    result.program.kernels.push_back(kernel);
    return int(result.program.kernels.size()) - 1;
  }
  int compute(const std::string &node, int kernel, std::vector<int> operands,
              int to, const std::vector<Box> &indices) {
    plan::Instruction what;
    what.node = node;
    what.kernel = kernel;
    what.operands = std::move(operands);
    what.to = to;
    std::vector<plan::HandInstruction> all;
    for (const Box &own : indices)
      all.push_back({own});
    return plan::addInstruction(result, what, all);
  }
  int move(const std::string &node, plan::Opcode op, int from, int to,
           const std::vector<std::vector<Piece>> &pieces,
           const std::vector<Wait> &waits) {
    plan::Instruction what;
    what.op = op;
    what.node = node;
    what.from = from;
    what.to = to;
    what.reducer = op == plan::Opcode::Reduce ? "Sum" : "";
    what.waits = waits;
    std::vector<plan::HandInstruction> all;
    for (const std::vector<Piece> &own : pieces)
      all.push_back({{}, own});
    return plan::addInstruction(result, what, all);
  }

  plan::Partitioned result;
};

/// c = a b on two workers, the sum cut in two, its result by rows, and once
/// more whole on worker 0.
inline plan::Partitioned splitProduct() {
  ProgramBuilder b(2);
  const int a =
      b.buffer(b.tensor("a", {4, 6}), {{{0, 4}, {0, 3}}, {{0, 4}, {3, 6}}});
  const int w =
      b.buffer(b.tensor("b", {6, 4}), {{{0, 3}, {0, 4}}, {{3, 6}, {0, 4}}});
  const int c = b.tensor("c", {4, 4});
  const Box all{{0, 4}, {0, 4}}, top{{0, 2}, {0, 4}}, bottom{{2, 4}, {0, 4}};
  const int partial = b.buffer(c, {all, all}, true);
  const int rows = b.buffer(c, {top, bottom});
  const int whole = b.buffer(c, {all, {{0, 0}, {0, 4}}});
  const int kernel =
      b.kernel(plan::KernelKind::Contraction,
               "(x0: f32[2], x1: f32[2]) -> f32: lambda i0, i1: Sum(lambda "
               "r0: x0[i0, r0] * x1[r0, i1])",
               "mnk");
  b.compute("product", kernel, {a, w}, partial,
            {{{0, 4}, {0, 4}, {0, 3}}, {{0, 4}, {0, 4}, {3, 6}}});
  b.move("product", plan::Opcode::Reduce, partial, rows,
         {{{0, top}, {1, top}}, {{0, bottom}, {1, bottom}}}, {plan::ofAll(0)});
  b.move("gather", plan::Opcode::Fetch, rows, whole,
         {{{0, top}, {1, bottom}}, {}}, {plan::ofAll(1)});
  b.result.program.inputs = {{"a", a}, {"b", w}};
  b.result.program.outputs = {{"c", whole}, {"rows", rows}};
  return b.result;
}

inline Feed rampFeed(std::vector<int64_t> shape, bool perStep = false) {
  Feed feed{makeTensor({DType::F32, std::move(shape)}), perStep};
  for (size_t i = 0; i < feed.value.bytes.size() / 4; ++i)
    feed.value.data<float>()[i] = float(i % 13) - 6;
  return feed;
}

} // namespace smex::runtime

#endif
