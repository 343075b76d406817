// Models as PyTorch's exporter optimizes them: which parameters they are
// trained with, and what is refused.
#include "compiler/frontend/onnx/ExporterNotes.h"
#include "test/compiler/frontend/evaluate.h"
#include "test/compiler/frontend/models.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace smex;
using namespace smex::test;
using Catch::Contains;

namespace {

/// A property in a field that the schema here does not know.
std::string property(int number, const std::string &key,
                     const std::string &value) {
  onnx::StringStringEntryProto entry;
  entry.set_key(key);
  entry.set_value(value);
  const std::string bytes = entry.SerializeAsString();
  std::string field;
  for (uint64_t rest : {uint64_t(number) << 3 | 2, uint64_t(bytes.size())}) {
    for (; rest >= 128; rest >>= 7)
      field += char(rest & 127 | 128);
    field += char(rest);
  }
  return field + bytes;
}

struct Exported : OnnxModel {
  std::string signature = "\n# inputs\n";

  Exported() : OnnxModel(18) {}

  void lists(const std::string &parameter) {
    std::string name = parameter;
    for (char &c : name)
      if (c == '.')
        c = '_';
    signature += "p_" + name + ": PARAMETER target='" + parameter + "'\n";
  }

  void stores(const std::string &name, const std::vector<int64_t> &shape,
              const std::vector<float> &values, const std::string &from = "") {
    auto &tensor = parameter(name, shape);
    for (float value : values)
      tensor.add_float_data(value);
    if (from.empty())
      return;
    auto &value = *graph.add_value_info();
    value.set_name(name);
    *value.mutable_unknown_fields() +=
        property(4, "pkg.onnxscript.optimizer.folded_from", from);
  }

  /// `call`: as in "linear(%x, %p_w) of fc".
  onnx::NodeProto &is(onnx::NodeProto &node, const std::string &operation,
                      const std::string &arguments,
                      const std::string &module = "", int users = 1,
                      const std::string &rule = "") {
    std::string &fields = *node.mutable_unknown_fields();
    fields += property(
        9, "pkg.torch.onnx.fx_node",
        "%" + node.output(0) + " : [num_users=" + std::to_string(users) +
            "] = call_function[target=torch.ops.aten." + operation +
            ".default](args = (" + arguments + "), kwargs = {})");
    fields += property(9, "pkg.torch.onnx.name_scopes",
                       "['', '" + module + "', '" + node.output(0) + "']");
    if (!rule.empty())
      fields += property(9, "pkg.onnxscript.rewriter.rule_name", rule);
    return node;
  }

  std::string saved(const std::string &name) {
    *graph.mutable_unknown_fields() =
        property(16, "pkg.torch.export.ExportedProgram.graph_signature",
                 signature + "x: USER_INPUT\n\n# outputs\ny: USER_OUTPUT\n");
    return save(scratch(name));
  }
};

frontend::ImportOptions training(std::vector<std::string> frozen = {}) {
  frontend::ImportOptions options;
  options.training = true;
  options.frozen = std::move(frozen);
  return options;
}

frontend::Model import(const std::string &path,
                       const frontend::ImportOptions &options) {
  auto model = frontend::importModel(path, options);
  if (!model)
    FAIL(model.error().message);
  return std::move(*model);
}

/// Names and types of what training moves.
std::map<std::string, std::string> weights(const frontend::Model &model) {
  std::map<std::string, std::string> found;
  for (const frontend::Parameter &parameter : model.parameters)
    if (!parameter.constant)
      found[model.values[parameter.value].name] =
          toString(model.values[parameter.value].type);
  return found;
}

using Weights = std::map<std::string, std::string>;

Tensor input(std::vector<int64_t> shape) {
  Tensor tensor = makeTensor({DType::F32, std::move(shape)});
  for (size_t i = 0; i < tensor.bytes.size() / 4; ++i)
    tensor.data<float>()[i] = float(i % 7) - 2.5f * float(i % 3);
  return tensor;
}

/// Trained or not, it computes the same.
void checkSameResult(const std::string &path, const Tensor &x) {
  std::map<bool, Tensor> results;
  for (bool train : {false, true}) {
    auto outputs =
        evaluate(import(path, train ? training() : frontend::ImportOptions()),
                 {{"x", x}});
    if (!outputs)
      FAIL(outputs.error().message);
    results[train] = outputs->begin()->second;
  }
  CHECK(results[false].type == results[true].type);
  CHECK(results[false].bytes == results[true].bytes);
}

/// Two layer normalizations, of which the second reads what `second` is.
void twoNorms(Exported &m, const std::string &second) {
  m.input("x", {"2", "3"});
  for (const char *name : {"a.weight", "a.bias", "b.weight", "b.bias"})
    m.lists(name);
  m.stores("a.weight", {3}, {1, 1, 1});
  m.stores("a.bias", {3}, {0, 0, 0});
  m.is(m.node("LayerNormalization", {"x", "a.weight", "a.bias"}, {"layer_norm"},
              "n1"),
       "layer_norm", "%x, [3], %p_a_weight, %p_a_bias, 1e-05", "a");
  m.is(m.node("LayerNormalization", {"layer_norm", "a.weight", "a.bias"}, {"y"},
              "n2"),
       "layer_norm", "%layer_norm, [3], " + second + ", 1e-05", "b");
  m.output("y");
}

} // namespace

