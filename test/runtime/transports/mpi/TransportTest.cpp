// What the transport promises, call by call, with a worker in each process.
#include "test/runtime/transports/mpi/Joined.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <cstring>

using namespace smex;
using namespace smex::runtime;

namespace {
std::byte valueAt(int worker, int64_t at) {
  return std::byte((at * 31 + at / 251 + worker * 7) & 0xff);
}

/// A worker's memory is bytes that follow from its number.
Memory numbered(int worker) {
  return {nullptr, [worker](int buffer, const Box &box, std::byte *to) {
            if (buffer == 9)
              return Status(fail("worker ", worker, " has lost it"));
            for (int64_t i = box[0].lo; i < box[0].hi; ++i)
              *to++ = valueAt(worker, i);
            return Status();
          }};
}

struct Workers {
  mpi::World &world = mpi::joined();
  int own = world.rank(), all = world.size();
  mpi::MpiTransport transport{world, all, 2};
};
} // namespace

TEST_CASE("workers are spread evenly, neighbours together") {
  for (int workers = 1; workers <= 9; ++workers)
    for (int processes = 1; processes <= workers; ++processes) {
      std::vector<int> count(size_t(processes), 0);
      for (int w = 0; w < workers; ++w) {
        const int process = mpi::processOf(w, workers, processes);
        CHECK(process == w * processes / workers);
        ++count[size_t(process)];
      }
      for (int each : count)
        CHECK((each == workers / processes || each == workers / processes + 1));
    }
}

TEST_CASE("pieces of any size come from every other process") {
  Workers here;
  here.transport.offer(here.own, numbered(here.own));
  REQUIRE(here.transport.barrier());
  // Within a letter's first part, beyond it, and by the thread of its own.
  for (int64_t bytes : {int64_t(1), int64_t(3950), int64_t(4100),
                        int64_t(100000), int64_t(3) << 20}) {
    std::vector<std::vector<std::byte>> to;
    std::vector<Arrival> arrivals;
    for (int w = 0; w < here.all; ++w)
      for (int64_t from : {0, 17}) {
        to.emplace_back(size_t(bytes));
        arrivals.push_back(
            {{w, {{from, from + bytes}}}, to.back().data(), bytes});
      }
    const Status moved = here.transport.move(here.own, 0, arrivals);
    REQUIRE(moved);
    for (size_t a = 0; a < arrivals.size(); ++a) {
      const Piece &piece = arrivals[a].piece;
      int64_t wrong = 0;
      for (int64_t i = 0; i < bytes; ++i)
        wrong += to[a][size_t(i)] != valueAt(piece.worker, piece.box[0].lo + i);
      INFO(bytes << " bytes of worker " << piece.worker);
      CHECK(wrong == 0);
    }
  }
  REQUIRE(here.transport.barrier());
}

TEST_CASE("bytes of any size are shared with all") {
  Workers here;
  for (int64_t bytes : {0, 5, 5000, 2000000}) {
    std::vector<std::byte> own(size_t(bytes + here.own));
    for (size_t i = 0; i < own.size(); ++i)
      own[i] = valueAt(here.own, int64_t(i));
    const Shared all = here.transport.share(here.own, std::move(own));
    REQUIRE(all.size() == size_t(here.all));
    for (int w = 0; w < here.all; ++w) {
      REQUIRE(int64_t(all[size_t(w)]->size()) == bytes + w);
      int64_t wrong = 0;
      for (int64_t i = 0; i < bytes + w; ++i)
        wrong += (*all[size_t(w)])[size_t(i)] != valueAt(w, i);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("an event is heard by all, and says what was written before it") {
  Workers here;
  std::atomic<int64_t> written{-1};
  here.transport.offer(here.own,
                       {nullptr, [&](int, const Box &, std::byte *to) {
                          const int64_t value = written.load();
                          std::memcpy(to, &value, sizeof value);
                          return Status();
                        }});
  REQUIRE(here.transport.barrier());
  // In turn, each worker goes on when the one before has.
  const int before = (here.own + here.all - 1) % here.all;
  for (int64_t round = 1; round <= 50; ++round) {
    if (here.own > 0 || round > 1) {
      const Event event{before, 1, here.own == 0 ? round - 1 : round};
      REQUIRE(here.transport.wait(event));
      CHECK(here.transport.hasHappened(event));
      int64_t value = 0;
      REQUIRE(here.transport.move(here.own, 0,
                                  {{{before, {{0, 1}}},
                                    reinterpret_cast<std::byte *>(&value),
                                    int64_t(sizeof value)}}));
      CHECK(value == event.count);
    }
    written.store(round);
    here.transport.signal({here.own, 1, round});
  }
  REQUIRE(here.transport.barrier());
}

TEST_CASE("what is wrong in one process stops all, who know why") {
  const bool isOfPiece = GENERATE(false, true);
  Workers here;
  here.transport.offer(here.own, numbered(here.own));
  // Who is late finds it stopped already.
  if (!here.transport.barrier())
    REQUIRE(here.transport.isStopped());
  const int last = here.all - 1;
  std::string expected = "worker " + std::to_string(last) + " has lost it";
  if (here.own == 0 && isOfPiece) {
    std::byte to;
    const Status moved =
        here.transport.move(0, 9, {{{last, {{0, 1}}}, &to, 1}});
    if (!moved) // it has come by itself
      CHECK(moved.error().message == expected);
  } else if (here.own == last && !isOfPiece) {
    here.transport.stop(fail(expected));
  } else {
    CHECK_FALSE(here.transport.wait({0, 0, 1}));
  }
  CHECK_FALSE(here.transport.barrier());
  CHECK(here.transport.share(here.own, {}).empty());
  REQUIRE(here.transport.isStopped());
  CHECK(here.transport.reason().message == expected);
}

TEST_CASE("processes gather, agree, and name who does not") {
  mpi::World &world = mpi::joined();
  const auto all = world.gather(mpi::Bytes(size_t(world.rank() * 3000)));
  REQUIRE(all);
  for (int r = 0; r < world.size(); ++r)
    CHECK((*all)[size_t(r)].size() == size_t(r * 3000));
  CHECK(world.agree(Status()));
  const Status same = world.agree(fail("all of us"));
  REQUIRE_FALSE(same);
  CHECK(same.error().message == "all of us");
  const Status one =
      world.agree(world.rank() == 1 ? Status(fail("my disk")) : Status());
  REQUIRE_FALSE(one);
  CHECK(one.error().message == "rank 1: my disk");
  CHECK(int(world.neighbours().size()) == world.size());
}
