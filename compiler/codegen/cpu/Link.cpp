// lld, in this process: no tool is needed on the user's machine. It reads and
// writes files only, so both lie in a temporary folder for a moment.
#include "compiler/codegen/cpu/Lower.h"

#include "dialects/support/File.h"

#include "lld/Common/Driver.h"

#include "llvm/Object/ELFObjectFile.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace smex;
using namespace smex::codegen;

namespace {

Error defect(std::string message) {
  Error error;
  error.message = std::move(message);
  error.fault = Fault::Defect;
  return error;
}

class TemporaryFolder {
public:
  TemporaryFolder() {
    if (const char *given = std::getenv("TMPDIR"); given && *given)
      root = given;
    path = root + "/smex-XXXXXX";
    made = mkdtemp(path.data()) != nullptr;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (made)
      std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  /// What went wrong, said of the folder that the user knows.
  Error error(const std::string &reason) const {
    Error error = fail(root, ": cannot hold temporary files: ", reason,
                       "; make room there, or set TMPDIR");
    error.fault = Fault::Environment;
    return error;
  }

  std::string root = "/tmp", path;
  bool made = false;
};

/// Without the care that outputs of a program get: no other process sees it.
bool writeTemporary(const std::string &path, const std::string &bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), std::streamsize(bytes.size()));
  return bool(file.flush());
}

/// Whether lld could not write, rather than not link.
bool isAboutFiles(const std::string &messages) {
  for (const char *sign :
       {"failed to open", "failed to write", "cannot open", "No space left"})
    if (messages.find(sign) != std::string::npos)
      return true;
  return false;
}

/// What the dynamic loader would have to find elsewhere.
Status verifyImportFree(const std::string &bytes) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(bytes, "kernels.so"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return defect("the linked kernels are not an ELF file");
  }
  const auto &elf = llvm::cast<llvm::object::ELFObjectFileBase>(**file);
  for (const llvm::object::ELFSymbolRef &symbol :
       elf.getDynamicSymbolIterators()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      return defect("the linked kernels have an unreadable symbol");
    }
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty())
      return defect("generated kernels import '" + name->str() + "'");
  }
  return {};
}

} // namespace

Result<std::string>
codegen::linkShared(const std::vector<std::string> &objects) {
  const TemporaryFolder folder;
  if (!folder.made)
    return folder.error(std::strerror(errno));
  const std::string output = folder.path + "/kernels.so";
  std::vector<std::string> inputs;
  for (const std::string &object : objects) {
    inputs.push_back(folder.path + "/" + std::to_string(inputs.size()) + ".o");
    if (!writeTemporary(inputs.back(), object))
      return folder.error(std::strerror(errno));
  }

  // No build id, no name, one thread: nothing but the objects decides the
  // bytes.
  std::vector<const char *> arguments = {
      "ld.lld",         "-shared",          "-m",          "elf_x86_64",
      "-Bsymbolic",     "--strip-all",      "--threads=1", "--build-id=none",
      "--no-undefined", "--hash-style=gnu", "-o",          output.c_str()};
  for (const std::string &input : inputs)
    arguments.push_back(input.c_str());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  {
    // lld keeps its state in globals.
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    const lld::Result result =
        lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode != 0 && isAboutFiles(messages))
      return folder.error("the linker found no room");
    if (result.retCode != 0)
      return defect("generated kernels do not link: " +
                    messages.substr(0, messages.find('\n')));
  }
  Result<std::string> bytes = readFile(output);
  if (!bytes)
    return bytes;
  if (Status free = verifyImportFree(*bytes); !free)
    return free.takeError();
  return bytes;
}
