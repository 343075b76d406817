// Handles and descriptors of the emulated library.
#ifndef SMEX_TEST_EMULATED_CUBLASLT_DESCRIPTORS_H
#define SMEX_TEST_EMULATED_CUBLASLT_DESCRIPTORS_H

#include "test/emulated/cublaslt/Status.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

namespace smex::emulated::cublaslt {

struct Handle {
  int device = 0;
};

/// Values of attributes, each with its own size. Those that are not listed for
/// its kind are unknown.
class Descriptor {
public:
  enum class Kind { Layout, Operation, Preference };
  explicit Descriptor(Kind kind);

  void set(int attribute, const void *value, size_t bytes);
  void get(int attribute, void *value, size_t bytes, size_t *written) const;

  template <class T> T value(int attribute) const {
    T result;
    std::memcpy(&result, values.at(attribute).data(), sizeof result);
    return result;
  }
  template <class T> void put(int attribute, T value) {
    set(attribute, &value, sizeof value);
  }

  /// Attributes that are not as they begin, "NUMBER:BYTES:VALUE,..", for a
  /// recorded call. Of an address, its place in 256 bytes, and 256.
  std::string text() const;

  const Kind kind;

private:
  const std::vector<std::byte> &known(int attribute) const;
  std::map<int, std::vector<std::byte>> values;
};

/// The object behind a pointer that a program has. Pointers to nothing that is
/// alive are refused: NULL and what was destroyed are no descriptors.
Handle &handleAt(void *pointer);
Descriptor &descriptorAt(void *pointer, Descriptor::Kind kind,
                         const char *what);
/// Its text, "null", or nothing for a pointer to what is not alive.
std::optional<std::string> descriptorText(void *pointer);
bool isHandle(void *pointer);
void *add(Handle handle);
void *add(Descriptor descriptor);
void removeHandle(void *pointer);
void removeDescriptor(void *pointer, Descriptor::Kind kind);

} // namespace smex::emulated::cublaslt

#endif
