// The text of #smex.recipe.
#include "dialects/smex/ir/AttributeText.h"
#include "dialects/smex/ir/Smex.h"

using namespace mlir;
using namespace smex;
using namespace smex::semantic;
using graph::Derivation;
using graph::Recipe;

static void printList(AsmPrinter &printer, const Recipe &recipe, size_t i) {
  printer.printString(recipe.of[i]);
  if (i < recipe.rows.size() && recipe.rows[i])
    printer << " row " << recipe.rows[i];
  if (i < recipe.wraps.size() && recipe.wraps[i])
    printer << " wrap " << recipe.wraps[i];
}

void RecipeAttr::print(AsmPrinter &printer) const {
  const Recipe &recipe = getValue();
  printer << '<' << graph::name(recipe.derivation) << " of ";
  for (size_t i = 0; i < recipe.of.size(); ++i) {
    printer << (i ? " by " : "");
    printList(printer, recipe, i);
  }
  printer << '>';
}

static ParseResult parseList(AsmParser &parser, Recipe &recipe) {
  int64_t row = 0, wrap = 0;
  if (parser.parseString(&recipe.of.emplace_back()) ||
      parseOptionalNumber(parser, "row", row) ||
      parseOptionalNumber(parser, "wrap", wrap))
    return failure();
  recipe.rows.push_back(row);
  recipe.wraps.push_back(wrap);
  return success();
}

Attribute RecipeAttr::parse(AsmParser &parser, mlir::Type) {
  if (parser.parseLess())
    return {};
  const auto at = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return {};
  const auto derivation = graph::parseDerivation(std::string_view(word));
  if (!derivation) {
    parser.emitError(at, "is no derivation: offsets, order, or gathered");
    return {};
  }
  Recipe recipe;
  recipe.derivation = *derivation;
  if (parser.parseKeyword("of") || parseList(parser, recipe))
    return {};
  if (recipe.derivation == Derivation::Gathered)
    if (parser.parseKeyword("by") || parseList(parser, recipe))
      return {};
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), graph::withoutZeros(std::move(recipe)));
}