TEST_CASE("parameters that are stored once are separate again") {
  Exported m;
  twoNorms(m, "%p_b_weight, %p_b_bias");
  const std::string path = m.saved("merged");
  const frontend::Model model = import(path, training());
  CHECK(weights(model) == Weights{{"a.weight", "f32[3]"},
                                  {"a.bias", "f32[3]"},
                                  {"b.weight", "f32[3]"},
                                  {"b.bias", "f32[3]"}});
  checkSameResult(path, input({2, 3}));
  // Without --train, the file is taken as it is.
  CHECK(weights(import(path, {})).size() == 2);
}

TEST_CASE("a module that is called twice keeps one parameter") {
  Exported m;
  twoNorms(m, "%p_a_weight, %p_a_bias");
  CHECK(weights(import(m.saved("twice"), training())) ==
        Weights{{"a.weight", "f32[3]"}, {"a.bias", "f32[3]"}});
}

TEST_CASE("numbers that equal a parameter are none") {
  Exported m;
  twoNorms(m, "None, None");
  m.stores("b.weight", {3}, {1, 2, 3});
  m.is(m.node("Mul", {"y", "b.weight"}, {"z"}), "mul", "%y, %p_b_weight");
  m.graph.clear_output();
  m.output("z");
  const frontend::Model model =
      import(m.saved("numbers"), training({"b.bias"}));
  CHECK(weights(model) == Weights{{"a.weight", "f32[3]"},
                                  {"a.bias", "f32[3]"},
                                  {"b.weight", "f32[3]"}});
  int constants = 0;
  for (const frontend::Parameter &parameter : model.parameters)
    constants += parameter.constant;
  CHECK(constants <= 2);
}

TEST_CASE("a transposed matrix is its parameter again") {
  Exported m;
  m.input("x", {"2", "2", "3"});
  m.lists("fc.weight");
  m.lists("fc.bias");
  m.lists("head.weight");
  m.stores("val_1", {3, 2}, {1, 2, 3, 4, 5, 6}, "['fc.weight']");
  m.stores("fc.bias", {2}, {0.5f, 1});
  m.is(m.node("MatMul", {"x", "val_1"}, {"linear"}), "linear",
       "%x, %p_fc_weight, %p_fc_bias", "fc");
  m.is(m.node("Add", {"linear", "fc.bias"}, {"sum"}), "linear",
       "%x, %p_fc_weight, %p_fc_bias", "fc");
  // Both nodes are of one call.
  for (auto &node : *m.graph.mutable_node())
    node.mutable_unknown_fields()->clear();
  for (auto &node : *m.graph.mutable_node())
    *node.mutable_unknown_fields() = property(
        9, "pkg.torch.onnx.fx_node",
        "%linear : [num_users=1] = call_function[target=torch.ops.aten.linear."
        "default](args = (%x, %p_fc_weight, %p_fc_bias), kwargs = {})");
  m.is(m.node("MatMul", {"sum", "val_2"}, {"y"}), "linear",
       "%linear, %p_head_weight", "head");
  m.stores("val_2", {2, 2}, {1, 2, 3, 4}, "['head.weight']");
  m.output("y");
  const std::string path = m.saved("transposed");
  const frontend::Model model = import(path, training());
  CHECK(weights(model) == Weights{{"fc.weight", "f32[2, 3]"},
                                  {"fc.bias", "f32[2]"},
                                  {"head.weight", "f32[2, 2]"}});
  checkSameResult(path, input({2, 2, 3}));
}

