// Which tensors are worth computing anew by each of their readers, so that they
// are not stored: what edges make of their nodes, where there are many edges.
// How readers do that is for RecomputeMessages.cpp.
#ifndef SMEX_COMPILER_MESSAGEPASSING_UNSTORED_H
#define SMEX_COMPILER_MESSAGEPASSING_UNSTORED_H

#include "dialects/smex/ir/Smex.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace smex::messagepassing {

class Unstored {
public:
  /// Both stay; lambdas may be added.
  Unstored(mlir::func::FuncOp main, const tdl::LambdaSymbols &lambdas)
      : main(main), lambdas(lambdas) {}

  /// Whether the tensor is not stored: large for what it is made of, cheap, and
  /// read by operators only.
  bool contains(mlir::Value value);

  /// Bytes of what is stored that an unstored tensor is made of, but for what
  /// is there in any case.
  int64_t bytesMadeOf(mlir::Value value);

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
  bool storesOthers();
  const tdl::Lambda &lambdaOf(semantic::ApplyOp apply) const {
    return lambdas[apply.getLambdaAttr().getAttr()];
  }

  mlir::func::FuncOp main;
  const tdl::LambdaSymbols &lambdas;
  llvm::DenseSet<mlir::Value> stored;
  llvm::DenseMap<mlir::Value, Facts> known;
};

} // namespace smex::messagepassing

#endif
