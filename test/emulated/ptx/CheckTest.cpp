// Each error of the checkers, from a kernel that is broken in one place.
#include "test/emulated/ptx/Harness.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace smex::ptx;
using Catch::Matchers::Contains;

namespace {

/// Reverses 64 values through shared memory; BARRIER is where the barrier is.
std::string reverse(const std::string &barrier) {
  return kernelWith(R"(
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    ld.global.u32 %r2, [%rd4];
    mov.u64 %rd5, buffer;
    add.s64 %rd6, %rd5, %rd3;
    st.shared.u32 [%rd6], %r2;
    )" + barrier + R"(
    sub.s32 %r3, 63, %r1;
    mul.wide.u32 %rd7, %r3, 4;
    add.s64 %rd8, %rd5, %rd7;
    ld.shared.u32 %r4, [%rd8];
    add.s64 %rd9, %rd2, %rd3;
    st.global.u32 [%rd9], %r4;
  )",
                    ".shared .align 4 .b8 buffer[256];\n"
                    ".shared .align 4 .b8 after[256];\n");
}

std::vector<uint32_t> counting(uint32_t count) {
  std::vector<uint32_t> result(count);
  for (uint32_t i = 0; i < count; ++i)
    result[i] = i;
  return result;
}

Fault faultOf(const std::string &text, LaunchOptions options,
              uint64_t bytes = 256, bool initialized = true) {
  Harness harness(text);
  uint64_t a = initialized ? harness.buffer(counting(bytes / 4), "input")
                           : harness.empty(bytes, "input");
  uint64_t b = harness.empty(bytes, "output");
  auto fault = harness.fault("k", options, a, b, uint64_t(0), uint64_t(0));
  REQUIRE(fault);
  INFO(fault->what());
  CHECK_THAT(fault->what(), Contains("kernel k, block (") &&
                                Contains("PTX line ") &&
                                Contains(fault->instruction));
  CHECK(fault->line > 0);
  return *fault;
}

} // namespace

TEST_CASE("where a launch accesses a byte is found without a trace of it") {
  Harness harness(reverse("bar.sync 0;"));
  const uint64_t a = harness.buffer(counting(64), "input");
  const uint64_t b = harness.empty(256, "output");
  std::vector<uint8_t> bytes(32);
  std::memcpy(&bytes[0], &a, 8);
  std::memcpy(&bytes[8], &b, 8);
  const auto placeOf = [&](uint64_t address, bool isWritten) {
    return smex::ptx::placeOf(*harness.module->kernel("k"), shape(1, 64), bytes,
                              harness.memory, {address, isWritten});
  };
  CHECK_THAT(
      placeOf(b + 4 * 7 + 1, true),
      Contains("kernel k, block (0, 0, 0), thread (7, 0, 0), PTX line") &&
          Contains("st.global.u32"));
  CHECK_THAT(placeOf(a + 4 * 63, false),
             Contains("thread (63, 0, 0)") && Contains("ld.global.u32"));
  CHECK(placeOf(a, true).empty());
  CHECK(placeOf(b, false).empty());
  CHECK(placeOf(b + 256, true).empty());
  const Allocation *output = harness.memory.find(b);
  CHECK(std::count(output->initialized, output->initialized + 256, 1) == 0);
}

TEST_CASE("nothing is wrong with a reversal that has its barrier") {
  Harness harness(reverse("bar.sync 0;"));
  uint64_t b = harness.empty(256);
  harness.run("k", shape(1, 64), harness.buffer(counting(64)), b, uint64_t(0),
              uint64_t(0));
  auto result = harness.read<uint32_t>(b, 64);
  for (uint32_t i = 0; i < 64; ++i)
    CHECK(result[i] == 63 - i);
}