TEST_CASE("a tied matrix and its transposed copy are one parameter") {
  Exported m;
  m.input("x", {"2"}, DType::I64);
  m.lists("wte.weight");
  m.lists("lm_head.weight");
  m.stores("lm_head.weight", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  m.stores("val_1", {2, 4}, {1, 3, 5, 7, 2, 4, 6, 8}, "['lm_head.weight']");
  m.is(m.node("Gather", {"lm_head.weight", "x"}, {"embedding"}), "embedding",
       "%p_lm_head_weight, %x", "wte");
  m.is(m.node("MatMul", {"embedding", "val_1"}, {"y"}), "linear",
       "%embedding, %p_lm_head_weight", "lm_head");
  m.output("y");
  CHECK(weights(import(m.saved("tied"), training())) ==
        Weights{{"lm_head.weight", "f32[4, 2]"}});
}

TEST_CASE("a bias that was zero is there again") {
  Exported m;
  m.input("x", {"2", "3"});
  m.lists("fc.weight");
  m.lists("fc.bias");
  m.stores("fc.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  setInt(m.is(m.node("Gemm", {"x", "fc.weight"}, {"y"}, "gemm"), "linear",
              "%x, %p_fc_weight, %p_fc_bias", "fc", 1,
              "RemoveOptionalBiasFromGemm"),
         "transB", 1);
  m.output("y");
  const std::string path = m.saved("bias");
  CHECK(weights(import(path, training())) ==
        Weights{{"fc.weight", "f32[2, 3]"}, {"fc.bias", "f32[2]"}});
  checkSameResult(path, input({2, 3}));
}

namespace {
/// A token that is put before each sample.
void expandedToken(Exported &m, const std::vector<float> &values) {
  m.input("x", {"2", "1", "3"});
  m.lists("token");
  m.stores("expand", {2, 1, 3}, values, "['token', 'val_1', 'val_2']");
  setInt(m.is(m.node("Concat", {"expand", "x"}, {"y"}, "cat"), "cat",
              "[%expand, %x], 1"),
         "axis", 1);
  m.output("y");
}
} // namespace

TEST_CASE("a parameter that was repeated for each sample is one") {
  Exported m;
  expandedToken(m, {1, 2, 3, 1, 2, 3});
  const std::string path = m.saved("expanded");
  CHECK(weights(import(path, training())) ==
        Weights{{"token", "f32[1, 1, 3]"}});
  checkSameResult(path, input({2, 1, 3}));
}

