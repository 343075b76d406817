// Fetches and reductions that are drawn at random, on emulated GPUs that do not
// reach each other's memory, with little staging or with much, by one process
// or by several. Sums depend on the order of their terms, and have the bits of
// the plan's order, in however many rounds they come about, where runs are to
// be reproducible; else NCCL adds up what it can, in another order.
#include "test/runtime/backends/cuda/OnGpus.h"
#include "test/runtime/backends/cuda/nccl/RandomExchange.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace smex;
using test::elementsOf;
using test::holds;
using test::RandomExchange;

namespace {

size_t setting(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return std::strtoull(value ? value : otherwise, nullptr, 10);
}

/// What workers have, each its own: their sums are not exact.
class Terms : public runtime::ParameterSource {
public:
  explicit Terms(const plan::Partitioned &partitioned)
      : partitioned(partitioned) {}

  std::vector<float> of(int worker, int parameter) const {
    const int buffer = partitioned.program.parameters[size_t(parameter)].buffer;
    std::mt19937 engine(unsigned(1000 * parameter + worker));
    std::vector<float> values(size_t(volume(partitioned.box(worker, buffer))));
    for (float &value : values)
      value = std::ldexp(float(engine() % 2001) - 1000, int(engine() % 20));
    return values;
  }
  Status fill(int worker, int parameter, std::byte *to) const override {
    const std::vector<float> values = of(worker, parameter);
    std::memcpy(to, values.data(), values.size() * sizeof(float));
    return {};
  }

private:
  const plan::Partitioned &partitioned;
};

/// What is exchanged is a parameter, and what comes of it an output.
void addPorts(plan::Program &program) {
  for (const plan::Instruction &each : program.instructions) {
    program.parameters.push_back({each.node, each.from});
    program.outputs.push_back({each.node, each.to});
  }
}

struct Element {
  float value = 0, sumOfSizes = 0;
};

/// Each element, by the order of the pieces.
std::vector<Element> expected(const plan::Partitioned &partitioned,
                              const Terms &terms, size_t number) {
  const plan::Instruction &what = partitioned.program.instructions[number];
  const size_t tensor =
      size_t(partitioned.program.buffers[size_t(what.to)].tensor);
  std::vector<Element> values;
  for (const auto &at :
       elementsOf(wholeBox(partitioned.program.tensors[tensor].type.shape))) {
    values.emplace_back();
    for (size_t w = 0; w < partitioned.workers.size(); ++w) {
      if (!holds(partitioned.box(int(w), what.to), at))
        continue;
      bool isFirst = true;
      float &value = values.back().value;
      for (const Piece &piece : what.pieces[w]) {
        if (!holds(piece.box, at))
          continue;
        const auto there = elementsOf(partitioned.box(piece.worker, what.from));
        const size_t place =
            size_t(std::find(there.begin(), there.end(), at) - there.begin());
        const float term = terms.of(piece.worker, int(number)).at(place);
        value = isFirst ? term : value + term;
        values.back().sumOfSizes += std::abs(term);
        isFirst = false;
      }
    }
  }
  return values;
}

std::vector<Result<runtime::RunResult>>
run(const plan::Partitioned &partitioned, const Terms &terms, size_t processes,
    bool trace, bool reproducible = true) {
  runtime::RunOptions options;
  options.steps = 2;
  options.device.trace = trace;
  options.device.reproducible = reproducible;
  return test::runOnGpus(partitioned, {}, terms, {}, options, processes);
}

} // namespace

TEST_CASE("random exchanges have the bits of the plan's order, or nearly") {
  const size_t processes = setting("SMEX_TEST_PROCESSES", "1"),
               gpus = setting("SMEX_EMULATED_DEVICES", "1"),
               begin = setting("SMEX_TEST_SEED", "0");
  bool isOtherwise = false;
  for (size_t seed = begin; seed < begin + 60; ++seed) {
    CAPTURE(seed);
    RandomExchange drawn(seed);
    for (int64_t count = drawn.draw(1, 4); count > 0; --count)
      drawn.add(/*disjoint=*/true);
    plan::Partitioned &partitioned = drawn.partitioned();
    addPorts(partitioned.program);
    const int64_t least = (16 * (drawn.workers - 1) + 63) / 64 * 64;
    for (plan::Worker &worker : partitioned.workers) {
      worker.stagingBytes = drawn.draw(0, 3) ? least : 4096;
      worker.arenaBytes =
          (worker.arenaBytes + 63) / 64 * 64 + worker.stagingBytes;
    }
    if (processes == 1)
      REQUIRE(test::knowLaunches(partitioned, {"sm_80", ""}, gpus));
    const Terms terms(partitioned);
    const bool reproducible = seed % 3 != 0;
    for (const auto &result :
         run(partitioned, terms, processes, seed % 2, reproducible)) {
      INFO((result ? "" : result.error().message));
      REQUIRE(result);
      for (size_t w = 0; w < partitioned.workers.size(); ++w)
        REQUIRE(result->peakBytes[w] == partitioned.workers[w].arenaBytes);
      for (size_t i = 0; i < partitioned.program.instructions.size(); ++i) {
        CAPTURE(i);
        const std::vector<Element> values = expected(partitioned, terms, i);
        const std::vector<std::byte> &bytes = result->outputs[i].bytes;
        REQUIRE(bytes.size() == values.size() * sizeof(float));
        for (size_t e = 0; e < values.size(); ++e) {
          CAPTURE(e);
          float is = 0;
          std::memcpy(&is, &bytes[e * sizeof(float)], sizeof(float));
          // Of five terms, four additions round.
          const float most = reproducible ? 0 : values[e].sumOfSizes * 5e-7f;
          REQUIRE(std::abs(is - values[e].value) <= most);
          isOtherwise |= is != values[e].value;
        }
      }
    }
  }
  // Where each worker has a GPU of its own, NCCL adds some of these up.
  CHECK((isOtherwise || gpus < 8));
}

TEST_CASE("an exchange that its staging has no room for is refused") {
  runtime::ProgramBuilder b(2);
  const Box all{{0, 4}}, none = Box::absent(1);
  const int x = b.tensor("x", {4});
  const int from = b.buffer(x, {all, all}, true);
  b.move("x", plan::Opcode::Reduce, from, b.buffer(x, {all, none}),
         {{{0, all}, {1, all}}, {}}, {});
  addPorts(b.result.program);
  // Who comes to a run that another process has stopped already leaves it to
  // that one to say why.
  size_t said = 0;
  for (const auto &result :
       run(b.result, Terms(b.result),
           std::max<size_t>(2, setting("SMEX_TEST_PROCESSES", "1")), false)) {
    REQUIRE_FALSE(result);
    const std::string &message = result.error().message;
    said += !message.empty();
    if (!message.empty())
      CHECK_THAT(message,
                 Catch::Contains("GPU 0 of the plan keeps 0 bytes of staging"));
  }
  CHECK(said >= 1);
}
