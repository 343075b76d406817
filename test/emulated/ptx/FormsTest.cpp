// Which instructions there are: the interpreter knows all that it lists, and
// refuses what ptxas refuses. assemble_test has ptxas say so, too.
#include "test/emulated/ptx/FormKernel.h"
#include "test/emulated/ptx/Harness.h"

#include <catch2/catch.hpp>

using namespace smex::ptx;
using Catch::Matchers::Contains;

namespace {

/// Why a kernel of this body is refused; empty if it is not.
std::string refusal(const std::string &body, unsigned architecture = 80,
                    const std::string &before = "") {
  std::string text = kernelWith(".reg .b16 %h<10>;" + body, before);
  const std::string target = "sm_90";
  text.replace(text.find(target), target.size(),
               "sm_" + std::to_string(architecture));
  try {
    Harness(text).module->kernel("k");
  } catch (const ParseError &error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("each form of an instruction that is listed can be decoded") {
  const unsigned architecture = GENERATE(80, 90);
  Harness harness(kernelOfForms(architecture));
  CHECK(harness.module->kernel("k"));
}

TEST_CASE("what no GPU has is refused") {
  for (const char *each :
       {"cvt.f32.f64 %f1, %fd1;", "cvt.f32.s32 %f1, %r1;",
        "cvt.rn.f64.f32 %fd1, %f1;", "cvt.u32.f32 %r1, %f1;",
        "div.f32 %f1, %f2, %f3;", "fma.f32 %f1, %f2, %f3, %f4;",
        "sqrt.f32 %f1, %f2;", "rcp.f64 %fd1, %fd2;",
        "add.ftz.f64 %fd1, %fd2, %fd3;", "add.rz.f16 %h1, %h2, %h3;",
        "mul.u32 %r1, %r2, %r3;", "setp.lt.b32 %p1, %r1, %r2;",
        "add.ftz.rn.f32 %f1, %f2, %f3;", "tanh.f32 %f1, %f2;"}) {
    INFO(each);
    CHECK_THAT(refusal(each), Contains("there is no instruction"));
  }
  for (const char *each :
       {"atom.add.b32 %r1, [%rd1], %r2;", "atom.add.s64 %rd1, [%rd2], %rd3;",
        "atom.exch.f32 %f1, [%rd1], %f2;", "atom.min.f32 %f1, [%rd1], %f2;",
        "red.global.exch.b32 [%rd1], %r1;",
        "red.acquire.gpu.global.add.u32 [%rd1], %r1;"}) {
    INFO(each);
    CHECK_THAT(refusal(std::string("ld.param.u64 %rd1, [a];") + each),
               Contains("there is no instruction"));
  }
  for (const char *each :
       {"ld.relaxed.global.u32 %r1, [%rd1];", "ld.gpu.global.u32 %r1, [%rd1];",
        "ld.release.gpu.global.u32 %r1, [%rd1];",
        "st.acquire.gpu.global.u32 [%rd1], %r1;",
        "ld.volatile.local.u32 %r1, [%rd1];", "ld.nc.u32 %r1, [%rd1];",
        "st.global.ca.u32 [%rd1], %r1;", "ld.global.wb.u32 %r1, [%rd1];",
        "ld.global.f16 %h1, [%rd1];"}) {
    INFO(each);
    CHECK_FALSE(refusal(std::string("ld.param.u64 %rd1, [a];") + each).empty());
  }
}

TEST_CASE("what newer GPUs have is refused in a text for older ones") {
  for (const char *each :
       {"add.rn.bf16 %h1, %h2, %h3;", "add.bf16 %h1, %h2, %h3;",
        "tanh.approx.bf16 %h1, %h2;", "ex2.approx.ftz.bf16 %h1, %h2;",
        "atom.add.noftz.bf16 %h1, [%rd1], %h2;", "cvt.rn.bf16.s32 %h1, %r1;"}) {
    INFO(each);
    const std::string body = std::string("ld.param.u64 %rd1, [a];") + each;
    CHECK_THAT(refusal(body),
               Contains("needs sm_90, and the text is for sm_80"));
    CHECK(refusal(body, 90).empty());
  }
  const std::string wide =
      "ld.param.u64 %rd1, [a]; ld.global.v8.b32 {%r1, %r2, "
      "%r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];";
  CHECK_THAT(refusal(wide, 90), Contains("needs sm_100"));
  CHECK(refusal(wide, 100).empty());
}

TEST_CASE("shared memory that is declared with its size has 48 KiB") {
  const auto variable = [](int bytes) {
    return ".shared .align 4 .b8 many[" + std::to_string(bytes) + "];\n";
  };
  const std::string use = "mov.u32 %r1, many; st.shared.u32 [%r1], %r1;";
  CHECK(refusal(use, 80, variable(48 << 10)).empty());
  CHECK_THAT(refusal(use, 80, variable((48 << 10) + 4)),
             Contains("too much shared data: 49156 bytes, 49152 at most"));
}
