// The attribute #smex.division: a list of divisions, and its text.
#include "dialects/smex/ir/Smex.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace smex;
using namespace smex::semantic;

namespace smex::semantic::detail {

struct DivisionAttrStorage : AttributeStorage {
  using KeyTy = Divisions;

  explicit DivisionAttrStorage(const Divisions &value) : value(value) {}

  bool operator==(const KeyTy &key) const { return value == key; }
  static llvm::hash_code hashKey(const KeyTy &key) {
    std::vector<int64_t> words;
    for (const Division &division : key)
      division.appendTo(words);
    return llvm::hash_combine_range(words.begin(), words.end());
  }
  static DivisionAttrStorage *construct(AttributeStorageAllocator &allocator,
                                        const KeyTy &key) {
    return new (allocator.allocate<DivisionAttrStorage>())
        DivisionAttrStorage(key);
  }

  Divisions value;
};

} // namespace smex::semantic::detail

DivisionAttr DivisionAttr::get(MLIRContext *context, const Divisions &value) {
  return Base::get(context, value);
}

const Divisions &DivisionAttr::getValue() const { return getImpl()->value; }

void DivisionAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(
      getValue(), printer.getStream(),
      [&](const Division &division) { printer << smex::toString(division); });
  printer << '>';
}

namespace {

ParseResult parseNumber(AsmParser &parser, int64_t least, int64_t most,
                        int64_t &number) {
  const auto at = parser.getCurrentLocation();
  if (parser.parseInteger(number))
    return failure();
  if (number < least || number > most)
    return parser.emitError(at) << "has to be " << least << " to " << most;
  return success();
}

ParseResult parseNumbers(AsmParser &parser, std::vector<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parseNumber(parser, 0, std::numeric_limits<int64_t>::max(),
                       numbers.emplace_back());
  });
}

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

#define GET_ATTRDEF_CLASSES
#include "dialects/smex/ir/SmexAttrs.cpp.inc"

void SmexDialect::addDivision() { addAttributes<DivisionAttr>(); }
