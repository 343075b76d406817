#include "runtime/executor/Snapshot.h"

#include "kernels/cpu/Boxes.h"

using namespace smex;
using namespace smex::runtime;

Status Snapshot::prepare() {
  for (const plan::Parameter &parameter : partitioned.program.parameters) {
    holders.push_back(holdersOf(partitioned, parameter.buffer));
    if (!holders.back().missing.empty())
      return fail("parameter \"", parameter.name, "\": no worker has ",
                  toString(holders.back().missing.front()));
  }
  return {};
}

Status Snapshot::write(int worker, DeviceWorker &device,
                       ParameterSink &sink) const {
  const plan::Program &program = partitioned.program;
  for (size_t p = 0; p < program.parameters.size(); ++p) {
    const plan::Parameter &parameter = program.parameters[p];
    const std::vector<Box> &boxes = holders[p].boxes[size_t(worker)];
    std::byte *to = sink.place(int(p));
    if (!to || boxes.empty())
      continue;
    const plan::BufferInfo &info = program.buffers[size_t(parameter.buffer)];
    const TensorType &type = program.tensors[size_t(info.tensor)].type;
    const Box &own = partitioned.box(worker, parameter.buffer);
    const int64_t element = byteSize(type.dtype);
    const int64_t bytes = volume(own) * element;
    const auto copy = [&](const std::byte *from) {
      for (const Box &box : boxes)
        cpu::copyBox(to, wholeBox(type.shape), from, own, box, element);
    };
    if (parameter.next >= 0) {
      if (Status read = device.read(
              partitioned.offset(worker, parameter.buffer), bytes, copy);
          !read)
        return read;
      continue;
    }
    // A device may keep what no step changes in a layout of its own.
    std::vector<std::byte> share(static_cast<size_t>(bytes));
    if (Status filled = parameters.fill(worker, int(p), share.data()); !filled)
      return filled;
    copy(share.data());
  }
  return {};
}
