#include "compiler/placement/Overflow.h"

#include "compiler/placement/Algorithm.h"
#include "compiler/placement/ParDNN.h"
#include "compiler/placement/Relieving.h"
#include "compiler/placement/TransferQueues.h"
#include "test/compiler/placement/NaiveMemory.h"
#include "test/compiler/placement/RandomTasks.h"

#include <catch2/catch.hpp>

#include <utility>

using namespace smex;
using namespace smex::placement;
using namespace smex::placement::test;

namespace {

int64_t naivePeak(const Problem &problem, const Placement &placement) {
  const Schedule schedule = firstInFirstOut(problem, placement);
  REQUIRE(validate(problem, placement, schedule));
  const NaiveMemory naive(problem, placement, schedule);
  int64_t most = 0;
  for (int device = 0; device < problem.devices.count; ++device)
    most = std::max(most, naive.peak(device).first);
  return most;
}

/// The number that a message ends with.
int64_t limitOf(const Error &error) {
  const std::string before = "found to work is ";
  const size_t at = error.message.find(before);
  REQUIRE(at != std::string::npos);
  return std::stoll(error.message.substr(at + before.size()));
}

} // namespace

TEST_CASE("memory over time is a list of sums") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    std::vector<int> moments = {0};
    for (int64_t i = random.below(12); i > 0; --i)
      moments.push_back(moments.back() + 1 + int(random.below(3)));
    const int count = moments.back() + 1 + int(random.below(3));
    std::vector<int64_t> bytes;
    for (size_t i = 0; i < moments.size(); ++i)
      bytes.push_back(random.below(20));
    UseOverTime use(moments, bytes);
    // By moment; all of a span has what is added to a part of it.
    std::vector<int> slot(static_cast<size_t>(count));
    std::vector<int64_t> naive(slot.size());
    for (int m = 0, s = 0; m < count; ++m) {
      while (s + 1 < int(moments.size()) && moments[size_t(s) + 1] <= m)
        ++s;
      slot[size_t(m)] = s, naive[size_t(m)] = bytes[size_t(s)];
    }
    for (int i = 0; i < 40; ++i) {
      const int from = int(random.below(count));
      const int to = from + 1 + int(random.below(count - from));
      const int64_t more = random.below(15) - 5;
      if (random.chance(10)) {
        use.addAlways(more);
        for (int64_t &each : naive)
          each += more;
      } else {
        use.add(from, to, more);
        for (int m = 0; m < count; ++m)
          if (slot[size_t(m)] >= slot[size_t(from)] &&
              slot[size_t(m)] <= slot[size_t(to) - 1])
            naive[size_t(m)] += more;
      }
      const int a = int(random.below(count));
      const int b = a + 1 + int(random.below(count - a));
      CHECK(use.most(a, b) ==
            *std::max_element(naive.begin() + a, naive.begin() + b));
      const int64_t limit = random.below(40);
      int last = -1;
      for (int m = a; m < b; ++m)
        if (naive[size_t(m)] > limit &&
            (m == a || slot[size_t(m)] != slot[size_t(m) - 1]))
          last = m;
      CHECK(use.lastAbove(limit, a, b) == last);
    }
  }
}

TEST_CASE("memory is known while tasks move") {
  int64_t made = 0, refused = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Kinds kinds;
    kinds.zeroSeconds = random.chance(50);
    kinds.kept = kinds.parts = true;
    const TaskGraph graph = randomTasks(random, int(2 + random.below(14)),
                                        1 + double(random.below(2)), kinds);
    const Devices devices = devicesOf(int(2 + random.below(3)));
    const Problem problem(graph, devices);
    Placement placement = randomPlacement(random, problem);
    const int kind = int(random.below(3));
    const Schedule schedule = kind == 0 ? firstInFirstOut(problem, placement)
                              : kind == 1
                                  ? listedInGivenOrder(problem, placement)
                                  : transferQueues(problem, placement);
    MemoryModel model(problem, placement, schedule);
    const Members members(problem.unions);
    std::vector<bool> moved(placement.size());
    for (int i = 0; i < 30; ++i) {
      const int task = int(random.below(int64_t(placement.size())));
      const int from = placement[size_t(task)];
      const int to = int(random.below(devices.count));
      if (from == devices.host() || from == to || moved[size_t(task)])
        continue;
      const auto with = members.with(task);
      const int moment = int(random.below(model.moments.count));
      const int64_t limit = random.chance(50) ? 1000 : 40;
      const int64_t useBefore = model.use(from).at(moment);
      const Placement before = placement;
      std::vector<int> changed;
      if (model.move({with.begin(), with.end()}, from, to, limit, moment,
                     changed)) {
        ++made;
        for (int member : with)
          moved[size_t(member)] = true;
        CHECK(model.use(from).at(moment) < useBefore);
      } else {
        ++refused;
        CHECK(placement == before);
      }
      // On the same schedule, who is there from when until when.
      const Lifetimes now(problem, placement, model.moments);
      std::vector<std::vector<int64_t>> bytes(
          size_t(devices.count),
          std::vector<int64_t>(size_t(model.moments.count)));
      for (size_t t = 0; t < placement.size(); ++t)
        for (int device = 0; device < devices.count; ++device) {
          const Buffer *got = model.buffer(int(t), device);
          const Buffer *want = nullptr;
          for (int b = now.offsets[t]; b < now.offsets[t + 1]; ++b)
            if (now.buffers[size_t(b)].device == device)
              want = &now.buffers[size_t(b)];
          CAPTURE(t, device);
          REQUIRE((got != nullptr) == (want != nullptr));
          if (!got)
            continue;
          CHECK(got->from == want->from);
          CHECK(got->to == want->to);
          CHECK((graph.tasks[t].kept && device == placement[t]
                     ? model.moments.count
                     : endOf(graph, model.moments, int(t), got->last)) ==
                got->to);
          CHECK(got->bytes >= want->bytes);
          for (int m = got->from; m < got->to; ++m)
            bytes[size_t(device)][size_t(m)] += got->bytes;
        }
      for (int device = 0; device < devices.count; ++device)
        for (int m = 0; m < model.moments.count; ++m) {
          const int64_t least = bytes[size_t(device)][size_t(m)] +
                                now.residualBytes[size_t(device)];
          CHECK(model.use(device).at(m) >= least);
          if (made == 0)
            CHECK(model.use(device).at(m) == least);
        }
    }
  }
  CHECK(made > 200);
  CHECK(refused > 200);
}

