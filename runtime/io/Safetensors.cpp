#include "runtime/io/Safetensors.h"

#include "dialects/support/Text.h"
#include "runtime/plan/Json.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace smex;
using namespace smex::io;
using plan::Json;

namespace {
constexpr int64_t lengthBytes = 8;
constexpr int64_t headerLimit = 100'000'000; // the format's own
constexpr int64_t alignment = 64;            // of what is written
constexpr const char *metadataKey = "__metadata__";

struct Spelling {
  const char *text;
  DType type;
};
constexpr Spelling spellings[] = {
    {"BOOL", DType::Bool}, {"I8", DType::I8},     {"I16", DType::I16},
    {"I32", DType::I32},   {"I64", DType::I64},   {"U8", DType::U8},
    {"U16", DType::U16},   {"U32", DType::U32},   {"U64", DType::U64},
    {"F16", DType::F16},   {"BF16", DType::BF16}, {"F32", DType::F32},
    {"F64", DType::F64},
};

class HeaderParser {
public:
  HeaderParser(std::string_view bytes, const std::string &name)
      : name(name), size(int64_t(bytes.size())), bytes(bytes) {}

  Result<SafetensorsHeader> parse() {
    if (size < lengthBytes)
      return fail(name, ": truncated: no safetensors file has ", size,
                  " bytes");
    uint64_t length = 0;
    for (int64_t i = lengthBytes; i-- > 0;)
      length = length << 8 | uint8_t(bytes[size_t(i)]);
    if (length > uint64_t(headerLimit))
      return fail(name, ": not a safetensors file: its header would have ",
                  length, " bytes, ", headerLimit, " are allowed");
    if (int64_t(length) > size - lengthBytes)
      return fail(name, ": truncated: the header has ", length,
                  " bytes, the file ", size);
    start = lengthBytes + int64_t(length);
    const std::string_view text = bytes.substr(lengthBytes, size_t(length));
    if (text.empty() || text.front() != '{')
      return fail(name, ": not a safetensors file: the header is no object");
    const auto json = plan::parseJson(text);
    if (!json)
      return fail(name, ": safetensors header: ", json.error().message);
    for (auto member = json->begin(); member != json->end(); ++member) {
      Status taken = member.key() == metadataKey
                         ? metadata(member.value())
                         : tensor(member.key(), member.value());
      if (!taken)
        return taken.takeError();
    }
    if (Status laid = layout(); !laid)
      return laid.takeError();
    return std::move(header);
  }

private:
  struct Place {
    int64_t begin, end; // in the data
    const std::string *tensor;
  };

  template <typename... Parts>
  Error bad(const std::string &tensor, Parts &&...parts) const {
    return fail(name, ": tensor \"",
                isText(tensor) ? tensor : printable(tensor),
                "\": ", std::forward<Parts>(parts)...);
  }

  Status metadata(const Json &strings) {
    if (!strings.is_object())
      return fail(name, ": safetensors header: \"", metadataKey,
                  "\" must be an object of strings");
    for (auto member = strings.begin(); member != strings.end(); ++member) {
      if (!member.value().is_string())
        return fail(name, ": safetensors header: \"", metadataKey,
                    "\" must be an object of strings");
      header.metadata[member.key()] = member.value().get<std::string>();
    }
    return {};
  }

  /// An array of integers of at least 0.
  static std::optional<std::vector<int64_t>> integers(const Json &object,
                                                      const char *key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_array())
      return std::nullopt;
    std::vector<int64_t> values;
    for (const Json &element : *found) {
      if (!element.is_number_unsigned() ||
          element.get<uint64_t>() > uint64_t(INT64_MAX))
        return std::nullopt;
      values.push_back(element.get<int64_t>());
    }
    return values;
  }

