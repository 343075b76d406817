// In which order work is done, and what is said of it.
#include "test/emulated/cuda/Work.h"

#include <catch2/catch.hpp>

using namespace smex::emulated;

namespace {

struct Example {
  explicit Example(uint64_t seed) : scheduler(seed) {
    scheduler.onError = [this](const Work &work, std::exception_ptr error) {
      try {
        std::rethrow_exception(error);
      } catch (const StreamRace &race) {
        said += race.text;
      } catch (const std::exception &other) {
        said += work.description + " fails;";
      }
      scheduler.drop(work.device);
    };
  }
  WorkPointer submit(const std::string &name, unsigned device,
                     std::vector<WorkPointer> after,
                     std::function<std::vector<Span>()> run) {
    auto work = std::make_shared<Work>();
    work->description = name;
    work->device = device;
    work->stream = ++streams;
    work->number = 1;
    work->after = std::move(after);
    work->run = std::move(run);
    scheduler.submit(work);
    return work;
  }

  Scheduler scheduler;
  std::string said;
  uint64_t streams = 0;
};

} // namespace

TEST_CASE("when a device has failed, the others keep their order") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Example example(seed);
    const auto nothing = [] { return std::vector<Span>(); };
    const auto write = example.submit(
        "write", 0, {}, [] { return std::vector<Span>{{100, 200, true}}; });
    const auto failing =
        example.submit("other", 1, {}, []() -> std::vector<Span> {
          throw std::runtime_error("it was told to fail");
        });
    const auto between =
        example.submit("between", 1, {write, failing}, nothing);
    const auto read = example.submit("read", 0, {between}, [] {
      return std::vector<Span>{{100, 200, false}};
    });
    std::mutex mutex;
    std::unique_lock<std::mutex> lock(mutex);
    example.scheduler.finish(read, lock);
    INFO("seed " << seed);
    CHECK(write->isDone);
    CHECK(example.said == "other fails;");
    // Who waits for what the failed device had to do does not wait for ever.
    example.scheduler.finish(between, lock);
    example.scheduler.finishAll(lock);
  }
}

TEST_CASE("streams whose memory was freed are forgotten") {
  Example example(3);
  std::mutex mutex;
  std::unique_lock<std::mutex> lock(mutex);
  WorkPointer last;
  for (int run = 0; run < 5; ++run) {
    const auto writing = [] { return std::vector<Span>{{100, 200, true}}; };
    const auto first = example.submit("first", 0, {}, writing);
    last = example.submit("last", 0, {first}, writing);
    example.scheduler.finish(last, lock);
    CHECK(example.scheduler.knownStreams() == 2);
    example.scheduler.forget(0, 1000);
  }
  // Work that is after one of before is in order; what is not, still races.
  const auto write = example.submit(
      "write", 0, {last}, [] { return std::vector<Span>{{100, 200, true}}; });
  const auto read = example.submit(
      "read", 0, {last}, [] { return std::vector<Span>{{100, 200, false}}; });
  CHECK(!read->isAfter(*write));
  example.scheduler.finishAll(lock);
  CHECK(example.said.find("two streams race") == 0);
}
