#include "runtime/backends/cuda/dnn/Brought.h"

#include <algorithm>

using namespace smex;
using namespace smex::cuda;
using namespace smex::cuda::dnn;

namespace {

/// Of what is in the workspace, and of the library's own part of it.
constexpr int64_t alignment = 256;

/// Fills `to` with zeros and, at `kept`, with what begins at `from`.
Pad padOf(Address from, const std::vector<int64_t> &fromStrides,
          const std::vector<Interval> &kept, const View &to) {
  Pad pad{};
  PadPiece &piece = pad.piece;
  piece.from = reinterpret_cast<const char *>(uintptr_t(from));
  piece.to = reinterpret_cast<char *>(uintptr_t(to.address));
  const size_t rank = to.sizes.size(), front = size_t(mostDimensions) - rank;
  for (size_t d = 0; d < size_t(mostDimensions); ++d) {
    const bool isThere = d >= front;
    piece.sizes[d] = isThere ? to.sizes[d - front] : 1;
    piece.begin[d] = isThere ? kept[d - front].lo : 0;
    piece.end[d] = isThere ? kept[d - front].hi : 1;
    piece.fromStrides[d] = isThere ? fromStrides[d - front] : 0;
    piece.toStrides[d] = isThere ? to.strides[d - front] : 0;
  }
  pad.blocks =
      unsigned(std::clamp<int64_t>((to.elements() + 255) / 256, 1, 2048));
  return pad;
}

} // namespace

Pad dnn::zeros(const View &view) {
  return padOf(view.address, view.strides,
               std::vector<Interval>(view.sizes.size()), view);
}

std::vector<Interval> dnn::wholeOf(const View &view) {
  std::vector<Interval> whole;
  for (int64_t size : view.sizes)
    whole.push_back({0, size});
  return whole;
}

bool Brought::move(View &view, const std::vector<Interval> &kept,
                   bool isWritten) {
  const int64_t bytes = view.elements() * elementBytes;
  const int64_t at = used;
  used = (at + bytes + alignment - 1) / alignment * alignment;
  if (bytes > workspaceBytes || used > workspaceBytes)
    return false;
  const View buffer = view;
  view = buffer.denseAt(workspace + Address(at));
  if (!isWritten || adds)
    before.push_back(padOf(buffer.address, buffer.strides, kept, view));
  if (!isWritten)
    return true;
  View back = buffer;
  Address from = view.address;
  for (size_t d = 0; d < kept.size(); ++d) {
    back.sizes[d] = kept[d].size();
    from += Address(kept[d].lo * view.strides[d] * elementBytes);
  }
  after.push_back(padOf(from, view.strides, wholeOf(back), back));
  return true;
}
