#include "runtime/plan/CheckWeights.h"

#include "runtime/plan/Findings.h"
#include "runtime/plan/Load.h"

#include <cstring>

using namespace smex;
using namespace smex::plan;

namespace {

/// One worker's share of a parameter: a box, dense and row-major.
struct Share {
  int worker;
  const Box *box;
  const std::byte *bytes;
};

/// Compares the elements of `box`, which both shares hold, row by row.
bool same(const Share &a, const Share &b, const Box &box, int64_t elementSize) {
  const size_t rank = box.size();
  const int64_t row = rank ? box[rank - 1].size() * elementSize : elementSize;
  std::vector<int64_t> at;
  for (Interval side : box)
    at.push_back(side.lo);
  const auto place = [&](const Share &share) {
    int64_t element = 0;
    for (size_t d = 0; d < rank; ++d)
      element = element * (*share.box)[d].size() + at[d] - (*share.box)[d].lo;
    return share.bytes + element * elementSize;
  };
  for (;;) {
    if (std::memcmp(place(a), place(b), size_t(row)) != 0)
      return false;
    size_t d = rank ? rank - 1 : 0;
    while (d > 0 && ++at[d - 1] == box[d - 1].hi) {
      at[d - 1] = box[d - 1].lo;
      --d;
    }
    if (d == 0)
      return true;
  }
}

} // namespace

std::vector<Finding> plan::checkWeights(const Plan &plan,
                                        const std::string &directory) {
  const Program &program = plan.partitioned.program;
  const auto &workers = plan.partitioned.workers;
  Findings findings(100);
  const auto files = weights(directory, workers.size(), /*verify=*/false);
  if (!files) {
    findings.add(FindingKind::Coverage, files.error().message);
    return findings.take();
  }
  std::vector<std::vector<Share>> shares(program.parameters.size());
  for (size_t w = 0; w < workers.size(); ++w)
    for (const StoredWeight &stored : workers[w].weights) {
      const int buffer = program.parameters[size_t(stored.parameter)].buffer;
      const Box &box = plan.partitioned.box(int(w), buffer);
      if (!isEmpty(box))
        shares[size_t(stored.parameter)].push_back(
            {int(w), &box, (*files)[w].data() + stored.offset});
    }
  for (size_t p = 0; p < shares.size(); ++p) {
    const Parameter &parameter = program.parameters[p];
    const int tensor = program.buffers[size_t(parameter.buffer)].tensor;
    const int64_t elementSize =
        byteSize(program.tensors[size_t(tensor)].type.dtype);
    // Each element is compared with its first holder alone.
    std::vector<std::pair<Box, const Share *>> first;
    for (const Share &share : shares[p]) {
      std::vector<Box> left = {*share.box};
      const size_t known = first.size();
      for (size_t k = 0; k < known; ++k) {
        const Box both = intersect(first[k].first, *share.box);
        if (isEmpty(both))
          continue;
        if (!same(*first[k].second, share, both, elementSize))
          findings.add(FindingKind::Coverage, "parameter \"", parameter.name,
                       "\": gpu", first[k].second->worker, " and gpu",
                       share.worker, " store other values of ", toString(both));
        std::vector<Box> rest;
        for (const Box &part : left)
          for (Box &piece : subtract(part, both))
            rest.push_back(std::move(piece));
        left = std::move(rest);
      }
      for (Box &part : left)
        if (!isEmpty(part))
          first.push_back({std::move(part), &share});
    }
  }
  return findings.take();
}
