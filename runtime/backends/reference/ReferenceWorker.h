// One worker of the reference backend: an arena that nobody else reaches, and
// the interpreter.
#ifndef SMEX_RUNTIME_BACKENDS_REFERENCE_REFERENCEWORKER_H
#define SMEX_RUNTIME_BACKENDS_REFERENCE_REFERENCEWORKER_H

#include "dialects/tdl/lambda/Lambda.h"
#include "runtime/backends/host/Arena.h"
#include "runtime/backends/host/HostWorker.h"
#include "runtime/backends/reference/Scheduler.h"
#include "runtime/backends/reference/Tenants.h"

namespace smex::runtime {

/// What the workers of one program share that a process has.
struct ReferenceProgram {
  /// Of one worker.
  struct Place {
    Arena arena;
    Tenants tenants;
    Activity activity;
  };
  const plan::Partitioned &partitioned;
  Transport &transport;
  DeviceOptions options;
  std::vector<tdl::Lambda> lambdas; // of the program's kernels
  std::vector<Place> places;        // one per worker of the process
  std::unique_ptr<Scheduler> scheduler;
};

/// What is submitted waits until all workers of the process are in finish().
class ReferenceWorker : public HostWorker {
public:
  /// `place`: which of the process' workers it is.
  ReferenceWorker(std::shared_ptr<ReferenceProgram> shared, int number,
                  size_t place)
      : HostWorker(shared->partitioned, number,
                   shared->places[place].arena.data()),
        shared(std::move(shared)), place(place) {}

  Status start() override;
  Status bind() override { return {}; }
  Status begin() override;
  Status submit(const Submission &submission) override;
  Result<Activity> finish() override;

private:
  ReferenceProgram::Place &own() const { return shared->places[place]; }

  std::shared_ptr<ReferenceProgram> shared;
  size_t place;
};

/// Runs an instruction of the worker to its end, and counts in its activity.
Status runByReference(ReferenceProgram &shared, int worker, size_t place,
                      const Submission &submission);

} // namespace smex::runtime

#endif
