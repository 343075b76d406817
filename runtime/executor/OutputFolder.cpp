#include "runtime/executor/OutputFolder.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

using namespace smex;
using namespace smex::runtime;
namespace fs = std::filesystem;

static Error environment(const std::string &directory, const char *what,
                         const std::string &reason) {
  Error error = fail(directory, ": cannot ", what, ": ", reason);
  error.fault = Fault::Environment;
  return error;
}

OutputFolder::~OutputFolder() {
  for (size_t i = made.size(); i-- > 0;)
    ::rmdir(made[i].c_str()); // fails where there is something in it
}

Result<OutputFolder> OutputFolder::open(const std::string &directory) {
  std::error_code code;
  std::vector<fs::path> missing;
  for (fs::path path = directory; !path.empty() && !fs::exists(path, code);
       path = path.parent_path())
    missing.push_back(path);
  OutputFolder folder;
  for (size_t i = missing.size(); i-- > 0;) {
    if (fs::create_directory(missing[i], code))
      folder.made.push_back(missing[i].string());
    if (code)
      return environment(directory, "create", code.message());
  }
  if (!fs::is_directory(directory, code))
    return fail(directory, ": exists and is not a folder");

  const fs::path probe =
      fs::path(directory) / (".smex-run-" + std::to_string(::getpid()));
  const int file =
      ::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0)
    return environment(directory, "write there", std::strerror(errno));
  ::close(file);
  ::unlink(probe.c_str());
  return folder;
}
