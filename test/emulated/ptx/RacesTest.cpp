// Races, whatever else was there before, and what is written where .nc reads.
#include "test/emulated/ptx/Harness.h"

#include <catch2/catch.hpp>

#include <optional>

using namespace smex::ptx;
using Catch::Matchers::Contains;

namespace {

/// What threads 0 and up of one block do, in their order; each of `bodies` runs
/// with %rd1, the address of a word that the host has written, and %r1 = 1. A
/// barrier is one of all that come to it.
std::optional<Fault> raceOf(const std::vector<std::string> &bodies) {
  std::string body = "ld.param.u64 %rd1, [a]; mov.u32 %r1, 1;\n"
                     "mov.u32 %r0, %tid.x;\n";
  for (size_t i = 0; i < bodies.size(); ++i) {
    const std::string n = std::to_string(i);
    body += "setp.ne.u32 %p1, %r0, " + n + "; @%p1 bra after" + n + ";\n" +
            bodies[i] + "\nafter" + n + ":\n";
  }
  for (uint64_t seed = 0; seed < 16; ++seed) {
    Harness harness(kernelWith(body));
    LaunchOptions options = shape(1, bodies.size());
    options.seed = seed;
    const uint64_t a = harness.buffer(std::vector<uint32_t>{0}, "word");
    if (auto fault = harness.fault("k", options, a, uint64_t(0), uint64_t(0),
                                   uint64_t(0)))
      return fault;
  }
  return std::nullopt;
}

} // namespace

TEST_CASE("a race is seen whatever else was there before") {
  const std::string read = "ld.global.u32 %r2, [%rd1];";
  const std::string strong = "ld.volatile.global.u32 %r2, [%rd1];";
  const std::string add = "red.global.add.u32 [%rd1], %r1;";
  const std::string write = "st.global.u32 [%rd1], %r1;";
  // Strong reads do not race with atomic additions, and hide no read that does.
  CHECK_FALSE(raceOf({strong, strong, add}));
  CHECK(raceOf({strong, strong, read, add}));
  // Nor does an addition hide another one, which a thread's own write does not
  // come after.
  CHECK_FALSE(raceOf({add, add, add}));
  CHECK(raceOf({add, add + write}));
  CHECK(raceOf({strong, add + write}));
  CHECK_FALSE(raceOf({write + add + read, ""}));
}

TEST_CASE("a barrier of some warps orders their reads alone") {
  // All read; warps 0 and `other` meet; a thread of warp 0 writes.
  const auto text = [](const std::string &memory, int other) {
    const bool isShared = memory == "shared";
    return kernelWith(
        std::string(isShared ? "mov.u64 %rd1, word;"
                             : "ld.param.u64 %rd1, [a];") +
            "mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5;\n" +
            (isShared ? "setp.ne.u32 %p1, %r1, 0;\n"
                        "@!%p1 st.shared.u32 [%rd1], %r1; bar.sync 0;\n"
                      : "") +
            "ld." + memory +
            ".u32 %r3, [%rd1];\n"
            "setp.eq.u32 %p1, %r2, 0; setp.eq.or.u32 %p1, %r2, " +
            std::to_string(other) +
            ", %p1;\n"
            "@!%p1 bra done;\nbar.sync 1, 64;\n"
            "setp.eq.u32 %p2, %r1, 0; @%p2 st." +
            memory + ".u32 [%rd1], %r1;\ndone:",
        ".shared .align 4 .b8 word[4];\n");
  };
  for (const char *memory : {"global", "shared"})
    for (uint32_t warps : {2, 3}) {
      bool isFound = false;
      for (uint64_t seed = 0; seed < 8; ++seed) {
        Harness harness(text(memory, 1));
        LaunchOptions options = shape(1, 32 * warps);
        options.seed = seed;
        const uint64_t a = harness.buffer(std::vector<uint32_t>{0}, "word");
        const auto fault = harness.fault("k", options, a, uint64_t(0),
                                         uint64_t(0), uint64_t(0));
        INFO(memory << ", " << warps << " warps, seed " << seed);
        // With two warps all have met.
        if (warps == 2)
          CHECK_FALSE(fault);
        isFound |= fault && fault->kind == FaultKind::Race;
      }
      CHECK(isFound == (warps == 3));
    }
}

TEST_CASE("what the launch writes is not read by .nc") {
  Harness harness(kernelWith(
      "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r1, 5;\n"
      "st.global.u32 [%rd1], %r1; ld.global.nc.u32 %r2, [%rd2];"));
  const uint64_t a = harness.buffer(std::vector<uint32_t>{0}, "one"),
                 b = harness.buffer(std::vector<uint32_t>{0}, "other");
  const auto fault = [&](uint64_t read) {
    return harness.fault("k", shape(1, 1), a, read, uint64_t(0), uint64_t(0));
  };
  CHECK_FALSE(fault(b));
  REQUIRE(fault(a));
  CHECK_THAT(fault(a)->what(),
             Contains("by .nc, which the launch has written") &&
                 Contains("(PTX ISA, ld.global.nc: "));
}

TEST_CASE("what was read by .nc is not written after it") {
  // The last thread of the last block reads; WRITE is by one that comes later.
  const auto faultOf = [](const std::string &write, unsigned blocks,
                          bool isSame = true) {
    Harness harness(
        kernelWith("ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n"
                   "ld.global.nc.v2.u32 {%r2, %r3}, [%rd1];\n"
                   "mov.u32 %r1, %tid.x; mov.u32 %r4, %ctaid.x;\n"
                   "mad.lo.s32 %r1, %r4, 64, %r1; bar.sync 0;\n"
                   "setp.eq.u32 %p1, %r1, " +
                   std::to_string(64 * blocks - 1) + ";\n@%p1 " + write));
    const std::vector<uint32_t> two{0, 0};
    const uint64_t a = harness.buffer(two, "one"),
                   b = harness.buffer(two, "other");
    return harness.fault("k", shape(blocks, 64), a, isSame ? a : b, uint64_t(0),
                         uint64_t(0));
  };
  for (unsigned blocks : {1, 3})
    for (const char *write :
         {"st.global.u8 [%rd2+7], %r1;", "st.global.u32 [%rd2], %r1;",
          "st.global.v2.u32 [%rd2], {%r1, %r1};",
          "red.global.add.u32 [%rd2+4], %r1;"}) {
      INFO(write << ", " << blocks << " blocks");
      CHECK_FALSE(faultOf(write, blocks, false));
      const auto fault = faultOf(write, blocks);
      REQUIRE(fault);
      CHECK(fault->kind == FaultKind::Race);
      CHECK(fault->thread[0] == 63);
      CHECK(fault->block[0] == blocks - 1);
      CHECK_THAT(fault->instruction, Contains(write));
      // Whoever was the last to read: the last thread, before it writes.
      CHECK_THAT(fault->reason, Contains(", which thread (63, 0, 0) of ") &&
                                    Contains(" has read by .nc at PTX line ") &&
                                    Contains("(PTX ISA, ld.global.nc: "));
      const size_t at = fault->reason.find("PTX line ") + 9;
      CHECK(std::stoi(fault->reason.substr(at)) < fault->line);
    }
}
