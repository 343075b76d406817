#include "runtime/executor/Draw.h"
#include "runtime/executor/Ranges.h"
#include "runtime/executor/Report.h"
#include "runtime/executor/Verify.h"
#include "runtime/io/Npy.h"
#include "runtime/plan/Json.h"
#include "test/runtime/executor/Programs.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

using namespace smex;
using namespace smex::runtime;

TEST_CASE("drawn values are a function of seed, name and element") {
  const TensorType type{DType::F32, {6, 5}};
  std::vector<float> whole(30), part(6);
  draw(3, "w", type, 0.5, wholeBox(type.shape),
       reinterpret_cast<std::byte *>(whole.data()));
  draw(3, "w", type, 0.5, {{2, 5}, {1, 3}},
       reinterpret_cast<std::byte *>(part.data()));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 2; ++j)
      CHECK(part[size_t(2 * i + j)] == whole[size_t(5 * (i + 2) + j + 1)]);
}

TEST_CASE("drawn values are uniform, and below their scale") {
  const TensorType type{DType::F32, {100000}};
  Tensor tensor = makeTensor(type);
  draw(5, "x", type, 2, wholeBox(type.shape), tensor.bytes.data());
  double sum = 0, squares = 0;
  for (int i = 0; i < 100000; ++i) {
    const float v = tensor.data<float>()[i];
    REQUIRE((v >= -2 && v < 2));
    sum += v;
    squares += double(v) * v;
  }
  CHECK(std::fabs(sum / 1e5) < 0.02);
  CHECK(std::fabs(squares / 1e5 - 4. / 3) < 0.02);
  Tensor labels = makeTensor({DType::I64, {1000}});
  draw(5, "labels", labels.type, 1, {{0, 1000}}, labels.bytes.data());
  int ones = 0;
  for (int i = 0; i < 1000; ++i) {
    REQUIRE((labels.data<int64_t>()[i] | 1) == 1);
    ones += int(labels.data<int64_t>()[i]);
  }
  CHECK((ones > 400 && ones < 600));
}

namespace {
std::string inputError(const std::vector<std::string> &arguments,
                       int steps = 1) {
  const auto feeds = readInputs(splitProduct().program, arguments, steps, 0);
  REQUIRE_FALSE(feeds);
  return feeds.error().message;
}
} // namespace

TEST_CASE("inputs come from files, or all are synthetic") {
  const plan::Program program = splitProduct().program;
  REQUIRE(io::writeNpy("a.npy", rampFeed({4, 6}).value));
  REQUIRE(io::writeNpy("b.npy", rampFeed({3, 6, 4}).value));
  REQUIRE(io::writeNpy("bad.npy", makeTensor({DType::F64, {4, 6}})));

  auto feeds = readInputs(program, {"b=b.npy", "a=a.npy"}, 3, 0);
  REQUIRE(feeds);
  CHECK((!(*feeds)[0].perStep && (*feeds)[1].perStep));
  CHECK((*feeds)[0].value.bytes == rampFeed({4, 6}).value.bytes);

  feeds = readInputs(program, {}, 1, 7);
  REQUIRE(feeds);
  CHECK((*feeds)[1].value.type == TensorType{DType::F32, {6, 4}});
  CHECK((*feeds)[1].value.bytes !=
        (*readInputs(program, {}, 1, 8))[1].value.bytes);

  CHECK(inputError({"a=a.npy"}) ==
        "input \"b\" is missing: add --input b=FILE (f32[6, 4]), or give no "
        "input at all to run on synthetic ones");
  CHECK(inputError({"a=bad.npy"}) ==
        "input \"a\": bad.npy is f64[4, 6], f32[4, 6] expected");
  CHECK(inputError({"b=b.npy"}, 4) ==
        "input \"b\": b.npy is f32[3, 6, 4], a batch for each of 4 steps "
        "expected");
  CHECK(inputError({"c=a.npy"}) ==
        "input \"c\": the plan has no such input; it has \"a\" (f32[4, 6]), "
        "\"b\" (f32[6, 4])");
  CHECK(inputError({"a=a.npy", "a=a.npy"}) == "input \"a\" is given twice");
  CHECK(inputError({"a.npy"}) == "--input a.npy: NAME=FILE expected");
  CHECK(inputError({"a=no.npy"}) ==
        "input \"a\": no.npy: cannot open: No such file or directory");
}

