// Segments of so many terms that one block would take too long for them: hubs.
// A launch before the kernel's own computes parts of them, which it leaves in
// memory (plan::Launch::parts).
//
// A part has `hubPart` terms, counted from its segment's own first one, so that
// the parts are the same however the result is cut. The range of all terms is
// cut into stretches of as many. In each begin at most two parts of hubs: the
// first of one, and a later one of another, so that two slots per stretch are
// enough. Whose part it is that a slot holds, stands beside it, and a part that
// is in no slot, as segments overlap or do not ascend, the kernel computes
// itself: what data says costs time, and changes no bit.
#ifndef SMEX_COMPILER_CODEGEN_GPU_HUBS_H
#define SMEX_COMPILER_CODEGEN_GPU_HUBS_H

#include "compiler/codegen/gpu/GpuKernel.h"
#include "compiler/codegen/gpu/Segment.h"

namespace smex::codegen {

/// TermRange from `first` to before `end`, in the range to compute.
struct TermRange {
  mlir::Value first, end;
};
/// Of the segment of the current v.
TermRange termsOf(GpuKernel &kernel, const Segment &segment);

class Hubs {
public:
  /// `columns`: tuples of the result's other variables.
  Hubs(GpuKernel &kernel, const Segment &segment, mlir::Value columns);

  /// Of these terms of a segment.
  mlir::Value isHub(const TermRange &terms);
  /// Parts of a hub, and the terms of one of them.
  mlir::Value parts(const TermRange &hub);
  TermRange part(const TermRange &hub, mlir::Value number);

  /// Slots of all parts that there may be.
  mlir::Value slots() { return kernel.add(stretches, stretches); }
  mlir::Value slotOf(const TermRange &hub, mlir::Value number);

  /// The vertex, by its place in the range, whose part belongs into the slot,
  /// or -1.
  mlir::Value find(mlir::Value slot);
  /// The terms of that part, of the hub of the current v.
  TermRange partIn(mlir::Value slot, const TermRange &hub);

  mlir::Value loadOwner(mlir::Value slot);
  void storeOwner(mlir::Value slot, mlir::Value owner);
  /// What the part comes to: an accumulator.
  mlir::Value load(mlir::Value slot, mlir::Value column);
  void store(mlir::Value slot, mlir::Value column, mlir::Value value);

private:
  mlir::Value word(mlir::Value slot, mlir::Value column);
  /// Whether the slot is for a first part, and what its stretch is.
  struct Stretch {
    mlir::Value isOfFirst, begin, end;
  };
  Stretch stretchOf(mlir::Value slot);
  mlir::Value partNumber(mlir::Value slot, const TermRange &hub);

  GpuKernel &kernel;
  LocBuilder &b;
  const Segment &segment;
  const size_t v, r;
  mlir::Value columns, size, stretches;
};

} // namespace smex::codegen

#endif
