// bad_models DIR: writes models with one fault each, and for each what the
// error must say: NAME.onnx and NAME.expect, an extended regular expression.
#include "test/compiler/frontend/models.h"

#include <climits>
#include <cstdio>
#include <functional>

using namespace smex;
using namespace smex::test;

namespace {
constexpr int64_t huge = int64_t(1) << 40;
const std::string hugeText = std::to_string(huge);

struct BadModel {
  const char *name;
  std::string expect;
  std::function<void(OnnxModel &)> make;
};

void setInts(onnx::NodeProto &node, const std::string &name,
             const std::vector<int64_t> &values) {
  auto *attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INTS);
  for (int64_t value : values)
    attribute->add_ints(value);
}

void external(onnx::TensorProto &tensor, const std::string &location,
              const char *offset = nullptr, const char *length = nullptr) {
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  const auto add = [&](const char *key, const std::string &value) {
    auto *entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  };
  add("location", location);
  if (offset)
    add("offset", offset);
  if (length)
    add("length", length);
}

/// x -> OP(x, constants...) -> y, the node called "node".
std::function<void(OnnxModel &)>
one(const char *op, std::vector<std::string> shape,
    std::vector<std::vector<int64_t>> constants = {},
    std::function<void(onnx::NodeProto &)> more = {}) {
  return [=](OnnxModel &m) {
    m.input("x", shape);
    std::vector<std::string> inputs = {"x"};
    for (const auto &constant : constants) {
      inputs.push_back("c" + std::to_string(inputs.size()));
      m.ints(inputs.back(), constant);
    }
    auto &node = m.node(op, inputs, {"y"}, "node");
    if (more)
      more(node);
    m.output("y");
  };
}

/// A weight of these dimensions, drawn where it is not stored, and an operator
/// that reads it with x.
std::function<void(OnnxModel &)> weighted(const char *op,
                                          std::vector<std::string> x,
                                          std::vector<int64_t> weight) {
  return [=](OnnxModel &m) {
    m.input("x", x);
    auto &w = m.parameter("w", weight);
    w.set_data_location(onnx::TensorProto::EXTERNAL);
    auto *drawn = w.add_external_data();
    drawn->set_key("smex.drawn");
    drawn->set_value("1");
    m.node(op, {"x", "w"}, {"y"}, "node");
    m.output("y");
  };
}

std::function<void(OnnxModel &)> withExternal(const std::string &location,
                                              const char *offset = nullptr,
                                              const char *length = nullptr) {
  return [=](OnnxModel &m) {
    m.input("x", {"4"});
    external(m.parameter("w", {4}), location, offset, length);
    m.node("Add", {"x", "w"}, {"y"}, "node");
    m.output("y");
  };
}

/// A value made of nothing but a constant shape.
std::function<void(OnnxModel &)> filled(std::vector<int64_t> shape) {
  return [=](OnnxModel &m) {
    m.input("x", {"4"});
    m.ints("shape", shape);
    m.node("ConstantOfShape", {"shape"}, {"c"}, "fill");
    m.node("Add", {"x", "c"}, {"y"}, "node");
    m.output("y");
  };
}

/// An If within an If, and so on; types within types. Deeper than the parser
/// goes, and deep enough for a stack to overflow.
void nestedGraphs(OnnxModel &m) {
  m.input("x", {"4"});
  m.output("y");
  onnx::GraphProto *graph = &m.graph;
  for (int depth = 0; depth < 3000; ++depth) {
    auto *node = graph->add_node();
    node->set_op_type("If");
    auto *branch = node->add_attribute();
    branch->set_name("then_branch");
    branch->set_type(onnx::AttributeProto::GRAPH);
    graph = branch->mutable_g();
  }
}

/// A Loop of so many iterations over a body of the state `v`; returns the body.
onnx::GraphProto *addLoop(onnx::GraphProto &graph, const std::string &name,
                          const std::string &state, const std::string &result) {
  auto *loop = graph.add_node();
  loop->set_op_type("Loop");
  loop->set_name(name);
  for (const std::string &input : {std::string("n"), std::string(), state})
    loop->add_input(input);
  loop->add_output(result);
  auto *attribute = loop->add_attribute();
  attribute->set_name("body");
  attribute->set_type(onnx::AttributeProto::GRAPH);
  auto *body = attribute->mutable_g();
  for (const char *input : {"i", "c", "v"})
    body->add_input()->set_name(name + input);
  body->add_output()->set_name(name + "c");
  body->add_output()->set_name(name + "w");
  return body;
}

