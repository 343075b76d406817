// Plans of one module, as different searches make them.
#ifndef SMEX_COMPILER_PIPELINE_CANDIDATES_H
#define SMEX_COMPILER_PIPELINE_CANDIDATES_H

#include "compiler/pipeline/Choice.h"
#include "compiler/pipeline/Steps.h"

#include <chrono>

namespace smex::pipeline {

/// What all plans of a model begin with. All of it outlives the plans' making.
struct Prepared {
  mlir::ModuleOp module; // the semantic graph, before any decision
  const std::string &model;
  const CompileOptions &options;
  Diagnostics &diagnostics;
  const std::optional<OnMachine> &machine;
  MemoryLimit limit;
  int64_t operators; // applications in `module`
  /// Lists by which rows are fetched, and those by which the machine's GPUs
  /// have the time of their edges.
  const analysis::NamedLists &known, &counted;
};

/// The program that the passes make of a module, with decisions or without any;
/// what it calls is added to the table. An error where no plan can hold it.
Result<plan::Partitioned> emitProgram(const Prepared &of, mlir::ModuleOp module,
                                      const ExecOptions &options,
                                      emit::KernelTable &kernels);

class Candidates {
public:
  /// `kernels`: what the unpartitioned program calls, which plans add to.
  Candidates(const Prepared &of, const emit::KernelTable &kernels)
      : of(of), kernels(kernels) {}

  /// The plan of a search that keeps the memory limit, or the one that comes
  /// nearest to it: of a placement, in less memory where its first plan exceeds
  /// the limit, and in the order that is fastest; with --offload, with buffers
  /// on the host where it does not keep the limit otherwise. `toBeat`: see
  /// Attempt.
  Result<Candidate> decide(const partition::Search &by,
                           std::optional<double> toBeat = std::nullopt);

  /// In place of a plan that decide() made, a better one, if there is one: with
  /// what waits on the host, or is computed again, searched for thoroughly.
  /// decide() looks roughly, since it makes many plans, of which one is taken.
  std::optional<Candidate> refined(const Candidate &rough);

  /// When the last of the searches had its decisions, by the clock; nothing
  /// before the first.
  std::optional<std::chrono::steady_clock::time_point> decidedAt() const {
    return decided;
  }

  /// Where the last search that decide() was asked for made no plan for want of
  /// memory: a limit that works for it, bytes of each GPU, if one was found.
  std::optional<int64_t> enoughBytes() const { return enough; }

private:
  using Decisions = mlir::OwningOpRef<mlir::ModuleOp>;

  Result<Candidate> withoutOffload(const partition::Search &by);
  Result<Candidate> withinLimit(const partition::Search &by);
  Result<Candidate> placed(const partition::Search &by,
                           std::optional<int64_t> &likely);
  std::optional<int64_t> limitThatWorks(const partition::Search &by,
                                        int64_t likely) const;
  Result<Candidate> offloaded(const partition::Search &by,
                              std::optional<double> toBeat);
  /// What the search decides, of a placement that may count on so many bytes.
  Result<Decisions> decisionsOf(const partition::Search &by,
                                std::optional<int64_t> placedBytes);
  Result<Candidate> make(const partition::Search &by, const Room &room);
  Result<Candidate> make(const partition::Search &by, mlir::ModuleOp decisions,
                         const Room &room) const;
  ExecOptions execOptionsOf(const partition::Search &by) const;
  Result<Candidate> emitted(mlir::ModuleOp decisions,
                            const partition::Search &by,
                            const ExecOptions &options,
                            const Room &room) const;

  const Prepared &of;
  const emit::KernelTable kernels;
  std::optional<int64_t> enough;
  std::optional<std::chrono::steady_clock::time_point> decided;
};

} // namespace smex::pipeline

#endif
