// The text of #smex.part_ranges, and what is no #smex.range.
#include "dialects/smex/ir/AttributeText.h"
#include "dialects/smex/ir/Smex.h"

using namespace mlir;
using namespace smex;
using namespace smex::semantic;

LogicalResult RangeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t low, int64_t high,
                                std::optional<int64_t>) {
  if (low <= high)
    return success();
  return emitError() << "has a range from " << low << " to " << high
                     << ": the least comes first";
}

/// A coordinate, or first:end, or first:end:step.
static void print(AsmPrinter &printer, const Progression &along) {
  printer << along.first;
  if (along.count == 1 && along.step == 1)
    return;
  printer << ':' << along.last() + 1;
  if (along.step != 1)
    printer << ':' << along.step;
}

static ParseResult parse(AsmParser &parser, Progression &along) {
  along = {0, 1, 1};
  if (parseNumber(parser, 0, largestNumber - 1, along.first))
    return failure();
  if (failed(parser.parseOptionalColon()))
    return success();
  int64_t end = 0;
  if (parseNumber(parser, along.first + 1, largestNumber, end))
    return failure();
  if (succeeded(parser.parseOptionalColon()) &&
      parseNumber(parser, 1, largestNumber, along.step))
    return failure();
  along.count = (end - 1 - along.first) / along.step + 1;
  return success();
}

void PartRangesAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(
      getValue(), printer.getStream(), [&](const PartRange &range) {
        printer << range.low << " to " << range.high << " in [";
        llvm::interleaveComma(
            range.part, printer.getStream(),
            [&](const Progression &along) { ::print(printer, along); });
        printer << ']';
      });
  printer << '>';
}

Attribute PartRangesAttr::parse(AsmParser &parser, mlir::Type) {
  std::vector<PartRange> ranges;
  const auto parseRange = [&]() -> ParseResult {
    PartRange &range = ranges.emplace_back();
    const auto at = parser.getCurrentLocation();
    if (parser.parseInteger(range.low) || parser.parseKeyword("to") ||
        parser.parseInteger(range.high) || parser.parseKeyword("in"))
      return failure();
    if (range.low > range.high)
      return parser.emitError(at) << "has a range from " << range.low << " to "
                                  << range.high << ": the least comes first";
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return ::parse(parser, range.part.emplace_back());
    });
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseRange))
    return {};
  return get(parser.getContext(), ranges);
}
