#include "compiler/partition/ir/SlowestGroup.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::partition;

namespace {

/// Vertices 0 to 3 have 7, 1, 0 and 2 edges; rows have 8 numbers.
constexpr const char *kLayer = R"mlir(
tdl.lambda @sum = "(x0: i32[1], x1: f32[2], x2: i32[1]) -> f32: lambda i0, i1: Sum(lambda r0: x1[i64(x0[r0]), i1] where i64(x2[i0]) <= r0 and r0 < i64(x2[i0 + 1]))"
tdl.lambda @twice = "(x0: f32[2]) -> f32: lambda i0, i1: 2 * x0[i0, i1]"
func.func @main(%x: tensor<4x8xf32> {smex.name = "x"})
    -> tensor<4x8xf32> attributes {smex.outputs = ["z"]} {
  %s = smex.parameter "sources" {constant} : tensor<10xi32>
  %o = smex.parameter "offsets" {constant} : tensor<5xi32>
  %y = smex.apply @sum(%s, %x, %o) extents [4, 8, 10] "y" : (tensor<10xi32>, tensor<4x8xf32>, tensor<5xi32>) -> tensor<4x8xf32>
  %z = smex.apply @twice(%y) extents [4, 8] "z" : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %z : tensor<4x8xf32>
}
)mlir";

/// A byte per second of memory and of a link, no cache, and flops for nothing.
Rates slowMemory() {
  Rates rates;
  rates.device.flops[DType::F32] = 1e30;
  rates.device.memoryBandwidth = 1;
  rates.device.cacheBytes = 0;
  return rates;
}

} // namespace

TEST_CASE("a group takes as long as the edges of its own vertices") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::func::FuncDialect, tdl::TdlDialect,
                      semantic::SmexDialect>();
  const auto module = mlir::parseSourceString<mlir::ModuleOp>(kLayer, &context);
  REQUIRE(module);
  analysis::NamedLists known;
  known["sources"] = std::make_shared<const analysis::KnownList>(
      analysis::KnownList{{10}, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1}});
  known["offsets"] = std::make_shared<const analysis::KnownList>(
      analysis::KnownList{{5}, {0, 7, 8, 8, 10}});
  const GraphOfModule graph =
      graphOf(semantic::mainFunction(*module), true, known);
  const Rates rates = slowMemory();
  const SlowestGroup slowest(graph, *module, rates, known);

  // Written, rows of neighbours, numbers of neighbours, offsets.
  const auto bytes = [](int64_t vertices, int64_t edges) {
    return vertices * 8 * 4 + edges * 8 * 4 + edges * 4 + (vertices + 1) * 4;
  };
  const Interval all = {0, 10}, row = {0, 8};
  CHECK(slowest.inBytes(0, {{{0, 4}, row, all}}) == bytes(4, 10));
  // Of two groups, the one with 7 edges; both wait for it.
  CHECK(slowest.inBytes(0, {{{0, 1}, row, all}, {{1, 4}, row, all}}) ==
        2 * bytes(1, 7));
  // Its edges are all in one of the parts that edges are cut into: what the
  // second cut leaves to the other two is worth nothing.
  const int64_t again = slowest.inBytes(0, {{{0, 1}, row, {0, 7}},
                                            {{0, 1}, row, {7, 10}},
                                            {{1, 4}, row, {0, 7}},
                                            {{1, 4}, row, {7, 10}}});
  CHECK(again == 4 * bytes(1, 7));
  // Halves of features are balanced, whatever edges the vertices have.
  CHECK(slowest.inBytes(0, {{{0, 4}, {0, 4}, all}, {{0, 4}, {4, 8}, all}}) ==
        2 * (4 * 4 * 4 + 10 * 4 * 4 + 10 * 4 + 5 * 4));
  // An operator without lists: its largest share.
  CHECK(slowest.inBytes(1, {{{0, 1}, row}, {{1, 4}, row}}) == 2 * 2 * 3 * 32);
  CHECK(slowest.inBytes(1, {{{0, 0}, row}, {{0, 0}, row}}) == 0);
}