TEST_CASE("a barrier removed is a race, or an uninitialized read") {
  // Thread 0 runs first: what it reads is not written yet.
  Fault fault = faultOf(reverse(""), shape(1, 64));
  CHECK(fault.kind == FaultKind::Uninitialized);
  CHECK_THAT(fault.instruction, Contains("ld.shared.u32 %r4"));
  // The second round writes what another thread still has to read.
  std::string twice = reverse("bar.sync 0;");
  size_t end = twice.rfind("ret;");
  twice.insert(end, "st.shared.u32 [%rd6], %r2;\n");
  fault = faultOf(twice, shape(1, 64));
  CHECK(fault.kind == FaultKind::Race);
  CHECK_THAT(fault.reason, Contains("no barrier is between them"));
}

TEST_CASE("an index one too far") {
  std::string text = kernelWith(R"(
    ld.param.u64 %rd1, [a];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    ld.global.u32 %r2, [%rd4+4];
  )");
  Fault fault = faultOf(text, shape(1, 64));
  CHECK(fault.kind == FaultKind::OutOfBounds);
  CHECK(fault.thread[0] == 63);
  CHECK_THAT(fault.reason, Contains("input"));
  CHECK_THAT(fault.instruction, Contains("[%rd4+4]"));
}

TEST_CASE("an index one too far, inside an arena") {
  std::string text = kernelWith(R"(
    ld.param.u64 %rd1, [a];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd4, %r1, 4, %rd2;
    st.global.u32 [%rd4+4], %r1;
  )");
  Harness harness(text);
  uint64_t arena = harness.empty(1024, "arena");
  harness.memory.addBuffer(arena, 256, "x");
  harness.memory.addBuffer(arena + 256, 256, "y");
  auto fault = harness.fault("k", shape(1, 64), arena, uint64_t(0), uint64_t(0),
                             uint64_t(0));
  REQUIRE(fault);
  CHECK(fault->kind == FaultKind::OutOfBuffer);
  CHECK_THAT(fault->reason, Contains("the pointer is to x, 256 bytes"));
  CHECK_THAT(fault->reason, Contains("4 bytes past the last"));
  // An argument that points to the next buffer may write there.
  CHECK(!harness.fault("k", shape(1, 63), arena + 256, uint64_t(0), uint64_t(0),
                       uint64_t(0)));
}

TEST_CASE("shared arrays do not run into each other") {
  std::string text = reverse("bar.sync 0;");
  size_t at = text.find("st.shared.u32 [%rd6]");
  text.replace(at, 20, "st.shared.u32 [%rd6+4]");
  Fault fault = faultOf(text, shape(1, 64));
  CHECK(fault.kind == FaultKind::OutOfBuffer);
  CHECK_THAT(fault.reason, Contains("the shared variable buffer"));
}

TEST_CASE("a misaligned vector access") {
  std::string text = kernelWith(R"(
    ld.param.u64 %rd1, [a];
    ld.global.v2.u32 {%r1, %r2}, [%rd1+4];
  )");
  CHECK(faultOf(text, shape(1, 1)).kind == FaultKind::Misaligned);
}

TEST_CASE("an uninitialized read of global memory") {
  std::string text = kernelWith(R"(
    ld.param.u64 %rd1, [a];
    ld.global.u32 %r1, [%rd1];
  )");
  Fault fault = faultOf(text, shape(1, 1), 256, false);
  CHECK(fault.kind == FaultKind::Uninitialized);
}

TEST_CASE("an uninitialized register") {
  std::string text = kernelWith(R"(
    ld.param.u64 %rd1, [b];
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 5;
    @%p1 mov.u32 %r2, 7;
    mov.u32 %r3, %r2;
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    st.global.u32 [%rd2], %r3;
  )");
  Fault fault = faultOf(text, shape(1, 32));
  CHECK(fault.kind == FaultKind::Uninitialized);
  CHECK(fault.thread[0] == 5);
  CHECK_THAT(fault.reason, Contains("%r3"));
}

