// From bytes to messages: the model file, and tensors in all their encodings.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_READER_H
#define SMEX_COMPILER_FRONTEND_ONNX_READER_H

#include "compiler/frontend/Model.h"
#include "compiler/frontend/onnx/NarrowTypes.h"
#include "onnx.pb.h"

namespace smex::frontend {

/// Reads a model; any file is a safe input.
Result<std::shared_ptr<const onnx::ModelProto>>
readModelProto(const std::string &path);

/// Our type for an onnx::TensorProto::DataType, or nothing.
std::optional<DType> dtypeOf(int onnxType);
/// "float16", "string": ONNX's own spelling, for messages.
std::string onnxTypeName(int onnxType);

/// A tensor's type and where its bytes are.
struct StoredTensor {
  TensorType type;
  ParameterData data;
  /// Of a narrow type: which, and the shape of the tensor. `type` is that of
  /// its bytes, which are packed: along the last dimension where that is a
  /// whole number of bytes, or else of rank 1.
  const NarrowType *narrow = nullptr;
  std::vector<int64_t> shape = {};
};

/// Where tensors are found.
struct TensorSource {
  /// Keeps the message alive.
  std::shared_ptr<const void> keepAlive;
  /// The model's folder: external data must be inside.
  std::string folder;
  /// External files in order of first use.
  std::vector<std::string> *files = nullptr;
  /// Weights that are not there are drawn when the plan runs; else they are an
  /// error.
  bool drawMissing = false;
};

/// The option that sets it, as errors name it.
constexpr const char *drawMissingHint =
    "; to plan without it, give --draw-missing-weights";

/// A weight of this type that is not stored: drawn so that what it is
/// multiplied with keeps its size, about. An error for integers: they say what
/// shapes and indices are.
Result<ParameterData> drawMissing(const TensorType &type);

/// Checks the tensor and finds its bytes; typed data is used in place where its
/// encoding is the array. The error begins with what is wrong, without a name.
Result<StoredTensor> readTensor(const onnx::TensorProto &tensor,
                                const TensorSource &source);
/// A small tensor, in memory.
Result<Tensor> readTensorValue(const onnx::TensorProto &tensor,
                               const TensorSource &source);
/// Dense form of a sparse tensor.
Result<Tensor> readSparse(const onnx::SparseTensorProto &sparse,
                          const TensorSource &source);

/// Every name that a message or a plan may show must be text.
Status checkNames(const onnx::ModelProto &model, const std::string &path);

/// Key in a TensorProto's external_data: no stored bytes, drawn uniformly from
/// [-scale, scale) when the plan runs. The value is the scale.
constexpr const char *drawnKey = "smex.drawn";

/// Another: a matrix that is stored with its two dimensions exchanged, as
/// `dims` has them.
constexpr const char *transposedKey = "smex.transposed";

/// Key in a model's metadata_props: operators as text (dialects/tdl), as in a
/// file given with --ops.
constexpr const char *operatorsKey = "smex.operators";

/// Another: the name of a scalar of type bool, true if the model is trained.
constexpr const char *trainingKey = "smex.training";

/// Finds the external data; ExternalData.cpp.
Result<ParameterData> findExternal(const onnx::TensorProto &tensor,
                                   int64_t bytes, const TensorSource &source);

} // namespace smex::frontend

#endif
