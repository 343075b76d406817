#include "runtime/backends/reference/Scheduler.h"

#include "runtime/plan/Plan.h"
#include "runtime/transports/Local.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <thread>

using namespace smex;
using namespace smex::runtime;

namespace {

/// An instruction of a worker, on a queue, and the instructions of the same
/// step that it waits for, by their places in the list.
struct Task {
  int worker, queue;
  std::vector<size_t> after;
};

/// Runs the tasks for some steps; the order of each.
class Trial {
public:
  Trial(std::vector<Task> tasks, int workers, uint64_t seed)
      : tasks(std::move(tasks)), transport(workers, queueCount),
        scheduler(numbers(workers), transport, seed,
                  [this](size_t place, const Submission &what) -> Status {
                    order.push_back(what.instruction);
                    // Not here: this may be any thread.
                    strangers += int(place) !=
                                 this->tasks[size_t(what.instruction)].worker;
                    if (what.instruction == failing)
                      return fail("it fails");
                    return {};
                  }),
        counts(size_t(workers * queueCount)) {}

  /// Each worker's result.
  std::vector<Result<bool>> step() {
    order.clear();
    std::vector<Event> done;
    for (const Task &task : tasks)
      done.push_back({task.worker, task.queue,
                      ++counts[size_t(task.worker * queueCount + task.queue)]});
    std::vector<std::vector<Event>> after;
    for (const Task &task : tasks) {
      after.emplace_back();
      for (size_t other : task.after)
        after.back().push_back(done[other]);
    }
    const int workers = int(counts.size()) / queueCount;
    std::vector<Result<bool>> results(static_cast<size_t>(workers), false);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < tasks.size(); ++i)
      scheduler.submit(size_t(tasks[i].worker),
                       {int(i), &after[i], done[i], false});
    for (int w = 0; w < workers; ++w)
      threads.emplace_back(
          [&, w] { results[size_t(w)] = scheduler.finish(size_t(w)); });
    for (std::thread &thread : threads)
      thread.join();
    CHECK(strangers == 0);
    return results;
  }

  std::vector<int> order;
  int failing = -1;
  int strangers = 0; // instructions that another worker was given

private:
  static std::vector<int> numbers(int workers) {
    std::vector<int> all;
    for (int w = 0; w < workers; ++w)
      all.push_back(w);
    return all;
  }

  const std::vector<Task> tasks;
  LocalTransport transport;
  Scheduler scheduler;
  std::vector<int64_t> counts;
};

} // namespace

TEST_CASE("of queues that do not wait, each is the last one in turn") {
  const std::vector<Task> tasks = {
      {0, 0, {}}, {0, 0, {}}, {0, 1, {}}, {0, 1, {}}, {1, 0, {}}};
  for (uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    Trial trial(tasks, 2, seed);
    std::set<int> last;
    for (int step = 0; step < 3; ++step) {
      for (const Result<bool> &done : trial.step())
        REQUIRE((done && *done));
      REQUIRE(trial.order.size() == tasks.size());
      last.insert(trial.order.back());
      // A queue keeps its order.
      const auto place = [&](int task) {
        return std::find(trial.order.begin(), trial.order.end(), task);
      };
      CHECK(place(0) < place(1));
      CHECK(place(2) < place(3));
    }
    CHECK(last == std::set<int>{1, 3, 4});
  }
}

TEST_CASE(
    "events are kept, and without them the order shows that one is missing") {
  // Task 2 reads what task 0 writes; task 1 uses the memory again.
  const auto isSound = [](const std::vector<Task> &tasks) {
    bool sound = true;
    for (uint64_t seed = 0; seed < 4; ++seed) {
      Trial trial(tasks, 2, seed);
      for (int step = 0; step < 3; ++step) {
        for (const Result<bool> &done : trial.step())
          REQUIRE((done && *done));
        const auto place = [&](int task) {
          return std::find(trial.order.begin(), trial.order.end(), task);
        };
        sound = sound && place(0) < place(2) && place(2) < place(1);
      }
    }
    return sound;
  };
  CHECK(isSound({{0, 0, {}}, {0, 0, {2}}, {1, 1, {0}}}));
  CHECK_FALSE(isSound({{0, 0, {}}, {0, 0, {}}, {1, 1, {0}}}));
  CHECK_FALSE(isSound({{0, 0, {}}, {0, 0, {2}}, {1, 1, {}}}));
}

TEST_CASE("those that wait for each other are an error, not a standstill") {
  Trial trial({{0, 0, {1}}, {1, 0, {0}}}, 2, 0);
  const std::vector<Result<bool>> results = trial.step();
  CHECK(trial.order.empty());
  REQUIRE_FALSE(results[0]);
  CHECK(results[0].error().message ==
        "instruction 0 waits for worker 1, which waits itself, and so do all");
  // Not all is done, and the error is not its own.
  CHECK((results[1] && !*results[1]));
}

TEST_CASE("an error is that of the worker whose instruction fails") {
  Trial trial({{0, 0, {}}, {1, 0, {0}}, {0, 0, {1}}}, 2, 0);
  trial.failing = 1;
  const std::vector<Result<bool>> results = trial.step();
  CHECK((results[0] && !*results[0]));
  REQUIRE_FALSE(results[1]);
  CHECK(results[1].error().message == "it fails");
  CHECK(trial.order == std::vector<int>{0, 1});
}

TEST_CASE("what another process signals at any moment is no standstill") {
  // Worker 0, of this process, has an instruction that waits for another of its
  // own, which waits for worker 1, of another process. Whether worker 1 has
  // signalled changes with the n-th question, whichever that is.
  class Late : public LocalTransport {
  public:
    explicit Late(int questions)
        : LocalTransport(2, queueCount), left(questions) {}
    bool hasHappened(const Event &event) const override {
      return event.worker == 1 ? left-- <= 0
                               : LocalTransport::hasHappened(event);
    }

  private:
    mutable int left;
  };
  const std::vector<Event> own = {{0, 0, 1}}, other = {{1, 0, 1}};
  for (int questions = 0; questions < 12; ++questions) {
    CAPTURE(questions);
    Late transport(questions);
    int ran = 0;
    Scheduler scheduler({0}, transport, 0,
                        [&](size_t, const Submission &) -> Status {
                          ++ran;
                          return {};
                        });
    scheduler.submit(0, {0, &other, {0, 0, 1}, false});
    scheduler.submit(0, {1, &own, {0, 1, 1}, false});
    const Result<bool> done = scheduler.finish(0);
    INFO((done ? "" : done.error().message));
    REQUIRE((done && *done));
    CHECK(ran == 2);
  }
}
