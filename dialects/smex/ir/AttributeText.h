// What the text of several attributes is made of.
#ifndef SMEX_DIALECTS_SMEX_IR_ATTRIBUTETEXT_H
#define SMEX_DIALECTS_SMEX_IR_ATTRIBUTETEXT_H

#include "mlir/IR/DialectImplementation.h"

#include <limits>
#include <string>
#include <vector>

namespace smex::semantic {

constexpr int64_t largestNumber = std::numeric_limits<int64_t>::max();

/// An error at the number where it is beyond the two ends.
mlir::ParseResult parseNumber(mlir::AsmParser &parser, int64_t least,
                              int64_t most, int64_t &number);

/// A number behind a keyword, where that is there.
mlir::ParseResult parseOptionalNumber(mlir::AsmParser &parser,
                                      llvm::StringRef keyword, int64_t &number);

/// [1, 2], none of them below 0.
mlir::ParseResult parseNumbers(mlir::AsmParser &parser,
                               std::vector<int64_t> &numbers);

/// A string behind a keyword, where that is there.
mlir::ParseResult parseOptionalName(mlir::AsmParser &parser,
                                    llvm::StringRef keyword, std::string &name);

/// Strings in square brackets behind a keyword, where that is there.
mlir::ParseResult parseOptionalNames(mlir::AsmParser &parser,
                                     llvm::StringRef keyword,
                                     std::vector<std::string> &names);

/// Nothing where there is no name.
void printOptionalName(mlir::AsmPrinter &printer, llvm::StringRef keyword,
                       llvm::StringRef name);
void printOptionalNames(mlir::AsmPrinter &printer, llvm::StringRef keyword,
                        const std::vector<std::string> &names);

} // namespace smex::semantic

#endif
