// One program under check: what the parts of check() share.
#ifndef SMEX_RUNTIME_PLAN_SUBJECT_H
#define SMEX_RUNTIME_PLAN_SUBJECT_H

#include "dialects/tdl/analysis/Access.h"
#include "runtime/plan/Findings.h"
#include "runtime/plan/Order.h"

namespace smex::plan {

/// A region of a buffer of the same worker that an instruction reads.
struct Read {
  int instruction, buffer;
  Box region;
};

/// A region of a buffer on another worker that an instruction reads.
struct RemoteRead {
  Step reader;
  int buffer;
  const Box *region;
};

class Subject {
public:
  /// The program has passed validate().
  Subject(const Partitioned &partitioned, std::string prefix,
          Findings &findings);
  Subject(const Subject &) = delete; // knows places in itself

  const Partitioned &partitioned;
  const Program &program;
  Findings &findings;
  Names names;
  std::vector<tdl::Lambda> lambdas; // per kernel

  const TensorInfo &tensorOf(int buffer) const {
    return program.tensors[size_t(program.buffers[size_t(buffer)].tensor)];
  }
  const Box &box(int worker, int buffer) const {
    return partitioned.workers[size_t(worker)].buffers[size_t(buffer)].box;
  }
  const WorkerInstruction &share(int worker, int instruction) const {
    return partitioned.workers[size_t(worker)]
        .instructions[size_t(instruction)];
  }

  /// What the worker's share of the instruction writes of `to`; nothing where
  /// it has nothing to do.
  std::optional<Box> written(int worker, int instruction) const;
  /// The part of the reduction that the worker does: [lo, hi) per variable.
  Box reductionPart(int worker, int instruction) const;
  /// The whole of it.
  Box reductionRange(int instruction) const;

  /// The region of each operand that a compute with work to do reads.
  std::vector<Box> regions(int worker, int instruction) const;
  /// Whether operand `operand` is read at the index of the result only.
  bool readsAtResult(int kernel, int operand) const {
    return pointwise[size_t(kernel)][size_t(operand)];
  }

private:
  analysis::AccessTable table;
  /// Per instruction; null where it computes nothing.
  std::vector<const std::vector<analysis::Access> *> accesses;
  std::vector<std::vector<bool>> pointwise; // per kernel, operand
};

/// Regions and reductions. Fills, per worker, what its computes read.
void checkMeaning(const Subject &subject,
                  std::vector<std::vector<Read>> &reads);
/// Both programs of a plan compute the same values from the same inputs and
/// parameters, whatever parts workers do.
void checkValues(const Plan &plan, Findings &findings);
/// Data and memory of one worker: its own reads and those of others. Without an
/// order (there is a deadlock), what others read is not looked at.
void checkMemory(const Subject &subject, int worker, const Order *order,
                 const std::vector<Read> &reads,
                 const std::vector<RemoteRead> &remote);

} // namespace smex::plan

#endif
