// Ranges of parts of an input as attributes: per part the least and the largest
// integer, then a first coordinate, a count and a step per dimension.
#ifndef SMEX_DIALECTS_SMEX_IR_PARTRANGES_H
#define SMEX_DIALECTS_SMEX_IR_PARTRANGES_H

#include "dialects/support/PartRange.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace smex::semantic {

inline mlir::ArrayAttr toAttribute(mlir::MLIRContext *context,
                                   const std::vector<PartRange> &ranges) {
  llvm::SmallVector<mlir::Attribute> parts;
  for (const PartRange &range : ranges) {
    llvm::SmallVector<int64_t> numbers = {range.low, range.high};
    for (const Progression &along : range.part)
      numbers.append({along.first, along.count, along.step});
    parts.push_back(mlir::DenseI64ArrayAttr::get(context, numbers));
  }
  return mlir::ArrayAttr::get(context, parts);
}

/// Nothing where a list is none of a range's.
inline std::optional<std::vector<PartRange>>
toPartRanges(mlir::ArrayAttr parts) {
  std::vector<PartRange> ranges;
  for (mlir::Attribute attribute : parts) {
    auto list = mlir::dyn_cast<mlir::DenseI64ArrayAttr>(attribute);
    if (!list || list.size() < 2 || list.size() % 3 != 2)
      return std::nullopt;
    PartRange range{{}, list[0], list[1]};
    for (int64_t i = 2; i < list.size(); i += 3)
      range.part.push_back({list[i], list[i + 1], list[i + 2]});
    ranges.push_back(std::move(range));
  }
  return ranges;
}

} // namespace smex::semantic

#endif
