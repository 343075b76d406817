// Applications of lambdas that are not in the graph yet: what rewrites make by
// putting one lambda into another (dialects/tdl/analysis/Compose.h), on tensors
// of the graph.
#ifndef SMEX_DIALECTS_SMEX_IR_APPLICATION_H
#define SMEX_DIALECTS_SMEX_IR_APPLICATION_H

#include "dialects/smex/ir/Smex.h"
#include "dialects/tdl/analysis/Compose.h"

#include <optional>

namespace smex::semantic {

struct Application {
  tdl::Lambda lambda;
  std::vector<int64_t> extents; // of all index variables
  llvm::SmallVector<mlir::Value> operands;
};

/// Of each operand of the producer, which one of the reader's it is, or -1:
/// `same` of analysis::compose.
std::vector<int> sharedOperands(mlir::ValueRange reader, ApplyOp producer);

/// The tensors that a composition of the two reads.
llvm::SmallVector<mlir::Value> operandsOf(const analysis::Composition &made,
                                          mlir::ValueRange reader,
                                          ApplyOp producer);

/// The reader with the map in place of its operand, which the producer
/// computes: the producer's own lambda, or another with its operands and
/// extents. Nothing where analysis::compose has nothing.
std::optional<Application> composed(const Application &reader, int operand,
                                    ApplyOp producer, const tdl::Lambda &map);

/// As analysis::hasLibraryKernel.
bool hasLibraryKernel(const tdl::Lambda &lambda,
                      const std::vector<int64_t> &extents,
                      mlir::ValueRange operands);

} // namespace smex::semantic

#endif