TEST_CASE("potential is what a union holds at a moment") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Kinds kinds;
    kinds.zeroSeconds = false;
    kinds.kept = kinds.parts = true;
    const TaskGraph graph =
        randomTasks(random, int(2 + random.below(14)), 1, kinds);
    const Devices devices = devicesOf(int(1 + random.below(3)));
    const Problem problem(graph, devices);
    Placement placement = randomPlacement(random, problem);
    const Schedule schedule = firstInFirstOut(problem, placement);
    const Members members(problem.unions);
    std::vector<char> fixed(placement.size());
    Relieving relieving(problem, members, schedule, placement, fixed);
    const Moments moments(problem, schedule);
    const Lifetimes lifetimes(problem, placement, moments);
    for (int task = 0; task < int(placement.size()); ++task) {
      const int device = placement[size_t(task)];
      if (device == devices.host())
        continue;
      const std::vector<int> leaving = relieving.leavingWith(task);
      const auto leaves = [&](int other) {
        return std::find(leaving.begin(), leaving.end(), other) !=
               leaving.end();
      };
      for (int member : members.with(task))
        CHECK(leaves(member));
      double cost = 0;
      for (int each : leaving) {
        CHECK(placement[size_t(each)] == device);
        for (int member : members.with(each))
          CHECK(leaves(member));
        cost += graph.tasks[size_t(each)].seconds;
      }
      for (const Edge &edge : graph.edges)
        if (leaves(edge.from) != leaves(edge.to) &&
            placement[size_t(edge.from)] == placement[size_t(edge.to)])
          cost += devices.transferSeconds(edge.bytes);
      CHECK(relieving.moveCost(task) == cost);
      for (int moment = 0; moment < moments.count; ++moment) {
        int64_t bytes = 0;
        for (int each : leaving)
          if (graph.tasks[size_t(each)].memory == MemoryKind::Residual)
            bytes += graph.tasks[size_t(each)].bytes;
        for (const Buffer &buffer : lifetimes.buffers) {
          const bool runs =
              leaves(buffer.task) && moment < moments.free[size_t(buffer.task)];
          if (buffer.device == device && buffer.from <= moment &&
              moment < buffer.to && (leaves(buffer.last) || runs))
            bytes += buffer.bytes;
        }
        CAPTURE(task, moment);
        CHECK(relieving.potential(task, moment) == bytes);
      }
    }
  }
}

TEST_CASE("what is moved keeps the limit, counted independently") {
  int fitted = 0, moved = 0, failed = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(2 + random.below(30)),
                                        1 + double(random.below(2)));
    Devices devices = devicesOf(int(1 + random.below(4)));
    const int64_t peak = [&] {
      const Problem free(graph, devices);
      const auto outcome = parDNN(free, {});
      REQUIRE(outcome);
      CHECK(outcome->moved == 0);
      return naivePeak(free, outcome->placement);
    }();
    devices.memoryBytes = peak * (60 + random.below(45)) / 100;
    devices.spare = random.chance(30) ? 0.1 : 0;
    const Problem problem(graph, devices);
    auto outcome = place(problem, "pardnn");
    if (!outcome) {
      ++failed;
      // The limit that it names does work, and is a larger one.
      Devices larger = devices;
      larger.memoryBytes = limitOf(outcome.error());
      CHECK(*larger.memoryBytes > *devices.memoryBytes);
      const Problem again(graph, larger);
      outcome = parDNN(again, {});
      REQUIRE(outcome);
      CHECK(validate(again, outcome->placement));
      CHECK(naivePeak(again, outcome->placement) <= *larger.usableBytes());
      continue;
    }
    ++fitted;
    moved += outcome->moved > 0;
    CHECK(validate(problem, outcome->placement));
    CHECK(naivePeak(problem, outcome->placement) <= *devices.usableBytes());
  }
  CHECK(fitted > 100);
  CHECK(moved > 30);
  CHECK(failed > 30);
}

