// Whether each worker's staging is enough for its exchanges, where GPUs do not
// reach each other's memory. An exchange that does not fit at once goes in
// rounds; so what must fit is its least part, which is one element. To be
// packed or unpacked it takes one place, and, of a reduction, a place for each
// of the other workers that may have a term of it. A place is as large as the
// widest access of a kernel.
#include "runtime/plan/Regions.h"
#include "runtime/plan/Subject.h"
#include "runtime/plan/Target.h"

#include <algorithm>

using namespace smex;
using namespace smex::plan;

namespace {

constexpr int64_t place = 16;

/// Whether the elements of the part are neighbours in the whole: then the first
/// and the last one are as far apart as there are elements.
bool isOneRun(const Box &whole, const Box &part) {
  int64_t first = 0, last = 0;
  for (size_t d = 0; d < part.size(); ++d) {
    first = first * whole[d].size() + part[d].lo - whole[d].lo;
    last = last * whole[d].size() + part[d].hi - 1 - whole[d].lo;
  }
  return last - first + 1 == volume(part);
}

class Staging {
public:
  Staging(const Partitioned &partitioned, Findings &findings)
      : partitioned(partitioned), findings(findings),
        count(int(partitioned.workers.size())) {}

  void run() {
    // No other worker has more than one term of an element.
    if (std::all_of(partitioned.workers.begin(), partitioned.workers.end(),
                    [&](const Worker &worker) {
                      return worker.stagingBytes >= place * (count - 1);
                    }))
      return;
    const auto &instructions = partitioned.program.instructions;
    for (size_t i = 0; i < instructions.size(); ++i)
      if (instructions[i].op == Opcode::Fetch ||
          instructions[i].op == Opcode::Reduce)
        check(int(i));
  }

private:
  void check(int number) {
    const Instruction &what = partitioned.program.instructions[size_t(number)];
    std::vector<int64_t> needed(static_cast<size_t>(count));
    const auto need = [&](int worker, int64_t bytes) {
      int64_t &most = needed[size_t(worker)];
      most = std::max(most, bytes);
    };
    for (int w = 0; w < count; ++w) {
      if (!written(partitioned, w, number))
        continue;
      std::vector<bool> others(static_cast<size_t>(count));
      for (const Piece &piece : piecesOf(partitioned, w, number)) {
        if (piece.worker == w || isEmpty(piece.box))
          continue;
        others[size_t(piece.worker)] = true;
        if (!isOneRun(partitioned.box(piece.worker, what.from), piece.box))
          need(piece.worker, place);
        if (what.op == Opcode::Fetch &&
            !isOneRun(partitioned.box(w, what.to), piece.box))
          need(w, place);
      }
      if (what.op == Opcode::Reduce)
        need(w, place * std::count(others.begin(), others.end(), true));
    }
    for (int w = 0; w < count; ++w)
      if (const int64_t kept = partitioned.workers[size_t(w)].stagingBytes;
          needed[size_t(w)] > kept)
        findings.add(FindingKind::Staging,
                     Names{partitioned, ""}.instruction(w, number), ": needs ",
                     needed[size_t(w)],
                     " bytes of staging where GPUs do not "
                     "reach each other's memory, and the "
                     "plan keeps ",
                     kept);
  }

  const Partitioned &partitioned;
  Findings &findings;
  const int count;
};

} // namespace

void plan::checkStaging(const Plan &plan, Findings &findings) {
  if (std::any_of(plan.code.begin(), plan.code.end(), [](const Artifact &each) {
        return kindOf(each.target) == TargetKind::Cuda;
      }))
    Staging(plan.partitioned, findings).run();
}
