// What plans are run on: the rows of the matrix. A backend, or a mixture, with
// a transport, in an environment that says what emulated devices there are.
#ifndef SMEX_TEST_CONFORMANCE_ROWS_H
#define SMEX_TEST_CONFORMANCE_ROWS_H

#include "runtime/executor/Executor.h"
#include "runtime/transports/mpi/World.h"

#include <map>

namespace smex::conformance {

struct Row {
  std::string name;
  /// A process of the plan for each, as threads here: workers are dealt among
  /// them, and reach each other through the transport alone. One: all workers
  /// of this process are its.
  std::vector<std::string> backends;
  std::string transport = "local"; // makeTransport knows these
  /// Set before the program starts.
  std::map<std::string, std::string> environment = {};
  /// So many processes, which mpirun starts: all make the same cases in the
  /// same order, each with some of a plan's workers, and compare. 0: this one
  /// alone.
  int processes = 0;
  /// Plans have code for GPUs, too.
  bool alsoForGpus = false;

  bool isOnGpus() const { return backends.front() == "cuda"; }
};

const std::vector<Row> &rows();
/// None of the matrix: the row that cases are kept of (Kept.h).
const Row &keptRow();

/// Opens the row's backends once.
class Runner {
public:
  /// Before the program starts any thread (mpi::World::join).
  static Result<Runner> open(const Row &row);

  /// What code plans must have for it.
  std::vector<std::string> targets() const;
  Status accepts(const plan::Plan &plan) const;
  /// By all processes; what each of them knows at the end must be the same.
  Result<runtime::RunResult> run(const plan::Plan &plan,
                                 const runtime::ParameterSource &parameters,
                                 const std::vector<runtime::Feed> &feeds,
                                 runtime::RunOptions options) const;

  /// Among the processes that mpirun has started; 0 without it.
  int rank() const { return world ? world->rank() : 0; }
  /// After the last run: the program's exit status, that of all processes.
  int finish(bool isGood) const;

private:
  Result<runtime::RunResult>
  runTogether(const plan::Plan &plan,
              const runtime::ParameterSource &parameters,
              const std::vector<runtime::Feed> &feeds,
              runtime::RunOptions options) const;

  const Row *row = nullptr;
  std::unique_ptr<mpi::World> world; // it outlives the backends
  std::vector<std::unique_ptr<runtime::Backend>> backends;
};

} // namespace smex::conformance

#endif
