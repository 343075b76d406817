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

/// The kernel-binding table: which implementation a lambda gets on each target
/// (runtime/plan/Target.h). It goes by the lambda's structure, so a custom
/// operator that is a matrix product gets the library's as well. `extents` of
/// all index variables tell a grouped convolution, `shapes` of the operands the
/// gradient of one, and both what libraries of GPUs have. Without `library`,
/// none of its kernels is considered.
plan::Kernel bind(const tdl::Lambda &lambda,
                  const std::vector<int64_t> &extents,
                  const analysis::Shapes &shapes,
                  const std::vector<std::string> &targets, bool library = true);

/// A function of the plan's code, and the targets whose code has it.
struct Function {
  std::string symbol;
  tdl::Lambda lambda; // plan::codeOf
  std::vector<std::string> targets;

  bool operator==(const Function &other) const {
    return symbol == other.symbol && targets == other.targets;
  }
};

/// Those of a plan that is there already, in the order in which a KernelTable
/// has them. That a symbol stands for one lambda, check() sees to.
std::vector<Function> functionsOf(const plan::Plan &plan);

/// Kernels by lambda text, over all programs of a plan: they share its code.
class KernelTable {
public:
  /// Without `library`, all that can be is generated.
  explicit KernelTable(std::vector<std::string> targets, bool library = true)
      : targets(std::move(targets)), library(library) {}

  /// The kernel of this lambda; generated ones have a symbol for each code
  /// (runtime/plan/KernelCode.h). The reference stays valid, and is the same
  /// for the same lambda and binding.
  const plan::Kernel &kernelOf(const std::string &lambda,
                               const std::vector<int64_t> &extents,
                               const analysis::Shapes &shapes);

  /// What code is to be generated for, in the order of first use.
  const std::vector<Function> &functions() const { return made; }

private:
  void addFunction(plan::Kernel &kernel, const tdl::Lambda &lambda);

  std::vector<std::string> targets;
  bool library;
  /// Lambda, kind, strides, dilations, pads and groups of a convolution, and
  /// the targets that it is generated for.
  using Binding = std::tuple<std::string, plan::KernelKind,
                             std::vector<int64_t>, std::vector<std::string>>;
  std::map<Binding, plan::Kernel> kernels;
  std::map<std::string, size_t> numbers; // of functions, by their code's text
  std::vector<Function> made;
};

} // namespace smex::emit

#endif
