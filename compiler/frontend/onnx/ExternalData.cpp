// Tensors whose bytes lie beside the model. A model is data from outside: it
// must not make the compiler read (and put into a plan) any file but its own.
#include "compiler/frontend/onnx/Reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstdlib>

using namespace smex;
using namespace smex::frontend;

static std::optional<int64_t> parseNumber(const std::string &text) {
  int64_t value = 0;
  const auto end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 0)
    return std::nullopt;
  return value;
}

/// The path with all links followed; empty where there is no such file.
static std::string canonicalPath(const std::string &path) {
  char *resolved = realpath(path.c_str(), nullptr);
  std::string result = resolved ? resolved : "";
  std::free(resolved);
  return result;
}

static TensorType typeOf(const onnx::TensorProto &tensor) {
  return {dtypeOf(tensor.data_type()).value_or(DType::F32),
          {tensor.dims().begin(), tensor.dims().end()}};
}

/// The file that the location means; empty where it is not there.
static Result<std::string> findInside(const std::string &folder,
                                      const std::string &location) {
  if (location.empty() || location.find('\0') != std::string::npos)
    return fail("has external data without a file name");
  if (location.front() == '/')
    return fail("refers to \"", location,
                "\": external data must be named "
                "relative to the model");
  for (size_t at = 0; at <= location.size();) {
    const size_t end = std::min(location.find('/', at), location.size());
    if (location.compare(at, end - at, "..") == 0)
      return fail("refers to \"", location,
                  "\", which is outside the model's folder");
    at = end + 1;
  }
  const std::string root = canonicalPath(folder);
  const std::string file = canonicalPath(folder + "/" + location);
  if (root.empty() || file.empty())
    return std::string(); // not there
  const std::string prefix = root == "/" ? root : root + "/";
  if (file != root && file.compare(0, prefix.size(), prefix) != 0)
    return fail("refers to \"", location,
                "\", a link that leads out of the model's folder");
  return file;
}

Result<ParameterData>
smex::frontend::findExternal(const onnx::TensorProto &tensor, int64_t bytes,
                             const TensorSource &source) {
  ParameterData data;
  std::string location;
  std::optional<int64_t> offset = 0, length = bytes;
  for (const auto &entry : tensor.external_data()) {
    if (entry.key() == "location")
      location = entry.value();
    else if (entry.key() == "offset")
      offset = parseNumber(entry.value());
    else if (entry.key() == "length")
      length = parseNumber(entry.value());
    else if (entry.key() == drawnKey) {
      char *end = nullptr;
      data.kind = ParameterData::Kind::Drawn;
      data.scale = std::strtod(entry.value().c_str(), &end);
      if (end == entry.value().c_str() || *end || !std::isfinite(data.scale))
        return fail("is to be drawn with a scale that is not a number");
      return data;
    }
  }
  auto path = findInside(source.folder, location);
  if (!path)
    return path.takeError();
  if (!offset || !length)
    return fail("has an offset or length that is not a number");
  if (*length != bytes)
    return fail("has ", *length, " bytes in \"", location,
                "\", its type asks for ", bytes);
  const auto missing = [&](auto... what) -> Result<ParameterData> {
    if (source.drawMissing)
      return drawMissing(typeOf(tensor));
    return fail(what..., drawMissingHint);
  };
  if (path->empty())
    return missing("refers to \"", location, "\", which is not there");
  struct stat status;
  if (stat(path->c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return fail("refers to \"", location, "\", which is not a file");
  if (*offset > status.st_size || bytes > status.st_size - *offset)
    return missing("needs bytes ", *offset, " to ",
                   uint64_t(*offset) + uint64_t(bytes), " of \"", location,
                   "\", which has ", int64_t(status.st_size));
  data.kind = ParameterData::Kind::File;
  data.path = *path;
  data.offset = *offset;
  if (source.files && std::find(source.files->begin(), source.files->end(),
                                *path) == source.files->end())
    source.files->push_back(*path);
  return data;
}
