// What a call of cuDNN does not take where it is: it is brought into the
// workspace before the call, or from there afterwards.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_DNN_BROUGHT_H
#define SMEX_RUNTIME_BACKENDS_CUDA_DNN_BROUGHT_H

#include "dialects/support/Box.h"
#include "kernels/cuda/Pieces.h"
#include "runtime/backends/cuda/dnn/Descriptors.h"

#include <vector>

namespace smex::cuda::dnn {

/// A launch of the kernel that copies boxes and makes zeros.
struct Pad {
  PadPiece piece;
  unsigned blocks;
};

/// Fills the view with zeros.
Pad zeros(const View &view);

/// All of it, dimension by dimension.
std::vector<Interval> wholeOf(const View &view);

/// The copies around one call. A view that is moved becomes a dense one in the
/// workspace.
class Brought {
public:
  /// `adds`: the call adds to what it writes, so that this is brought, too.
  Brought(Address workspace, int64_t workspaceBytes, int64_t elementBytes,
          bool adds)
      : workspace(workspace), workspaceBytes(workspaceBytes),
        elementBytes(elementBytes), adds(adds) {}

  /// Moves the view, which gets the buffer's elements at `kept` and zeros
  /// elsewhere; or, where it is written, gives the buffer what is at `kept`.
  /// False: there is no room.
  bool move(View &view, const std::vector<Interval> &kept, bool isWritten);

  std::vector<Pad> before, after;
  int64_t used = 0; // bytes of the workspace, from its start

private:
  const Address workspace;
  const int64_t workspaceBytes, elementBytes;
  const bool adds;
};

} // namespace smex::cuda::dnn

#endif