void addRelu(onnx::GraphProto &graph, const std::string &from,
             const std::string &to) {
  auto *relu = graph.add_node();
  relu->set_op_type("Relu");
  relu->add_input(from);
  relu->add_output(to);
}

/// A hundred times a hundred times a hundred times a hundred.
void nestedLoops(OnnxModel &m) {
  m.input("x", {"4"});
  m.parameter("n", {}, DType::I64).add_int64_data(100);
  onnx::GraphProto *graph = &m.graph;
  std::string state = "x", result = "y", name = "loop";
  for (int depth = 0; depth < 4; ++depth) {
    graph = addLoop(*graph, name, state, result);
    state = name + "v";
    result = name + "w";
    name += "_";
  }
  addRelu(*graph, state, result);
  m.output("y");
}

void loopOfMany(OnnxModel &m) {
  m.input("x", {"4"});
  m.parameter("n", {}, DType::I64).add_int64_data(90000);
  auto *body = addLoop(m.graph, "loop", "x", "y");
  for (int i = 0; i < 20; ++i)
    addRelu(*body, i ? "w" + std::to_string(i) : "loopv",
            i == 19 ? "loopw" : "w" + std::to_string(i + 1));
  m.output("y");
}

/// f0 calls f1 twice, which calls f2 twice, and so on; the last calls `last`.
void callingFunctions(OnnxModel &m, const std::string &last) {
  m.input("x", {"4"});
  m.proto.add_opset_import()->set_domain("own");
  m.proto.mutable_opset_import(1)->set_version(1);
  for (int f = 0; f < 40; ++f) {
    auto *function = m.proto.add_functions();
    function->set_name("f" + std::to_string(f));
    function->set_domain("own");
    function->add_input("a");
    function->add_output("c");
    for (const char *domain : {"", "own"}) {
      auto *opset = function->add_opset_import();
      opset->set_domain(domain);
      opset->set_version(*domain ? 1 : 17);
    }
    for (const char *step : {"ab", "bc"}) {
      auto *call = function->add_node();
      call->set_op_type(f == 39 ? last : "f" + std::to_string(f + 1));
      call->set_domain(call->op_type()[0] == 'f' ? "own" : "");
      call->add_input(std::string(1, step[0]));
      call->add_output(std::string(1, step[1]));
    }
  }
  m.node("f0", {"x"}, {"y"}, "call").set_domain("own");
  m.output("y");
}
void doublingFunctions(OnnxModel &m) { callingFunctions(m, "Relu"); }
void endlessFunctions(OnnxModel &m) { callingFunctions(m, "f0"); }

void nestedTypes(OnnxModel &m) {
  m.output("y");
  auto *input = m.graph.add_input();
  input->set_name("x");
  onnx::TypeProto *type = input->mutable_type();
  for (int depth = 0; depth < 5000; ++depth)
    type = type->mutable_sequence_type()->mutable_elem_type();
}

