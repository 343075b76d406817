// One program under check: what the parts of check() share.
#ifndef SMEX_RUNTIME_PLAN_SUBJECT_H
#define SMEX_RUNTIME_PLAN_SUBJECT_H

#include "dialects/tdl/analysis/Access.h"
#include "runtime/plan/Findings.h"
#include "runtime/plan/Order.h"
#include "runtime/plan/Regions.h"

namespace smex::plan {

/// A region of a worker's buffer that another worker's instruction reads.
struct RemoteRead {
  WorkerInstruction reader;
  int buffer;
  Box region;
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
    return partitioned.box(worker, buffer);
  }

  /// What the worker's share of the instruction writes of `to`; nothing where
  /// it has nothing to do.
  std::optional<Box> written(int worker, int instruction) const {
    return plan::written(partitioned, worker, instruction);
  }
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

/// Regions and reductions.
void checkMeaning(const Subject &subject);
/// What is computed and combined of terms of sums.
void checkTerms(const Subject &subject);
/// What workers keep is what others fill the same buffers with.
void checkKept(const Subject &subject);
/// Instructions that can be done with the products that they name.
void checkEpilogues(const Subject &subject);
/// Both programs of a plan compute the same values from the same inputs and
/// parameters, whatever parts workers do.
void checkValues(const Plan &plan, Findings &findings);
/// What workers keep for exchanges is enough, if the plan is for GPUs.
void checkStaging(const Plan &plan, Findings &findings);
/// Data and memory of all workers.
void checkWorkers(const Subject &subject);
/// Data and memory of one worker: its own reads and those of others.
void checkMemory(const Subject &subject, int worker, const Order &order,
                 const std::vector<RemoteRead> &remote, Findings &findings);

} // namespace smex::plan

#endif
