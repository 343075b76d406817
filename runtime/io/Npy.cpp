#include "runtime/io/Npy.h"

#include "dialects/support/File.h"

#include <algorithm>
#include <cstring>

using namespace smex;
using namespace smex::io;

namespace {
constexpr std::string_view magic = "\x93NUMPY";

struct Spelling {
  std::string_view text; // without the byte order
  DType type;
};
constexpr Spelling spellings[] = {
    {"b1", DType::Bool}, {"i1", DType::I8},  {"i2", DType::I16},
    {"i4", DType::I32},  {"i8", DType::I64}, {"u1", DType::U8},
    {"u2", DType::U16},  {"u4", DType::U32}, {"u8", DType::U64},
    {"f2", DType::F16},  {"f4", DType::F32}, {"f8", DType::F64},
};

/// What the header's dictionary says.
struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<int64_t> shape;
};

/// The header is a Python literal; this reads the part of Python that NumPy
/// writes there: a dictionary of strings, booleans and tuples of integers.
class HeaderParser {
public:
  HeaderParser(std::string_view text, const std::string &name)
      : text(text), name(name) {}

  Result<Header> parse() {
    bool seen[3] = {};
    if (!take('{'))
      return bad("a dictionary");
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':'))
        return bad("a key and ':'");
      const int which = key == "descr"           ? 0
                        : key == "fortran_order" ? 1
                        : key == "shape"         ? 2
                                                 : -1;
      if (which < 0 || seen[which])
        return fail(name, ": .npy header: unexpected key at byte ", at);
      seen[which] = true;
      if (which == 0 && peek() == '[')
        return fail(name, ": structured arrays are not supported; save one "
                          "array of numbers");
      if (which == 0 && !string(header.descr))
        return bad("a string");
      if (which == 1 && !boolean(header.fortran))
        return bad("True or False");
      if (which == 2 && !tuple(header.shape))
        return bad("a tuple of sizes below 2^63");
      if (!take(',') && peek() != '}')
        return bad("',' or '}'");
    }
    peek(); // skips the padding
    if (at != text.size())
      return bad("the end of the header");
    if (!seen[0] || !seen[1] || !seen[2])
      return fail(name, ": .npy header lacks descr, fortran_order or shape");
    return header;
  }

private:
  Error bad(const char *expected) const {
    return fail(name, ": .npy header: ", expected, " expected at byte ", at);
  }
  char peek() {
    while (at < text.size() && std::strchr(" \t\r\n", text[at]) && text[at])
      ++at;
    return at < text.size() ? text[at] : '\0';
  }
  bool take(char c) {
    if (peek() != c || at == text.size())
      return false;
    ++at;
    return true;
  }
  bool string(std::string &value) {
    const char quote = peek();
    if (quote != '\'' && quote != '"')
      return false;
    const size_t end = text.find(quote, at + 1);
    if (end == std::string_view::npos || end - at > 64)
      return false;
    value = std::string(text.substr(at + 1, end - at - 1));
    at = end + 1;
    return true;
  }
  bool boolean(bool &value) {
    peek();
    for (std::string_view word : {"True", "False"})
      if (text.substr(at, word.size()) == word) {
        at += word.size();
        value = word == "True";
        return true;
      }
    return false;
  }
  bool tuple(std::vector<int64_t> &values) {
    if (!take('('))
      return false;
    while (!take(')')) {
      int64_t value = 0;
      if (peek() < '0' || peek() > '9' || values.size() == 64)
        return false;
      for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, text[at] - '0', &value))
          return false;
      values.push_back(value);
      if (!take(',') && peek() != ')')
        return false;
    }
    return true;
  }

  std::string_view text;
  const std::string &name;
  size_t at = 0;
  Header header;
};

Result<DType> dtypeOf(const std::string &descr, const std::string &name) {
  const char order = descr.empty() ? '\0' : descr[0];
  const std::string_view type = std::string_view(descr).substr(order ? 1 : 0);
  const bool oneByte = !type.empty() && type.back() == '1';
  if (order == '>' && !oneByte)
    return fail(name, ": big-endian data ('", descr, "') is not supported; ",
                "convert it, in NumPy with .astype('<", type, "')");
  for (const Spelling &spelling : spellings)
    if (spelling.text == type && std::strchr("<=|>", order))
      return spelling.type;
  return fail(name, ": element type '", descr, "' is not supported; ",
              "supported are b1, i1 to i8, u1 to u8, f2, f4 and f8");
}

