// The kernels that are written by hand (kernels/cuda), broken on purpose, each
// in one place of its PTX, and how each is noticed: by the interpreter of
// test/emulated/ptx, as an error of a kind, or by what is computed.
#include "kernels/cuda/Kernels.h"
#include "test/conformance/TransferTrials.h"

#include <catch2/catch.hpp>

#include <optional>
#include <regex>

using namespace smex;
using namespace smex::conformance;
using ptx::FaultKind;

namespace {

struct Breakage {
  const char *kernel, *what;
  const char *pattern, *replacement;
  int which;                      // of the places that match, from 0; -1: last
  std::optional<FaultKind> fault; // none: another result
};

const Breakage breakages[] = {
    {"fetch", "one unit too many", R"(setp\.ge\.u32 (\t%p\d+, %r\d+, %r15;))",
     "setp.gt.u32 $1", -1, FaultKind::Race},
    {"fetch", "threads go on by 1", R"((add\.s32 \t%r144, %r28), %r3;)",
     "$1, 1;", -1, FaultKind::Race},
    {"fetch", "pieces lie closer together", R"((mul\.wide\.u32 [^\n]*, )160;)",
     "$01152;", 0, FaultKind::Misaligned},
    {"fetch", "all of the grid copies the first piece", R"(%ctaid\.x)",
     "%ctaid.z", 0, FaultKind::Race},
    {"fetch", "a source's stride is that of the target",
     R"((ld\.global\.b64 \t%rd\d+, \[%rd\d+)\+64\])", "$1+112]", 0,
     FaultKind::OutOfBounds},
    {"fetch", "a target's stride is that of the source",
     R"((ld\.global\.b64 \t%rd\d+, \[%rd\d+)\+112\])", "$1+64]", 0,
     FaultKind::Race},
    {"fetch", "source and target are exchanged",
     R"((ld\.global\.b64 \t%rd\d+, \[%rd1)(\];\n[^\n]*\n[^\n]*\[%rd1)\+8\];)",
     "$1+8$2];", 0, FaultKind::Uninitialized},
    {"fetch", "the unit behind is read",
     R"((ld\.global\.b32 \t%r\d+, \[%rd\d+)\];)", "$1+4];", 20,
     FaultKind::OutOfBounds},
    {"fetch",
     "half of a unit is written",
     R"(st\.global\.b32)",
     "st.global.b16",
     -1,
     {}},
    {"fetch", "units of the target are 8 bytes",
     R"((shl\.b64 \t%rd\d+, %rd\d+), 2(;\n\tadd\.s64 [^\n]*\n\tst\.global))",
     "$1, 3$2", -1, FaultKind::ReadOnly},
    {"fetch", "an outer dimension is left out",
     R"(setp\.ne\.b32 (\t%p\d+, %r\d+), 0;)", "setp.ne.b32 $1, 4;", 0,
     FaultKind::Race},
    {"fetch of 16 bytes", "units of the target are 8 bytes",
     R"((shl\.b64 \t%rd\d+, %rd\d+), 4(;\n\tadd\.s64 [^\n]*\n\tst\.global))",
     "$1, 3$2", -1, FaultKind::Misaligned},
    {"fetch of 16 bytes",
     "halves of a unit are exchanged",
     R"((ld\.global\.v2\.b64 \t\{)(%rd\d+), (%rd\d+)\})",
     "$1$3, $2}",
     -1,
     {}},
    {"fetch of runs", "one unit too many",
     R"(setp\.ge\.u32 (\t%p\d+, %r\d+, %r128;))", "setp.gt.u32 $1", 4,
     FaultKind::OutOfBounds},
    {"fetch of runs", "threads go on by 1", R"((add\.s32 \t(%r\d+), \2), %r6;)",
     "$1, 1;", 0, FaultKind::Limit},
    {"fetch of runs",
     "one of a round is copied twice",
     R"((mad\.lo\.s32 \t%r\d+, %r1), 5, (%r4;))",
     "$1, 6, $2",
     0,
     {}},
    {"fetch of runs",
     "the unit behind is read",
     R"((ld\.global\.b32 \t%r\d+, \[%rd\d+)\];)",
     "$1+4];",
     7,
     {}},
    {"sum", "one element too many", R"(setp\.lt\.s64 (\t%p\d+, %rd130, %rd5;))",
     "setp.le.s64 $1", 0, FaultKind::OutOfBounds},
    {"sum", "blocks compute the same elements",
     R"(mul\.wide\.u32 (\t%rd\d+), %r52, %r53;)", "mov.b64 $1, 0;", 1,
     FaultKind::Race},
    {"sum", "threads go on by 0", R"(mul\.lo\.s64 (\t%rd75), %rd74, %rd9;)",
     "mov.b64 $1, 0;", 0, FaultKind::Limit},
    {"sum",
     "the last piece is left out",
     R"((setp\.eq\.b32 \t%p\d+, %r61), 0;)",
     "$1, 1;",
     0,
     {}},
    {"sum", "one piece too many", R"((setp\.eq\.b32 \t%p\d+, %r61), 0;)",
     "$1, -1;", 0, FaultKind::OutOfBounds},
    {"sum",
     "every piece is the first",
     R"(\tmov\.pred \t%p60, 0;\n)",
     "",
     0,
     {}},
    {"sum", "pieces lie closer together", R"((add\.s64 \t(%rd141), \2), 152;)",
     "$1, 144;", 0, FaultKind::Misaligned},
    {"sum", "a piece ends one column late", R"(setp\.lt\.s64 (\t%p59))",
     "setp.le.s64 $1", 0, FaultKind::OutOfBounds},
    {"sum", "a piece begins at the left edge",
     R"((setp\.lt\.s64 \t%p39, %rd12), %rd18;)", "$1, 0;", 0,
     FaultKind::OutOfBounds},
    {"sum", "a difference", R"(add\.rn\.f32)", "sub.rn.f32", -1, {}},
    {"sum", "results go one element on", R"((st\.global\.b32 \t\[%rd123))",
     "$1+4", 0, FaultKind::OutOfBounds},
    {"sum", "the result is a term's memory", R"(\[smex_reduce_f32_param_3\])",
     "[smex_reduce_f32_param_4]", 0, FaultKind::ReadOnly},
    {"sum",
     "coordinates begin at the piece's own end",
     R"((ld\.global\.b64 \t%rd17, \[%rd141)\+-32\])",
     "$1+16]",
     0,
     {}},
    {"largest", "the smallest", R"(setp\.gt\.f32)", "setp.lt.f32", 0, {}},
    {"largest",
     "a NaN in front is lost",
     R"((selp\.f32 \t%r62, )%r12, (%r50), %p45;)",
     "$1$2, $2, %p45;",
     0,
     {}},
    {"halves",
     "ties are rounded up",
     R"((add\.s32 \t%r\d+, %r\d+, )32767;)",
     "$0132768;",
     20,
     {}},
    {"sum of runs",
     "the last elements are left out",
     R"(and\.b64 (\t%rd129), %rd38, -4;)",
     "mov.b64 $1, %rd5;",
     0,
     {}},
    {"sum of runs",
     "the last piece is added twice",
     R"(setp\.ge\.s32 (\t%p17))",
     "setp.gt.s32 $1",
     0,
     {}},
    {"sum of runs",
     "neighbours are exchanged",
     R"((ld\.global\.v4\.b32 \t\{)(%r\d+), (%r\d+),)",
     "$1$3, $2,",
     0,
     {}},
    {"sum of runs", "pieces lie closer together",
     R"((mul\.wide\.s32 \t%rd\d+, %r\d+), 152;)", "$1, 144;", 0,
     FaultKind::Misaligned},
    {"sum of runs, not aligned", "addresses of 8 bytes will do",
     R"((and\.b64 \t%rd\d+, %rd\d+), 15;)", "$1, 7;", 0, FaultKind::Misaligned},
    {"pad", "one element too many", R"(setp\.ge\.u32 (\t%p\d+, %r\d+, %r2;))",
     "setp.gt.u32 $1", 3, FaultKind::Race},
    {"pad",
     "the border is of ones",
     R"((mov\.b32 \t%r110), 0;)",
     "$1, 0f3f800000;",
     0,
     {}},
    {"pad", "the border is what a register has",
     R"(\tmov\.b32 \t%r108, %r110;\n)", "", 0, FaultKind::Uninitialized},
    {"pad", "the source goes on to the right",
     R"(setp\.ge\.s64 (\t%p\d+, %rd\d+, %rd13;))", "setp.gt.s64 $1", 0,
     FaultKind::OutOfBounds},
    {"pad", "the source begins one row higher",
     R"(setp\.ge\.s64 (\t%p\d+, %rd\d+), %rd16;)", "setp.ge.s64 $1, 0;", 0,
     FaultKind::OutOfBounds},
    {"pad", "the left border is not subtracted",
     R"(sub\.s64 (\t%rd\d+, %rd\d+), %rd12;)", "add.s64 $1, 0;", 3,
     FaultKind::OutOfBounds},
    {"pad", "a condition is left out",
     R"(setp\.ge\.s64 (\t%p\d+, %rd\d+), %rd17;)", "setp.ge.s64 $1, 100;", 0,
     FaultKind::OutOfBounds},
    {"pad", "a target's stride is another one's", R"(\[%rd1\+240\])",
     "[%rd1+248]", 0, FaultKind::Race},
    {"pad",
     "a dimension is left out",
     R"(mul\.lo\.s64 (\t%rd\d+), (%rd\d+), %rd22;)",
     "mov.b64 $1, $2;",
     3,
     {}},
};

/// The text with its head, and of the kernels this one alone.
std::string textOf(const std::string &symbol) {
  const auto all = cudaKernels();
  REQUIRE(all.size() == 1);
  const std::string text(all.front().second);
  const std::string begin = ".visible .entry ";
  const size_t first = text.find(begin), at = text.find(begin + symbol + "(");
  REQUIRE(at != std::string::npos);
  return text.substr(0, first) +
         text.substr(at, text.find("\n}", at) + 2 - at) + "\n";
}

std::string edited(const std::string &text, const Breakage &breakage) {
  const std::regex pattern(breakage.pattern);
  const std::vector<std::smatch> places(
      std::sregex_iterator(text.begin(), text.end(), pattern), {});
  INFO("what it is for is no longer in the text: " << breakage.pattern);
  REQUIRE(!places.empty());
  const std::smatch &place =
      breakage.which < 0 ? places.back() : places[size_t(breakage.which)];
  return std::string(text.cbegin(), place[0].first) +
         place.format(breakage.replacement) +
         std::string(place[0].second, text.cend());
}

const char *nameOf(FaultKind kind) {
  constexpr const char *names[] = {
      "OutOfBounds", "OutOfBuffer", "Misaligned", "Uninitialized", "ReadOnly",
      "Race",        "Barrier",     "Warp",       "Trap",          "Limit"};
  return names[size_t(kind)];
}

/// "", or how it shows that the text is not the kernel.
std::string shows(const std::string &text, const Kernel &kernel) {
  Trial trial;
  kernel.prepare(trial);
  try {
    ptx::LoadedModule module(text,
                             [&](uint64_t size, uint64_t,
                                 const std::string &name) -> ptx::Allocation & {
                               return trial.memory.allocate(size, name);
                             });
    ptx::LaunchOptions options;
    options.grid = trial.grid;
    options.block = {128, 1, 1};
    options.instructionsPerThread = 1 << 16;
    ptx::launch(*module.kernel(kernel.symbol), options, trial.parameters,
                trial.memory);
  } catch (const ptx::Fault &fault) {
    UNSCOPED_INFO(fault.what());
    return nameOf(fault.kind);
  } catch (const ptx::ParseError &error) {
    UNSCOPED_INFO(error.what());
    return "ParseError";
  }
  std::vector<uint8_t> got(trial.wanted.size());
  trial.memory.read(trial.to, got.data(), got.size());
  return got == trial.wanted ? "" : "another result";
}

} // namespace

TEST_CASE("broken kernels of transfers are noticed, each as it should be") {
  int count = 0;
  for (const Kernel &kernel : kernels) {
    const std::string text = textOf(kernel.symbol);
    INFO(kernel.name);
    CHECK(shows(text, kernel) == "");
    for (const Breakage &breakage : breakages) {
      if (breakage.kernel != std::string(kernel.name))
        continue;
      INFO(breakage.what);
      CHECK(shows(edited(text, breakage), kernel) ==
            (breakage.fault ? nameOf(*breakage.fault) : "another result"));
      ++count;
    }
  }
  CHECK(size_t(count) == std::size(breakages));
}
