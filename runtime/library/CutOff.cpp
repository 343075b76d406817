#include "runtime/library/CutOff.h"

#include "dialects/support/File.h"

#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <string_view>
#include <unistd.h>
#include <vector>

using namespace smex;

namespace {
/// /etc/ld.so.cache, as glibc's sysdeps/generic/dl-cache.h has it.
struct CacheHead {
  char magic[20];
  uint32_t libraries = 0;
  uint32_t rest[6];
};
struct CacheEntry {
  int32_t flags = 0;
  uint32_t name = 0, path = 0; // from the beginning of the file
  uint32_t version = 0;
  uint64_t hardware = 0;
};
constexpr std::string_view cacheMagic = "glibc-ld.so.cache1.1";

std::string_view textAt(const std::string &bytes, size_t at) {
  if (at >= bytes.size())
    return "";
  const std::string_view rest = std::string_view(bytes).substr(at);
  return rest.substr(0, rest.find('\0'));
}

std::string inCache(const std::string &name) {
  const auto read = readFile("/etc/ld.so.cache");
  CacheHead head;
  if (!read || read->size() < sizeof head)
    return "";
  std::memcpy(&head, read->data(), sizeof head);
  if (std::string_view(head.magic, sizeof head.magic) != cacheMagic)
    return "";
  for (size_t i = 0; i < head.libraries; ++i) {
    const size_t at = sizeof head + i * sizeof(CacheEntry);
    if (read->size() - sizeof head < (i + 1) * sizeof(CacheEntry))
      return "";
    CacheEntry entry;
    std::memcpy(&entry, read->data() + at, sizeof entry);
    if (textAt(*read, entry.name) == name)
      return std::string(textAt(*read, entry.path));
  }
  return "";
}
} // namespace

std::string runtime::libraryFile(const std::string &name) {
  if (name.find('/') != name.npos)
    return name;
  const char *folders = std::getenv("LD_LIBRARY_PATH");
  const std::string list = folders ? folders : "";
  for (size_t at = 0; !list.empty() && at <= list.size();) {
    const size_t end = std::min(list.find_first_of(":;", at), list.size());
    const std::string folder = list.substr(at, end - at);
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(file.c_str(), R_OK) == 0)
      return file;
    at = end + 1;
  }
  return inCache(name);
}

std::string runtime::whatIsCutOff(const std::string &file) {
  const auto opened = InputFile::open(file);
  Elf64_Ehdr head;
  if (!opened)
    return "";
  const auto readWhole = [&](uint64_t at, void *to, size_t count) {
    if (at > uint64_t(opened->size()))
      return false;
    const auto read = opened->readAt(int64_t(at), to, count);
    return read && *read == count;
  };
  if (!readWhole(0, &head, sizeof head) ||
      std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64 ||
      head.e_phentsize != sizeof(Elf64_Phdr))
    return "";
  std::vector<Elf64_Phdr> segments(head.e_phnum);
  uint64_t needed = head.e_phoff + segments.size() * sizeof(Elf64_Phdr);
  if (readWhole(head.e_phoff, segments.data(),
                segments.size() * sizeof(Elf64_Phdr))) {
    needed = 0;
    for (const Elf64_Phdr &segment : segments)
      if (segment.p_type == PT_LOAD)
        needed = std::max(needed, segment.p_offset + segment.p_filesz);
  }
  const auto there = uint64_t(opened->size());
  return needed <= there
             ? ""
             : file + " is cut off: it has " + std::to_string(there) +
                   " bytes, and " + std::to_string(needed) +
                   " are to be loaded; install it again";
}