std::vector<BadModel> badModels() {
  const std::string node = "node \"node\"";
  return {
      {"cycle", "cycle",
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.node("Add", {"x", "b"}, {"a"}, "first");
         m.node("Relu", {"a"}, {"b"}, "second");
         m.output("b");
       }},
      {"self", "cycle|itself",
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.node("Add", {"x", "a"}, {"a"}, "first");
         m.output("a");
       }},
      {"undefined", node + ".*\"nowhere\"",
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.node("Add", {"x", "nowhere"}, {"y"}, "node");
         m.output("y");
       }},
      {"undefined_output", "output \"z\"",
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.node("Relu", {"x"}, {"y"}, "node");
         m.output("z");
       }},
      {"value_twice", "\"y\".*twice",
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.node("Relu", {"x"}, {"y"}, "node");
         m.node("Neg", {"x"}, {"y"}, "other");
         m.output("y");
       }},
      {"input_twice", "\"x\".*twice",
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.input("x", {"4"});
         m.node("Relu", {"x"}, {"y"}, "node");
         m.output("y");
       }},
      {"no_outputs", "output",
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.node("Relu", {"x"}, {"y"}, "node");
       }},
      {"unbound", "--dim batch=N --dim 'seq len'=N",
       one("Relu", {"batch", "seq len"})},
      {"matmul", node, weighted("MatMul", {"4", "5"}, {6, 7})},
      {"conv_channels", node,
       weighted("Conv", {"1", "3", "8", "8"}, {4, 5, 3, 3})},
      {"broadcast", node, weighted("Add", {"4", "5"}, {4, 6})},
      {"input_overflow", "\"x\"", one("Relu", {hugeText, hugeText})},
      {"input_negative", "\"x\"", one("Relu", {"-5"})},
      {"matmul_overflow", node,
       weighted("MatMul", {"3037000500", "2"}, {2, 3037000500})},
      {"add_overflow", node,
       weighted("Add", {"1", "3037000500"}, {3037000500, 1})},
      {"initializer_overflow", "\"w\"", weighted("Add", {"4"}, {LLONG_MAX, 2})},
      {"initializer_short", "\"w\"",
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.parameter("w", {huge}).set_raw_data("1234");
         m.node("Add", {"x", "w"}, {"y"}, "node");
         m.output("y");
       }},
      // These three are planned with --draw-missing-weights.
      {"initializer_empty",
       "\"w\" holds no values, its shape asks for 4.*--draw-missing-weights",
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.parameter("w", {4});
         m.node("Add", {"x", "w"}, {"y"}, "node");
         m.output("y");
       }},
      {"weight_undefined", node + ".* reads \"w\".*--draw-missing-weights",
       [](OnnxModel &m) {
         m.input("x", {"3", "4"});
         m.input("w", {"4", "5"});
         *m.graph.add_value_info() = m.graph.input(1);
         m.graph.mutable_input()->RemoveLast();
         m.node("MatMul", {"x", "w"}, {"y"}, "node");
         m.output("y");
       }},
      {"external_missing", "\"w\".*missing.*--draw-missing-weights",
       withExternal("missing")},
      // But not shapes.
      {"integers_empty", "\"s\" holds no values",
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.parameter("s", {2}, DType::I64);
         m.node("Reshape", {"x", "s"}, {"y"}, "node");
         m.output("y");
       }},
      {"initializer_negative", "\"w\"", weighted("Add", {"4"}, {-4})},
      {"fill_overflow", "\"fill\"", filled({huge, huge})},
      {"fill_negative", "\"fill\"", filled({-1})},
      {"range_overflow", "\"range\"",
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.parameter("from", {}, DType::I64).add_int64_data(LLONG_MIN);
         m.parameter("to", {}, DType::I64).add_int64_data(LLONG_MAX);
         m.parameter("by", {}, DType::I64).add_int64_data(1);
         m.node("Range", {"from", "to", "by"}, {"r"}, "range");
         m.node("Cast", {"r"}, {"f"}, "cast").add_attribute();
         auto *to = m.graph.mutable_node(1)->mutable_attribute(0);
         to->set_name("to");
         to->set_type(onnx::AttributeProto::INT);
         to->set_i(1);
         m.node("Add", {"x", "f"}, {"y"}, "node");
         m.output("y");
       }},
      {"range_still", "\"range\"",
       [](OnnxModel &m) {
         m.parameter("from", {}, DType::I64).add_int64_data(0);
         m.parameter("to", {}, DType::I64).add_int64_data(5);
         m.parameter("by", {}, DType::I64).add_int64_data(0);
         m.node("Range", {"from", "to", "by"}, {"r"}, "range");
         m.output("r");
       }},
      {"expand_overflow", node, one("Expand", {"1", "1"}, {{huge, huge}})},
      {"expand_negative", node, one("Expand", {"1"}, {{-3}})},
      {"tile_overflow", node, one("Tile", {"8"}, {{LLONG_MAX}})},
      {"pad_overflow", node, one("Pad", {"8"}, {{LLONG_MAX, LLONG_MAX}})},
      {"reshape_size", node, one("Reshape", {"4", "6"}, {{5, 5}})},
      {"reshape_overflow", node, one("Reshape", {"4", "6"}, {{huge, huge}})},
      {"reshape_two_unknown", node, one("Reshape", {"4", "6"}, {{-1, -1}})},
      {"slice_still", node, one("Slice", {"8"}, {{0}, {8}, {0}, {0}})},
      {"squeeze", node, one("Squeeze", {"8"}, {{0}})},
      {"unsqueeze_far", node, one("Unsqueeze", {"8"}, {{LLONG_MIN}})},
      {"softmax_axis", node,
       one("Softmax", {"8"}, {},
           [](onnx::NodeProto &n) { setInt(n, "axis", LLONG_MIN); })},
      {"transpose", node,
       one("Transpose", {"2", "3"}, {},
           [](onnx::NodeProto &n) { setInts(n, "perm", {0, 0}); })},
      {"pool_stride", node,
       one("MaxPool", {"1", "1", "8", "8"}, {},
           [](onnx::NodeProto &n) {
             setInts(n, "kernel_shape", {2, 2});
             setInts(n, "strides", {0, 1});
           })},
      {"pool_pads", node,
       one("MaxPool", {"1", "1", "8", "8"}, {},
           [](onnx::NodeProto &n) {
             setInts(n, "kernel_shape", {2, 2});
             setInts(n, "pads", {LLONG_MAX, 0, LLONG_MAX, 0});
           })},
      {"pool_dilations", node,
       one("MaxPool", {"1", "1", "8", "8"}, {},
           [](onnx::NodeProto &n) {
             setInts(n, "kernel_shape", {3, 3});
             setInts(n, "dilations", {LLONG_MAX, 1});
           })},
      {"pool_rank", node,
       one("MaxPool", {"1", "1", "8", "8"}, {},
           [](onnx::NodeProto &n) { setInts(n, "kernel_shape", {2}); })},
      {"topk_far", node, one("TopK", {"8"}, {{9}})},
      {"blocks", node,
       one("DepthToSpace", {"1", "4", "2", "2"}, {},
           [](onnx::NodeProto &n) { setInt(n, "blocksize", 0); })},
      // Their products overflow, to 0 and to what is no limit.
      {"blocks_squared", node,
       one("DepthToSpace", {"1", "4", "2", "2"}, {},
           [](onnx::NodeProto &n) {
             setInt(n, "blocksize", int64_t(1) << 32);
           })},
      {"blocks_product", node + ".*blocks do not divide",
       [](OnnxModel &m) {
         m.proto.mutable_opset_import(0)->set_version(18);
         one("Col2Im", {"1", "4", "4"},
             {{huge, huge, huge},
              {int64_t(1) << 22, int64_t(1) << 22, int64_t(1) << 22}})(m);
       }},
      {"tensor_large", "\"x\" is f32\\[140737488355328\\], more than the 281",
       one("Relu", {std::to_string(int64_t(1) << 47)})},
      {"arena_large", "would need [0-9]+ bytes, more than the 281",
       [](OnnxModel &m) {
         for (const char *name : {"x", "z"})
           m.input(name, {std::to_string(int64_t(1) << 46)});
         m.node("Add", {"x", "z"}, {"y"}, "node");
         m.output("y");
       }},
      {"sum_large", node + ": more than the 281474976710656 terms",
       one("ReduceSum",
           {std::to_string(int64_t(1) << 24), std::to_string(int64_t(1) << 25)},
           {{0, 1}}, [](onnx::NodeProto &n) { setInt(n, "keepdims", 0); })},
      {"cast", node,
       one("Cast", {"8"}, {}, [](onnx::NodeProto &n) { setInt(n, "to", 8); })},
      {"attribute", node + ".*\"no_such\"",
       one("Relu", {"8"}, {},
           [](onnx::NodeProto &n) { setInt(n, "no_such", 1); })},
      {"unsupported", "\"one\".*NoSuch.*\n.*\"two\".*NoSuchEither",
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.node("NoSuch", {"x"}, {"a"}, "one");
         m.node("NoSuchEither", {"a"}, {"b"}, "two");
         m.output("b");
       }},
      {"operands_missing", node,
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.node("Add", {"x"}, {"y"}, "node");
         m.output("y");
       }},
      {"operands_many", node,
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.node("Relu", {"x", "x", "x"}, {"y"}, "node");
         m.output("y");
       }},
      {"types", node,
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.input("i", {"4"}, DType::I64);
         m.node("Add", {"x", "i"}, {"y"}, "node");
         m.output("y");
       }},
      {"gather_nd_beyond",
       node + ".*place 3 is out of range for extent 3 of dimension 2",
       [](OnnxModel &m) {
         m.input("x", {"2", "5", "3"});
         auto &at = m.parameter("at", {2, 1, 2}, DType::I64);
         for (int64_t place : {4, 0, -5, 3})
           at.add_int64_data(place);
         setInt(m.node("GatherND", {"x", "at"}, {"y"}, "node"), "batch_dims",
                1);
         m.output("y");
       }},
      {"scatter_nd_beyond",
       node + ".*place -6 is out of range for extent 5 of dimension 1",
       [](OnnxModel &m) {
         m.input("x", {"2", "5"});
         m.input("u", {"1"});
         auto &at = m.parameter("at", {1, 2}, DType::I64);
         for (int64_t place : {1, -6})
           at.add_int64_data(place);
         m.node("ScatterND", {"x", "at", "u"}, {"y"}, "node");
         m.output("y");
       }},
      {"roi_align_of_nothing", node + ".*its images are empty",
       [](OnnxModel &m) {
         m.input("x", {"1", "1", "0", "4"});
         m.input("boxes", {"1", "4"});
         m.input("of", {"1"}, DType::I64);
         setInt(m.node("RoiAlign", {"x", "boxes", "of"}, {"y"}, "node"),
                "sampling_ratio", 2);
         m.output("y");
       }},
      {"loop_of_no_number", "\"loop\".*operand 0 must be one number",
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.parameter("n", {0}, DType::I64);
         addRelu(*addLoop(m.graph, "loop", "x", "y"), "loopv", "loopw");
         m.output("y");
       }},
      {"loop_long", "\"loop\"",
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.parameter("n", {}, DType::I64).add_int64_data(huge);
         auto &loop = m.node("Loop", {"n", "", "x"}, {"y"}, "loop");
         auto *body = loop.add_attribute();
         body->set_name("body");
         body->set_type(onnx::AttributeProto::GRAPH);
         auto *graph = body->mutable_g();
         for (const char *name : {"i", "c", "v"})
           graph->add_input()->set_name(name);
         auto *relu = graph->add_node();
         relu->set_op_type("Relu");
         relu->add_input("v");
         relu->add_output("w");
         graph->add_output()->set_name("c");
         graph->add_output()->set_name("w");
         m.output("y");
       }},
      {"loops_nested", "node \"loop[^\"]*\".*more than a million nodes",
       nestedLoops},
      {"loop_of_many", "\"loop\".*more than a million nodes", loopOfMany},
      {"functions_doubling", "more than a million nodes", doublingFunctions},
      {"functions_endless", "call each other without end", endlessFunctions},
      {"nested_graphs", "nested too deeply", nestedGraphs},
      {"nested_types", "nested too deeply", nestedTypes},
      {"name_of_lines", "node \"two\\?lines\"",
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.node("Relu", {"x"}, {"y"}, "two\nlines");
         m.output("y");
       }},
      {"name_of_bytes", "value \"\\?\\?\"",
       [](OnnxModel &m) {
         m.input("x", {"4"});
         m.node("Relu", {"x"}, {"\xff\xfe"}, "node");
         m.node("Relu", {"\xff\xfe"}, {"y"}, "other");
         m.output("y");
       }},
      {"external_absolute", "\"w\".*/etc/passwd", withExternal("/etc/passwd")},
      {"external_up", "\"w\".*\\.\\./data", withExternal("../data")},
      {"external_up_inside", "\"w\"", withExternal("a/../../data")},
      {"external_link", "\"w\".*link", withExternal("link")},
      {"external_folder", "\"w\".*not a file", withExternal(".")},
      {"external_no_name", "\"w\"", withExternal("")},
      {"external_offset", "\"w\"", withExternal("data", "8")},
      {"external_offset_huge", "\"w\"",
       withExternal("data", "9223372036854775807")},
      {"external_offset_negative", "\"w\"", withExternal("data", "-4")},
      {"external_length", "\"w\"", withExternal("data", "0", "12")},
  };
}
} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  const std::string folder = argv[1];
  std::filesystem::create_directories(folder);
  for (const BadModel &bad : badModels()) {
    OnnxModel model;
    bad.make(model);
    write(folder + "/" + bad.name + ".onnx", model.proto.SerializeAsString());
    write(folder + "/" + bad.name + ".expect", bad.expect + "\n");
  }
  write(folder + "/data", "sixteen bytes...");
  write(folder + "/../data", "sixteen bytes...");
  std::error_code code;
  std::filesystem::create_symlink("../data", folder + "/link", code);
  std::printf("%zu models\n", badModels().size());
  return code ? 1 : 0;
}
