// A transport that takes its time: whatever passes through it is late by a
// drawn while, so that who does not wait for it is wrong.
#ifndef SMEX_TEST_CONFORMANCE_DELAYED_H
#define SMEX_TEST_CONFORMANCE_DELAYED_H

#include "runtime/transports/Transport.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace smex::conformance {

class Delayed : public runtime::Transport {
public:
  Delayed(std::unique_ptr<runtime::Transport> inner, uint64_t seed)
      : inner(std::move(inner)), drawn(seed * 2 + 1) {}

  void signal(const runtime::Event &event) override {
    dawdle();
    inner->signal(event);
  }
  bool hasHappened(const runtime::Event &event) const override {
    return inner->hasHappened(event);
  }
  bool wait(const runtime::Event &event) override {
    const bool happened = inner->wait(event);
    dawdle();
    return happened;
  }
  void offer(int worker, runtime::Memory memory) override {
    inner->offer(worker, std::move(memory));
  }
  std::byte *reach(int worker) const override { return inner->reach(worker); }
  Status move(int worker, int buffer,
              const std::vector<runtime::Arrival> &arrivals) override {
    dawdle();
    return inner->move(worker, buffer, arrivals);
  }
  Status collective(int worker, int buffer, const runtime::Exchange &exchange,
                    const std::vector<runtime::Arrival> &arrivals) override {
    dawdle();
    return inner->collective(worker, buffer, exchange, arrivals);
  }
  bool barrier() override {
    dawdle();
    return inner->barrier();
  }
  runtime::Shared share(int worker, std::vector<std::byte> bytes) override {
    dawdle();
    return inner->share(worker, std::move(bytes));
  }
  void stop(Error error) override { inner->stop(std::move(error)); }
  bool isStopped() const override { return inner->isStopped(); }
  Error reason() const override { return inner->reason(); }

private:
  /// One call in four is late, by up to 0.2 ms.
  void dawdle() {
    uint64_t x = drawn.fetch_add(0x9e3779b97f4a7c15u) + 1;
    x ^= x >> 31;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 29;
    if (x % 4 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(x / 4 % 200));
    else
      std::this_thread::yield();
  }

  std::unique_ptr<runtime::Transport> inner;
  std::atomic<uint64_t> drawn;
};

} // namespace smex::conformance

#endif