TEST_CASE("names of inputs may hold '='") {
  ProgramBuilder b(1);
  const int x = b.buffer(b.tensor("x", {2}), {{{0, 2}}});
  const int y = b.buffer(b.tensor("y", {2}), {{{0, 2}}});
  b.result.program.inputs = {{"x", x}, {"x=1", y}};
  REQUIRE(io::writeNpy("x.npy", rampFeed({2}).value));
  CHECK(readInputs(b.result.program, {"x=1=x.npy", "x=x.npy"}, 1, 0));
}

TEST_CASE("output files stay in their folder") {
  const std::string longName(300, 'x');
  const auto files = outputFiles({{"y", 0},
                                  {"a/b", 0},
                                  {"..", 0},
                                  {"../../etc/x", 0},
                                  {"/abs\n", 0},
                                  {longName, 0}});
  REQUIRE(files);
  CHECK(*files == std::vector<std::string>{"y.npy", "a_b.npy", "_...npy",
                                           "_.._.._etc_x.npy", "_abs_.npy",
                                           std::string(200, 'x') + ".npy"});
}

TEST_CASE("outputs whose names give one file name are refused") {
  const auto files = outputFiles({{"a/b", 0}, {"y", 0}, {"a_b", 0}});
  REQUIRE_FALSE(files);
  CHECK(files.error().fault == Fault::Input);
  CHECK(files.error().message ==
        "outputs \"a/b\" and \"a_b\" would both be written to a_b.npy: "
        "rename one of them in the model");
  const std::string longName(300, 'x');
  CHECK_FALSE(outputFiles({{longName + "1", 0}, {longName + "2", 0}}));
}

namespace {
plan::Plan planOf(const plan::Partitioned &partitioned, int64_t communication,
                  std::vector<int64_t> peak) {
  plan::Plan plan;
  plan.partitioned = partitioned;
  plan.unpartitioned = partitioned;
  plan.communicationBytes = communication;
  plan.peakBytes = std::move(peak);
  return plan;
}
RunResult resultOf(float value) {
  RunResult result;
  for (int i = 0; i < 2; ++i) {
    result.outputs.push_back(makeTensor({DType::F32, {4, 4}}));
    for (int e = 0; e < 16; ++e)
      result.outputs.back().data<float>()[e] = value;
  }
  result.communicationBytes = 96;
  result.peakBytes = {100, 200};
  return result;
}
} // namespace

TEST_CASE("verify says how equal, or what differs") {
  const plan::Plan plan = planOf(splitProduct(), 96, {100, 200});
  auto verified = verify(plan, resultOf(1), resultOf(1));
  REQUIRE(verified);
  CHECK(*verified == "every output is bit-equal to the unpartitioned run's");
  verified = verify(plan, resultOf(1.00001f), resultOf(1));
  REQUIRE(verified);
  CHECK(*verified == "every output is within 1e-05 of the unpartitioned run's "
                     "largest magnitude (0.0001 allowed)");

  RunResult wrong = resultOf(1);
  wrong.outputs[1].data<float>()[6] = 2;
  verified = verify(planOf(splitProduct(), 95, {100, 201}), wrong, resultOf(1));
  REQUIRE_FALSE(verified);
  CHECK(verified.error().fault == Fault::Difference);
  CHECK(verified.error().message ==
        "output \"rows\" is not that of the unpartitioned run: [1, 2]: 2, 1 "
        "expected (1 of 16 elements differ by more than 0.0001 of the largest "
        "magnitude, 1)\n"
        "communication: 96 bytes measured, 95 predicted\n"
        "gpu1: peak of 200 bytes measured, 201 predicted");
}

TEST_CASE("verify compares what is in the host's memory") {
  plan::Plan plan = planOf(splitProduct(), 96, {100, 200});
  plan.partitioned.workers[1].hostBytes = 64;
  RunResult result = resultOf(1);
  result.hostPeakBytes = {0, 64};
  CHECK(verify(plan, result, resultOf(1)));
  CHECK(
      plan::parseJson(metricsJson("cpu", {}, result))->at("host_peak_bytes") ==
      plan::Json({0, 64}));
  result.hostPeakBytes = {32, 0};
  const auto verified = verify(plan, result, resultOf(1));
  REQUIRE_FALSE(verified);
  CHECK(verified.error().message ==
        "gpu0: 32 bytes of the host's memory measured, 0 predicted\n"
        "gpu1: 0 bytes of the host's memory measured, 64 predicted");
}

