// Inputs that follow from others.
#include "runtime/plan/Format.h"
#include "runtime/plan/Inspect.h"
#include "runtime/plan/Load.h"
#include "test/runtime/plan/ByHand.h"
#include "test/runtime/plan/Examples.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::plan;
using graph::Derivation;

namespace {
/// Another input, which nothing reads.
void addInput(Partitioned &part, const std::string &name, TensorType type,
              std::optional<graph::Recipe> derived = {}) {
  Program &program = part.program;
  program.inputs.push_back(
      {name, int(program.buffers.size()), {}, {}, {}, {}, std::move(derived)});
  addWhole(part, name, std::move(type), 64);
}

constexpr size_t offsets = 3, gathered = 4; // numbers of inputs

/// Edges of a graph of 5 nodes, src[4] and dst[4], and what follows from them.
Plan withDerived() {
  Plan plan = twoWorkers();
  for (Partitioned *part : {&plan.partitioned, &plan.unpartitioned}) {
    for (const char *name : {"src", "dst"})
      addInput(*part, name, {DType::I64, {4}});
    addInput(*part, "dst.offsets", {DType::I32, {6}},
             graph::Recipe{Derivation::Offsets, {"dst"}, {}, {}});
    addInput(*part, "src.by.dst", {DType::I32, {4}},
             graph::Recipe{Derivation::Gathered, {"src", "dst"}, {5, 0}, {}});
  }
  plan.peakBytes = {832, 832};
  return plan;
}

/// What is said of a plan of which one derived input was changed.
template <typename Change> std::string refused(size_t input, Change change) {
  Plan plan = withDerived();
  change(plan.partitioned.program, plan.partitioned.program.inputs[input]);
  const Status status = validate(plan);
  const std::string start = "plan/program.json: ";
  return status ? "" : status.error().message.substr(start.size());
}
} // namespace

TEST_CASE("derived inputs are saved, loaded, shown, and in the schema") {
  const Plan plan = withDerived();
  const Plan loaded = readBack(plan);
  const auto &inputs = loaded.partitioned.program.inputs;
  CHECK_FALSE(inputs[0].derived);
  CHECK(inputs[offsets].derived ==
        graph::Recipe{Derivation::Offsets, {"dst"}, {}, {}});
  CHECK(inputs[gathered].derived ==
        graph::Recipe{Derivation::Gathered, {"src", "dst"}, {5, 0}, {}});
  CHECK(listed(check(loaded)) == "");
  const std::string text = listing(loaded.partitioned, 1);
  CHECK_THAT(text, Catch::Contains("dst.offsets (offsets of dst)"));
  CHECK_THAT(text, Catch::Contains("src.by.dst (gathered of src, dst)"));
}

