// Nests of loops, cut at the conditions of the term that they compute
// (Conditions.h): outside of what is left, the term is simpler, or a
// reduction's identity, for which no loop is made at all.
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_NEST_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_NEST_H

#include "compiler/codegen/expression/KernelBuilder.h"

namespace smex::codegen {

/// Where the cut lies at the current coordinates.
mlir::Value cutPoint(KernelBuilder &kernel, const struct Cut &cut);

class Nest {
public:
  using Body = std::function<void(const tdl::ExprRef &term)>;
  /// A loop of its own over the innermost variable, for a term without cuts.
  using InnerLoop = std::function<void(const tdl::ExprRef &term, mlir::Value lo,
                                       mlir::Value hi)>;

  /// Loops over `order`, outermost first. Variables that have values already
  /// are those with `kernel.at` set.
  Nest(KernelBuilder &kernel, std::vector<int> order);

  /// Instead of the kernel's range.
  void setRange(int variable, mlir::Value lo, mlir::Value hi);
  /// Parts where the term is this are left out.
  void skip(tdl::ExprRef identity) { skipped = std::move(identity); }

  /// Copies of the body at most, where cuts make it simpler. With 1, loops are
  /// cut only where that shortens them.
  void setCopies(int copies) { mostCopies = copies; }

  void emit(const tdl::ExprRef &term, const Body &each);
  void emit(const tdl::ExprRef &term, const InnerLoop &loop);

  /// Where the loop over a variable ends, inside of which the builder stands.
  mlir::Value endOf(int variable) const { return ends[size_t(variable)]; }

private:
  /// Shortens a reduction's loop to where conditions on variables of inner
  /// loops can hold at all: `o * 2 + k == i`, for any k.
  void tighten(int variable, const tdl::ExprRef &term, mlir::Value &low,
               mlir::Value &high);
  /// The first value from `low` on that has the remainder.
  mlir::Value firstCongruent(mlir::Value low,
                             const struct Congruence &congruence);
  void level(size_t depth, const tdl::ExprRef &term, int budget);
  void range(size_t depth, mlir::Value lo, mlir::Value hi,
             const tdl::ExprRef &term, int budget);

  KernelBuilder &kernel;
  std::vector<int> order;
  Values lo, hi, ends;
  std::vector<bool> bound;
  /// A guarded read in four dimensions needs 9, and code that runs at the
  /// borders only should not dominate compile time.
  int mostCopies = 16;
  tdl::ExprRef skipped;
  Body body;
  InnerLoop inner;
};

} // namespace smex::codegen

#endif
