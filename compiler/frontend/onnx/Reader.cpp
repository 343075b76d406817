#include "compiler/frontend/onnx/Reader.h"

#include "compiler/frontend/onnx/Nesting.h"

#include "dialects/support/File.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <unistd.h>

#include <climits>
#include <cmath>
#include <cstring>

using namespace smex;
using namespace smex::frontend;

Result<std::shared_ptr<const onnx::ModelProto>>
smex::frontend::readModelProto(const std::string &path) {
  // Its complaints would go to standard error in a form of its own.
  google::protobuf::SetLogHandler(nullptr);
  const auto opened = InputFile::open(path);
  if (!opened)
    return opened.error();
  const int file = opened->descriptor();
  google::protobuf::io::FileInputStream stream(file);
  if (opened->size() > INT_MAX)
    return fail(path,
                ": is larger than 2 GiB, which ONNX does not allow: store "
                "the weights as external data");
  auto model = std::make_shared<onnx::ModelProto>();
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetTotalBytesLimit(INT_MAX);
  coded.SetRecursionLimit(maxNesting);
  if (!model->ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage()) {
    lseek(file, 0, SEEK_SET);
    google::protobuf::io::FileInputStream again(file);
    if (nestsTooDeeply(again))
      return fail(path,
                  ": is nested too deeply: subgraphs within subgraphs, "
                  "or types within types, more than ",
                  maxNesting, " messages deep");
    return fail(path, ": is not an ONNX model, or a damaged or truncated one");
  }
  if (!model->has_graph())
    return fail(path, ": holds no graph; is it an ONNX model?");
  return {std::shared_ptr<const onnx::ModelProto>(std::move(model))};
}

namespace {
struct TypeName {
  const char *name;
  std::optional<DType> type;
};
// In the order of onnx::TensorProto::DataType, newer ones than the schema's
// included.
const TypeName typeNames[] = {
    {"undefined", {}},
    {"float", DType::F32},
    {"uint8", DType::U8},
    {"int8", DType::I8},
    {"uint16", DType::U16},
    {"int16", DType::I16},
    {"int32", DType::I32},
    {"int64", DType::I64},
    {"string", {}},
    {"bool", DType::Bool},
    {"float16", DType::F16},
    {"double", DType::F64},
    {"uint32", DType::U32},
    {"uint64", DType::U64},
    {"complex64", {}},
    {"complex128", {}},
    {"bfloat16", DType::BF16},
    {"float8e4m3fn", {}},
    {"float8e4m3fnuz", {}},
    {"float8e5m2", {}},
    {"float8e5m2fnuz", {}},
    {"uint4", {}},
    {"int4", {}},
    {"float4e2m1", {}},
    {"float8e8m0", {}},
    {"uint2", {}},
    {"int2", {}},
    {"float6e2m3", {}},
    {"float6e3m2", {}},
};
} // namespace

std::optional<DType> smex::frontend::dtypeOf(int onnxType) {
  if (onnxType < 0 || size_t(onnxType) >= std::size(typeNames))
    return std::nullopt;
  return typeNames[onnxType].type;
}

std::string smex::frontend::onnxTypeName(int onnxType) {
  if (onnxType < 0 || size_t(onnxType) >= std::size(typeNames))
    return "number " + std::to_string(onnxType);
  return typeNames[onnxType].name;
}

/// An array that the message holds in another encoding, converted.
template <typename To, typename From>
static ParameterData convertArray(const From &array) {
  auto copy = std::make_shared<std::vector<To>>();
  copy->reserve(array.size());
  for (auto element : array)
    copy->push_back(To(element));
  ParameterData data;
  data.bytes = reinterpret_cast<const std::byte *>(copy->data());
  data.keepAlive = std::move(copy);
  return data;
}

Result<ParameterData> smex::frontend::drawMissing(const TensorType &type) {
  const bool isSmall = byteSize(type.dtype) == 1 && type.dtype != DType::Bool;
  if (!isFloat(type.dtype) && !isSmall) // quantized weights are bytes
    return fail("is not stored, and cannot be drawn: ", toString(type),
                " may be a shape, or indices");
  ParameterData data;
  data.kind = ParameterData::Kind::Drawn;
  data.scale = 0.1;
  if (type.rank() >= 2) {
    // Uniform, after Glorot and Bengio: sqrt(6 / (ways in + ways out)).
    const int64_t ways = type.shape[0] + type.shape[1];
    double all = double(ways);
    for (size_t d = 2; d < type.shape.size(); ++d)
      all *= double(type.shape[d]);
    data.scale = all > 0 ? std::sqrt(6 / all) : 0.1;
  }
  if (isSmall)
    data.scale = 8;
  return data;
}

