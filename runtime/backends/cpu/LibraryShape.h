// The library's code for one size of tile of a convolution or its gradient by
// the data, and the layouts around it.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_LIBRARYSHAPE_H
#define SMEX_RUNTIME_BACKENDS_CPU_LIBRARYSHAPE_H

#include "runtime/backends/convolution/ConvolutionPart.h"
#include "runtime/backends/cpu/Onednn.h"

namespace smex::runtime {

inline int64_t aligned(size_t bytes) { return (int64_t(bytes) + 63) / 64 * 64; }

// Views of the buffers as oneDNN sees them.
dnnl::memory::desc resultDesc(const cpu::ConvolutionProblem &p, DType type);
dnnl::memory::desc dataDesc(const cpu::ConvolutionProblem &p, DType type);
dnnl::memory::desc filterDesc(const cpu::ConvolutionProblem &p, DType type);
dnnl::memory::desc anyLayout(const dnnl::memory::desc &desc);
dnnl::reorder reorderOf(const dnnl::memory::desc &from,
                        const dnnl::memory::desc &to);

/// A window of one point that steps over elements needs only those that it
/// meets: they are a view of their own. (oneDNN takes no view whose last step
/// would reach into the next row or channel, though nothing is there to read.)
void skipUnread(cpu::ConvolutionProblem &p);

/// What tells tiles apart; `filterOnly`: their filters.
std::vector<int64_t> sizesOf(const cpu::ConvolutionProblem &p, bool filterOnly);

/// A convolution's numbers as oneDNN takes them.
struct LibraryGeometry {
  dnnl::memory::dims strides, dilations, low, high;
  explicit LibraryGeometry(const cpu::ConvolutionProblem &p);
};

/// The hint that oneDNN wants with descriptions of gradients.
dnnl::convolution_forward::primitive_desc
forwardHint(const cpu::ConvolutionProblem &p, DType type,
            const dnnl::memory::desc &filter);

class LibraryShape {
public:
  /// `filter`: any layout, or the one that the filter has been given before.
  /// Throws what the library throws.
  LibraryShape(const cpu::ConvolutionProblem &p, DType type, Wanted wanted,
               const dnnl::memory::desc &filter);

  bool isSlow() const { return isReference(implementation.c_str()); }
  const dnnl::memory::desc &layout() const { return filter; }
  int64_t workspaceBytes() const { return bytes; }

  void run(const ConvolutionPart &part, const std::byte *filter,
           std::byte *workspace) const;

private:
  template <typename Primitive, typename Desc>
  void take(const Desc &desc, const dnnl::memory::desc &given,
            const dnnl::memory::desc &wanted);

  bool forward;
  std::string implementation;
  dnnl::primitive primitive;
  // The buffers' layouts, and those that the library wants.
  dnnl::memory::desc data, result, source, target, filter, scratch;
  dnnl::reorder bring, put; // empty where the layouts agree
  bool brings = false, puts = false;
  // Where in a thread's stretch of the workspace things are.
  int64_t resultAt = 0, scratchAt = 0, bytes = 0;
};

} // namespace smex::runtime

#endif
