// Parts of exchanges on a stream that is a list here, and that goes on only
// where a test says so.
#include "runtime/backends/cuda/ExchangeParts.h"

#include <catch2/catch.hpp>

#include <random>
#include <set>

using namespace smex::cuda;

namespace {

using Part = ExchangeParts::Part;

/// The entry points are plain functions, so what they know is here.
struct FakeDriver {
  std::set<Event> made;
  std::vector<Event> recorded; // on the stream, in their order
  size_t reached = 0;          // so many of them are over
  size_t untilFailure = size_t(-1);
} fake;

Code create(Event *event, unsigned flags) {
  CHECK(flags == eventDisableTiming); // what takes no time to record
  if (fake.untilFailure-- == 0)
    return Code(2);
  *event = reinterpret_cast<Event>(new char);
  fake.made.insert(*event);
  return success;
}

Code destroy(Event event) {
  CHECK(fake.made.erase(event) == 1);
  delete reinterpret_cast<char *>(event);
  return success;
}

Code record(Event event, Stream) {
  fake.recorded.push_back(event);
  return success;
}

Code query(Event event) {
  for (size_t i = fake.recorded.size(); i-- > 0;)
    if (fake.recorded[i] == event)
      return i < fake.reached ? success : errorNotReady;
  return success; // it was never recorded
}

Entries entries() {
  fake = {};
  Entries all;
  all.eventCreate = create;
  all.eventDestroy = destroy;
  all.eventRecord = record;
  all.eventQuery = query;
  return all;
}

ExchangeRound round(bool packs, bool moves, bool unpacks) {
  ExchangeRound made;
  if (packs)
    made.packs.resize(2);
  if (moves)
    made.sends.push_back({Address{}, 8, 1});
  if (unpacks)
    made.unpacks.resize(1);
  return made;
}

/// As Exchanger::submit goes through it. `seen`: what each piece of work is.
void submit(ExchangeParts &parts, const std::vector<Exchange> &list, size_t e,
            std::vector<Part> &seen) {
  parts.begin(e);
  const auto enter = [&](Part part) {
    REQUIRE(parts.enter(part, nullptr) == success);
    seen.push_back(part);
  };
  for (const ExchangeRound &each : list[e].rounds) {
    for (size_t i = 0; i < each.packs.size(); ++i)
      enter(Part::Own);
    if (each.moves())
      enter(Part::Others);
    for (size_t i = 0; i < each.unpacks.size(); ++i)
      enter(Part::Own);
  }
}

} // namespace

TEST_CASE("a kernel that does not end is told apart from what others do") {
  const Entries driver = entries();
  {
    ExchangeParts parts(driver);
    const std::vector<Exchange> list = {
        {0, {}, {round(true, true, true), round(true, true, false)}}};
    REQUIRE(parts.start(list) == success);
    // Pack; move; unpack and pack; move.
    CHECK(fake.made.size() == 3);
    std::vector<Part> seen;
    submit(parts, list, 0, seen);
    REQUIRE(fake.recorded.size() == 3);
    const std::vector<Part> expected = {Part::Own, Part::Others, Part::Own,
                                        Part::Others};
    for (fake.reached = 0; fake.reached <= 3; ++fake.reached) {
      const auto state = parts.look(0);
      CHECK(state.over == fake.reached);
      CHECK(state.at == expected[fake.reached]);
    }
  }
  CHECK(fake.made.empty());
}

TEST_CASE("events are between parts of another kind alone, at any step") {
  const unsigned seed = 20261128;
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto coin = [&] { return random() % 2 == 0; };
  const Entries driver = entries();
  for (int trial = 0; trial < 200; ++trial) {
    fake = {};
    std::vector<Exchange> list(1 + random() % 4);
    for (Exchange &exchange : list)
      for (size_t r = random() % 4; r > 0; --r)
        exchange.rounds.push_back(round(coin(), coin(), coin()));
    ExchangeParts parts(driver);
    REQUIRE(parts.start(list) == success);
    for (int step = 0; step < 2; ++step)
      for (size_t e = 0; e < list.size(); ++e) {
        const size_t before = fake.recorded.size();
        fake.reached = before;
        std::vector<Part> seen;
        submit(parts, list, e, seen);
        seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
        const size_t changes = seen.empty() ? 0 : seen.size() - 1;
        REQUIRE(fake.recorded.size() - before == changes);
        for (size_t over = 0; over <= changes; ++over) {
          fake.reached = before + over;
          const auto state = parts.look(e);
          CHECK(state.over == over);
          if (!seen.empty())
            CHECK(state.at == seen[over]);
        }
      }
  }
}

TEST_CASE("events that were made are destroyed where one cannot be made") {
  const Entries driver = entries();
  fake.untilFailure = 2;
  {
    ExchangeParts parts(driver);
    CHECK(parts.start({{0, {}, {round(true, true, true)}},
                       {1, {}, {round(true, true, true)}}}) == Code(2));
  }
  CHECK(fake.made.empty());
}
