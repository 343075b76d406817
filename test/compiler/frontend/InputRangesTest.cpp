#include "compiler/frontend/InputRanges.h"
#include "test/compiler/frontend/models.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::frontend;

namespace {

/// "low..high" of the input `i`, or nothing; w is f32[10, 4], v is f32[6].
std::string rangeIn(const std::function<void(test::OnnxModel &)> &addNodes) {
  test::OnnxModel made;
  made.input("i", {"3"}, DType::I64);
  for (int e = 0; e < 40; ++e)
    (e ? *made.graph.mutable_initializer(0) : made.parameter("w", {10, 4}))
        .add_float_data(float(e));
  auto &v = made.parameter("v", {6});
  for (int e = 0; e < 6; ++e)
    v.add_float_data(float(e));
  addNodes(made);
  made.output("y");
  const std::string path = test::write(test::scratch("ranges") + "/model.onnx",
                                       made.proto.SerializeAsString());
  const auto model = importModel(path, {});
  if (!model)
    FAIL(model.error().message);
  const auto found = model->inputRanges.find(model->inputs[0]);
  if (found == model->inputRanges.end())
    return "";
  return std::to_string(found->second.low) + ".." +
         std::to_string(found->second.high);
}

} // namespace

TEST_CASE("an input that indexes has the range of what it indexes") {
  CHECK(rangeIn([](auto &m) { m.node("Gather", {"w", "i"}, {"y"}); }) ==
        "-10..9");
  CHECK(rangeIn([](auto &m) {
          m.ints("axes", {0});
          m.node("Unsqueeze", {"i", "axes"}, {"u"});
          m.node("Gather", {"w", "u"}, {"y"});
        }) == "-10..9");
}

TEST_CASE("of two uses the narrower one counts") {
  CHECK(rangeIn([](auto &m) {
          m.node("Gather", {"w", "i"}, {"a"});
          m.node("Gather", {"v", "i"}, {"b"});
          m.node("ReduceSum", {"a"}, {"c"});
          m.node("Add", {"b", "c"}, {"y"});
        }) == "-6..5");
}

TEST_CASE("what is computed from an input, or only compared, has none") {
  CHECK(rangeIn([](auto &m) {
          m.node("Abs", {"i"}, {"a"});
          m.node("Gather", {"w", "a"}, {"y"});
        }) == "");
  CHECK(rangeIn([](auto &m) { m.node("Equal", {"i", "i"}, {"y"}); }) == "");
}
