// Which tensors are worth computing anew by each of their readers, so that they
// are not stored: what edges make of their nodes, where there are many edges.
// How readers do that is for RecomputeMessages.cpp.
#ifndef SMEX_COMPILER_MESSAGEPASSING_UNSTORED_H
#define SMEX_COMPILER_MESSAGEPASSING_UNSTORED_H

#include "compiler/messagepassing/Growth.h"
#include "compiler/messagepassing/Interchange.h"
#include "dialects/smex/ir/Smex.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace smex::messagepassing {

class Unstored {
public:
  /// Both stay; lambdas may be added. `ofAnySize`: what is not stored is the
  /// same for graphs of all sizes.
  Unstored(mlir::func::FuncOp main, const tdl::LambdaSymbols &lambdas,
           bool ofAnySize)
      : main(main), lambdas(lambdas) {
    if (ofAnySize)
      growth.emplace(main, lambdas);
  }

  /// Whether the tensor is not stored: large for what it is made of, cheap, and
  /// read by operators only.
  bool contains(mlir::Value value);

  /// Whether the sums that the reader then has are no larger than what is
  /// stored that this unstored operand is made of, but for what is there in any
  /// case.
  bool hasRoomFor(const Interchanged &sums, semantic::ApplyOp reader,
                  mlir::Value operand);

  /// The tensor has to be stored, as update() will know.
  void store(mlir::Value value) { stored.insert(value); }
  /// Works out what is not stored, where store() has been told what must be; to
  /// begin with, too.
  void update();

private:
  struct Facts {
    bool isUnstored = false;
    int64_t work = 0; // to compute an element from what is stored
    llvm::SetVector<mlir::Value> madeOf; // of what is stored
  };
  Facts factsOf(mlir::Value value);
  int64_t extentOf(mlir::Value value, int dimension) const;
  int64_t bytesOf(mlir::Value value) const;
  int64_t bytesOf(llvm::ArrayRef<mlir::Value> values) const;
  bool sumsWhatGrows(semantic::ApplyOp apply) const;
  bool isLargeFor(mlir::Value value, llvm::ArrayRef<mlir::Value> madeOf) const;
  bool storesOthers();
  bool computesMessages(semantic::ApplyOp reader);
  const tdl::Lambda &lambdaOf(semantic::ApplyOp apply) const {
    return lambdas[apply.getLambdaAttr().getAttr()];
  }

  mlir::func::FuncOp main;
  const tdl::LambdaSymbols &lambdas;
  std::optional<Growth> growth; // if that decides, in place of sizes
  llvm::DenseSet<mlir::Value> stored;
  llvm::DenseMap<mlir::Value, Facts> known;
};

} // namespace smex::messagepassing

#endif
