#include "runtime/io/ReadTensor.h"

#include "runtime/io/Npy.h"
#include "runtime/io/TensorProto.h"
#include "support/File.h"

using namespace smex;

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
  return fail(path, ": neither a .npy file nor an ONNX TensorProto (.pb)");
}