/// Column-major bytes to row-major ones.
void fromFortran(const char *from, Tensor &to) {
  const std::vector<int64_t> &shape = to.type.shape;
  const size_t rank = shape.size(), size = size_t(byteSize(to.type.dtype));
  // Row-major strides of the shape read backwards are the column-major ones.
  std::vector<int64_t> strides =
      rowMajorStrides({shape.rbegin(), shape.rend()});
  std::reverse(strides.begin(), strides.end());
  std::vector<int64_t> at(rank, 0);
  size_t offset = 0;
  for (size_t done = 0; done < to.bytes.size(); done += size) {
    std::memcpy(to.bytes.data() + done, from + offset * size, size);
    for (size_t d = rank; d-- > 0;) {
      offset += size_t(strides[d]);
      if (++at[d] < shape[d])
        break;
      offset -= size_t(strides[d] * shape[d]);
      at[d] = 0;
    }
  }
}
} // namespace

Result<Tensor> io::parseNpy(std::string_view bytes, const std::string &name) {
  if (bytes.substr(0, magic.size()) != magic)
    return fail(name, ": not a .npy file");
  const auto byte = [&](size_t i) { return size_t(uint8_t(bytes[i])); };
  const size_t version = bytes.size() > 6 ? byte(6) : 0;
  if (bytes.size() >= 8 && (version < 1 || version > 3))
    return fail(name, ": .npy version ", version, " is not supported");
  const size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start)
    return fail(name, ": truncated: the .npy header is not complete");
  size_t length = byte(8) | byte(9) << 8;
  if (version > 1)
    length |= byte(10) << 16 | byte(11) << 24;
  if (bytes.size() - start < length)
    return fail(name, ": truncated: the .npy header is not complete");

  auto header = HeaderParser(bytes.substr(start, length), name).parse();
  if (!header)
    return header.takeError();
  const auto dtype = dtypeOf(header->descr, name);
  if (!dtype)
    return dtype.error();
  TensorType type{*dtype, header->shape};
  const auto need = byteCount(type);
  const std::string_view data = bytes.substr(start + length);
  if (!need || uint64_t(*need) != data.size())
    return fail(name, ": ", toString(type), " takes ",
                need ? std::to_string(*need) : std::string("too many"),
                " bytes; the file has ", data.size());

  Tensor tensor = makeTensor(std::move(type));
  if (header->fortran)
    fromFortran(data.data(), tensor);
  else if (!data.empty())
    std::memcpy(tensor.bytes.data(), data.data(), data.size());
  if (*dtype == DType::Bool) // any other byte would be a third truth value
    for (std::byte &value : tensor.bytes)
      value = std::byte(value != std::byte(0));
  return tensor;
}

Result<Tensor> io::readNpy(const std::string &path) {
  const auto bytes = readFile(path);
  if (!bytes)
    return bytes.error();
  return parseNpy(*bytes, path);
}

/// All before the numbers: `descr` with its byte order.
static std::string formatHeader(const std::string &descr,
                                const std::vector<int64_t> &shape) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (size_t d = 0; d < shape.size(); ++d)
    header += (d ? " " : "") + std::to_string(shape[d]) + ",";
  if (shape.size() > 1)
    header.pop_back(); // only a tuple of one keeps its comma
  header += "), }";
  const bool wide = header.size() + 11 > 0xffff; // hundreds of dimensions
  const size_t start = wide ? 12 : 10;
  header.append(63 - (start + header.size()) % 64, ' ');
  header += '\n';

  std::string bytes(magic);
  bytes += wide ? '\2' : '\1';
  bytes += '\0';
  for (size_t i = 0; i < start - 8; ++i)
    bytes += char(header.size() >> (8 * i));
  return bytes += header;
}

std::string io::formatNpy(const Tensor &tensor) {
  const bool widen = tensor.type.dtype == DType::BF16;
  std::string descr;
  for (const Spelling &spelling : spellings)
    if (spelling.type == (widen ? DType::F32 : tensor.type.dtype))
      descr = spelling.text;
  descr.insert(0, descr.back() == '1' ? "|" : "<");
  std::string bytes = formatHeader(descr, tensor.type.shape);
  if (!widen)
    return bytes.append(reinterpret_cast<const char *>(tensor.bytes.data()),
                        tensor.bytes.size());
  for (size_t i = 0; i < tensor.bytes.size() / 2; ++i) {
    const float value = bfloatToFloat(tensor.data<uint16_t>()[i]);
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  return bytes;
}

std::string io::formatNpyText(std::string_view text) {
  return formatHeader("|S" + std::to_string(text.size()), {}).append(text);
}

Status io::writeNpy(const std::string &path, const Tensor &tensor) {
  return writeFile(path, formatNpy(tensor));
}
