// What the index variables of a convolution's gradient are, in a plan: a word
// each, "n c x0 x1 m k0 k1".
//
//     n, m, c   image, channel of the result, channel of the data
//     x, o, k   place in the data, the result, the window, with its dimension
//
// By the data the outputs are n c x..; summed are m, within its group (absent
// where a group has one), and for each dimension k, or o, or neither where both
// follow from x. By the filter the outputs are m c k.., c within its group;
// summed are n and all o.
#ifndef SMEX_RUNTIME_PLAN_CONVOLUTIONROLES_H
#define SMEX_RUNTIME_PLAN_CONVOLUTIONROLES_H

#include "dialects/tdl/lambda/Lambda.h"
#include "runtime/plan/Plan.h"

#include <optional>

namespace smex::plan {

struct ConvolutionRole {
  char kind = 0;
  int dim = 0;
  bool operator==(const ConvolutionRole &other) const {
    return kind == other.kind && dim == other.dim;
  }
};

inline bool isGradient(KernelKind kind) {
  return kind == KernelKind::ConvolutionData ||
         kind == KernelKind::ConvolutionFilter;
}
inline bool isConvolution(KernelKind kind) {
  return kind == KernelKind::Convolution || isGradient(kind);
}

/// One per index variable; nothing if they are not those of such a gradient.
std::optional<std::vector<ConvolutionRole>>
convolutionRoles(const Kernel &kernel, const tdl::Lambda &lambda);

} // namespace smex::plan

#endif
