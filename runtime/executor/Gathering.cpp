#include "runtime/executor/Gathering.h"

#include "kernels/cpu/Boxes.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;

namespace {
const TensorType &typeOf(const plan::Program &program, const Whole &whole) {
  const plan::BufferInfo &info = program.buffers[size_t(whole.buffer)];
  return program.tensors[size_t(info.tensor)].type;
}
} // namespace

Status Gathering::bring(int worker, const std::vector<Whole> &wholes,
                        const ShowPart &show) const {
  std::vector<std::byte> shared;
  for (size_t n = 0; n < wholes.size(); ++n) {
    const Whole &whole = wholes[n];
    const std::vector<Box> &boxes = whole.holders->boxes[size_t(worker)];
    if (boxes.empty() || (!whole.bytes && !hasOthers()))
      continue;
    const TensorType &type = typeOf(partitioned.program, whole);
    const int64_t element = byteSize(type.dtype);
    const Box &own = partitioned.box(worker, whole.buffer);
    Status shown = show(n, [&](const std::byte *from) {
      for (const Box &box : boxes) {
        if (whole.bytes)
          cpu::copyBox(whole.bytes, wholeBox(type.shape), from, own, box,
                       element);
        if (!hasOthers())
          continue;
        const size_t at = shared.size();
        shared.resize(at + size_t(volume(box) * element));
        cpu::copyBox(shared.data() + at, box, from, own, box, element);
      }
    });
    if (!shown)
      return shown;
  }
  if (!hasOthers())
    return {};
  const Shared all = transport.share(worker, std::move(shared));
  if (!all.empty() && worker == workers.front())
    return takeOthers(all, wholes);
  return {};
}

/// What workers of other processes have brought.
Status Gathering::takeOthers(const Shared &all,
                             const std::vector<Whole> &wholes) const {
  for (size_t worker = 0; worker < all.size(); ++worker) {
    if (std::find(workers.begin(), workers.end(), int(worker)) != workers.end())
      continue;
    const std::byte *from = all[worker]->data();
    const std::byte *const end = from + all[worker]->size();
    for (const Whole &whole : wholes) {
      const TensorType &type = typeOf(partitioned.program, whole);
      const int64_t element = byteSize(type.dtype);
      for (const Box &box : whole.holders->boxes[worker]) {
        if (end - from < volume(box) * element)
          return Error{"worker " + std::to_string(worker) +
                           " has brought less than it holds",
                       Fault::Defect};
        if (whole.bytes)
          cpu::copyBox(whole.bytes, wholeBox(type.shape), from, box, box,
                       element);
        from += volume(box) * element;
      }
    }
  }
  return {};
}
