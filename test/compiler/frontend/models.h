// Small ONNX models, made by hand.
#ifndef SMEX_TEST_COMPILER_FRONTEND_MODELS_H
#define SMEX_TEST_COMPILER_FRONTEND_MODELS_H

#include "compiler/frontend/Model.h"
#include "compiler/frontend/json/Translator.h"
#include "onnx.pb.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace smex::test {

/// A folder of this test program's own, empty at first.
inline std::string scratch(const std::string &name) {
  const char *root = std::getenv("TEST_TMPDIR");
  const auto folder = (root ? std::filesystem::path(root)
                            : std::filesystem::temp_directory_path()) /
                      ("frontend_" + name);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

inline std::string write(const std::string &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

struct OnnxModel {
  onnx::ModelProto proto;
  onnx::GraphProto &graph = *proto.mutable_graph();

  explicit OnnxModel(int64_t opset = 17) {
    proto.set_ir_version(8);
    proto.add_opset_import()->set_version(opset);
  }

  /// Dimensions are numbers, or names.
  void input(const std::string &name, const std::vector<std::string> &shape,
             DType type = DType::F32) {
    auto *info = graph.add_input();
    info->set_name(name);
    auto *tensor = info->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(frontend::onnxTypeOf(type));
    tensor->mutable_shape();
    for (const std::string &extent : shape) {
      auto *dim = tensor->mutable_shape()->add_dim();
      if (extent.find_first_not_of("-0123456789") == std::string::npos)
        dim->set_dim_value(std::stoll(extent));
      else
        dim->set_dim_param(extent);
    }
  }
  void output(const std::string &name) { graph.add_output()->set_name(name); }

  onnx::TensorProto &parameter(const std::string &name,
                               const std::vector<int64_t> &shape,
                               DType type = DType::F32) {
    auto *tensor = graph.add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(frontend::onnxTypeOf(type));
    for (int64_t extent : shape)
      tensor->add_dims(extent);
    return *tensor;
  }
  void ints(const std::string &name, const std::vector<int64_t> &values) {
    auto &tensor = parameter(name, {int64_t(values.size())}, DType::I64);
    for (int64_t value : values)
      tensor.add_int64_data(value);
  }

  onnx::NodeProto &node(const std::string &op,
                        const std::vector<std::string> &inputs,
                        const std::vector<std::string> &outputs,
                        const std::string &name = "") {
    auto *node = graph.add_node();
    node->set_op_type(op);
    node->set_name(name);
    for (const std::string &input : inputs)
      node->add_input(input);
    for (const std::string &output : outputs)
      node->add_output(output);
    return *node;
  }

  std::string save(const std::string &folder) const {
    return write(folder + "/model.onnx", proto.SerializeAsString());
  }
};

inline void setInt(onnx::NodeProto &node, const std::string &name,
                   int64_t value) {
  auto *attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INT);
  attribute->set_i(value);
}

/// The error's message, or nothing.
inline std::string errorOf(const std::string &path,
                           const frontend::ImportOptions &options = {}) {
  auto model = frontend::importModel(path, options);
  return model ? "" : model.error().message;
}

} // namespace smex::test

#endif