TEST_CASE("a derived input that is none is refused") {
  CHECK(refused(offsets, [](Program &, Port &) {}) == "");
  CHECK(refused(offsets, [](Program &, Port &p) { p.derived->of = {}; }) ==
        "inputs[3].derived: \"offsets\" is made of 1 list, not of 0");
  CHECK(refused(gathered, [](Program &, Port &p) {
          p.derived->of = {"dst"};
        }) == "inputs[4].derived: \"gathered\" is made of 2 lists, not of 1");
  CHECK(refused(offsets, [](Program &, Port &p) {
          p.derived->of = {"edges"};
        }) == "inputs[3].derived.of: there is no input \"edges\"");
  CHECK(refused(offsets, [](Program &, Port &p) {
          p.derived->of = {"dst.offsets"};
        }) == "inputs[3].derived.of: \"dst.offsets\" is derived itself");
  CHECK(refused(offsets, [](Program &, Port &p) { p.derived->of = {"x"}; }) ==
        "inputs[3].derived: \"offsets\" is made of lists of i32 or i64, not of "
        "f32[4, 6]");
  CHECK(refused(offsets,
                [](Program &p, Port &) {
                  p.tensors[p.tensors.size() - 2].type.dtype = DType::F32;
                }) ==
        "inputs[3].derived: \"offsets\" is a list of i32 or i64, not f32[6]");
  CHECK(refused(gathered, [](Program &, Port &p) {
          p.derived->derivation = Derivation::Order;
        }) == "inputs[4].derived: \"order\" is made of 1 list, not of 2");
  CHECK(refused(offsets, [](Program &, Port &p) {
          p.derived->derivation = Derivation::Order;
        }) == "inputs[3].derived: \"order\" of 6 numbers is not made of 4");
  CHECK(refused(gathered, [](Program &, Port &p) { p.derived->wraps = {5}; }) ==
        "inputs[4].derived.wraps: 1 numbers for 2 lists");
  CHECK(refused(gathered, [](Program &, Port &p) {
          p.derived->wraps = {5, -1};
        }) == "inputs[4].derived.wraps: -1 is below 0");
  CHECK(refused(gathered,
                [](Program &, Port &p) { p.derived->rows = {0, 0}; }) == "");
  CHECK(refused(gathered, [](Program &, Port &p) { p.derived->rows = {0}; }) ==
        "inputs[4].derived.rows: 1 numbers for 2 lists");
  CHECK(
      refused(gathered, [](Program &, Port &p) { p.derived->rows = {0, 1}; }) ==
      "inputs[4].derived: \"gathered\" is made of row 1 of i64[4], "
      "which has 1");
  CHECK(refused(offsets, [](Program &, Port &p) { p.low = p.high = 0; }) ==
        "inputs[3].low: the input is derived, and has no range of its own");
  CHECK(refused(offsets, [](Program &p, Port &input) {
          p.outputs[0].derived = input.derived;
        }) == "outputs[0].derived: only an input follows from others");
}

TEST_CASE("a recipe that does not read is refused") {
  const TemporaryFolder folder;
  const Plan plan = withDerived();
  const auto broken = [&](const std::string &key, const Json &value) {
    REQUIRE(save(plan, folder / "plan", countingWeights(plan)));
    edit(folder / "plan", "program.json", "/inputs/4/derived" + key, value);
    const auto loaded = load(folder / "plan");
    return loaded ? "" : loaded.error().message;
  };
  CHECK(broken("/wraps", Json::array({5, 0})) == "");
  CHECK_THAT(broken("/derivation", "sorted"),
             Catch::EndsWith("inputs[4].derived: \"sorted\" is no derivation"));
  CHECK_THAT(broken("/derivation", 3),
             Catch::EndsWith("inputs[4].derived.derivation: must be a string"));
  CHECK_THAT(broken("/of", "dst"),
             Catch::EndsWith("inputs[4].derived.of: must be an array"));
  CHECK_THAT(broken("/of/1", 1),
             Catch::EndsWith("inputs[4].derived.of[1]: must be a string"));
  CHECK_THAT(broken("/wraps/0", -3),
             Catch::Contains("inputs[4].derived.wraps[0]: "));
  CHECK(broken("/rows", Json::array({0, 0})) == "");
  CHECK_THAT(broken("/rows", Json::array({0, -1})),
             Catch::Contains("inputs[4].derived.rows[1]: "));
  CHECK_THAT(broken("/times", 2),
             Catch::Contains("inputs[4].derived: has a key \"times\""));
  CHECK_THAT(broken("", "offsets"),
             Catch::EndsWith("inputs[4].derived: must be an object"));
}

TEST_CASE("derived inputs that differ between the programs are found") {
  Plan plan = withDerived();
  plan.unpartitioned.program.inputs[gathered].derived->wraps = {};
  CHECK_THAT(listed(check(plan)), Catch::Contains("input \"src.by.dst\""));
  plan = withDerived();
  plan.unpartitioned.program.inputs[offsets].derived.reset();
  CHECK_THAT(listed(check(plan)), Catch::Contains("input \"dst.offsets\""));
}
