#include "compiler/frontend/onnx/AtenOperands.h"

#include <algorithm>

using namespace smex;
using namespace smex::frontend;

namespace {

constexpr int any = -1; // operand of a sum or product, which may be exchanged

enum class Shape { Same, Flat, Matrix, TransposedMatrix };

/// Operand `operand` of `op`, in a node of `operation`, is its argument
/// `argument`. Matrices are as the product reads them: Gemm may transpose.
struct Row {
  const char *operation, *op;
  int operand, argument;
  Shape shape;
};

constexpr Row rows[] = {
    {"linear", "MatMul", 1, 1, Shape::TransposedMatrix},
    {"linear", "Gemm", 1, 1, Shape::TransposedMatrix},
    {"linear", "Gemm", 2, 2, Shape::Same},
    {"linear", "Add", any, 2, Shape::Same},
    {"addmm", "MatMul", 1, 2, Shape::Matrix},
    {"addmm", "Gemm", 1, 2, Shape::Matrix},
    {"addmm", "Gemm", 2, 0, Shape::Same},
    {"addmm", "Add", any, 0, Shape::Same},
    {"mm", "MatMul", 1, 1, Shape::Matrix},
    {"mm", "Gemm", 1, 1, Shape::Matrix},
    {"matmul", "MatMul", 0, 0, Shape::Same},
    {"matmul", "MatMul", 1, 1, Shape::Same},
    {"layer_norm", "LayerNormalization", 1, 2, Shape::Same},
    {"layer_norm", "LayerNormalization", 2, 3, Shape::Same},
    {"native_layer_norm", "LayerNormalization", 1, 2, Shape::Same},
    {"native_layer_norm", "LayerNormalization", 2, 3, Shape::Same},
    {"rms_norm", "RMSNormalization", 1, 2, Shape::Same},
    {"group_norm", "GroupNormalization", 1, 2, Shape::Same},
    {"group_norm", "GroupNormalization", 2, 3, Shape::Same},
    {"group_norm", "Mul", any, 2, Shape::Flat},
    {"group_norm", "Add", any, 3, Shape::Flat},
    {"instance_norm", "InstanceNormalization", 1, 1, Shape::Same},
    {"instance_norm", "InstanceNormalization", 2, 2, Shape::Same},
    {"prelu", "PRelu", 1, 1, Shape::Flat},
    {"embedding", "Gather", 0, 0, Shape::Same},
    {"add", "Add", 0, 0, Shape::Same},
    {"add", "Add", 1, 1, Shape::Same},
    {"sub", "Sub", 0, 0, Shape::Same},
    {"sub", "Sub", 1, 1, Shape::Same},
    {"mul", "Mul", 0, 0, Shape::Same},
    {"mul", "Mul", 1, 1, Shape::Same},
    {"div", "Div", 0, 0, Shape::Same},
    {"div", "Div", 1, 1, Shape::Same},
    {"maximum", "Max", 0, 0, Shape::Same},
    {"maximum", "Max", 1, 1, Shape::Same},
    {"minimum", "Min", 0, 0, Shape::Same},
    {"minimum", "Min", 1, 1, Shape::Same},
    {"expand", "Expand", 0, 0, Shape::Same},
    {"repeat", "Tile", 0, 0, Shape::Same},
    {"view", "Reshape", 0, 0, Shape::Same},
    {"reshape", "Reshape", 0, 0, Shape::Same},
    {"unsqueeze", "Unsqueeze", 0, 0, Shape::Same},
    {"transpose", "Transpose", 0, 0, Shape::Same},
    {"permute", "Transpose", 0, 0, Shape::Same},
    {"t", "Transpose", 0, 0, Shape::Same},
    {"slice", "Slice", 0, 0, Shape::Same},
    {"select", "Gather", 0, 0, Shape::Same},
    {"exp", "Exp", 0, 0, Shape::Same},
    {"index", "GatherND", 0, 0, Shape::Same},
    {"linear", "Transpose", 0, 1, Shape::Same},
};

bool isConvolution(const std::string &operation) {
  for (const char *name :
       {"convolution", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
        "conv_transpose2d", "conv_transpose3d"})
    if (operation == name)
      return true;
  return false;
}

bool isBatchNorm(const std::string &operation) {
  for (const char *name :
       {"batch_norm", "native_batch_norm", "_native_batch_norm_legit",
        "_native_batch_norm_legit_no_training", "cudnn_batch_norm"})
    if (operation == name)
      return true;
  return false;
}

bool transposes(const onnx::NodeProto &node, const char *name) {
  for (const auto &attribute : node.attribute())
    if (attribute.name() == name)
      return attribute.i() != 0;
  return false;
}

/// A factor that the exporter multiplies in before: x + alpha * y.
bool isScaled(const Call &call) {
  return std::any_of(
      call.keywords.begin(), call.keywords.end(), [](const std::string &each) {
        return each == "alpha" || each == "beta" || each == "rounding_mode";
      });
}

} // namespace

