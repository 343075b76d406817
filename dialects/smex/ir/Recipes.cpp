#include "dialects/smex/ir/Recipes.h"

using namespace mlir;
using namespace smex;

graph::Recipe semantic::toRecipe(const Recipe &recipe) {
  graph::Recipe made;
  made.derivation = *graph::parseDerivation(recipe.derivation.getValue());
  for (StringRef name : recipe.of.getAsValueRange<StringAttr>())
    made.of.push_back(name.str());
  if (recipe.wraps)
    made.wraps = recipe.wraps.asArrayRef().vec();
  if (recipe.rows)
    made.rows = recipe.rows.asArrayRef().vec();
  return made;
}
