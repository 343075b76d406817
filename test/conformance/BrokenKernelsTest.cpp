// Kernels that are broken on purpose, each in one place of the PTX that is
// generated, and how each is noticed: by the interpreter of test/emulated/ptx,
// as an error of a kind, or by what is computed.
#include "compiler/codegen/gpu/Codegen.h"
#include "test/compiler/codegen/Trial.h"
#include "test/compiler/codegen/gpu/Device.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <functional>
#include <regex>

using namespace smex;
using namespace smex::codegen;
using ptx::FaultKind;

namespace {

/// A kernel that is right, and what it is run on.
struct Kernel {
  const char *name;
  const char *lambda;
  std::vector<int64_t> extents;
  std::vector<std::vector<int64_t>> operands;
  int lo = -3, hi = 3; // values
  /// A segment that has all terms, of 48 or more and so in parts of 16.
  bool isHub = false;
};

const Kernel kernels[] = {
    // Rows of 206 elements: every other one begins at a multiple of 16 bytes.
    {"map",
     "(x: f32[2], b: f32[2]) -> f32: lambda i, j: x[i, j] * b[i, j]",
     {5, 206},
     {{5, 206}, {5, 206}}},
    {"row sums",
     "(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j])",
     {5, 70},
     {{5, 70}}},
    {"long sums",
     "(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j])",
     {3, 5000},
     {{3, 5000}}},
    {"product",
     "(a: f32[2], b: f32[2]) -> f32: lambda i, j: Sum(lambda k: a[i, k] * "
     "b[k, j])",
     {70, 67, 37},
     {{70, 37}, {37, 67}}},
    {"scatter",
     "(x: f32[2], key: i64[1]) -> f32: lambda v, f: Sum(lambda e: x[e, f] "
     "where key[e] == v)",
     {300, 40, 600},
     {{600, 40}, {600}},
     0,
     310},
    {"before",
     "(x: f32[1]) -> f32: lambda i: x[i - 1] else f32(0)",
     {1000},
     {{1000}}},
    {"behind",
     "(x: f32[1]) -> f32: lambda i: x[i + 1] else f32(0)",
     {1000},
     {{1000}}},
    {"prefixes",
     "(x: f32[1]) -> f32: lambda i: Sum(lambda k: x[k] where k <= i)",
     {200, 200},
     {{200}}},
    // The parts that begin at 2, 18, 34 and 50, and at 66, of one term.
    {"hubs",
     "(x: f32[2], row: i64[1]) -> f32: lambda v, f: Sum(lambda e: x[e, f] "
     "where row[v] <= e and e < row[v + 1])",
     {3, 5, 130},
     {{130, 5}, {4}},
     -3,
     3,
     true},
};

/// The first terms of segments: two hubs, which begin and end in one stretch.
constexpr int64_t hubRows[] = {2, 67, 130, 130};

GpuOptions optionsFor(const Kernel &kernel) {
  GpuOptions options;
  if (kernel.isHub) {
    options.processor.segmentThreads = 128;
    options.processor.longSegment = 24;
    options.processor.hubSegment = 48;
    options.processor.partOfHub = 16;
  }
  return options;
}

/// How it shows.
struct Noticed {
  std::optional<FaultKind> fault; // none: another result
};
const Noticed another = {};

struct Breakage {
  const char *kernel;
  const char *what;
  const char *pattern, *replacement;
  int which; // of the places that match, from 0; -1: the last, -2: all
  Noticed noticed;
};

// A branch around a load or store that a guard belongs to.
#define SMEX_AROUND(access)                                                    \
  R"(\t@%p\d+ bra \t\$L__BB0_\d+;\n((?:\t[^@\n]*\n){0,16}?\t)" access ")"

const Breakage breakages[] = {
    {"map",
     "a vector is stored 4 bytes on",
     R"((st\.global\.v4\.b32 \t\[%rd\d+)\])",
     "$01+4]",
     0,
     {FaultKind::Misaligned}},
    {"map",
     "a vector is loaded 4 bytes on",
     R"((ld\.global(?:\.nc)?\.v4\.b32 \t[^\n]*\[%rd\d+)\])",
     "$01+4]",
     0,
     {FaultKind::Misaligned}},
    {"map", "half of the element is stored", R"(st\.global\.b32)",
     "st.global.b16", -2, another},
    {"map", "the wrong half of a vector is stored",
     R"((st\.global\.v4\.b32 \t\[%rd\d+\], )\{(%r\d+), (%r\d+), )",
     "$01{$03, $02, ", 0, another},
    {"map",
     "one item of work too many",
     R"(setp\.ge\.s64)",
     "setp.gt.s64",
     0,
     {FaultKind::Race}},
    {"map",
     "an element that is read is one too far",
     R"((ld\.global\.b32 \t%r\d+, \[%rd\d+)\])",
     "$01+4]",
     -1,
     {FaultKind::OutOfBounds}},
    {"map",
     "elements are 8 bytes",
     R"((shl\.b64 \t%rd\d+, %rd\d+), 2;)",
     "$01, 3;",
     -1,
     {FaultKind::OutOfBuffer}},
    {"map",
     "the result goes where an operand is",
     R"(\[k_param_0\])",
     "[k_param_1]",
     0,
     {FaultKind::ReadOnly}},

    {"row sums", "the first shuffle goes 8 lanes instead of 16",
     R"((shfl\.sync\.down\.b32 \t%r\d+, %r\d+, )16,)", "$018,", 0, another},
    {"row sums", "the last shuffle is missing",
     R"(shfl\.sync\.down\.b32 (\t%r\d+), (%r\d+), 1, 31, -1;)",
     "mov.b32 $1, 0f00000000;", 0, another},
    {"row sums",
     "the mask of a shuffle has half of the lanes",
     R"((shfl\.sync[^\n]*, 31, )-1;)",
     "$0165535;",
     0,
     {FaultKind::Warp}},
    {"row sums",
     "a sum begins with what is there",
     R"(\tmov\.b32 \t%r\d+, 0f00000000;\n)",
     "",
     -2,
     {FaultKind::Uninitialized}},
    {"row sums", "the address stays while the count goes on",
     R"(\tadd\.s64 \t(%rd\d+), \1, 128;\n)", "", 1, another},
    {"row sums",
     "every lane of a warp stores",
     R"((setp\.ne\.b64) (\t%p\d+), (%rd\d+), 0;)",
     "$1 $2, $3, $3;",
     1,
     {FaultKind::Race}},

    {"long sums",
     "no barrier before another thread's sum is read",
     R"(\tbar\.sync \t0;\n(\t@%p))",
     "$1",
     0,
     {FaultKind::Uninitialized}},
    {"long sums",
     "one thread does not come to the barrier",
     // Behind the other one, by whether the thread is the block's first.
     R"((\tbar\.sync \t0;\n)(\tadd))",
     "\t@%p36 bar.sync \t0;\n$02",
     0,
     {FaultKind::Barrier}},
    {"long sums",
     "sums of warps are read behind their end",
     R"((ld\.shared[^\n]*shared0)(?:\+\d+)?\])",
     "$01+64]",
     -1,
     {FaultKind::OutOfBounds}},
    {"long sums",
     "shared memory for half of the warps",
     R"((shared0)\[64\])",
     "$1[32]",
     0,
     {FaultKind::OutOfBounds}},

    {"product",
     "no barrier after tiles are written",
     R"(\tbar\.sync \t0;\n)",
     "",
     0,
     {FaultKind::Uninitialized}},
    {"product",
     "no barrier before tiles are written again",
     R"(\tbar\.sync \t0;\n)",
     "",
     1,
     {FaultKind::Race}},
    {"product",
     "a tile of half of the size",
     R"((\.b8 [^\n]*shared0)\[\d+\])",
     "$1[2176]",
     0,
     {FaultKind::OutOfBuffer}},
    {"product",
     "an operand is read without its guard",
     SMEX_AROUND(R"(ld\.global)"),
     "$1",
     0,
     {FaultKind::OutOfBounds}},
    {"product",
     "the result is written without its guard",
     SMEX_AROUND(R"(st\.global)"),
     "$1",
     -1,
     {FaultKind::Race}},
    {"product",
     "the loop over a tile is too long",
     R"((setp\.ne\.b64 \t%p\d+, %rd\d+, )4352;)",
     "$018704;",
     0,
     {FaultKind::OutOfBuffer}},
    {"product", "the loop over a tile ends one row early",
     R"((setp\.ne\.b64 \t%p\d+, %rd\d+, )4352;)", "$014080;", 0, another},
    {"product",
     "the leading dimension of a tile is less than a row",
     R"((mad\.lo\.s64 \t%rd\d+, %rd\d+, )272,)",
     "$0164,",
     0,
     {FaultKind::Race}},
    {"product",
     "a vector of a tile is read 4 bytes on",
     R"((ld\.shared\.v4\.b32 [^\n]*\[%rd\d+)\])",
     "$01+4]",
     0,
     {FaultKind::Misaligned}},
    {"product", "the last tile of the sum is left out",
     R"((setp\.lt\.s64 (\t%p\d+), (%rd\d+), (%rd\d+);)(\n\t@%p\d+ bra \t\$L__BB0_10;))",
     "setp.lt.s64 $2, $4, $3;$5", 0, another},

    {"scatter",
     "two warps add to one place",
     R"((and\.b64 \t(%rd\d+), %rd\d+, 7;(?:\n[^\n]*){0,2}\n\tsetp\.ne\.b64 \t%p\d+, )(%rd\d+), (%rd\d+);)",
     "$01$03, $03;",
     0,
     {FaultKind::Race}},
    {"scatter",
     "no barrier before the keys are read",
     R"(\tbar\.sync \t0;\n)",
     "",
     -1,
     {FaultKind::Race}},
    {"scatter",
     "sums that are not set to 0",
     R"(\tst\.shared\.b32 \t\[%rd\d+\], 0;\n)",
     "",
     0,
     {FaultKind::Uninitialized}},
    {"scatter",
     "keys of the next tile count as well",
     R"((setp\.lt\.u64 \t%p\d+, %rd\d+, )256;)",
     "$01512;",
     0,
     {FaultKind::OutOfBounds}},
    {"before",
     "the guard lets -1 pass",
     R"((setp\.lt\.s64 \t%p\d+, %rd\d+, )0;)",
     "$01-1;",
     -2,
     {FaultKind::OutOfBounds}},
    {"behind",
     "the guard lets the extent pass",
     R"(setp\.ge\.s64)",
     "setp.gt.s64",
     -1,
     {FaultKind::OutOfBounds}},
    {"prefixes",
     "the end of a prefix is not its minimum",
     R"(min\.s64)",
     "max.s64",
     -1,
     {FaultKind::OutOfBounds}},

    {"hubs",
     "the launch of parts does nothing",
     R"((k_parts_\$_kernel_\$_shared2\[1024\];\n))",
     "$01\tret;\n",
     0,
     {FaultKind::Uninitialized}},
    {"hubs",
     "all parts lie in one slot",
     R"((mul\.lo\.s64 \t%rd\d+, %rd\d+, )%rd\d+;((?:\n[^\n]*){2}\n\tst\.global\.b32 [^\n]*\n\tst\.global\.b32 [^\n]*\+4\], 0;))",
     "$010;$2",
     -1,
     {FaultKind::Race}},
    {"hubs", "parts have the first term of the next",
     R"((add\.s64 \t%rd\d+, %rd\d+, )16;)", "$0117;", -1, another},
    {"hubs",
     "no barrier before the shares of a part are combined",
     R"(\tbar\.sync \t0;\n)",
     "",
     -1,
     {FaultKind::Uninitialized}},
};

std::string edited(const std::string &text, const Breakage &breakage) {
  const std::regex pattern(breakage.pattern);
  std::vector<std::smatch> places(
      std::sregex_iterator(text.begin(), text.end(), pattern), {});
  INFO("what it is for is no longer in the text: " << breakage.pattern);
  REQUIRE(!places.empty());
  if (breakage.which == -2)
    return std::regex_replace(text, pattern, breakage.replacement);
  const size_t which =
      breakage.which < 0 ? places.size() - 1 : size_t(breakage.which);
  REQUIRE(which < places.size());
  const std::smatch &place = places[which];
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
std::string shows(const std::string &text, const Kernel &kernel,
                  const plan::Launch &how) {
  const tdl::Lambda lambda = lambdaOf(kernel.lambda);
  Random random(3);
  std::vector<Buffer> operands;
  std::vector<tdl::OperandView> views;
  for (size_t i = 0; i < kernel.operands.size(); ++i)
    operands.push_back(bufferOf(
        randomTensor(random, {lambda.operands[i].type, kernel.operands[i]},
                     kernel.lo, kernel.hi),
        wholeBox(kernel.operands[i])));
  if (kernel.isHub)
    std::memcpy(operands[1].bytes.data(), hubRows, sizeof hubRows);
  for (const Buffer &operand : operands)
    views.push_back({operand.shape, operand.box, operand.bytes.data()});
  const std::vector<int64_t> shape(kernel.extents.begin(),
                                   kernel.extents.begin() + lambda.rank());
  Buffer result = emptyBuffer(lambda.result, shape, wholeBox(shape));
  try {
    Device device(text);
    device.run("k", how, wholeBox(kernel.extents), result, operands, 0);
  } catch (const ptx::Fault &fault) {
    UNSCOPED_INFO(fault.what());
    return nameOf(fault.kind);
  } catch (const ptx::ParseError &error) {
    UNSCOPED_INFO(error.what());
    return "ParseError";
  }
  const auto want = tdl::interpret(lambda, wholeBox(kernel.extents), views);
  REQUIRE(want);
  return same({want->type, result.bytes}, *want) ? "" : "another result";
}

} // namespace

TEST_CASE("broken kernels are noticed, each as it should be") {
  int count = 0;
  for (const Kernel &kernel : kernels) {
    const auto code =
        compilePtx({{"k", lambdaOf(kernel.lambda)}}, optionsFor(kernel));
    REQUIRE(code);
    INFO(kernel.name);
    REQUIRE(shows(code->ptx, kernel, code->launches[0]) == "");
    for (const Breakage &breakage : breakages) {
      if (breakage.kernel != std::string(kernel.name))
        continue;
      INFO(breakage.what);
      const auto &fault = breakage.noticed.fault;
      CHECK(shows(edited(code->ptx, breakage), kernel, code->launches[0]) ==
            (fault ? nameOf(*fault) : "another result"));
      ++count;
    }
  }
  CHECK(size_t(count) == std::size(breakages));
  CHECK(count >= 30);
}
