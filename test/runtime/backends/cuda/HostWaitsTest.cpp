// What threads wait for on GPUs, as a watchdog sees it.
#include "runtime/backends/cuda/HostWaits.h"

#include <catch2/catch.hpp>

#include <optional>
#include <thread>

using namespace smex::cuda;

TEST_CASE("the oldest wait that goes on is named, and those that end counted") {
  HostWaits waits;
  CHECK(waits.look().oldest.empty());
  CHECK(waits.look().over == 0);
  std::optional<HostWaits::Guard> first, second;
  first.emplace(waits, 2, HostWait{"copying", 7});
  second.emplace(waits, 0, HostWait{"uploading"});
  CHECK(waits.look().oldest == "worker 7: copying (GPU 2)");
  CHECK(waits.look().over == 0);
  first.reset();
  CHECK(waits.look().oldest == "uploading (GPU 0)");
  CHECK(waits.look().over == 1);
  second.reset();
  CHECK(waits.look().oldest.empty());
  CHECK(waits.look().over == 2);
}

TEST_CASE("waits of many threads") {
  HostWaits waits;
  std::vector<std::thread> threads;
  for (int worker = 0; worker < 4; ++worker)
    threads.emplace_back([&, worker] {
      for (int i = 0; i < 1000; ++i)
        const HostWaits::Guard guard(waits, 0, {"waiting", worker});
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(waits.look().oldest.empty());
  CHECK(waits.look().over == 4000);
}
