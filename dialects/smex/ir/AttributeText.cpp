#include "dialects/smex/ir/AttributeText.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace smex;

ParseResult semantic::parseNumber(AsmParser &parser, int64_t least,
                                  int64_t most, int64_t &number) {
  const auto at = parser.getCurrentLocation();
  if (parser.parseInteger(number))
    return failure();
  if (number < least || number > most)
    return parser.emitError(at) << "has to be " << least << " to " << most;
  return success();
}

ParseResult semantic::parseOptionalNumber(AsmParser &parser, StringRef keyword,
                                          int64_t &number) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return parseNumber(parser, 0, largestNumber, number);
}

ParseResult semantic::parseNumbers(AsmParser &parser,
                                   std::vector<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parseNumber(parser, 0, largestNumber, numbers.emplace_back());
  });
}

ParseResult semantic::parseOptionalName(AsmParser &parser, StringRef keyword,
                                        std::string &name) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return parser.parseString(&name);
}

ParseResult semantic::parseOptionalNames(AsmParser &parser, StringRef keyword,
                                         std::vector<std::string> &names) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseString(&names.emplace_back());
  });
}

void semantic::printOptionalName(AsmPrinter &printer, StringRef keyword,
                                 StringRef name) {
  if (name.empty())
    return;
  printer << ' ' << keyword << ' ';
  printer.printString(name);
}

void semantic::printOptionalNames(AsmPrinter &printer, StringRef keyword,
                                  const std::vector<std::string> &names) {
  if (names.empty())
    return;
  printer << ' ' << keyword << " [";
  llvm::interleaveComma(
      names, printer.getStream(),
      [&](const std::string &name) { printer.printString(name); });
  printer << ']';
}
