// How a list follows from others, as attributes have it, for who derives it
// (dialects/smex/lists/Derived.h).
#ifndef SMEX_DIALECTS_SMEX_IR_RECIPES_H
#define SMEX_DIALECTS_SMEX_IR_RECIPES_H

#include "dialects/smex/ir/Smex.h"
#include "dialects/smex/lists/Derived.h"

namespace smex::semantic {

/// The derivation must be one.
graph::Recipe toRecipe(const Recipe &recipe);

} // namespace smex::semantic

#endif
