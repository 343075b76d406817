// A program as workers have it that keep the same buffers, where others move
// them back or compute them again: what these do not do is not there, and each
// buffer is the one whose bytes they have for it.
#ifndef SMEX_COMPILER_MEMORY_VIEW_H
#define SMEX_COMPILER_MEMORY_VIEW_H

#include "dialects/exec/ir/Exec.h"

namespace smex::memory {

class View {
public:
  /// As this worker has it.
  View(exec::ProgramOp program, int64_t worker);
  /// As all have it, where nobody keeps anything.
  explicit View(exec::ProgramOp program) : View(program, -1) {}

  struct Step {
    mlir::Operation *op;
    int64_t at; // its number among all instructions of the program
  };
  /// What is done, in order.
  const std::vector<Step> &steps() const { return list; }
  bool does(mlir::Operation *op) const { return isDone(exec::written(op)); }

  exec::BufferOp storage(exec::BufferOp buffer) const;
  std::vector<exec::BufferOp> read(mlir::Operation *op) const;
  exec::BufferOp written(mlir::Operation *op) const;

private:
  bool isDone(exec::BufferOp buffer) const {
    return worker < 0 || !exec::isKept(buffer, worker);
  }

  int64_t worker;
  std::vector<Step> list;
};

/// The views that there are of a program, and which one each worker has. Where
/// nobody keeps anything, all have the same.
struct Views {
  std::vector<View> all;
  std::vector<size_t> of;
};
Views viewsOf(exec::ProgramOp program);

} // namespace smex::memory

#endif
