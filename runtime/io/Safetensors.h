// safetensors: named tensors in one file. Eight bytes say how long the header
// is, little-endian; the header is JSON, {"name": {"dtype": "F32", "shape":
// [2, 3], "data_offsets": [0, 24]}, ..}, with strings about the whole file
// under
// "__metadata__"; then come the tensors' bytes, dense, row-major,
// little-endian, without holes.
#ifndef SMEX_RUNTIME_IO_SAFETENSORS_H
#define SMEX_RUNTIME_IO_SAFETENSORS_H

#include "dialects/support/File.h"
#include "dialects/support/Tensor.h"

#include <map>
#include <string>
#include <string_view>

namespace smex::io {

struct SafetensorsHeader {
  struct Entry {
    TensorType type;
    int64_t offset = 0; // from the start of the file
  };
  std::map<std::string, Entry> tensors;
  std::map<std::string, std::string> metadata;
};

/// The header of a whole file. Any byte string is a safe input; `name` is the
/// file's, for messages, which name the tensor as well.
Result<SafetensorsHeader> parseSafetensors(std::string_view bytes,
                                           const std::string &name);

/// A file to read from; its tensors stay on disk.
class Safetensors {
public:
  static Result<Safetensors> open(const std::string &path);

  const std::string &path() const { return file; }
  const SafetensorsHeader &header() const { return contents; }
  /// Where a tensor of the header lies.
  const std::byte *data(const SafetensorsHeader::Entry &entry) const {
    return mapped.data() + entry.offset;
  }
  /// All of the file.
  std::string_view bytes() const {
    return {reinterpret_cast<const char *>(mapped.data()),
            size_t(mapped.size())};
  }

private:
  std::string file;
  MappedFile mapped;
  SafetensorsHeader contents;
};

/// A file to write: made at its full size, filled through `data`, by several
/// threads if need be, and there as a whole after `commit`.
class SafetensorsWriter {
public:
  static Result<SafetensorsWriter>
  create(const std::string &path,
         const std::map<std::string, TensorType> &tensors,
         const std::map<std::string, std::string> &metadata = {});

  /// Where a tensor's bytes go; null if there is none of this name.
  std::byte *data(const std::string &tensor);
  Status commit() { return file.commit(); }

private:
  StagedFile file;
  std::map<std::string, int64_t> offsets;
};

} // namespace smex::io

#endif