TEST_CASE("what cannot be undone is refused by name") {
  const auto refusal = [](Exported &m, const std::string &name,
                          const std::string &reason,
                          const std::vector<std::string> &named) {
    INFO(name);
    const std::string path = m.saved(name);
    const std::string error = errorOf(path, training());
    CHECK_THAT(error, Contains(reason));
    CHECK_THAT(error, Contains("optimize=False"));
    for (const std::string &each : named)
      CHECK_THAT(error, Contains("\"" + each + "\""));
    CHECK(errorOf(path) == "");
    // What is not trained need not be known.
    CHECK(errorOf(path, training(named)) == "");
  };
  // Which dimensions were repeated cannot be told of zeros.
  Exported zeros;
  expandedToken(zeros, {0, 0, 0, 0, 0, 0});
  refusal(zeros, "zeros", "only \"expand\" is left of it", {"token"});
  {
    Exported m;
    m.input("x", {"2", "3"});
    m.lists("g");
    m.lists("v");
    m.stores("mul", {3}, {1, 2, 3}, "['div', 'g', 'v']");
    m.is(m.node("Mul", {"x", "mul"}, {"y"}), "mul", "%x, %mul");
    m.output("y");
    refusal(m, "several", "computed into \"mul\"", {"g", "v"});
  }
  {
    Exported m;
    m.input("x", {"2", "3"});
    m.lists("scale");
    m.stores("exp", {3}, {1, 2, 3}, "['scale']");
    m.is(m.node("Mul", {"x", "exp"}, {"y"}), "mul", "%x, %exp");
    m.output("y");
    refusal(m, "exp", "only \"exp\" is left of it", {"scale"});
  }
  {
    Exported m;
    m.input("x", {"1", "1", "4"});
    m.lists("conv.weight");
    m.lists("bn.weight");
    m.stores("conv.weight", {1, 1, 2}, {1, 2});
    m.is(m.node("Conv", {"x", "conv.weight"}, {"y"}, "conv"), "batch_norm",
         "%conv1d, %p_bn_weight", "bn", 1, "FuseBatchNormIntoConv");
    m.output("y");
    refusal(m, "batch_norm",
            "batch normalization was computed into node "
            "\"conv\" (Conv)",
            {"conv.weight", "bn.weight"});
  }
  {
    // b(x) was merged with a(x), and is gone.
    Exported m;
    m.input("x", {"2", "3"});
    for (const char *name : {"a.weight", "b.weight"})
      m.lists(name);
    m.stores("a.weight", {3}, {1, 1, 1});
    m.is(m.node("LayerNormalization", {"x", "a.weight"}, {"layer_norm"}),
         "layer_norm", "%x, [3], %p_a_weight", "a");
    m.is(m.node("Add", {"layer_norm", "layer_norm"}, {"y"}), "add",
         "%layer_norm, %relu");
    m.graph.mutable_node(1)->mutable_unknown_fields()->clear();
    m.is(*m.graph.mutable_node(1), "add", "%layer_norm_1, %layer_norm_2");
    m.output("y");
    refusal(m, "merged_calls", "merged with \"layer_norm\"", {"b.weight"});
  }
  {
    Exported m;
    m.input("x", {"2", "3"});
    for (const char *name : {"a", "b"})
      m.lists(name);
    m.stores("a", {3}, {1, 1, 1});
    m.is(m.node("Mul", {"x", "a"}, {"y"}, "sum"), "lerp", "%x, %p_b, %p_b");
    m.output("y");
    refusal(m, "unknown_call",
            "what node \"sum\" (Mul) makes of it is not "
            "known",
            {"b"});
  }
  {
    // Nothing is noted of nodes.
    Exported m;
    m.input("x", {"2", "3"});
    for (const char *name : {"a", "b"})
      m.lists(name);
    m.stores("a", {3}, {1, 1, 1});
    m.node("Mul", {"x", "a"}, {"h"});
    m.node("Mul", {"h", "a"}, {"y"});
    m.output("y");
    refusal(m, "stripped", "does not note what its nodes are of", {"b"});
  }
  {
    Exported m;
    m.input("x", {"2", "3"});
    m.lists("w");
    m.lists("shift");
    m.stores("w", {3, 2}, {1, 2, 3, 4, 5, 6});
    m.is(m.node("Gemm", {"x", "w"}, {"y"}, "gemm"), "addmm",
         "%p_shift, %x, %p_w", "", 1, "RemoveOptionalBiasFromGemm");
    m.output("y");
    refusal(m, "shape_of_bias", "does not say which shape it has", {"shift"});
  }
}

TEST_CASE("a parameter that the module does not use is no matter") {
  Exported m;
  twoNorms(m, "%p_b_weight, %p_b_bias");
  m.lists("unused.weight");
  CHECK(weights(import(m.saved("unused"), training())).size() == 4);
}

TEST_CASE("a call's arguments, lists among them") {
  const auto call = frontend::parseCall(
      "%layer_norm_1 : [num_users=2] = call_function[target=torch.ops.aten."
      "layer_norm.default](args = (%x, [2, 3], %p_w, None), kwargs = {eps: "
      "1e-05})");
  REQUIRE(call);
  CHECK(call->name == "layer_norm_1");
  CHECK(frontend::baseOf(call->name) == "layer_norm");
  CHECK(call->operation == "layer_norm");
  CHECK(call->users == 2);
  using List = std::vector<std::string>;
  CHECK(call->arguments == List{"%x", "[2,3]", "%p_w", "None"});
  CHECK(call->keywords == List{"eps"});
  CHECK(call->reads == List{"x", "p_w"});
  for (const char *text : {"", "%", "%x : [num_users=1] = placeholder",
                           "%a\n : [num_users=1] = call_function[target=f]("
                           "args = (), kwargs = {})"})
    CHECK_FALSE(frontend::parseCall(text));
}
