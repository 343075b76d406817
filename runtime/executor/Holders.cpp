#include "runtime/executor/Holders.h"

using namespace smex;
using namespace smex::runtime;

Holders runtime::holdersOf(const plan::Partitioned &partitioned, int buffer) {
  const plan::Program &program = partitioned.program;
  const plan::BufferInfo &info = program.buffers[size_t(buffer)];
  const Box whole = wholeBox(program.tensors[size_t(info.tensor)].type.shape);
  Holders holders;
  holders.boxes.resize(partitioned.workers.size());
  if (!isEmpty(whole))
    holders.missing = {whole};
  for (size_t w = 0; w < holders.boxes.size() && !holders.missing.empty();
       ++w) {
    const Box &own = partitioned.box(int(w), buffer);
    std::vector<Box> rest;
    for (const Box &part : holders.missing) {
      const Box common = intersect(part, own);
      if (!isEmpty(common))
        holders.boxes[w].push_back(common);
      for (Box &left : subtract(part, common))
        rest.push_back(std::move(left));
    }
    holders.missing = std::move(rest);
  }
  return holders;
}
