#include "runtime/io/SparseMatrix.h"

#include "dialects/support/File.h"
#include "runtime/io/Compare.h"
#include "runtime/io/Npz.h"
#include "runtime/io/SparseText.h"

#include <algorithm>

using namespace smex;
using namespace smex::io;

namespace {

bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

/// A vector of i32 or i64, as i64.
Result<std::vector<int64_t>>
readIndices(const Npz &npz, const std::string &array, const std::string &name) {
  const auto tensor = npz.read(array);
  if (!tensor)
    return tensor.error();
  const TensorType &type = tensor->type;
  if (type.rank() != 1 ||
      (type.dtype != DType::I32 && type.dtype != DType::I64))
    return fail(name, ": array \"", array,
                "\": must be a vector of 32 or 64 bit integers, is ",
                toString(type));
  std::vector<int64_t> list(size_t(type.shape[0]));
  for (size_t i = 0; i < list.size(); ++i)
    list[i] = type.dtype == DType::I32 ? tensor->data<int32_t>()[i]
                                       : tensor->data<int64_t>()[i];
  return list;
}

Status checkWithin(const std::vector<int64_t> &list, int64_t size,
                   const char *what, const std::string &name) {
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i] < 0 || list[i] >= size)
      return fail(name, ": entry ", i, " is in ", what, " ", list[i], " of ",
                  size);
  return {};
}

Status checkWithin(const SparseMatrix &matrix, const std::string &name) {
  if (Status ok = checkWithin(matrix.row, matrix.rows, "row", name); !ok)
    return ok;
  return checkWithin(matrix.column, matrix.columns, "column", name);
}

/// What scipy wrote as a text of three letters, as bytes or as Unicode.
Result<std::string> formatOf(const Npz &npz) {
  auto bytes = npz.readBytes("format");
  if (!bytes)
    return bytes;
  bytes->erase(std::remove(bytes->begin(), bytes->end(), '\0'), bytes->end());
  return bytes->size() < 3 ? "" : bytes->substr(bytes->size() - 3);
}

Result<SparseMatrix> parseNpz(std::string_view bytes, const std::string &name) {
  const auto npz = Npz::open(bytes, name);
  if (!npz)
    return npz.error();
  if (!npz->has("format"))
    return fail(name, ": is no sparse matrix of scipy (it has ", npz->names(),
                ")");
  const auto format = formatOf(*npz);
  const auto shape = readIndices(*npz, "shape", name);
  if (!format || !shape)
    return !format ? format.error() : shape.error();
  if (shape->size() != 2 || (*shape)[0] < 0 || (*shape)[1] < 0)
    return fail(name, ": the shape is not that of a matrix");
  SparseMatrix matrix;
  matrix.rows = (*shape)[0];
  matrix.columns = (*shape)[1];
  auto values = npz->read("data");
  if (!values)
    return values.error();
  matrix.values = std::move(*values);
  if (*format == "coo") {
    auto row = readIndices(*npz, "row", name);
    auto column = readIndices(*npz, "col", name);
    if (!row || !column)
      return !row ? row.error() : column.error();
    matrix.row = std::move(*row);
    matrix.column = std::move(*column);
  } else if (*format == "csr" || *format == "csc") {
    const bool byRow = *format == "csr";
    auto inner = readIndices(*npz, "indices", name);
    const auto pointers = readIndices(*npz, "indptr", name);
    if (!inner || !pointers)
      return !inner ? inner.error() : pointers.error();
    const int64_t outerSize = byRow ? matrix.rows : matrix.columns;
    if (int64_t(pointers->size()) - 1 != outerSize || (*pointers)[0] != 0 ||
        !std::is_sorted(pointers->begin(), pointers->end()) ||
        pointers->back() != int64_t(inner->size()))
      return fail(name,
                  ": \"indptr\" must ascend from 0 to the number of "
                  "entries, with one number more than there are ",
                  byRow ? "rows" : "columns");
    std::vector<int64_t> outer;
    outer.reserve(inner->size());
    for (size_t i = 0; i + 1 < pointers->size(); ++i)
      outer.resize(size_t((*pointers)[i + 1]), int64_t(i));
    matrix.row = std::move(byRow ? outer : *inner);
    matrix.column = std::move(byRow ? *inner : outer);
  } else {
    return fail(name, ": is a sparse matrix of format \"", *format,
                "\"; save it as CSR, CSC or COO");
  }
  if (matrix.row.size() != matrix.column.size() ||
      matrix.values.type.rank() != 1 ||
      matrix.values.type.shape[0] != matrix.entries())
    return fail(name, ": has not as many values as places");
  if (Status ok = checkWithin(matrix, name); !ok)
    return ok.takeError();
  return matrix;
}

template <typename T> void addUp(const SparseMatrix &matrix, Tensor &dense) {
  const bool ones = matrix.values.bytes.empty();
  for (size_t i = 0; i < matrix.row.size(); ++i) {
    T &element =
        dense.data<T>()[matrix.row[i] * matrix.columns + matrix.column[i]];
    element = T(element + (ones ? T(1) : matrix.values.data<T>()[i]));
  }
}

} // namespace

Result<SparseMatrix> io::parseSparseMatrix(std::string_view bytes,
                                           const std::string &name) {
  return endsWith(name, ".npz") || bytes.substr(0, 4) == "PK\3\4"
             ? parseNpz(bytes, name)
             : parseSparseText(bytes, name);
}

Result<SparseMatrix> io::readSparseMatrix(const std::string &path) {
  const auto bytes = readFile(path);
  if (!bytes)
    return bytes.error();
  return parseSparseMatrix(*bytes, path);
}

double io::valueOf(const SparseMatrix &matrix, int64_t entry) {
  return matrix.values.bytes.empty() ? 1 : realAt(matrix.values, entry);
}

Result<Tensor> io::toDense(const SparseMatrix &matrix,
                           const std::string &name) {
  const DType dtype =
      matrix.values.bytes.empty() ? DType::F32 : matrix.values.type.dtype;
  const TensorType type = {dtype, {matrix.rows, matrix.columns}};
  const auto bytes = byteCount(type);
  constexpr int64_t most = int64_t(1) << 40;
  if (!bytes || *bytes > most)
    return fail(name, ": as a dense array, ", toString(type),
                " has more than 2^40 bytes");
  Tensor dense = makeTensor(type);
  switch (dtype) {
  case DType::F32:
    addUp<float>(matrix, dense);
    break;
  case DType::F64:
    addUp<double>(matrix, dense);
    break;
  case DType::I32:
    addUp<int32_t>(matrix, dense);
    break;
  case DType::I64:
    addUp<int64_t>(matrix, dense);
    break;
  case DType::I8:
    addUp<int8_t>(matrix, dense);
    break;
  default:
    return fail(name, ": a sparse matrix of ", toString(type),
                ": only f32, f64, i8, i32 and i64 can be read");
  }
  return dense;
}
