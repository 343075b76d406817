#include "test/emulated/ptx/Types.h"

namespace smex::ptx {
namespace {

struct Entry {
  const char *name;
  Type type;
  unsigned bytes;
  bool isSigned, isFloat;
};

const Entry entries[] = {
    {"pred", Type::Pred, 1, false, false},
    {"b8", Type::B8, 1, false, false},
    {"b16", Type::B16, 2, false, false},
    {"b32", Type::B32, 4, false, false},
    {"b64", Type::B64, 8, false, false},
    {"b128", Type::B128, 16, false, false},
    {"u8", Type::U8, 1, false, false},
    {"u16", Type::U16, 2, false, false},
    {"u32", Type::U32, 4, false, false},
    {"u64", Type::U64, 8, false, false},
    {"s8", Type::S8, 1, true, false},
    {"s16", Type::S16, 2, true, false},
    {"s32", Type::S32, 4, true, false},
    {"s64", Type::S64, 8, true, false},
    {"f16", Type::F16, 2, false, true},
    {"f16x2", Type::F16x2, 4, false, true},
    {"bf16", Type::BF16, 2, false, true},
    {"bf16x2", Type::BF16x2, 4, false, true},
    {"tf32", Type::TF32, 4, false, true},
    {"f32", Type::F32, 4, false, true},
    {"f64", Type::F64, 8, false, true},
};

const Entry &entry(Type type) { return entries[static_cast<int>(type)]; }

} // namespace

std::optional<Type> typeNamed(std::string_view name) {
  for (const Entry &each : entries)
    if (name == each.name)
      return each.type;
  return std::nullopt;
}

const char *nameOf(Type type) { return entry(type).name; }
unsigned bytesOf(Type type) { return entry(type).bytes; }
bool isSigned(Type type) { return entry(type).isSigned; }
bool isFloat(Type type) { return entry(type).isFloat; }

} // namespace smex::ptx
