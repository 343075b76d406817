#include "test/emulated/nccl/Meeting.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <unistd.h>

namespace smex::emulated {
namespace {

std::string root() {
  if (const char *folder = std::getenv("SMEX_EMULATED_NCCL_FOLDER"))
    return folder;
  return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

} // namespace

Meeting::Meeting(const std::string &name)
    : folder(root() + "/smex-emulated-nccl-" + name) {
  std::error_code ignored; // what comes next says so
  std::filesystem::create_directories(folder, ignored);
}

/// A file that nobody else writes.
static std::string draftIn(const std::string &folder,
                           const std::string &contents) {
  static std::atomic<int> count{0};
  const std::string draft =
      folder + "/." + std::to_string(getpid()) + "." + std::to_string(count++);
  std::ofstream(draft, std::ios::binary) << contents;
  return draft;
}

void Meeting::post(const std::string &name, const std::string &contents) const {
  const std::string draft = draftIn(folder, contents);
  if (std::rename(draft.c_str(), (folder + "/" + name).c_str()) != 0)
    throw std::runtime_error("cannot write to " + folder);
}

bool Meeting::postFirst(const std::string &name,
                        const std::string &contents) const {
  const std::string draft = draftIn(folder, contents);
  const bool isFirst =
      ::link(draft.c_str(), (folder + "/" + name).c_str()) == 0;
  const bool isTaken = !isFirst && errno == EEXIST;
  ::unlink(draft.c_str());
  if (!isFirst && !isTaken)
    throw std::runtime_error("cannot write to " + folder);
  return isFirst;
}

bool Meeting::has(const std::string &name) const {
  return access((folder + "/" + name).c_str(), F_OK) == 0;
}

std::optional<std::string> Meeting::read(const std::string &name) const {
  std::ifstream file(folder + "/" + name, std::ios::binary);
  if (!file)
    return std::nullopt;
  std::ostringstream contents;
  contents << file.rdbuf();
  return contents.str();
}

void Meeting::remove(const std::string &name) const {
  unlink((folder + "/" + name).c_str());
}

void Meeting::close() const {
  std::error_code ignored; // another rank may be at it, too
  std::filesystem::remove_all(folder, ignored);
}

} // namespace smex::emulated