TEST_CASE("verify compares the losses of all steps") {
  const plan::Plan plan = planOf(splitProduct(), 96, {100, 200});
  RunResult ours = resultOf(1), theirs = resultOf(1);
  theirs.losses = {2, 1, 0.5};
  ours.losses = {2, 1.5, 0.5};
  const auto verified = verify(plan, ours, theirs);
  REQUIRE_FALSE(verified);
  CHECK(verified.error().fault == Fault::Difference);
  CHECK_THAT(verified.error().message,
             Catch::Contains("the losses of the steps are not those of the "
                             "unpartitioned run: [1]: 1.5, 1 expected") &&
                 Catch::Contains("--reproducible"));
}

TEST_CASE("metrics and trace") {
  RunResult result = resultOf(1);
  result.seconds = {0.5, 0.25};
  result.receivedBytes = {32, 64};
  result.trace = {{1, 2, 0.001, 0.002}};
  CHECK(metricsJson("cpu", {}, result) == R"({
  "backend": "cpu",
  "communication_bytes": 96,
  "peak_bytes": [100, 200],
  "received_bytes": [32, 64],
  "steps": [
    {"seconds": 0.5},
    {"seconds": 0.25}
  ]
}
)");
  const auto trace =
      plan::parseJson(traceJson(splitProduct().program, {"a GPU"}, result));
  REQUIRE(trace);
  CHECK((*trace)["otherData"]["devices"] == plan::Json::array({"a GPU"}));
  const auto &event = (*trace)["traceEvents"].back();
  CHECK(event["name"] == "gather");
  CHECK(event["cat"] == "fetch");
  CHECK(event["tid"] == 1);
  CHECK(event["ts"] == 1000.);
  CHECK(event["dur"] == 2000.);
  CHECK(event["args"]["instruction"] == 2);
}

namespace {
/// Two inputs: labels[2, 3] of this type and range, and x[2].
plan::Program labelled(DType type, std::optional<int64_t> ignore = {}) {
  ProgramBuilder b(1);
  const int labels =
      b.buffer(b.tensor("labels", {2, 3}, type), {{{0, 2}, {0, 3}}});
  b.result.program.inputs = {{"labels", labels, 0, 9, ignore}};
  return b.result.program;
}

template <typename T>
std::string labelError(DType type, std::vector<int64_t> shape,
                       std::vector<T> values, std::optional<int64_t> ignore,
                       int steps = 1) {
  Tensor tensor = makeTensor({type, std::move(shape)});
  std::copy(values.begin(), values.end(), tensor.data<T>());
  REQUIRE(io::writeNpy("labels.npy", tensor));
  const auto feeds =
      readInputs(labelled(type, ignore), {"labels=labels.npy"}, steps, 0);
  return feeds ? "" : feeds.error().message;
}
} // namespace