TEST_CASE("an uninitialized local array") {
  std::string text = kernelWith(R"(
    .local .align 4 .b8 depot[16];
    mov.u64 %rd1, depot;
    mov.u32 %r1, 3;
    st.local.u32 [%rd1+4], %r1;
    ld.local.u32 %r2, [%rd1+4];
    ld.local.u32 %r3, [%rd1+8];
  )");
  Fault fault = faultOf(text, shape(1, 1));
  CHECK(fault.kind == FaultKind::Uninitialized);
  CHECK_THAT(fault.instruction, Contains("%r3"));
}

TEST_CASE("a divergent barrier") {
  std::string text = kernelWith(R"(
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 40;
    @%p1 bra DONE;
    bar.sync 0;
    DONE:
  )");
  Fault fault = faultOf(text, shape(1, 64));
  CHECK(fault.kind == FaultKind::Barrier);
  CHECK_THAT(fault.reason, Contains("waits for 64 threads, of which 63 came"));
  CHECK_THAT(fault.reason, Contains("thread (40, 0, 0) has exited"));
  // The same number of threads at two barriers.
  text = kernelWith(R"(
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %p1, %r1, 16;
    @%p1 bra OTHER;
    bar.sync 0;
    bra DONE;
    OTHER:
    bar.sync 0;
    DONE:
  )");
  fault = faultOf(text, shape(1, 32));
  CHECK(fault.kind == FaultKind::Barrier);
  CHECK_THAT(fault.reason, Contains("at different barriers"));
}

TEST_CASE("a shuffle from an absent lane") {
  auto text = [](const char *mask) {
    return kernelWith(std::string(R"(
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, 16;
    @%p1 bra DONE;
    shfl.sync.down.b32 %r2|%p2, %r1, 8, 31, )") +
                      mask + R"(;
    DONE:
  )");
  };
  // Lanes 16 and more have exited; lane 8 reads from lane 16.
  Fault fault = faultOf(text("0xffffffff"), shape(1, 32));
  CHECK(fault.kind == FaultKind::Warp);
  CHECK(fault.thread[0] == 8);
  CHECK_THAT(fault.reason, Contains("reads from lane 16"));
  // A lane that is not in its own mask.
  fault = faultOf(text("0xfffffffe"), shape(1, 32));
  CHECK(fault.kind == FaultKind::Warp);
  CHECK_THAT(fault.reason, Contains("not in the member mask"));
}

TEST_CASE("a member of a shuffle's mask that is elsewhere") {
  Fault fault = faultOf(kernelWith(R"(
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 3;
    @%p1 bra OTHER;
    shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;
    bra DONE;
    OTHER:
    bar.sync 0;
    DONE:
  )"),
                        shape(1, 32));
  CHECK(fault.kind == FaultKind::Warp);
  CHECK_THAT(fault.reason, Contains("lane 3") && Contains("bar.sync 0"));
}

TEST_CASE("blocks race, atomics do not") {
  const char *body = R"(
    ld.param.u64 %rd1, [a];
    mov.u32 %r1, 1;
    OPERATION
  )";
  auto with = [&](const std::string &operation) {
    std::string text = body;
    return kernelWith(text.replace(text.find("OPERATION"), 9, operation));
  };
  Fault fault = faultOf(with("st.global.u32 [%rd1], %r1;"), shape(2, 1));
  CHECK(fault.kind == FaultKind::Race);
  CHECK(fault.block[0] == 1);
  CHECK_THAT(fault.reason, Contains("thread (0, 0, 0) of block (0, 0, 0)"));
  fault = faultOf(with("red.global.add.u32 [%rd1], %r1; "
                       "ld.global.u32 %r2, [%rd1];"),
                  shape(1, 2));
  CHECK(fault.kind == FaultKind::Race);
  Harness harness(with("red.global.add.u32 [%rd1], %r1;"));
  uint64_t a = harness.buffer(std::vector<uint32_t>{5});
  harness.run("k", shape(10, 100), a, uint64_t(0), uint64_t(0), uint64_t(0));
  CHECK(harness.read<uint32_t>(a, 1)[0] == 1005);
}