static Result<ParameterData> readTyped(const onnx::TensorProto &tensor,
                                       DType type, int64_t elements,
                                       const TensorSource &source) {
  const auto inPlace = [&](const void *bytes) {
    ParameterData data;
    data.bytes = static_cast<const std::byte *>(bytes);
    data.keepAlive = source.keepAlive;
    return data;
  };
  const auto checked = [&](int64_t stored, auto make) -> Result<ParameterData> {
    if (stored != elements)
      return fail("holds ", stored, " values, its shape asks for ", elements);
    return make();
  };
  const auto &words = tensor.int32_data();
  const auto narrow = [&](auto zero) {
    return checked(words.size(),
                   [&] { return convertArray<decltype(zero)>(words); });
  };
  switch (type) {
  case DType::F32:
    return checked(tensor.float_data_size(),
                   [&] { return inPlace(tensor.float_data().data()); });
  case DType::F64:
    return checked(tensor.double_data_size(),
                   [&] { return inPlace(tensor.double_data().data()); });
  case DType::I64:
    return checked(tensor.int64_data_size(),
                   [&] { return inPlace(tensor.int64_data().data()); });
  case DType::U64:
    return checked(tensor.uint64_data_size(),
                   [&] { return inPlace(tensor.uint64_data().data()); });
  case DType::I32:
    return checked(words.size(), [&] { return inPlace(words.data()); });
  case DType::U32:
    return checked(tensor.uint64_data_size(), [&] {
      return convertArray<uint32_t>(tensor.uint64_data());
    });
  case DType::Bool:
    return checked(words.size(), [&] {
      std::vector<bool> flags(words.begin(), words.end());
      return convertArray<uint8_t>(flags);
    });
  case DType::I8:
    return narrow(int8_t());
  case DType::U8:
    return narrow(uint8_t());
  case DType::I16:
    return narrow(int16_t());
  case DType::U16:
  case DType::F16:
  case DType::BF16:
    return narrow(uint16_t());
  }
  return fail("has an unknown type");
}

static bool isEmpty(const onnx::TensorProto &tensor) {
  return tensor.raw_data().empty() && tensor.float_data().empty() &&
         tensor.double_data().empty() && tensor.int32_data().empty() &&
         tensor.int64_data().empty() && tensor.uint64_data().empty();
}

/// The shape of the bytes that elements are packed in.
static std::vector<int64_t> packedShape(const NarrowType &type,
                                        std::vector<int64_t> shape) {
  const int64_t each = type.perByte();
  if (each == 1)
    return shape;
  if (shape.empty() || shape.back() % each != 0)
    return {(*elementCount(shape) + each - 1) / each};
  shape.back() /= each;
  return shape;
}

/// As it is stored, whether or not that is transposed.
static Result<StoredTensor> readStored(const onnx::TensorProto &tensor,
                                       const TensorSource &source) {
  StoredTensor stored;
  stored.narrow = narrowType(tensor.data_type());
  const auto type =
      stored.narrow ? std::optional(DType::U8) : dtypeOf(tensor.data_type());
  if (!type)
    return fail("has elements of type ", onnxTypeName(tensor.data_type()),
                ", which is not supported");
  if (tensor.has_segment())
    return fail("is stored in segments, which is not supported");
  stored.type = {*type, {tensor.dims().begin(), tensor.dims().end()}};
  if (stored.narrow) {
    if (!elementCount(stored.type.shape))
      return fail("has the impossible shape ", toString(stored.type));
    stored.shape = stored.type.shape;
    stored.type.shape = packedShape(*stored.narrow, stored.shape);
  }
  const auto elements = elementCount(stored.type.shape);
  const auto bytes = byteCount(stored.type);
  if (!elements || !bytes)
    return fail("has the impossible shape ", toString(stored.type));
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    auto data = findExternal(tensor, *bytes, source);
    if (!data)
      return data.takeError();
    stored.data = std::move(*data);
    return stored;
  }
  if (*elements > 0 && isEmpty(tensor)) {
    if (!source.drawMissing)
      return fail("holds no values, its shape asks for ", *elements,
                  drawMissingHint);
    auto data = drawMissing(stored.type);
    if (!data)
      return data.takeError();
    stored.data = std::move(*data);
    return stored;
  }
  if (!tensor.has_raw_data()) {
    auto data = readTyped(tensor, *type, *elements, source);
    if (!data)
      return data.takeError();
    stored.data = std::move(*data);
    return stored;
  }
  const std::string &raw = tensor.raw_data();
  if (int64_t(raw.size()) != *bytes)
    return fail("holds ", raw.size(), " bytes, ", toString(stored.type),
                " asks for ", *bytes);
  stored.data.bytes = reinterpret_cast<const std::byte *>(raw.data());
  stored.data.keepAlive = source.keepAlive;
  if (*type == DType::Bool) { // anything but zero is true
    std::vector<bool> flags(raw.begin(), raw.end());
    stored.data = convertArray<uint8_t>(flags);
  }
  return stored;
}

