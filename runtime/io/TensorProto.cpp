#include "runtime/io/TensorProto.h"

#include "dialects/support/File.h"

#include <cstring>
#include <limits>

using namespace smex;
using namespace smex::io;

namespace {
// Fields of onnx.TensorProto.
enum Field : uint64_t {
  Dims = 1,
  DataType = 2,
  Segment = 3,
  FloatData = 4,
  Int32Data = 5,
  StringData = 6,
  Int64Data = 7,
  RawData = 9,
  DoubleData = 10,
  Uint64Data = 11,
  ExternalData = 13,
  DataLocation = 14,
};
enum Wire : uint64_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

struct OnnxType {
  int64_t number;
  std::string_view name;
  std::optional<DType> type; // none: not supported
  Field field;               // where its values are if not in raw_data
  /// Bits of an element where several are packed in a byte.
  int packed = 8;
};
constexpr OnnxType onnxTypes[] = {
    {1, "FLOAT", DType::F32, FloatData},
    {2, "UINT8", DType::U8, Int32Data},
    {3, "INT8", DType::I8, Int32Data},
    {4, "UINT16", DType::U16, Int32Data},
    {5, "INT16", DType::I16, Int32Data},
    {6, "INT32", DType::I32, Int32Data},
    {7, "INT64", DType::I64, Int64Data},
    {8, "STRING", std::nullopt, StringData},
    {9, "BOOL", DType::Bool, Int32Data},
    {10, "FLOAT16", DType::F16, Int32Data},
    {11, "DOUBLE", DType::F64, DoubleData},
    {12, "UINT32", DType::U32, Uint64Data},
    {13, "UINT64", DType::U64, Uint64Data},
    {14, "COMPLEX64", std::nullopt, FloatData},
    {15, "COMPLEX128", std::nullopt, DoubleData},
    {16, "BFLOAT16", DType::BF16, Int32Data},
    // Types that are stored only: a byte per element, a float's bits, an
    // integer's value.
    {17, "FLOAT8E4M3FN", DType::U8, Int32Data},
    {18, "FLOAT8E4M3FNUZ", DType::U8, Int32Data},
    {19, "FLOAT8E5M2", DType::U8, Int32Data},
    {20, "FLOAT8E5M2FNUZ", DType::U8, Int32Data},
    {21, "UINT4", DType::U8, Int32Data, 4},
    {22, "INT4", DType::I8, Int32Data, 4},
    {23, "FLOAT4E2M1", DType::U8, Int32Data, 4},
    {24, "FLOAT8E8M0", DType::U8, Int32Data},
    {25, "UINT2", DType::U8, Int32Data, 2},
    {26, "INT2", DType::I8, Int32Data, 2},
};

/// Reads the wire format; every step says whether the bytes were there.
class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes(bytes) {}
  bool done() const { return bytes.empty(); }

  bool varint(uint64_t &value) {
    value = 0;
    for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
      const uint64_t byte = uint8_t(bytes[0]);
      bytes.remove_prefix(1);
      value |= (byte & 127) << shift;
      if (byte < 128)
        return true;
    }
    return false;
  }
  bool take(uint64_t size, std::string_view &piece) {
    if (size > bytes.size())
      return false;
    piece = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return true;
  }
  /// The payload of a field, whatever it means; `number` of a varint.
  bool payload(uint64_t wire, uint64_t &number, std::string_view &piece) {
    switch (wire) {
    case Varint:
      return varint(number);
    case Fixed64:
      return take(8, piece);
    case Fixed32:
      return take(4, piece);
    case Bytes:
      return varint(number) && take(number, piece);
    default: // groups, gone since proto3
      return false;
    }
  }

private:
  std::string_view bytes;
};

/// The message, values as they came: integers widened, floats as bytes.
struct Message {
  std::vector<int64_t> dims;
  int64_t type = 0;
  std::string_view raw;
  bool hasRaw = false, segment = false, external = false;
  std::vector<uint64_t> integers;
  std::string fixed;       // float_data or double_data
  uint64_t valueField = 0; // the field the values came from
  bool mixed = false;      // they came from more than one
};

/// A repeated number may be packed or not, whatever the schema says.
bool integers(uint64_t wire, uint64_t number, std::string_view piece,
              std::vector<uint64_t> &values) {
  if (wire == Varint)
    values.push_back(number);
  else if (wire != Bytes)
    return false;
  for (Reader packed(piece); wire == Bytes && !packed.done();) {
    uint64_t value;
    if (!packed.varint(value))
      return false;
    values.push_back(value);
  }
  return true;
}

bool valueField(Message &message, uint64_t field, uint64_t wire,
                uint64_t number, std::string_view piece) {
  message.mixed |= message.valueField && message.valueField != field;
  message.valueField = field;
  const bool floats = field == FloatData, doubles = field == DoubleData;
  if (!floats && !doubles)
    return integers(wire, number, piece, message.integers);
  const size_t size = floats ? 4 : 8;
  if ((wire != Bytes && wire != (floats ? Fixed32 : Fixed64)) ||
      piece.size() % size != 0)
    return false;
  message.fixed.append(piece.data(), piece.size());
  return true;
}

