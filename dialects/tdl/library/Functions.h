// The functions of templates that work on packs, shapes and types; those on
// values are in lambda/Value.h.
#ifndef SMEX_DIALECTS_TDL_LIBRARY_FUNCTIONS_H
#define SMEX_DIALECTS_TDL_LIBRARY_FUNCTIONS_H

#include "dialects/tdl/lambda/Value.h"

namespace smex::tdl {

/// Functions that return a pack, to be followed by "...".
bool isPackFunction(std::string_view name);
/// Functions of packs, tensors and types that return one value.
bool isTemplateFunction(std::string_view name);
/// Those whose arguments may be tensors, by name: their type or rank counts.
bool takesTensor(std::string_view name);

/// An integer that was not made by a division: what may serve as an extent.
inline std::optional<int64_t> knownWhole(const Value &value) {
  return value.kind == Value::Real ? std::nullopt : knownInteger(value);
}

} // namespace smex::tdl

#endif
