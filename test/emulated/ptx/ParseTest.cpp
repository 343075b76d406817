// What the parser and the decoder refuse, and where they say it is.
#include "test/emulated/ptx/Harness.h"

#include <catch2/catch.hpp>

using namespace smex::ptx;
using Catch::Matchers::Contains;

namespace {

std::string errorOf(const std::string &text) {
  try {
    Harness harness(text);
    harness.module->kernel("k");
  } catch (const ParseError &error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("errors name the line") {
  CHECK_THAT(errorOf(kernelWith("\n\nfrob.u32 %r1, %r2;")),
             Contains("PTX line 11: unknown instruction 'frob'") &&
                 Contains("frob.u32 %r1, %r2;"));
  CHECK_THAT(errorOf(kernelWith("add.sat.u32 %r1, %r2, %r3;")),
             Contains("there is no instruction add.sat.u32"));
  CHECK_THAT(errorOf(kernelWith("prefetch.fancy.global.L1 [%rd1];")),
             Contains("the modifier .fancy is not supported"));
  CHECK_THAT(errorOf(kernelWith("add.u32 %r1, %r2;")),
             Contains("with 2 operands"));
  CHECK_THAT(errorOf(kernelWith("add.u32 %r1, %r2, %r99;")),
             Contains("unknown name '%r99'"));
  CHECK_THAT(errorOf(kernelWith("add.u64 %rd1, %rd2, %r3;")),
             Contains("'%r3' is narrower than .u64"));
  CHECK_THAT(errorOf(kernelWith("bra NOWHERE;")),
             Contains("no label 'NOWHERE'"));
  CHECK_THAT(errorOf(kernelWith("mov.u32 %r1, %clock;")),
             Contains("unknown name '%clock'"));
  CHECK_THAT(errorOf(kernelWith("call nobody;")),
             Contains("no function 'nobody'"));
  CHECK_THAT(errorOf(kernelWith("cvt.s32.f32 %r1, %f1;")),
             Contains("there is no instruction cvt.s32.f32"));
  CHECK_THAT(errorOf(kernelWith("{ .reg .b32 %x; } mov.u32 %x, 1;")),
             Contains("a result has to be a register"));
}

TEST_CASE("text that is no PTX") {
  CHECK_THAT(errorOf(""), Contains("PTX starts with .version"));
  CHECK_THAT(errorOf(".version 8.0\n.target sm_80\n.frob"),
             Contains("PTX line 3: unknown directive"));
  CHECK_THAT(errorOf(".version 8.0\n.visible .entry k() {"),
             Contains("a function that does not end"));
  CHECK_THAT(errorOf(".version 8.0\n/* "), Contains("does not end"));
  CHECK_THAT(errorOf(".version 8.0\n.global .b32 x[99999999999];"),
             Contains("more than 4 GiB"));
  CHECK_THAT(errorOf(".version 8.0\n.global .b32 x = 0f12;"),
             Contains("8 hex digits"));
  CHECK_THAT(errorOf(".version 8.0\n.global .b32 x[1] = {1, 2};"),
             Contains("more initial values"));
  // Cut off anywhere, the text is refused or accepted, and nothing breaks.
  std::string text = Harness::example("everything.ptx");
  for (size_t length = 0; length < text.size(); length += 3) {
    try {
      Harness harness(text.substr(0, length));
      harness.module->kernel("everything");
    } catch (const ParseError &) {
    }
  }
}

TEST_CASE("modules of one text share what has no addresses in it") {
  const std::string plain = kernelWith("add.u64 %rd1, %rd2, 1;");
  Harness first(plain), second(plain);
  REQUIRE(first.module->kernel("k"));
  CHECK(first.module->kernel("k") == second.module->kernel("k"));
  CHECK(!second.module->kernel("other"));

  const std::string placed =
      kernelWith("mov.u64 %rd1, table;", ".global .align 8 .b64 table;");
  Harness third(placed);
  LoadedModule again(
      placed, [&](uint64_t size, uint64_t, const std::string &name) -> auto & {
        return third.memory.allocate(size, name);
      });
  REQUIRE(third.module->kernel("k"));
  CHECK(third.module->kernel("k")->functions[0]->constants !=
        again.kernel("k")->functions[0]->constants);
}
