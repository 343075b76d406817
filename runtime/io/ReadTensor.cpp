#include "runtime/io/ReadTensor.h"

#include "dialects/support/File.h"
#include "runtime/io/Npy.h"
#include "runtime/io/Npz.h"
#include "runtime/io/SparseMatrix.h"
#include "runtime/io/TensorProto.h"

using namespace smex;

/// A sparse matrix, made dense, or the only array that there is.
static Result<Tensor> parseNpz(std::string_view bytes,
                               const std::string &path) {
  const auto npz = io::Npz::open(bytes, path);
  if (!npz)
    return npz.error();
  if (npz->has("format")) {
    const auto matrix = io::parseSparseMatrix(bytes, path);
    return matrix ? io::toDense(*matrix, path) : matrix.error();
  }
  if (npz->names().find(' ') != std::string::npos)
    return fail(path, ": has several arrays, ", npz->names(),
                "; save one, as .npy");
  return npz->read(npz->names());
}

Result<Tensor> io::readTensor(const std::string &path) {
  const auto bytes = readFile(path);
  if (!bytes)
    return bytes.error();
  const auto endsWith = [&](std::string_view end) {
    return path.size() >= end.size() &&
           path.compare(path.size() - end.size(), end.size(), end) == 0;
  };
  if (bytes->compare(0, 6, "\x93NUMPY") == 0 || endsWith(".npy"))
    return parseNpy(*bytes, path);
  if (endsWith(".pb"))
    return parseTensorProto(*bytes, path);
  if (bytes->compare(0, 4, "PK\3\4") == 0 || endsWith(".npz"))
    return parseNpz(*bytes, path);
  return fail(path, ": neither a .npy or .npz file nor an ONNX TensorProto "
                    "(.pb)");
}
