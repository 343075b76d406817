// One worker of the cuda backend: an arena on a GPU, a stream for each of its
// queues, and instructions made ready to be launched.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_CUDAWORKER_H
#define SMEX_RUNTIME_BACKENDS_CUDA_CUDAWORKER_H

#include "runtime/backends/cuda/CudaProgram.h"

#include <array>

namespace smex::cuda {

/// submit() puts an instruction on its stream, after the events of what it
/// waits for, and returns at once.
class CudaWorker : public runtime::DeviceWorker {
public:
  CudaWorker(std::shared_ptr<CudaProgram> shared, int number)
      : shared(std::move(shared)), number(number) {}
  ~CudaWorker() override;

  Status start() override;
  Status write(const runtime::ArenaBytes &to,
               const std::function<Status(std::byte *)> &fill) override;
  Status read(const runtime::ArenaBytes &from,
              const std::function<void(const std::byte *)> &use) override;
  Status copy(const runtime::ArenaBytes &to, int64_t from) override;
  Status bind() override;
  Status begin() override;
  bool repeats() const override { return shared->graph != nullptr; }
  Status submit(const runtime::Submission &submission) override;
  Result<runtime::Activity> finish() override;

private:
  CudaProgram::Place &place() { return shared->places[size_t(number)]; }
  Gpu &gpu() { return *place().gpu; }
  /// In a step this is asked for each call, so that it costs nothing where all
  /// is well.
  Status check(Code code, const char *what) {
    return code == success ? Status() : failed(code, what);
  }
  Status failed(Code code, const char *what);
  Status makeEvents();
  Status launch(const Prepared &what, Stream stream);
  Status put(const runtime::Submission &submission, Stream stream);
  void remember(const runtime::Submission &submission);
  Status captureStep();
  Status repeat();
  bool isFirst() const { return number == shared->workers.front(); }
  Status putHere(const runtime::Submission &submission, Stream stream);
  Status submitBesideExchanges(const runtime::Submission &submission);
  Status finishExchanges();
  Exchanger *exchanger() { return place().exchanger; }
  bool leads();
  Status record(Event event, Stream stream) {
    return check(shared->driver.eventRecord(event, stream),
                 "recording an event");
  }
  Result<Event> recordTime(Stream stream);
  Status synchronize(Stream stream) {
    return gpu().synchronize(stream, {"waiting for its stream", number});
  }

  std::shared_ptr<CudaProgram> shared;
  const int number;
  Stream streams[size_t(queueCount)] = {};
  /// Per instruction; null: nobody waits for it, nor does it have to be known
  /// when it is done.
  std::vector<Event> events;
  /// With DeviceOptions::trace: when the step began, and both ends of what was
  /// submitted in it.
  struct Timed {
    int instruction;
    Event start, end;
  };
  Event began = nullptr;
  double beganAt = 0;
  std::vector<Timed> timed;
  std::vector<Event> spare; // for these
  Result<Event> timingEvent();
  runtime::Activity activity;
  int begun = 0;                 // steps
  int64_t repeated = 0;          // of these, as a graph
  int64_t receivedBytes = 0;     // in the last step
  plan::HostTraffic hostTraffic; // of it
  /// The last of each queue in the last step; a count of 0: there was none.
  std::array<runtime::Event, size_t(queueCount)> submitted;
};

} // namespace smex::cuda

#endif
