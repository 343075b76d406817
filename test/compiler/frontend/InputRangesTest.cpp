#include "compiler/frontend/InputRanges.h"
#include "test/compiler/frontend/models.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::frontend;

namespace {

/// "low..high" of the input `i`, or nothing, then "first:count:step,..
/// low..high" for each of its parts; w is f32[10, 4], v is f32[6].
std::string rangeIn(const std::function<void(test::OnnxModel &)> &addNodes,
                    const std::vector<std::string> &shape = {"3"}) {
  test::OnnxModel made;
  made.input("i", shape, DType::I64);
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
  std::string text;
  const auto add = [&](int64_t low, int64_t high) {
    text += std::to_string(low) + ".." + std::to_string(high);
  };
  if (const auto found = model->inputRanges.find(model->inputs[0]);
      found != model->inputRanges.end())
    add(found->second.low, found->second.high);
  if (const auto found = model->partRanges.find(model->inputs[0]);
      found != model->partRanges.end())
    for (const PartRange &range : found->second) {
      text += text.empty() ? "" : "; ";
      for (const Progression &along : range.part)
        text += std::to_string(along.first) + ":" +
                std::to_string(along.count) + ":" + std::to_string(along.step) +
                " ";
      add(range.low, range.high);
    }
  return text;
}

} // namespace

TEST_CASE("an input that indexes has the range of what it indexes") {
  CHECK(rangeIn([](auto &m) {
          m.node("Gather", {"w", "i"}, {"y"});
        }) == "-10..9");
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

TEST_CASE("each column of indices has the range of its dimension") {
  CHECK(rangeIn(
            [](auto &m) {
              m.node("GatherND", {"w", "i"}, {"y"});
            },
            {"5", "2"}) == "0:5:1 0:1:1 -10..9; 0:5:1 1:1:1 -4..3");
}

TEST_CASE("both ends of a bipartite graph's edges have ranges of their own") {
  const auto ends = [](const char *one, const char *other) {
    return rangeIn(
        [&](auto &m) {
          for (const char *end : {"0", "1"}) {
            m.ints(std::string("at") + end, {std::atoi(end)});
            m.node("Gather", {"i", std::string("at") + end},
                   {std::string("row") + end});
          }
          m.node("Gather", {one, "row0"}, {"a"});
          m.node("Gather", {other, "row1"}, {"b"});
          m.node("ReduceSum", {"a"}, {"c"});
          m.node("Add", {"b", "c"}, {"y"});
        },
        {"2", "7"});
  };
  CHECK(ends("w", "v") == "0:1:1 0:7:1 -10..9; 1:1:1 0:7:1 -6..5");
  // Of one set of nodes, it is all of the input again.
  CHECK(ends("v", "v") == "-6..5");
}

TEST_CASE("of a slice, what is left out may be anything") {
  const auto sliced = [](int64_t start, int64_t end, int64_t step) {
    return rangeIn(
        [&](auto &m) {
          m.ints("start", {start});
          m.ints("end", {end});
          m.ints("axis", {0});
          m.ints("step", {step});
          m.node("Slice", {"i", "start", "end", "axis", "step"}, {"s"});
          m.node("Gather", {"v", "s"}, {"y"});
        },
        {"8"});
  };
  CHECK(sliced(2, 5, 1) == "2:3:1 -6..5");
  CHECK(sliced(1, 8, 2) == "1:4:2 -6..5");
  CHECK(sliced(-1, -9, -3) == "1:3:3 -6..5");
  CHECK(sliced(0, 8, 1) == "-6..5");
}

TEST_CASE("elements that are taken one after the other are the whole") {
  CHECK(rangeIn(
            [](auto &m) {
              for (int t = 0; t < 4; ++t) {
                const std::string n = std::to_string(t);
                m.ints("t" + n, {t});
                m.node("Gather", {"i", "t" + n}, {"i" + n});
                m.node("Gather", {"v", "i" + n}, {"x" + n});
                m.node("Add", {t ? "y" + std::to_string(t - 1) : "x0", "x" + n},
                       {t == 3 ? "y" : "y" + n});
              }
            },
            {"4"}) == "-6..5");
}

TEST_CASE("a reshape reads all of it, and a slice of one a part") {
  const auto reshaped = [](std::vector<int64_t> shape, const char *at) {
    return rangeIn(
        [&](auto &m) {
          m.ints("shape", shape);
          m.node("Reshape", {"i", "shape"}, {"r"});
          m.ints("at", {std::atoi(at)});
          m.node("Gather", {"r", "at"}, {"s"});
          m.node("Gather", {"v", *at == 'a' ? "r" : "s"}, {"y"});
        },
        {"4", "6"});
  };
  CHECK(reshaped({24}, "a") == "-6..5");
  CHECK(reshaped({3, 8}, "a") == "-6..5");
  CHECK(reshaped({2, 12}, "1") == "2:2:1 0:6:1 -6..5");
}

TEST_CASE("a branch that may not be taken asks nothing of its indices") {
  CHECK(rangeIn([](auto &m) {
          m.input("c", {}, DType::Bool);
          auto *node = m.graph.add_node();
          node->set_op_type("If");
          node->add_input("c");
          node->add_output("t");
          for (const char *name : {"then_branch", "else_branch"}) {
            auto *branch = node->add_attribute();
            branch->set_name(name);
            branch->set_type(onnx::AttributeProto::GRAPH);
            auto *body = branch->mutable_g();
            auto *gather = body->add_node();
            gather->set_op_type("Gather");
            gather->add_input(*name == 't' ? "v" : "w");
            gather->add_input("i");
            gather->add_output(std::string("of_") + name);
            auto *sum = body->add_node();
            sum->set_op_type("ReduceSum");
            sum->add_input(std::string("of_") + name);
            sum->add_output(std::string("sum_") + name);
            auto *keep = sum->add_attribute();
            keep->set_name("keepdims");
            keep->set_type(onnx::AttributeProto::INT);
            keep->set_i(0);
            body->add_output()->set_name(std::string("sum_") + name);
          }
          m.node("Identity", {"t"}, {"y"});
        }) == "");
}
