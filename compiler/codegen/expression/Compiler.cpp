#include "compiler/codegen/expression/Compiler.h"

#include "dialects/support/File.h"
#include "dialects/support/Sha256.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <optional>

#include <elf.h>
#include <link.h>

using namespace smex;

namespace {

using Note = ElfW(Nhdr);

size_t aligned(size_t bytes, size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// The build id among the notes in so much memory.
std::optional<std::string> buildId(const char *at, size_t size,
                                   size_t alignment) {
  alignment = alignment == 8 ? 8 : 4;
  while (size >= sizeof(Note)) {
    Note note;
    std::memcpy(&note, at, sizeof note);
    const size_t value = aligned(sizeof note + note.n_namesz, alignment);
    const size_t next = aligned(value + note.n_descsz, alignment);
    if (value + note.n_descsz > size)
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(at + sizeof note, "GNU", 4) == 0)
      return llvm::toHex(llvm::StringRef(at + value, note.n_descsz),
                         /*LowerCase=*/true);
    at += std::min(next, size);
    size -= std::min(next, size);
  }
  return std::nullopt;
}

std::string identityOf(const dl_phdr_info &object) {
  for (size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = object.dlpi_phdr[i];
    if (part.p_type != PT_NOTE)
      continue;
    const auto *notes =
        reinterpret_cast<const char *>(object.dlpi_addr + part.p_vaddr);
    if (auto id = buildId(notes, part.p_memsz, part.p_align))
      return *id;
  }
  const bool isProgram = !*object.dlpi_name;
  const auto file =
      MappedFile::open(isProgram ? "/proc/self/exe" : object.dlpi_name);
  if (!file)
    return object.dlpi_name; // what the kernel lends, which has no file
  return sha256(
      {reinterpret_cast<const char *>(file->data()), size_t(file->size())});
}

} // namespace

std::string codegen::compilerIdentity() {
  std::string identity;
  dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *all) {
        // The kernel's own clock has a build id, too.
        if (!llvm::StringRef(object->dlpi_name).starts_with("linux-vdso"))
          *static_cast<std::string *>(all) += identityOf(*object) + "\n";
        return 0;
      },
      &identity);
  return identity;
}