  Status tensor(const std::string &tensor, const Json &json) {
    if (!json.is_object() || json.size() != 3 || !json.contains("dtype") ||
        !json.contains("shape") || !json.contains("data_offsets"))
      return bad(tensor,
                 "must have dtype, shape and data_offsets, and no more");
    const Json &dtype = json["dtype"];
    if (!dtype.is_string())
      return bad(tensor, "dtype must be a string");
    const std::string spelled = dtype.get<std::string>();
    const auto spelling =
        std::find_if(std::begin(spellings), std::end(spellings),
                     [&](const Spelling &s) { return spelled == s.text; });
    if (spelling == std::end(spellings))
      return bad(tensor, "element type ", printable(spelled),
                 " is not supported");
    const auto shape = integers(json, "shape");
    if (!shape)
      return bad(tensor, "shape must be an array of integers of at least 0");
    const TensorType type{spelling->type, *shape};
    const auto offsets = integers(json, "data_offsets");
    if (!offsets || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1])
      return bad(tensor, "data_offsets must be a begin and an end");
    const int64_t begin = (*offsets)[0], end = (*offsets)[1];
    const auto need = byteCount(type);
    if (!need || *need != end - begin)
      return bad(tensor, toString(type), " takes ",
                 need ? std::to_string(*need) : std::string("too many"),
                 " bytes; its data_offsets hold ", end - begin);
    if (end > size - start)
      return bad(tensor, "truncated: its data ends at byte ", end,
                 ", the file's at ", size - start);
    const auto entry =
        header.tensors
            .emplace(tensor, SafetensorsHeader::Entry{type, start + begin})
            .first;
    places.push_back({begin, end, &entry->first});
    return {};
  }

  /// Every byte of the data is one tensor's.
  Status layout() {
    std::sort(places.begin(), places.end(), [](const Place &a, const Place &b) {
      return std::make_pair(a.begin, a.end) < std::make_pair(b.begin, b.end);
    });
    int64_t at = 0;
    const std::string *before = nullptr;
    for (const Place &place : places) {
      if (place.begin < at)
        return bad(*place.tensor, "its data overlaps that of tensor \"",
                   printable(*before), "\"");
      if (place.begin > at)
        return bad(*place.tensor, place.begin - at,
                   " bytes before its data belong to no tensor");
      at = place.end;
      before = place.tensor;
    }
    if (at != size - start)
      return fail(name, ": ", size - start - at,
                  " bytes after the last tensor belong to none");
    return {};
  }

  const std::string &name;
  int64_t size, start = 0;
  std::string_view bytes;
  SafetensorsHeader header;
  std::vector<Place> places;
};
} // namespace

Result<SafetensorsHeader> io::parseSafetensors(std::string_view bytes,
                                               const std::string &name) {
  return HeaderParser(bytes, name).parse();
}

Result<Safetensors> Safetensors::open(const std::string &path) {
  auto mapped = MappedFile::open(path);
  if (!mapped)
    return mapped.takeError();
  Safetensors opened;
  opened.file = path;
  opened.mapped = std::move(*mapped);
  auto header = parseSafetensors(opened.bytes(), path);
  if (!header)
    return header.takeError();
  opened.contents = std::move(*header);
  return opened;
}

Result<SafetensorsWriter>
SafetensorsWriter::create(const std::string &path,
                          const std::map<std::string, TensorType> &tensors,
                          const std::map<std::string, std::string> &metadata) {
  // Large elements first: then all of them are aligned.
  std::vector<const std::pair<const std::string, TensorType> *> order;
  for (const auto &tensor : tensors)
    order.push_back(&tensor);
  std::stable_sort(order.begin(), order.end(), [](auto *a, auto *b) {
    return byteSize(a->second.dtype) > byteSize(b->second.dtype);
  });
  SafetensorsWriter writer;
  Json json = Json::object();
  if (!metadata.empty())
    json[metadataKey] = metadata;
  int64_t at = 0;
  for (const auto *tensor : order) {
    const auto &[name, type] = *tensor;
    const auto bytes = byteCount(type);
    if (name == metadataKey || !isText(name))
      return fail(path, ": tensor \"", printable(name),
                  "\": no safetensors file can hold one of this name");
    if (!bytes || *bytes > INT64_MAX / 2 - at)
      return fail(path, ": tensor \"", name, "\" is too large");
    const auto *spelling =
        std::find_if(std::begin(spellings), std::end(spellings),
                     [&](const Spelling &s) { return s.type == type.dtype; });
    json[name] = {{"dtype", spelling->text},
                  {"shape", type.shape},
                  {"data_offsets", {at, at + *bytes}}};
    writer.offsets[name] = at;
    at += *bytes;
  }
  std::string header = json.dump();
  header.append(size_t(alignment - 1) -
                    (size_t(lengthBytes) + header.size() - 1) % alignment,
                ' ');
  if (int64_t(header.size()) > headerLimit)
    return fail(path, ": too many tensors for a safetensors file");
  const int64_t start = lengthBytes + int64_t(header.size());
  for (auto &offset : writer.offsets)
    offset.second += start;
  auto file = StagedFile::create(path, start + at);
  if (!file)
    return file.takeError();
  writer.file = std::move(*file);
  for (int64_t i = 0; i < lengthBytes; ++i)
    writer.file.data()[i] = std::byte(uint64_t(header.size()) >> (8 * i));
  std::memcpy(writer.file.data() + lengthBytes, header.data(), header.size());
  return writer;
}

std::byte *SafetensorsWriter::data(const std::string &tensor) {
  const auto found = offsets.find(tensor);
  return found == offsets.end() ? nullptr : file.data() + found->second;
}
