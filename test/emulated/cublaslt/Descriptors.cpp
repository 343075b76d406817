#include "test/emulated/cublaslt/Descriptors.h"

#include <memory>
#include <mutex>

namespace smex::emulated::cublaslt {
namespace {

struct Attribute {
  int number;
  size_t bytes;
  uint64_t initial; // its lowest bytes
};

// Types and defaults as the comments of the enumerations in cublasLt.h have
// them.
const std::vector<Attribute> layoutAttributes = {
    {MATRIX_LAYOUT_TYPE, 4, 0},
    {MATRIX_LAYOUT_ORDER, 4, ORDER_COL},
    {MATRIX_LAYOUT_ROWS, 8, 0},
    {MATRIX_LAYOUT_COLS, 8, 0},
    {MATRIX_LAYOUT_LD, 8, 0},
    {MATRIX_LAYOUT_BATCH_COUNT, 4, 1},
    {MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 8, 0},
    {MATRIX_LAYOUT_PLANE_OFFSET, 8, 0},
    {MATRIX_LAYOUT_BATCH_MODE, 4, BATCH_MODE_STRIDED},
};
const std::vector<Attribute> operationAttributes = {
    {MATMUL_DESC_COMPUTE_TYPE, 4, 0},
    {MATMUL_DESC_SCALE_TYPE, 4, 0},
    {MATMUL_DESC_POINTER_MODE, 4, POINTER_MODE_HOST},
    {MATMUL_DESC_TRANSA, 4, OP_N},
    {MATMUL_DESC_TRANSB, 4, OP_N},
    {MATMUL_DESC_TRANSC, 4, OP_N},
    {MATMUL_DESC_EPILOGUE, 4, EPILOGUE_DEFAULT},
    {MATMUL_DESC_BIAS_POINTER, 8, 0},
    {MATMUL_DESC_BIAS_BATCH_STRIDE, 8, 0},
    {MATMUL_DESC_BIAS_DATA_TYPE, 4, uint32_t(-1)},
};
const std::vector<Attribute> preferenceAttributes = {
    {MATMUL_PREF_MAX_WORKSPACE_BYTES, 8, 0},
    {MATMUL_PREF_REDUCTION_SCHEME_MASK, 4, REDUCTION_SCHEME_MASK},
    {MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 4, 256},
    {MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 4, 256},
    {MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 4, 256},
    {MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 4, 256},
};

const std::vector<Attribute> &attributesOf(Descriptor::Kind kind) {
  switch (kind) {
  case Descriptor::Kind::Layout:
    return layoutAttributes;
  case Descriptor::Kind::Operation:
    return operationAttributes;
  case Descriptor::Kind::Preference:
    break;
  }
  return preferenceAttributes;
}

/// Of NVIDIA's cublasLt.h.
int lastAttributeOf(Descriptor::Kind kind) {
  switch (kind) {
  case Descriptor::Kind::Layout:
    return MATRIX_LAYOUT_BATCH_MODE;
  case Descriptor::Kind::Operation:
    return MATMUL_DESC_EMULATION_DESCRIPTOR;
  case Descriptor::Kind::Preference:
    break;
  }
  return MATMUL_PREF_IMPL_MASK;
}

/// All that is alive.
struct Objects {
  std::mutex mutex;
  std::map<void *, std::unique_ptr<Handle>> handles;
  std::map<void *, std::unique_ptr<Descriptor>> descriptors;
};
Objects &objects() {
  static auto *all = new Objects; // programs destroy theirs at their end
  return *all;
}

} // namespace

Descriptor::Descriptor(Kind kind) : kind(kind) {
  for (const Attribute &each : attributesOf(kind)) {
    std::vector<std::byte> bytes(each.bytes);
    std::memcpy(bytes.data(), &each.initial, each.bytes);
    values[each.number] = std::move(bytes);
  }
}

const std::vector<std::byte> &Descriptor::known(int attribute) const {
  const auto found = values.find(attribute);
  const bool isNvidias = attribute >= 0 && attribute <= lastAttributeOf(kind);
  need(found != values.end(), STATUS_INVALID_VALUE,
       "attribute " + std::to_string(attribute),
       isNvidias ? cites::someAttributes : cites::unknownAttribute);
  return found->second;
}

void Descriptor::set(int attribute, const void *value, size_t bytes) {
  need(value && bytes == known(attribute).size(), STATUS_INVALID_VALUE,
       "attribute " + std::to_string(attribute) + " has " +
           std::to_string(known(attribute).size()) + " bytes",
       cites::setSize);
  std::memcpy(values[attribute].data(), value, bytes);
}

void Descriptor::get(int attribute, void *value, size_t bytes,
                     size_t *written) const {
  const auto &stored = known(attribute);
  need(bytes == 0 ? written != nullptr : value && bytes == stored.size(),
       STATUS_INVALID_VALUE,
       "attribute " + std::to_string(attribute) + " has " +
           std::to_string(stored.size()) + " bytes",
       cites::getSize);
  if (bytes > 0)
    std::memcpy(value, stored.data(), bytes);
  if (written)
    *written = stored.size();
}

std::string Descriptor::text() const {
  std::string text;
  for (const Attribute &each : attributesOf(kind)) {
    uint64_t value = 0;
    std::memcpy(&value, values.at(each.number).data(), each.bytes);
    uint64_t initial = 0;
    std::memcpy(&initial, &each.initial, each.bytes);
    if (value == initial)
      continue;
    if (kind == Kind::Operation && each.number == MATMUL_DESC_BIAS_POINTER)
      value = 256 + value % 256;
    text += (text.empty() ? "" : ",") + std::to_string(each.number) + ":" +
            std::to_string(each.bytes) + ":" + std::to_string(value);
  }
  return text;
}

std::optional<std::string> descriptorText(void *pointer) {
  if (!pointer)
    return "null";
  std::lock_guard<std::mutex> lock(objects().mutex);
  const auto found = objects().descriptors.find(pointer);
  if (found == objects().descriptors.end())
    return std::nullopt;
  return found->second->text();
}

bool isHandle(void *pointer) {
  std::lock_guard<std::mutex> lock(objects().mutex);
  return objects().handles.count(pointer) > 0;
}

Handle &handleAt(void *pointer) {
  std::lock_guard<std::mutex> lock(objects().mutex);
  const auto found = objects().handles.find(pointer);
  need(pointer != nullptr, STATUS_NOT_INITIALIZED, "the handle is NULL",
       cites::noHandle);
  need(found != objects().handles.end(), STATUS_NOT_INITIALIZED,
       "the handle is not one that cublasLtCreate made, or was destroyed",
       cites::deadHandle);
  return *found->second;
}

Descriptor &descriptorAt(void *pointer, Descriptor::Kind kind,
                         const char *what) {
  std::lock_guard<std::mutex> lock(objects().mutex);
  const auto found = objects().descriptors.find(pointer);
  need(pointer != nullptr, STATUS_INVALID_VALUE, std::string(what) + " is NULL",
       cites::nullParameter);
  need(found != objects().descriptors.end() && found->second->kind == kind,
       STATUS_INVALID_VALUE,
       std::string(what) + ": no such descriptor is alive",
       cites::deadDescriptor);
  return *found->second;
}

void *add(Handle handle) {
  std::lock_guard<std::mutex> lock(objects().mutex);
  auto made = std::make_unique<Handle>(handle);
  void *pointer = made.get();
  objects().handles[pointer] = std::move(made);
  return pointer;
}

void *add(Descriptor descriptor) {
  std::lock_guard<std::mutex> lock(objects().mutex);
  auto made = std::make_unique<Descriptor>(std::move(descriptor));
  void *pointer = made.get();
  objects().descriptors[pointer] = std::move(made);
  return pointer;
}

void removeHandle(void *pointer) {
  need(pointer != nullptr, STATUS_INVALID_VALUE, "the handle is NULL",
       cites::nullDestroyed);
  handleAt(pointer);
  std::lock_guard<std::mutex> lock(objects().mutex);
  objects().handles.erase(pointer);
}

void removeDescriptor(void *pointer, Descriptor::Kind kind) {
  if (!pointer) // cuBLASLt 13.1 was seen to take it
    return;
  descriptorAt(pointer, kind, "what is destroyed");
  std::lock_guard<std::mutex> lock(objects().mutex);
  objects().descriptors.erase(pointer);
}

} // namespace smex::emulated::cublaslt
