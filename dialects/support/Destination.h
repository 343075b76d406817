// Where a file that a user names is written: links are followed, and a device
// or a pipe is written to. Only a regular file is replaced.
#ifndef SMEX_DIALECTS_SUPPORT_DESTINATION_H
#define SMEX_DIALECTS_SUPPORT_DESTINATION_H

#include "dialects/support/Result.h"

#include <string>
#include <string_view>

namespace smex {

/// "PATH: WHAT: the system's reason", Fault::Environment.
Error writeError(const std::string &path, const char *what, int code);

/// Writes all of the bytes to a descriptor; the system's code of an error, or
/// 0.
int writeAll(int descriptor, std::string_view bytes);

class Destination {
public:
  /// Fails for what can hold no file: a folder, a disk, links in a circle.
  static Result<Destination> find(const std::string &name);

  /// Is there a regular file, or nothing? Then a file beside `path()` can take
  /// its name.
  bool isFile() const { return file; }
  /// The file's name, links followed.
  const std::string &path() const { return target; }

  /// For what is no file: writes to the device or pipe. A pipe that nobody
  /// reads for some seconds is an error.
  Status write(std::string_view bytes) const;

private:
  std::string name, target; // as given, and with links followed
  bool file = true;
  int descriptor = -1; // of this process, where the name says one: /dev/stdout
};

} // namespace smex

#endif
