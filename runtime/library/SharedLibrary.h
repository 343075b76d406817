// Libraries of a machine that are loaded when something first needs them: a
// program runs where those that it never asks for are missing.
#ifndef SMEX_RUNTIME_LIBRARY_SHAREDLIBRARY_H
#define SMEX_RUNTIME_LIBRARY_SHAREDLIBRARY_H

#include "dialects/support/Result.h"

#include <memory>
#include <string>

namespace smex::runtime {

/// What is wrong with a library is this machine's fault.
inline Error libraryError(std::string message) {
  return {std::move(message), Fault::Environment};
}

/// It stays loaded as long as there is a copy of this.
class SharedLibrary {
public:
  /// Who finds its symbols: who asks for them, or every library that is loaded
  /// later, for those whose plugins take it for granted.
  enum class Symbols { Own, Everybodys };

  SharedLibrary() = default;
  /// As the system finds it: LD_LIBRARY_PATH says where first.
  /// Fault::Environment: the system's text, which names the file.
  static Result<SharedLibrary> open(const std::string &file,
                                    Symbols symbols = Symbols::Own);

  const std::string &file() const { return name; }
  /// Where the system has found it.
  std::string path() const;

  /// Sets `entry`, a pointer to a function or an object, to what the library
  /// has of this name; null: it has nothing.
  template <typename T> void find(T *&entry, const char *symbol) {
    entry = reinterpret_cast<T *>(address(symbol));
  }
  /// "libcuda.so.1 has no cuInit", of the first name that was not found; "":
  /// all were.
  std::string lacks() const;

private:
  void *address(const char *symbol);

  std::string name, missing;
  std::shared_ptr<void> handle;
};

/// For lists X(member, entry point, ...) of a class that has `library`.
#define SMEX_FIND_ENTRY(member, entry, ...) library.find(member, #entry);

/// The Library of this process, which `load`, called once, has made ready, or
/// what was wrong. It is never destroyed: threads may use it to the end.
template <typename Library, typename Load>
Result<const Library *> loadOnce(const Load &load) {
  struct Once {
    Library library;
    Status status;
  };
  static const Once *const once = [&] {
    auto *made = new Once;
    made->status = load(made->library);
    return made;
  }();
  if (!once->status)
    return once->status.error();
  return &once->library;
}

/// 22809: "2.28.9"; of libraries that count majors in other units, as 8907:
/// "8.9.7".
std::string dottedVersion(size_t version, size_t major = 10000);

} // namespace smex::runtime

#endif
