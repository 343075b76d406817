#include "runtime/backends/cuda/nccl/LocalWaits.h"
#include "test/runtime/executor/Programs.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::nccl;
using plan::Opcode;
using runtime::ProgramBuilder;

namespace {

std::vector<std::vector<LocalWait>> waitsOf(const plan::Partitioned &program,
                                            int worker) {
  std::vector<int> all;
  for (size_t w = 0; w < program.workers.size(); ++w)
    all.push_back(int(w));
  return localWaits(program, plan::Order(program), Readers(program, all),
                    worker);
}

/// a and its double, whole on one worker or the other, or on neither.
struct Pair {
  ProgramBuilder b{2};
  const Box all{{0, 4}}, none{{0, 0}};
  const int a = b.tensor("a", {4});
  const int twice = b.kernel(plan::KernelKind::Reference,
                             "(x0: f32[1]) -> f32: lambda i0: x0[i0] + x0[i0]");
};

} // namespace

TEST_CASE(
    "a sender waits for its producer, and overwrites after its own part") {
  Pair p;
  ProgramBuilder &b = p.b;
  const int x = b.buffer(p.a, {p.all, p.none}),
            made = b.buffer(p.a, {p.all, p.none}),
            brought = b.buffer(p.a, {p.none, p.all}),
            used = b.buffer(p.a, {p.none, p.all});
  b.compute("make", p.twice, {x}, made, {p.all, p.none}); // 0
  b.move("bring", Opcode::Fetch, made, brought, {{}, {{0, p.all}}},
         {plan::ofAll(0)});                                    // 1
  b.compute("use", p.twice, {brought}, used, {p.none, p.all}); // 2
  b.result.program.instructions.back().waits = {plan::own(1)};
  b.compute("make again", p.twice, {x}, made, {p.all, p.none}); // 3
  b.result.program.instructions.back().waits = {plan::ofAll(1)};
  const auto sender = waitsOf(b.result, 0), receiver = waitsOf(b.result, 1);
  CHECK(sender[1] == std::vector<LocalWait>{{Queue::Computing, 0}});
  CHECK(sender[3] == std::vector<LocalWait>{{Queue::Transfers, 1}});
  CHECK(receiver[1].empty());
  CHECK(receiver[2] == std::vector<LocalWait>{{Queue::Transfers, 1}});
  CHECK(sender[2].empty());
}

TEST_CASE("a wait through another worker becomes one for the own exchange") {
  // Worker 0 may overwrite what worker 1 has fetched, which the plan says only
  // by what worker 1 sends back afterwards.
  Pair p;
  ProgramBuilder &b = p.b;
  const int x = b.buffer(p.a, {p.all, p.none}),
            made = b.buffer(p.a, {p.all, p.none}),
            brought = b.buffer(p.a, {p.none, p.all}),
            used = b.buffer(p.a, {p.none, p.all}),
            back = b.buffer(p.a, {p.all, p.none});
  b.compute("make", p.twice, {x}, made, {p.all, p.none}); // 0
  b.move("bring", Opcode::Fetch, made, brought, {{}, {{0, p.all}}},
         {plan::ofAll(0)});                                    // 1
  b.compute("use", p.twice, {brought}, used, {p.none, p.all}); // 2
  b.result.program.instructions.back().waits = {plan::own(1)};
  b.move("back", Opcode::Fetch, used, back, {{{1, p.all}}, {}},
         {plan::ofAll(2)});                                  // 3
  b.compute("over", p.twice, {back}, made, {p.all, p.none}); // 4
  b.result.program.instructions.back().waits = {plan::own(3)};
  const auto first = waitsOf(b.result, 0), second = waitsOf(b.result, 1);
  CHECK(first[1] == std::vector<LocalWait>{{Queue::Computing, 0}});
  CHECK(first[3].empty()); // 1 is before it on the same stream
  CHECK(first[4] == std::vector<LocalWait>{{Queue::Transfers, 3}});
  CHECK(second[3] == std::vector<LocalWait>{{Queue::Computing, 2}});
}
