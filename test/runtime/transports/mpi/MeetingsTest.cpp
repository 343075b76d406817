// Meetings of one process' workers with another process, which is the test.
#include "runtime/transports/mpi/Meetings.h"
#include "runtime/transports/mpi/Parcel.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <thread>

using namespace smex;
using namespace smex::mpi;

namespace {
/// Of four workers in two processes, the process that has 2 and 3.
struct Half {
  std::atomic<int> told{0};
  Meetings meetings{4, 2, {2, 3}, [this](Meetings::Bytes) { ++told; }};
};

/// What the process that has workers 0 and 1 tells of a meeting.
Meetings::Bytes fromOthers(int64_t meeting, const std::vector<int> &workers) {
  Parcel parcel;
  parcel.put(meeting);
  for (int worker : workers) {
    parcel.put(worker);
    parcel.put(1);
    parcel.put("!", 1);
  }
  return parcel.take();
}

Meetings::Bytes bytes(size_t count) { return Meetings::Bytes(count); }
} // namespace

TEST_CASE("a meeting is over when every process has come, in any order") {
  const bool areOthersFirst = GENERATE(false, true);
  Half here;
  if (areOthersFirst)
    here.meetings.hear(fromOthers(0, {0, 1}));
  std::optional<runtime::Shared> third;
  std::thread other([&] { third = here.meetings.meet(3, bytes(3)); });
  if (!areOthersFirst)
    here.meetings.hear(fromOthers(0, {0, 1}));
  const auto all = here.meetings.meet(2, bytes(2));
  other.join();
  REQUIRE(all);
  REQUIRE(third);
  CHECK(here.told == 1);
  for (size_t w = 0; w < 4; ++w)
    CHECK((*all)[w]->size() == (w < 2 ? 1 : w));
}

// Its workers go on to what would be the next meeting, one of them perhaps from
// within the last one: nobody may take that for the coming of another worker.
TEST_CASE("who comes to a meeting of a run that was stopped is not counted") {
  Half here;
  std::atomic<bool> isIn{false};
  std::atomic<int> over{0};
  std::thread second([&] {
    isIn = true;
    over += !!here.meetings.meet(2, bytes(2));
    over += here.meetings.meet();
    over += !!here.meetings.meet(2, bytes(2));
  });
  while (!isIn)
    std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  here.meetings.stop();
  second.join();
  CHECK(over == 0);
  CHECK(here.told == 0);
  CHECK_FALSE(here.meetings.meet(3, bytes(3)));
  CHECK(here.told == 0);
}