TEST_CASE("one of many readers races with a later write") {
  // All threads read; a barrier of the first warp lets its lane 0 write.
  auto text = [](const char *barrier) {
    return kernelWith(std::string(R"(
    ld.param.u64 %rd1, [a];
    mov.u32 %r1, %tid.x;
    ld.global.u32 %r2, [%rd1];
    setp.ge.u32 %p1, %r1, 32;
    )") + barrier + R"(
    @%p1 bra DONE;
    setp.ne.u32 %p2, %r1, 0;
    @%p2 bra DONE;
    st.global.u32 [%rd1], %r1;
    DONE:
  )");
  };
  CHECK(faultOf(text(""), shape(1, 32)).kind == FaultKind::Race);
  CHECK(faultOf(text("@!%p1 bar.warp.sync -1;"), shape(1, 64)).kind ==
        FaultKind::Race);
  Harness harness(text("bar.warp.sync -1;"));
  CHECK(!harness.fault("k", shape(1, 32), harness.buffer(counting(4)),
                       uint64_t(0), uint64_t(0), uint64_t(0)));
}

TEST_CASE("named barriers order the threads that come to them") {
  // Warp 0 writes and arrives, warp 1 waits and reads; warp 2 has no part.
  auto text = [](const char *reader) {
    return kernelWith(std::string(R"(
    ld.param.u64 %rd1, [b];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 31;
    mad.wide.u32 %rd2, %r2, 4, %rd1;
    setp.lt.u32 %p1, %r1, 32;
    setp.ge.u32 %p2, %r1, 64;
    @!%p1 bra READ;
    st.global.u32 [%rd2], %r1;
    bar.arrive 1, 64;
    bra DONE;
    READ:
    @%p2 bra THIRD;
    bar.sync 1, 64;
    ld.global.u32 %r3, [%rd2];
    bra DONE;
    THIRD:
    )") + reader + "\nDONE:");
  };
  Harness harness(text(""));
  CHECK(!harness.fault("k", shape(1, 96), uint64_t(0), harness.empty(128),
                       uint64_t(0), uint64_t(0)));
  CHECK(faultOf(text("ld.global.u32 %r3, [%rd2];"), shape(1, 96)).kind ==
        FaultKind::Race);
}

TEST_CASE("a loop that does not end, a trap, a null pointer, a constant") {
  LaunchOptions options = shape(1, 1);
  options.instructionsPerThread = 1000;
  CHECK(faultOf(kernelWith("AGAIN: bra AGAIN;"), options).kind ==
        FaultKind::Limit);
  CHECK(faultOf(kernelWith("trap;"), shape(1, 1)).kind == FaultKind::Trap);
  CHECK(faultOf(kernelWith("ld.param.u64 %rd1, [c]; "
                           "ld.global.u32 %r1, [%rd1];"),
                shape(1, 1))
            .kind == FaultKind::OutOfBounds);
  CHECK(faultOf(kernelWith("mov.u64 %rd1, x; mov.u32 %r1, 1; "
                           "st.u32 [%rd1], %r1;",
                           ".const .u32 x = 5;"),
                shape(1, 1))
            .kind == FaultKind::ReadOnly);
}

TEST_CASE("launches that are refused") {
  Harness harness(kernelWith(""));
  uint64_t z = 0;
  CHECK(harness.fault("k", shape(1, 1025), z, z, z, z));
  CHECK(harness.fault("k", shape(0, 1), z, z, z, z));
  auto fault = harness.fault("k", shape(1, 1), z, z, z);
  REQUIRE(fault);
  CHECK_THAT(fault->what(), Contains("24 bytes of parameters, the kernel 32"));
}
