// Which parameters are weights, and which ones training leaves alone.
#include "compiler/frontend/onnx/NotedWeights.h"
#include "test/compiler/frontend/models.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::test;

namespace {

/// A field of later versions of ONNX, as it is in a file.
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

onnx::ValueInfoProto &addValue(onnx::GraphProto &graph, const char *name,
                               const std::string &fields) {
  onnx::ValueInfoProto &value = *graph.add_value_info();
  value.set_name(name);
  *value.mutable_unknown_fields() += fields;
  return value;
}

constexpr const char *signature =
    "pkg.torch.export.ExportedProgram.graph_signature";
constexpr const char *kind = "pkg.torch.export.graph_signature.InputSpec.kind";
constexpr const char *origins = "pkg.onnxscript.optimizer.folded_from";

} // namespace

TEST_CASE("an exporter's notes say which initializers are weights") {
  using Names = std::unordered_set<std::string>;
  onnx::GraphProto graph;
  CHECK_FALSE(frontend::notedWeights(graph));
  addValue(graph, "val_1", property(4, origins, "['val_0']"));
  addValue(graph, "mask", property(4, kind, "BUFFER"));
  CHECK_FALSE(frontend::notedWeights(graph)); // no parameter is noted
  addValue(graph, "scale",
           property(4, "other", "x") + property(4, kind, "PARAMETER"));
  CHECK(frontend::notedWeights(graph) == Names{"scale"});
  addValue(graph, "val_2", property(4, origins, "['val_0', 'fc.weight']"));
  addValue(graph, "val_3", property(4, origins, "['fc.weight_2']"));
  *graph.mutable_unknown_fields() +=
      property(16, signature,
               "\n# inputs\np_fc_weight: PARAMETER target='fc.weight'\n"
               "p_bias: PARAMETER target='bias'\n"
               "b_mask: BUFFER target='mask' persistent=True\nx: USER_INPUT\n");
  CHECK(frontend::notedWeights(graph) ==
        Names{"scale", "val_2", "fc.weight", "bias"});
}

TEST_CASE("notes that are cut off say what they say") {
  const std::string whole = property(4, kind, "PARAMETER");
  for (size_t size = 0; size <= whole.size(); ++size) {
    INFO(size);
    onnx::GraphProto graph;
    addValue(graph, "w", whole.substr(0, size));
    CHECK(bool(frontend::notedWeights(graph)) == (size == whole.size()));
  }
  onnx::GraphProto graph;
  *graph.mutable_unknown_fields() +=
      property(16, signature, "p: PARAMETER target='");
  CHECK(frontend::notedWeights(graph) == std::unordered_set<std::string>{""});
}

TEST_CASE("running statistics that are stored with a weight leave it one") {
  OnnxModel m;
  m.input("x", {"2", "3"});
  for (const char *name : {"ones", "mean", "own"}) {
    onnx::TensorProto &parameter = m.parameter(name, {3});
    for (int i = 0; i < 3; ++i)
      parameter.add_float_data(1);
  }
  m.node("BatchNormalization", {"x", "ones", "mean", "mean", "ones"}, {"h"});
  m.node("BatchNormalization", {"h", "ones", "ones", "mean", "own"}, {"y"});
  m.output("y");
  auto model = frontend::importModel(m.save(scratch("statistics")), {});
  if (!model)
    FAIL(model.error().message);
  std::map<std::string, bool> constant;
  for (const frontend::Parameter &parameter : model->parameters)
    constant[model->values[parameter.value].name] = parameter.constant;
  CHECK(constant == std::map<std::string, bool>{{"ones", false},
                                                {"mean", false},
                                                {"ones_2", true},
                                                {"mean_2", true},
                                                {"own", true}});
}