bool readField(Message &message, Reader &reader) {
  uint64_t key, number = 0;
  std::string_view piece;
  if (!reader.varint(key) || key >> 3 == 0 ||
      !reader.payload(key & 7, number, piece))
    return false;
  const uint64_t field = key >> 3, wire = key & 7;
  switch (field) {
  case Dims: {
    std::vector<uint64_t> dims;
    if (!integers(wire, number, piece, dims))
      return false;
    message.dims.insert(message.dims.end(), dims.begin(), dims.end());
    return message.dims.size() <= 64;
  }
  case DataType:
    message.type = int64_t(number);
    return wire == Varint;
  case Segment:
    message.segment = true;
    return true;
  case FloatData:
  case DoubleData:
  case Int32Data:
  case Int64Data:
  case Uint64Data:
    return valueField(message, field, wire, number, piece);
  case RawData:
    message.raw = piece;
    message.hasRaw = true;
    return wire == Bytes;
  case ExternalData:
    message.external = true;
    return true;
  case DataLocation:
    message.external |= number == 1;
    return true;
  default:
    return true; // name, doc_string and what later versions add
  }
}

/// Writes an integer into the type's storage; false if it does not fit. The
/// 16-bit floats come as their bits.
template <typename T>
bool store(Tensor &tensor, const std::vector<uint64_t> &values) {
  for (size_t i = 0; i < values.size(); ++i) {
    tensor.data<T>()[i] = T(values[i]);
    if (uint64_t(tensor.data<T>()[i]) != values[i])
      return false;
  }
  return true;
}

bool storeIntegers(Tensor &tensor, const std::vector<uint64_t> &values) {
  switch (tensor.type.dtype) {
  case DType::Bool:
    for (size_t i = 0; i < values.size(); ++i)
      tensor.bytes[i] = std::byte(values[i] != 0);
    return true;
  case DType::I8:
    return store<int8_t>(tensor, values);
  case DType::I16:
    return store<int16_t>(tensor, values);
  case DType::I32:
    return store<int32_t>(tensor, values);
  case DType::I64:
  case DType::U64:
    return store<uint64_t>(tensor, values);
  case DType::U8:
    return store<uint8_t>(tensor, values);
  case DType::U32:
    return store<uint32_t>(tensor, values);
  default: // U16 and the 16-bit floats
    return store<uint16_t>(tensor, values);
  }
}
} // namespace

namespace {
/// Elements from bytes that hold several, the first in the lowest bits.
void unpack(Tensor &tensor, std::string_view bytes, int bits) {
  const size_t each = size_t(8 / bits);
  const int mask = (1 << bits) - 1, sign = 1 << (bits - 1);
  for (size_t i = 0; i < tensor.bytes.size(); ++i) {
    int value = uint8_t(bytes[i / each]) >> (i % each * size_t(bits)) & mask;
    if (tensor.type.dtype == DType::I8)
      value = (value ^ sign) - sign;
    tensor.bytes[i] = std::byte(value);
  }
}
} // namespace

Result<Tensor> io::parseTensorProto(std::string_view bytes,
                                    const std::string &name) {
  Message message;
  for (Reader reader(bytes); !reader.done();)
    if (!readField(message, reader))
      return fail(name, ": not an ONNX TensorProto, or damaged");
  const OnnxType *onnx = nullptr;
  for (const OnnxType &known : onnxTypes)
    if (known.number == message.type)
      onnx = &known;
  if (!onnx || !onnx->type)
    return fail(name, ": element type ",
                onnx ? std::string(onnx->name) : std::to_string(message.type),
                " of a TensorProto is not supported");
  if (message.segment || message.external)
    return fail(name, ": a TensorProto with ",
                message.segment ? "segments" : "data in another file",
                " is not supported; store its values in it");

  TensorType type{*onnx->type, message.dims};
  const auto elements = elementCount(type.shape);
  const auto need = onnx->packed < 8 && elements
                        ? std::optional(*elements / (8 / onnx->packed) +
                                        (*elements % (8 / onnx->packed) != 0))
                        : byteCount(type);
  const int64_t size = byteSize(type.dtype);
  const uint64_t got =
      message.hasRaw
          ? message.raw.size()
          : message.fixed.size() + message.integers.size() * uint64_t(size);
  const bool wrongField =
      message.mixed || (message.hasRaw && message.valueField) ||
      (message.valueField && message.valueField != onnx->field);
  if (wrongField)
    return fail(name, ": the values of this TensorProto are not where ",
                onnx->name, " values belong");
  if (!need || uint64_t(*need) != got)
    return fail(name, ": ", toString(type), " takes ",
                need ? std::to_string(*need) : std::string("too many"),
                " bytes; the file has ", got);

  if (onnx->packed < 8) {
    Tensor bytes = makeTensor({DType::U8, {*need}});
    if (!message.integers.empty() && !storeIntegers(bytes, message.integers))
      return fail(name, ": a value does not fit in the bytes of ", onnx->name);
    Tensor tensor = makeTensor(std::move(type));
    unpack(tensor,
           message.integers.empty()
               ? message.raw
               : std::string_view(
                     reinterpret_cast<const char *>(bytes.bytes.data()),
                     bytes.bytes.size()),
           onnx->packed);
    return tensor;
  }
  Tensor tensor = makeTensor(std::move(type));
  const std::string_view dense =
      message.hasRaw ? message.raw : std::string_view(message.fixed);
  if (!message.integers.empty()) {
    if (!storeIntegers(tensor, message.integers))
      return fail(name, ": a value does not fit in ", onnx->name);
  } else if (!dense.empty()) {
    std::memcpy(tensor.bytes.data(), dense.data(), dense.size());
    if (tensor.type.dtype == DType::Bool)
      for (std::byte &value : tensor.bytes)
        value = std::byte(value != std::byte(0));
  }
  return tensor;
}

Result<Tensor> io::readTensorProto(const std::string &path) {
  const auto bytes = readFile(path);
  if (!bytes)
    return bytes.error();
  return parseTensorProto(*bytes, path);
}