TEST_CASE("elements of an input are in its range") {
  const std::string at = "input \"labels\": labels.npy: element ";
  using I = int64_t;
  CHECK(labelError<I>(DType::I64, {2, 3}, {0, 1, 9, 3, 4, 5}, {}) == "");
  CHECK(labelError<I>(DType::I64, {2, 3}, {0, 1, 2, 3, 10, 5}, {}) ==
        at + "[1, 1] is 10, 0 to 9 allowed");
  CHECK(labelError<I>(DType::I64, {2, 3}, {0, 1, -100, 3, 4, 5}, {}) ==
        at + "[0, 2] is -100, 0 to 9 allowed");
  CHECK(labelError<I>(DType::I64, {2, 3}, {0, 1, -100, 3, 4, 5}, -100) == "");
  CHECK(labelError<I>(DType::I64, {2, 3}, {0, 1, -1, 3, 4, 5}, -100) ==
        at + "[0, 2] is -1, 0 to 9, or -100, allowed");
  CHECK(labelError<int8_t>(DType::I8, {2, 3}, {0, 1, 2, 3, 4, -1}, {}) ==
        at + "[1, 2] is -1, 0 to 9 allowed");
  CHECK(labelError<uint8_t>(DType::U8, {2, 3}, {0, 1, 2, 3, 4, 255}, {}) ==
        at + "[1, 2] is 255, 0 to 9 allowed");
  CHECK(labelError<uint64_t>(DType::U64, {2, 3}, {0, 1, 2, 3, 4, UINT64_MAX},
                             -1) ==
        at + "[1, 2] is 18446744073709551615, 0 to 9, or -1, allowed");
  // Of batches, those that are used.
  std::vector<I> batches(18, 1);
  batches[13] = 11;
  CHECK(labelError<I>(DType::I64, {3, 2, 3}, batches, {}, 3) ==
        at + "[2, 0, 1] is 11, 0 to 9 allowed");
  CHECK(labelError<I>(DType::I64, {3, 2, 3}, batches, {}, 2) == "");
}

TEST_CASE("elements of a part of an input are in the part's range") {
  plan::Program program = labelled(DType::I64);
  program.inputs[0].low = program.inputs[0].high = std::nullopt;
  // The second row is below 3, the last element of the first one 4, 5 or 6.
  program.inputs[0].parts = {{{{1, 1, 1}, {0, 3, 1}}, 0, 2},
                             {{{0, 1, 1}, {2, 1, 1}}, 4, 6}};
  const auto error = [&](std::vector<int64_t> shape,
                         std::vector<int64_t> values, int steps = 1) {
    Tensor tensor = makeTensor({DType::I64, std::move(shape)});
    std::copy(values.begin(), values.end(), tensor.data<int64_t>());
    REQUIRE(io::writeNpy("labels.npy", tensor));
    const auto feeds = readInputs(program, {"labels=labels.npy"}, steps, 0);
    return feeds ? "" : feeds.error().message;
  };
  const std::string at = "input \"labels\": labels.npy: element ";
  CHECK(error({2, 3}, {99, -99, 5, 2, 1, 0}) == "");
  CHECK(error({2, 3}, {0, 0, 5, 2, 3, 0}) ==
        at + "[1, 1] is 3, 0 to 2 allowed");
  CHECK(error({2, 3}, {0, 0, 3, 2, 2, 0}) ==
        at + "[0, 2] is 3, 4 to 6 allowed");
  CHECK(error({2, 2, 3}, {0, 0, 4, 2, 2, 0, 0, 0, 4, 0, 0, 7}, 2) ==
        at + "[1, 1, 2] is 7, 0 to 2 allowed");
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto feeds = readInputs(program, {}, 1, seed);
    REQUIRE(feeds);
    CHECK(checkRange(program.inputs[0], "", (*feeds)[0].value, 6));
  }
}

TEST_CASE("synthetic inputs are in their range") {
  Tensor tensor = makeTensor({DType::I8, {1000}});
  drawRange(3, "x", -128, 127, tensor);
  std::set<int> seen(tensor.data<int8_t>(), tensor.data<int8_t>() + 1000);
  CHECK(seen.size() > 200);
  Tensor wide = makeTensor({DType::I64, {100}});
  drawRange(3, "x", INT64_MIN, INT64_MAX, wide); // all bits
  drawRange(3, "x", 5, 5, wide);
  CHECK(wide.data<int64_t>()[99] == 5);

  plan::Program program = labelled(DType::I64);
  const auto feeds = readInputs(program, {}, 1, 0);
  REQUIRE(feeds);
  for (int i = 0; i < 6; ++i)
    CHECK((*feeds)[0].value.data<int64_t>()[i] >= 0);
}

TEST_CASE("a loss that is no number is still JSON") {
  RunResult result;
  result.seconds = {0.5, 0.25};
  result.losses = {1.5, std::nan("")};
  result.peakBytes = {64};
  const auto json = plan::parseJson(metricsJson("cpu", {}, result, 3));
  REQUIRE(json);
  CHECK((*json)["steps"][0]["loss"] == 1.5);
  CHECK((*json)["steps"][1]["loss"].is_null());
  CHECK((*json)["first_step"] == 3);
}
