// The text of #smex.division.
#include "dialects/smex/ir/AttributeText.h"
#include "dialects/smex/ir/Smex.h"

using namespace mlir;
using namespace smex;
using namespace smex::semantic;

void DivisionAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(
      getValue(), printer.getStream(),
      [&](const Division &division) { printer << smex::toString(division); });
  printer << '>';
}

namespace {

ParseResult parsePart(AsmParser &parser, Division &division) {
  int64_t dimension = 0;
  // More dimensions than any lambda has indices.
  if (parseNumber(parser, 0, (1 << 16) - 1, dimension))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("by"))) {
    std::vector<int64_t> weights;
    if (parser.parseKeyword("weights") || parseNumbers(parser, weights))
      return failure();
    division = Division::weighted(int(dimension), std::move(weights));
  } else if (succeeded(parser.parseOptionalKeyword("at"))) {
    Division::Bounds bounds;
    if (parser.parseKeyword("bounds") ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parseNumbers(parser, bounds.emplace_back());
        }))
      return failure();
    division = Division::bounded(int(dimension), std::move(bounds));
  } else {
    division = Division::part(int(dimension));
  }
  return success();
}

ParseResult parseDivision(AsmParser &parser, Division &division) {
  const auto at = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  if (word == "whole")
    return success();
  if (word == "part")
    return parsePart(parser, division);
  if (word == "placed") {
    int64_t group = 0;
    if (parseNumber(parser, 0, (1 << 16) - 1, group))
      return failure();
    division = Division::placed(group);
    return success();
  }
  if (word == "term") {
    StringRef reducer;
    if (parser.parseKeyword(&reducer))
      return failure();
    if (const auto known = parseReducer(std::string_view(reducer))) {
      division = Division::term(*known);
      return success();
    }
  }
  return parser.emitError(at)
         << "is no division: whole, part, placed, or term of a reducer";
}

} // namespace

Attribute DivisionAttr::parse(AsmParser &parser, mlir::Type) {
  Divisions value;
  if (parser.parseLess())
    return {};
  if (failed(parser.parseOptionalGreater()))
    if (parser.parseCommaSeparatedList(
            [&] { return parseDivision(parser, value.emplace_back()); }) ||
        parser.parseGreater())
      return {};
  return get(parser.getContext(), value);
}
