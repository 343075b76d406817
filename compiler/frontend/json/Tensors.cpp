// Parameters and constants of a JSON model: inline, in .npy files, or drawn.
#include "compiler/frontend/json/Translator.h"

#include "compiler/frontend/onnx/Reader.h"
#include "dialects/support/File.h"
#include "dialects/tdl/lambda/Arithmetic.h"

using namespace smex;
using namespace smex::frontend;

int smex::frontend::onnxTypeOf(DType type) {
  for (int number = 1; number < 32; ++number)
    if (dtypeOf(number) == type)
      return number;
  return 0;
}

bool Translator::tensorType(Place place, TensorType &type,
                            onnx::TensorProto &tensor) {
  for (const char *key : {"type", "shape"})
    if (!place.json.contains(key)) {
      error(place, std::string("\"") + key + "\" is missing");
      return false;
    }
  const size_t before = errors.size();
  type.dtype = dtype(place.at("type"));
  list(place, "shape",
       [&](Place item) { type.shape.push_back(integer(item)); });
  if (errors.size() == before && !byteCount(type))
    error(place.at("shape"), "is impossible");
  tensor.set_data_type(onnxTypeOf(type.dtype));
  for (int64_t extent : type.shape)
    tensor.add_dims(extent);
  return errors.size() == before;
}

void Translator::parameter(Place place, onnx::TensorProto &tensor) {
  if (!object(place,
              {"name", "type", "shape", "values", "file", "drawn", "doc"}))
    return;
  if (!place.json.contains("name"))
    return error(place, "\"name\" is missing");
  tensor.set_name(text(place.at("name")));
  TensorType type;
  if (!tensorType(place, type, tensor))
    return;
  const int given = int(place.json.contains("values")) +
                    int(place.json.contains("file")) +
                    int(place.json.contains("drawn"));
  if (given != 1)
    return error(place, "must have one of values, file and drawn");
  if (place.json.contains("values"))
    return values(place.at("values"), type, tensor);
  if (place.json.contains("file"))
    return fileData(place.at("file"), type, tensor);
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  auto *entry = tensor.add_external_data();
  entry->set_key(drawnKey);
  entry->set_value(Json(real(place.at("drawn"))).dump());
}

void Translator::tensor(Place place, onnx::TensorProto &tensor) {
  TensorType type;
  if (tensorType(place, type, tensor))
    values(place.at("values"), type, tensor);
}

void Translator::values(Place place, const TensorType &type,
                        onnx::TensorProto &tensor) {
  const int64_t elements = *elementCount(type.shape),
                size = byteSize(type.dtype);
  if (elements > (int64_t(1) << 28))
    return error(place, "is too large to be held in memory: use a file");
  std::string &raw = *tensor.mutable_raw_data();
  const auto put = [&](Place item) {
    tdl::Scalar scalar;
    if (isFloat(type.dtype)) {
      scalar.real = real(item);
    } else if (type.dtype == DType::U64 && item.json.is_number_unsigned()) {
      scalar.integer = int64_t(item.json.get<uint64_t>());
    } else {
      scalar.integer = integer(item);
      if (tdl::wrapTo(type.dtype, scalar.integer) != scalar.integer)
        error(item, "is out of range for " + std::string(name(type.dtype)));
    }
    const DType wide = isFloat(type.dtype)        ? DType::F64
                       : type.dtype == DType::U64 ? DType::U64
                                                  : DType::I64;
    std::byte bytes[8];
    tdl::store(type.dtype, tdl::convert(wide, type.dtype, scalar), bytes);
    raw.append(reinterpret_cast<const char *>(bytes), size);
  };
  if (!place.json.is_array()) { // one value for all elements
    put(place);
    const std::string one = raw;
    raw.clear();
    raw.reserve(elements * size);
    for (int64_t i = 0; i < elements; ++i)
      raw += one;
    return;
  }
  // In row-major order; lists in lists are there for people.
  std::vector<Place> pending = {place};
  int64_t count = 0;
  while (!pending.empty() && errors.size() < 100) {
    const Place item = pending.back();
    pending.pop_back();
    if (item.json.is_array()) {
      for (size_t i = item.json.size(); i-- > 0;)
        pending.push_back(item.at(i));
    } else if (++count <= elements) {
      put(item);
    }
  }
  if (count != elements)
    error(place, "holds " + std::to_string(count) + " values, " +
                     toString(type) + " asks for " + std::to_string(elements));
}

/// The header of a .npy file without its white space; the data begins at
/// `begin`. The data are not read. False where it is no such file.
static Result<bool> readNpyHeader(const std::string &path, std::string &header,
                                  int64_t &begin) {
  const auto file = InputFile::open(path);
  if (!file)
    return file.error();
  unsigned char start[12] = {};
  auto got = file->readAt(0, start, sizeof start);
  if (!got)
    return got.takeError();
  const bool good = *got >= 10 && std::string(start, start + 6) == "\x93NUMPY";
  const int wide = start[6] >= 2;
  const int64_t length =
      start[8] + 256 * start[9] +
      (wide ? 65536 * start[10] + 16777216LL * start[11] : 0);
  begin = (wide ? 12 : 10) + length;
  if (!good || length >= 65536)
    return false;
  header.resize(size_t(length));
  got = file->readAt(wide ? 12 : 10, header.data(), header.size());
  if (!got)
    return got.takeError();
  const bool whole = *got == header.size();
  std::string compact;
  for (char c : header)
    if (c != ' ' && c != '\n')
      compact += c == '"' ? '\'' : c;
  header = compact;
  return whole;
}

void Translator::fileData(Place place, const TensorType &type,
                          onnx::TensorProto &tensor) {
  const std::string location = text(place);
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  const auto add = [&](const char *key, const std::string &value) {
    auto *entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  };
  add("location", location);
  // Is it there at all, and within the folder? Then it is worth opening.
  TensorSource source;
  source.folder = folder;
  source.drawMissing = drawMissing;
  const auto found = findExternal(tensor, 0, source);
  if (!found)
    return error(place, found.error());
  if (found->kind == ParameterData::Kind::Drawn) {
    tensor.clear_external_data();
    return add(drawnKey, Json(found->scale).dump());
  }
  std::string header;
  int64_t begin = 0;
  const auto isNpy = readNpyHeader(folder + "/" + location, header, begin);
  if (!isNpy)
    return error(place, isNpy.error());
  if (!*isNpy)
    return error(place, "is not a .npy file");
  std::string shape;
  for (int64_t extent : type.shape)
    shape += std::to_string(extent) + ",";
  if (type.shape.size() > 1)
    shape.pop_back();
  static const std::map<DType, std::string> spellings = {
      {DType::Bool, "|b1"}, {DType::I8, "|i1"},  {DType::I16, "<i2"},
      {DType::I32, "<i4"},  {DType::I64, "<i8"}, {DType::U8, "|u1"},
      {DType::U16, "<u2"},  {DType::U32, "<u4"}, {DType::U64, "<u8"},
      {DType::F16, "<f2"},  {DType::F32, "<f4"}, {DType::F64, "<f8"}};
  const auto spelling = spellings.find(type.dtype);
  const auto says = [&](const std::string &what) {
    return header.find(what) != std::string::npos;
  };
  if (spelling == spellings.end() ||
      !says("'descr':'" + spelling->second + "'") ||
      !says("'fortran_order':False") ||
      (!says("'shape':(" + shape + ")") && !says("'shape':(" + shape + ",)")))
    return error(place, "does not hold " + toString(type) +
                            " in C order; its header is " + header);
  add("offset", std::to_string(begin));
  add("length", std::to_string(*byteCount(type)));
}
