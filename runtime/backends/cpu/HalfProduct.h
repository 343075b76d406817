// Products and convolutions of f16 and bf16, with their gradients, as matrix
// products of f32: small blocks of both operands are gathered, converted and
// multiplied by the library's sgemm, summed in f32, and rounded once. The
// blocks are on the stack, so that no workspace is needed; what is summed in
// which order depends on sizes only.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_HALFPRODUCT_H
#define SMEX_RUNTIME_BACKENDS_CPU_HALFPRODUCT_H

#include "runtime/backends/convolution/ConvolutionPart.h"
#include "runtime/backends/cpu/BoundKernel.h"

namespace smex::runtime {

/// result[batch, row, column] = Sum(summed: left[batch, row, summed]
///                                        * right[batch, summed, column])
/// where each of the four stands for any number of index variables.
struct HalfProblem {
  enum Role { Batch, Row, Column, Summed };
  struct Variable {
    int64_t extent = 1;
    Role role = Batch;
    int64_t result = 0, left = 0, right = 0; // strides, in elements
  };
  /// A place along a dimension of the right operand: (constant + sum of
  /// factors times variables) / divisor, times `stride` elements. Where that
  /// is no whole number, or not in [0, extent), the element is 0.
  struct Window {
    std::vector<int64_t> factors; // per variable
    int64_t constant = 0, divisor = 1, extent = 1, stride = 1;
  };
  std::vector<Variable> variables;
  std::vector<Window> windows;

  static HalfProblem of(const std::vector<cpu::ContractionIndex> &indices);
  static HalfProblem of(const cpu::ConvolutionProblem &convolution,
                        Wanted wanted);
};

class HalfProduct {
public:
  /// Operands are of `type`, f16 or bf16; the result, too, or f32.
  HalfProduct(DType type, DType resultType, HalfProblem problem,
              const ThreadGroup &threads);

  /// The pointers are those of the first element.
  void run(std::byte *result, const std::byte *left,
           const std::byte *right) const;

private:
  /// Where the points of a block of variables of one role lead.
  struct Places {
    std::vector<int64_t> result, left, right, windows; // windows: per point
  };
  int64_t count(HalfProblem::Role role) const;
  void find(HalfProblem::Role role, Interval range, Places &places) const;
  void block(Interval rows, Interval columns, int64_t batch, std::byte *result,
             const uint16_t *left, const uint16_t *right) const;
  void gatherRight(const Places &summed, const Places &columns, int64_t offset,
                   const int64_t *windows, const uint16_t *right,
                   uint16_t *to) const;
  void store(const Places &rows, const Places &columns, int64_t offset,
             const float *sums, std::byte *result) const;

  const DType type, resultType;
  const HalfProblem problem;
  const ThreadGroup &threads;
  int64_t batches, rows, columns, terms;
};

/// Each piece of a convolution or of its gradient, one after the other.
Result<BoundKernelPtr> bindHalfConvolution(const ConvolutionSite &site,
                                           const std::vector<Box> &pieces,
                                           const ThreadGroup &threads);

} // namespace smex::runtime

#endif
