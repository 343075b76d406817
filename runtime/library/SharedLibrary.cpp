#include "runtime/library/SharedLibrary.h"

#include "runtime/library/CutOff.h"

#include <dlfcn.h>
#include <link.h>

using namespace smex;
using namespace smex::runtime;

Result<SharedLibrary> SharedLibrary::open(const std::string &file,
                                          Symbols symbols) {
  if (std::string cut = whatIsCutOff(libraryFile(file)); !cut.empty())
    return libraryError(std::move(cut));
  const int scope = symbols == Symbols::Own ? RTLD_LOCAL : RTLD_GLOBAL;
  void *handle = ::dlopen(file.c_str(), RTLD_NOW | scope);
  if (!handle)
    return libraryError(::dlerror());
  SharedLibrary library;
  library.name = file;
  library.handle.reset(handle, ::dlclose);
  return library;
}

std::string SharedLibrary::path() const {
  const link_map *map = nullptr;
  if (::dlinfo(handle.get(), RTLD_DI_LINKMAP, &map) != 0 || !map->l_name ||
      !*map->l_name)
    return name;
  return map->l_name;
}

void *SharedLibrary::address(const char *symbol) {
  void *found = ::dlsym(handle.get(), symbol);
  if (!found && missing.empty())
    missing = symbol;
  return found;
}

std::string SharedLibrary::lacks() const {
  return missing.empty() ? "" : name + " has no " + missing;
}

std::string runtime::dottedVersion(size_t version, size_t major) {
  return std::to_string(version / major) + "." +
         std::to_string(version % major / 100) + "." +
         std::to_string(version % 100);
}
