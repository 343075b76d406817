// What workers wait for where transfers are exchanges
// (runtime/backends/cuda/nccl/LocalWaits.h), by brute force, on random
// programs: all that the plan orders in a worker's memory is ordered by the
// worker's own waits, and all conflicts there are.
#include "test/compiler/pipeline/RandomExample.h"

#include "runtime/backends/cuda/nccl/LocalWaits.h"
#include "runtime/plan/Regions.h"

#include <catch2/catch.hpp>

using namespace smex;
using plan::Partitioned;

namespace {

/// What is before what, of numbered things.
class Before {
public:
  explicit Before(size_t count)
      : rows(count, std::vector<bool>(count)), count(count) {}
  /// In an order in which all that is before the first is there already.
  void add(size_t first, size_t second) {
    rows[second][first] = true;
    for (size_t i = 0; i < count; ++i)
      if (rows[first][i])
        rows[second][i] = true;
  }
  bool is(size_t first, size_t second) const { return rows[second][first]; }

private:
  std::vector<std::vector<bool>> rows; // of each, all that is before it
  size_t count;
};

struct Numbers {
  const Partitioned &program;
  size_t instructions = program.program.instructions.size();
  size_t workers = program.workers.size();
  size_t of(size_t worker, size_t instruction) const {
    return worker * instructions + instruction;
  }
  size_t queueAt(size_t i) const {
    return size_t(plan::queueOf(program.program.instructions[i].op));
  }
};

/// The plan's order, of all workers' instructions.
Before orderOf(const Numbers &n) {
  Before before(n.workers * n.instructions);
  for (size_t i = 0; i < n.instructions; ++i)
    for (size_t w = 0; w < n.workers; ++w) {
      if (!plan::written(n.program, int(w), int(i)))
        continue;
      for (size_t j = 0; j < i; ++j)
        if (n.queueAt(j) == n.queueAt(i) &&
            plan::written(n.program, int(w), int(j)))
          before.add(n.of(w, j), n.of(w, i));
      for (const Wait &wait : n.program.program.instructions[i].waits)
        for (int other :
             groupOf(n.program.program.ways, int64_t(w), wait.steps))
          if (plan::written(n.program, other, wait.instruction))
            before.add(n.of(size_t(other), size_t(wait.instruction)),
                       n.of(w, i));
    }
  return before;
}

/// Who touches the worker's memory in an instruction.
std::vector<size_t> touching(const Numbers &n, size_t worker, size_t i) {
  std::vector<size_t> all;
  for (size_t w = 0; w < n.workers; ++w) {
    if (!plan::written(n.program, int(w), int(i)))
      continue;
    bool touches = w == worker;
    if (n.queueAt(i) == size_t(Queue::Transfers))
      for (const Piece &piece : plan::piecesOf(n.program, int(w), int(i)))
        touches |= size_t(piece.worker) == worker && !isEmpty(piece.box);
    if (touches)
      all.push_back(w);
  }
  return all;
}

/// The bytes of the worker's arena that an instruction reads or writes.
struct Access {
  int64_t begin, end;
  bool isWritten;
};
std::vector<Access> accesses(const Numbers &n, size_t worker, size_t i) {
  const plan::Program &program = n.program.program;
  const plan::Instruction &what = program.instructions[i];
  std::vector<Access> all;
  const auto add = [&](int buffer, bool isWritten) {
    const int64_t bytes = volume(n.program.box(int(worker), buffer)) *
                          byteSize(plan::elementType(program, buffer));
    if (bytes == 0)
      return;
    const int64_t at = n.program.offset(int(worker), buffer);
    all.push_back({at, at + bytes, isWritten});
  };
  const bool does = plan::written(n.program, int(worker), int(i)).has_value();
  if (does)
    add(what.to, true);
  if (does)
    for (int operand : what.operands)
      add(operand, false);
  if (n.queueAt(i) == size_t(Queue::Transfers))
    add(what.from, false);
  return all;
}

} // namespace

TEST_CASE("own waits order what the plan orders in a worker's memory") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  int64_t required = 0, conflicts = 0;
  for (uint64_t seed = 7000; seed < 7100; ++seed) {
    const test::RandomExample example =
        test::randomExample(context, seed, test::Kernels::None);
    INFO("seed " << seed << "\n" << example.decided);
    const Numbers n{example.plan.partitioned};
    const Before before = orderOf(n);
    const plan::Order order(n.program);
    std::vector<int> all;
    for (size_t w = 0; w < n.workers; ++w)
      all.push_back(int(w));
    const nccl::Readers readers(n.program, all);
    for (size_t w = 0; w < n.workers; ++w) {
      const auto waits = nccl::localWaits(n.program, order, readers, int(w));
      Before own(n.instructions);
      std::vector<std::vector<size_t>> parts(n.instructions);
      for (size_t i = 0; i < n.instructions; ++i) {
        parts[i] = touching(n, w, i);
        REQUIRE(nccl::hasPart(n.program, readers, int(w), int(i)) ==
                !parts[i].empty());
        for (size_t j = 0; j < i; ++j)
          if (n.queueAt(j) == n.queueAt(i) && !parts[j].empty() &&
              !parts[i].empty())
            own.add(j, i);
        for (const nccl::LocalWait &wait : waits[i]) {
          REQUIRE(size_t(wait.instruction) < i);
          REQUIRE(!parts[size_t(wait.instruction)].empty());
          REQUIRE(n.queueAt(size_t(wait.instruction)) == size_t(wait.queue));
          own.add(size_t(wait.instruction), i);
        }
      }
      for (size_t i = 0; i < n.instructions; ++i)
        for (size_t j = 0; j < i; ++j) {
          INFO("worker " << w << ", instructions " << j << " and " << i);
          for (size_t first : parts[j])
            for (size_t second : parts[i])
              if (before.is(n.of(first, j), n.of(second, i))) {
                ++required;
                REQUIRE(own.is(j, i));
              }
          if (parts[i].empty() || parts[j].empty())
            continue;
          for (const Access &a : accesses(n, w, j))
            for (const Access &b : accesses(n, w, i))
              if (std::max(a.begin, b.begin) < std::min(a.end, b.end) &&
                  (a.isWritten || b.isWritten)) {
                ++conflicts;
                REQUIRE(own.is(j, i));
              }
        }
    }
  }
  CHECK(required > 1000);
  CHECK(conflicts > 1000);
}