bool smex::frontend::isKnown(const Call &call) {
  if (isScaled(call))
    return false;
  // Whole dimensions are moved behind those that are indexed.
  if (call.operation == "index" &&
      (call.arguments.size() != 2 ||
       call.arguments[1].find("None") != std::string::npos))
    return false;
  return call.operation == "cat" || isConvolution(call.operation) ||
         isBatchNorm(call.operation) ||
         std::any_of(std::begin(rows), std::end(rows), [&](const Row &row) {
           return call.operation == row.operation;
         });
}

std::optional<Source>
smex::frontend::sourceOf(const Call &call, const onnx::NodeProto &node, int i) {
  if (!isKnown(call))
    return std::nullopt;
  const auto source = [&](int argument, Form form) {
    const size_t a = size_t(argument);
    return Source{a < call.arguments.size() ? call.arguments[a] : "", form};
  };
  const std::string &op = node.op_type();
  if (isConvolution(call.operation) && (op == "Conv" || op == "ConvTranspose"))
    return source(i, Form::Same);
  if (isBatchNorm(call.operation) && op == "BatchNormalization")
    return source(i, Form::Same);
  if (call.operation == "cat" && op == "Concat") {
    const std::string list = call.arguments.empty() ? "" : call.arguments[0];
    const auto parts = list.size() < 2
                           ? std::vector<std::string>()
                           : splitArguments(list.substr(1, list.size() - 2));
    if (int(parts.size()) != node.input_size())
      return std::nullopt;
    return Source{parts[size_t(i)], Form::Same};
  }
  for (const Row &row : rows) {
    if (call.operation != row.operation || op != row.op ||
        (row.operand != any && row.operand != i))
      continue;
    const bool turned = op == "Gemm" && transposes(node, "transB");
    switch (row.shape) {
    case Shape::Same:
      return source(row.argument, Form::Same);
    case Shape::Flat:
      return source(row.argument, Form::Flat);
    case Shape::Matrix:
      return source(row.argument, turned ? Form::Transposed : Form::Same);
    case Shape::TransposedMatrix:
      return source(row.argument, turned ? Form::Same : Form::Transposed);
    }
  }
  return std::nullopt;
}

std::optional<std::string> smex::frontend::biasOf(const Call &call) {
  const size_t argument = call.operation == "addmm" ? 0 : 2;
  if ((call.operation != "addmm" && call.operation != "linear" &&
       !isConvolution(call.operation)) ||
      argument >= call.arguments.size() || isScaled(call))
    return std::nullopt;
  return call.arguments[argument];
}

bool smex::frontend::keepsOrder(const std::string &operation) {
  for (const char *name :
       {"alias", "clone", "contiguous", "detach", "flatten", "lift_fresh_copy",
        "reshape", "squeeze", "unflatten", "unsqueeze", "_unsafe_view", "view"})
    if (operation == name)
      return true;
  return false;
}

bool smex::frontend::isMovement(const std::string &operation) {
  for (const char *name : {"_to_copy", "as_strided",
                           "chunk",    "convert_element_type_default",
                           "diagonal", "dropout",
                           "expand",   "expand_as",
                           "getitem",  "movedim",
                           "narrow",   "permute",
                           "repeat",   "repeat_interleave",
                           "select",   "slice",
                           "split",    "split_with_sizes",
                           "t",        "tile",
                           "to",       "transpose",
                           "type_as",  "unbind",
                           "unfold",   "unsafe_split"})
    if (operation == name)
      return true;
  return keepsOrder(operation);
}
