// The kernels of a plan: one per distinct lambda, bound to a library or
// generated.
#ifndef SMEX_COMPILER_EMIT_KERNELS_H
#define SMEX_COMPILER_EMIT_KERNELS_H

#include "dialects/tdl/analysis/Affine.h"
#include "dialects/tdl/lambda/Lambda.h"
#include "runtime/plan/Plan.h"

#include <map>
#include <tuple>
#include <vector>

namespace smex::emit {

/// The kernel-binding table: which implementation a lambda gets. It goes by the
/// lambda's structure, so a custom operator that is a matrix product gets the
/// library's as well. `extents` of all index variables tell a grouped
/// convolution, and `shapes` of the operands the gradient of one. Without
/// `library`, none of its kernels is considered.
plan::Kernel bind(const tdl::Lambda &lambda,
                  const std::vector<int64_t> &extents,
                  const analysis::Shapes &shapes, bool library = true);

/// Kernels by lambda text, over all programs of a plan: they share its code.
class KernelTable {
public:
  /// Without `library`, all that can be is generated.
  explicit KernelTable(bool library = true) : library(library) {}

  /// The kernel of this lambda; generated ones have a symbol for each code
  /// (runtime/plan/KernelCode.h). The reference stays valid, and is the same
  /// for the same lambda and binding.
  const plan::Kernel &kernelOf(const std::string &lambda,
                               const std::vector<int64_t> &extents,
                               const analysis::Shapes &shapes);

  /// The lambdas to generate code for (plan::codeOf), with their symbols, in
  /// order.
  struct Generated {
    std::string symbol;
    tdl::Lambda lambda;
  };
  const std::vector<Generated> &generated() const { return requests; }

private:
  bool library;
  /// Lambda, kind, and strides, dilations, pads and groups of a convolution.
  using Binding =
      std::tuple<std::string, plan::KernelKind, std::vector<int64_t>>;
  std::map<Binding, plan::Kernel> kernels;
  std::map<std::string, std::string> symbols; // by the text of the code
  std::vector<Generated> requests;
};

} // namespace smex::emit

#endif
