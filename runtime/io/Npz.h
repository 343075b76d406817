// NumPy's .npz files: several arrays by name, each a .npy in a zip archive.
#ifndef SMEX_RUNTIME_IO_NPZ_H
#define SMEX_RUNTIME_IO_NPZ_H

#include "dialects/support/Tensor.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace smex::io {

class Npz {
public:
  /// Reads what the archive lists. Any byte string is a safe input; `bytes`
  /// must outlive what is made, and `name` is the file's, for messages.
  static Result<Npz> open(std::string_view bytes, const std::string &name);

  bool has(const std::string &array) const { return places.count(array); }
  /// "a, b and c".
  std::string names() const;

  Result<Tensor> read(const std::string &array) const;
  /// The .npy file of an array, for those that hold no numbers.
  Result<std::string> readBytes(const std::string &array) const;

private:
  std::string_view bytes;
  std::string name;
  std::map<std::string, uint64_t> places; // in the archive's directory
};

/// The archive of .npy files, by name, uncompressed, as NumPy writes it.
std::string
formatNpz(const std::vector<std::pair<std::string, std::string>> &files);

} // namespace smex::io

#endif