TEST_CASE("a residual task takes along who reads it") {
  // All starts on device 0, and the weights alone are too much for it: without
  // their readers they would leave copies.
  TaskGraph graph;
  Placement placement;
  for (int i = 0; i < 4; ++i) {
    const int weight = addTask(graph, 0, 100);
    graph.tasks[size_t(weight)].memory = MemoryKind::Residual;
    const int forward = addTask(graph, 1, 1), backward = addTask(graph, 2, 1);
    for (int reader : {forward, backward})
      graph.edges.push_back({weight, reader, 100});
    graph.edges.push_back({forward, backward, 1});
    if (i > 0)
      graph.edges.push_back({forward - 3, forward, 1});
  }
  placement.assign(graph.tasks.size(), 0);
  Devices devices = devicesOf(2, 100, 0);
  devices.memoryBytes = 210;
  const Problem problem(graph, devices);
  const Relief relief = addressOverflow(problem, firstInFirstOut, placement);
  CHECK(relief.neededBytes == 0);
  CHECK(relief.moved == 6);
  CHECK(naivePeak(problem, placement) <= 210);
  for (size_t weight = 0; weight < graph.tasks.size(); weight += 3) {
    CHECK(placement[weight + 1] == placement[weight]);
    CHECK(placement[weight + 2] == placement[weight]);
  }
}

TEST_CASE("one device that lacks memory has nowhere to move tasks") {
  TaskGraph graph;
  addTask(graph, 1, 100);
  Devices devices = devicesOf(1);
  devices.memoryBytes = 99, devices.spare = 0.1;
  const Problem problem(graph, devices);
  Placement placement = {0};
  const Relief relief = addressOverflow(problem, firstInFirstOut, placement);
  CHECK(relief.neededBytes == 100);
  CHECK(relief.moved == 0);
  CHECK(placement == Placement{0});
  const auto refused = place(problem, "pardnn");
  REQUIRE(!refused);
  CHECK(
      refused.error().message ==
      "task \"t0\" needs 100 bytes for what it makes and reads, and a GPU has "
      "89 for that of its 99 (a share of 0.1 is kept free); the smallest limit "
      "found to work is 112 bytes");
}

TEST_CASE("a refusal that names no limit does not look for one") {
  // Three parameters of 100 bytes on two devices of 199.
  TaskGraph graph;
  for (int i = 0; i < 3; ++i) {
    addTask(graph, 0, 100);
    graph.tasks.back().memory = MemoryKind::Residual;
  }
  for (int i = 0; i < 3; ++i) {
    addTask(graph, 1, 1);
    graph.edges.push_back({i, i + 3, 100});
  }
  Devices devices = devicesOf(2);
  devices.memoryBytes = 199;
  const Problem problem(graph, devices);
  for (const Algorithm &algorithm : algorithms()) {
    CAPTURE(algorithm.name);
    int emulated = 0;
    Params params;
    params.emulator = [&](const Problem &of, const Placement &placement) {
      ++emulated;
      return inGivenOrder(of, placement);
    };
    params.namesLimit = false;
    const auto unnamed = place(problem, algorithm.name, params);
    REQUIRE(!unnamed);
    const int withoutLimit = std::exchange(emulated, 0);
    params.namesLimit = true;
    const auto named = place(problem, algorithm.name, params);
    REQUIRE(!named);
    INFO(unnamed.error().message << "\n" << named.error().message);
    CHECK(unnamed.error().message.find("found to work") == std::string::npos);
    CHECK(named.error().message.find("found to work") != std::string::npos);
    CHECK(withoutLimit < emulated);
  }
}

TEST_CASE("ParDNN's placements are valid whatever emulates them") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const TaskGraph graph = randomTasks(random, int(random.below(40)), 1);
    Devices devices = devicesOf(int(1 + random.below(6)));
    Params params;
    params.emulator = seed % 3 == 0   ? firstInFirstOut
                      : seed % 3 == 1 ? inGivenOrder
                                      : earliestStartFirst;
    const Problem problem(graph, devices);
    const auto outcome = parDNN(problem, params);
    REQUIRE(outcome);
    CHECK(validate(problem, outcome->placement));
    const auto again = parDNN(problem, params);
    CHECK(again->placement == outcome->placement);
  }
}