Result<StoredTensor> smex::frontend::readTensor(const onnx::TensorProto &tensor,
                                                const TensorSource &source) {
  auto stored = readStored(tensor, source);
  if (!stored)
    return stored;
  for (const auto &entry : tensor.external_data())
    if (entry.key() == transposedKey) {
      if (stored->type.rank() != 2)
        return fail("is to be read transposed, and is no matrix: ",
                    toString(stored->type));
      stored->data.transposed = true;
      std::swap(stored->type.shape[0], stored->type.shape[1]);
      break;
    }
  return stored;
}

Result<Tensor> smex::frontend::readTensorValue(const onnx::TensorProto &tensor,
                                               const TensorSource &source) {
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
    return fail("an attribute's tensor cannot have external data");
  if (narrowType(tensor.data_type()))
    return fail("has elements of type ", onnxTypeName(tensor.data_type()),
                ", which is not supported here");
  // Part of the model, not of its weights.
  if (elementCount({tensor.dims().begin(), tensor.dims().end()}).value_or(0) >
          0 &&
      isEmpty(tensor))
    return fail("holds no values, and its shape asks for some");
  auto stored = readStored(tensor, source);
  if (!stored)
    return stored.takeError();
  Tensor value = makeTensor(stored->type);
  if (!value.bytes.empty())
    std::memcpy(value.bytes.data(), stored->data.bytes, value.bytes.size());
  return value;
}

Result<Tensor> smex::frontend::readSparse(const onnx::SparseTensorProto &sparse,
                                          const TensorSource &source) {
  auto values = readTensorValue(sparse.values(), source);
  if (!values)
    return values.takeError();
  auto indices = readTensorValue(sparse.indices(), source);
  if (!indices)
    return indices.takeError();
  TensorType type{values->type.dtype,
                  {sparse.dims().begin(), sparse.dims().end()}};
  const auto bytes = byteCount(type), elements = elementCount(type.shape);
  if (!bytes || !elements || *bytes > (int64_t(1) << 31))
    return fail("sparse shape ", toString(type), " is too large");
  const int64_t count = *elementCount(values->type.shape);
  const int64_t rank = int64_t(type.shape.size());
  const auto &shape = indices->type.shape;
  const bool linear = shape == std::vector<int64_t>{count};
  if (indices->type.dtype != DType::I64 ||
      (!linear && shape != std::vector<int64_t>{count, rank}))
    return fail("sparse indices of type ", toString(indices->type),
                " do not fit ", count, " values");
  Tensor dense = makeTensor(type);
  const int64_t size = byteSize(type.dtype);
  const auto *index = indices->data<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = linear ? index[i] : 0;
    for (int64_t d = 0; !linear && d < rank; ++d) {
      const int64_t coordinate = index[i * rank + d];
      if (coordinate < 0 || coordinate >= type.shape[d])
        return fail("a sparse index is out of range");
      at = at * type.shape[d] + coordinate;
    }
    if (at < 0 || at >= *elements)
      return fail("a sparse index is out of range");
    std::memcpy(dense.bytes.data() + at * size, values->bytes.data() + i * size,
                size);
  }
  return dense;
}
