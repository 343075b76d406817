// The kernels that are written by hand (kernels/cuda), broken on purpose, each
// in one place of its PTX, and how each is noticed: by the interpreter of
// test/emulated/ptx, as an error of a kind, or by what is computed.
#include "kernels/cuda/Kernels.h"
#include "kernels/cuda/Pieces.h"
#include "test/emulated/ptx/Launch.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <regex>

using namespace smex;
using namespace smex::cuda;
using ptx::FaultKind;

namespace {

/// Memory with what a launch is given, and what it must have made of it.
struct Trial {
  template <typename T>
  uint64_t put(const std::vector<T> &values, const char *name,
               bool isReadOnly = true) {
    ptx::Allocation &place = memory.allocate(values.size() * sizeof(T), name);
    memory.write(place.base, values.data(), values.size() * sizeof(T));
    place.readOnly = isReadOnly;
    return place.base;
  }
  /// Memory that nothing has been written to, for `wanted`.
  template <typename T> uint64_t result(const std::vector<T> &values) {
    wanted.resize(values.size() * sizeof(T));
    std::memcpy(wanted.data(), values.data(), wanted.size());
    return to = memory.allocate(wanted.size(), "result").base;
  }
  template <typename T> void pass(const T &argument) {
    const size_t at = (parameters.size() + alignof(T) - 1) / alignof(T);
    parameters.resize(at * alignof(T) + sizeof(T));
    std::memcpy(&parameters[at * alignof(T)], &argument, sizeof(T));
  }

  ptx::Memory memory;
  std::vector<uint8_t> parameters, wanted;
  uint64_t to = 0;
  ptx::Dim3 grid{2, 1, 1};
};

template <typename Pointer> Pointer pointer(uint64_t address) {
  return reinterpret_cast<Pointer>(address);
}

std::vector<float> counted(size_t count, float from) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = from + float(i);
  return values;
}

/// Columns 0 to 70, and 70 to 140, of a region of 2 x 3 x 140, from the last
/// columns of two buffers of 2 x 3 x 80. `unit`: floats of one.
void fetch(Trial &trial, int unit) {
  std::vector<float> wanted(size_t(2 * 3 * 140 * unit));
  const uint64_t to = trial.result(wanted);
  std::vector<FetchPiece> pieces;
  for (int p = 0; p < 2; ++p) {
    const auto values =
        counted(size_t(2 * 3 * 80 * unit), p ? 5000.0f : 1000.0f);
    const uint64_t from = trial.put(values, "source") + uint64_t(40 * unit);
    pieces.push_back({pointer<const char *>(from),
                      pointer<char *>(to + uint64_t(p * 70 * 4 * unit)),
                      {1, 1, 1, 2, 3, 70},
                      {0, 0, 0, 240, 80, 1},
                      {0, 0, 0, 420, 140, 1}});
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 70 * unit; ++k)
          wanted[size_t((i * 420 + j * 140 + p * 70) * unit + k)] =
              values[size_t((i * 240 + j * 80 + 10) * unit + k)];
  }
  std::memcpy(trial.wanted.data(), wanted.data(), trial.wanted.size());
  trial.pass(trial.put(pieces, "pieces"));
  trial.grid = {2, 2, 1};
}

/// 5 x 70 elements, each of three terms; but the second piece has only columns
/// 20 to 50 of rows 1 to 4. What a sum is depends on its order.
template <typename T>
void reduce(Trial &trial, int reduction, std::function<T(T, T)> combine,
            std::function<T(int piece, int i, int j)> term) {
  std::vector<ReducePiece> pieces;
  std::vector<T> wanted(350);
  for (int p = 0; p < 3; ++p) {
    const int top = p == 1 ? 1 : 0, bottom = p == 1 ? 4 : 5,
              left = p == 1 ? 20 : 0, right = p == 1 ? 50 : 70;
    std::vector<T> values;
    for (int i = top; i < bottom; ++i)
      for (int j = left; j < right; ++j) {
        values.push_back(term(p, i, j));
        T &result = wanted[size_t(70 * i + j)];
        result = p == 0 ? values.back() : combine(result, values.back());
      }
    pieces.push_back({pointer<const char *>(trial.put(values, "term")),
                      {0, 0, 0, 0, top, left},
                      {1, 1, 1, 1, bottom, right},
                      {0, 0, 0, 0, right - left, 1}});
  }
  const std::vector<long long> sizes = {1, 1, 1, 1, 5, 70};
  trial.pass(trial.put(pieces, "pieces"));
  trial.pass(3);
  trial.pass(reduction);
  trial.pass(trial.result(wanted));
  trial.pass(trial.put(sizes, "sizes"));
}

/// One of these for each piece and element.
std::function<float(int, int, int)> among(std::vector<float> some) {
  return [some = std::move(some)](int piece, int i, int j) {
    return some[size_t(i + 3 * j + 5 * piece) % some.size()];
  };
}

void sum(Trial &trial) {
  reduce<float>(
      trial, 0, [](float a, float b) { return a + b; },
      among({1e8f, 1, -1e8f, 3, 0.5f}));
}
void largest(Trial &trial) {
  reduce<float>(
      trial, 1,
      [](float a, float b) {
        return a != a || b != b ? a + b : std::max(a, b);
      },
      among({4, -7, std::numeric_limits<float>::quiet_NaN(), 2, 2, 9, -1}));
}
/// Sums of bfloat16, 1 + 2^-8, are rounded to 1 at each step.
void halves(Trial &trial) {
  reduce<uint16_t>(
      trial, 0, [](uint16_t one, uint16_t) { return one; },
      [](int piece, int, int) { return piece == 0 ? 0x3f80 : 0x3b80; });
}

/// 2 x 6 x 20 with a border of zeros: a row above, 2 columns to the left, and
/// what is left of it below and to the right. The source is 2 x 4 x 15.
void pad(Trial &trial) {
  const auto values = counted(2 * 4 * 15, 100);
  std::vector<float> wanted(240, 0.0f);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 15; ++k)
        wanted[size_t(i * 120 + (j + 1) * 20 + k + 2)] =
            values[size_t(i * 60 + j * 15 + k)];
  PadPiece piece{pointer<const char *>(trial.put(values, "source")),
                 pointer<char *>(trial.result(wanted)),
                 {1, 1, 1, 2, 6, 20},
                 {0, 0, 0, 0, 1, 2},
                 {1, 1, 1, 2, 5, 17},
                 {0, 0, 0, 60, 15, 1},
                 {0, 0, 0, 120, 20, 1}};
  trial.pass(piece);
}

struct Kernel {
  const char *name, *symbol;
  std::function<void(Trial &)> prepare;
};

const Kernel kernels[] = {
    {"fetch", "smex_fetch_4", [](Trial &trial) { fetch(trial, 1); }},
    {"fetch of 16 bytes", "smex_fetch_16",
     [](Trial &trial) { fetch(trial, 4); }},
    {"sum", "smex_reduce_f32", sum},
    {"largest", "smex_reduce_f32", largest},
    {"halves", "smex_reduce_bf16", halves},
    {"pad", "smex_pad_4", pad},
};

struct Breakage {
  const char *kernel, *what;
  const char *pattern, *replacement;
  int which;                      // of the places that match, from 0; -1: last
  std::optional<FaultKind> fault; // none: another result
};

const Breakage breakages[] = {
    {"fetch", "one unit too many", R"(setp\.lt\.s64 (\t%p14))",
     "setp.le.s64 $1", 0, FaultKind::Race},
    {"fetch", "threads go on by 1", R"((add\.s64 \t(%rd\d+), \2), %rd9;)",
     "$1, 1;", 0, FaultKind::Race},
    {"fetch", "pieces lie closer together", R"((mul\.wide\.u32 [^\n]*, )160;)",
     "$01152;", 0, FaultKind::Misaligned},
    {"fetch", "all of the grid copies the first piece", R"(%ctaid\.x)",
     "%ctaid.z", 0, FaultKind::Race},
    {"fetch", "a source's stride is that of the target",
     R"((ld\.global\.b64 \t%rd\d+, \[%rd1)\+96\])", "$01+144]", 0,
     FaultKind::OutOfBounds},
    {"fetch", "a target's stride is that of the source",
     R"((ld\.global\.b64 \t%rd\d+, \[%rd1)\+144\])", "$01+96]", 0,
     FaultKind::Race},
    {"fetch", "source and target are exchanged",
     R"((ld\.global\.b64 \t%rd1)0, (\[%rd1\];\n\tld\.global\.b64 \t%rd1)1,)",
     "$011, $020,", 0, FaultKind::Uninitialized},
    {"fetch", "the unit behind is read", R"((\tld\.b32 \t%r\d+, \[%rd\d+)\])",
     "$1+4]", 0, FaultKind::OutOfBounds},
    {"fetch", "half of a unit is written", R"(st\.b32)", "st.b16", 0, {}},
    {"fetch", "units of the target are 8 bytes",
     R"((shl\.b64 \t%rd\d+, %rd\d+), 2;)", "$1, 3;", -1,
     FaultKind::OutOfBounds},
    {"fetch",
     "an outer dimension is left out",
     R"((mul\.lo\.s64 \t%rd1)7, %rd16, %rd5;)",
     "mov.b64 %rd17, %rd16;",
     0,
     {}},

    {"fetch of 16 bytes", "units of the target are 8 bytes",
     R"((shl\.b64 \t%rd\d+, %rd\d+), 4;)", "$1, 3;", -1, FaultKind::Race},

    {"sum", "one element too many", R"(setp\.lt\.s64 (\t%p36))",
     "setp.le.s64 $1", 0, FaultKind::OutOfBounds},
    {"sum", "blocks compute the same elements",
     R"((cvt\.u64\.u32 \t%rd33), %r7;)", "mov.b64 %rd33, 0;", 0,
     FaultKind::Limit},
    {"sum",
     "the last piece is left out",
     R"((setp\.eq\.b32 \t%p\d+, %r28), 0;)",
     "$1, 1;",
     0,
     {}},
    {"sum", "one piece too many", R"((setp\.eq\.b32 \t%p\d+, %r28), 0;)",
     "$1, -1;", 0, FaultKind::OutOfBounds},
    {"sum",
     "every piece is the first",
     R"(\tmov\.pred \t%p43, 0;\n)",
     "",
     0,
     {}},
    {"sum",
     "pieces lie closer together",
     R"((add\.s64 \t(%rd98), \2), 152;)",
     "$1, 144;",
     0,
     {}},
    {"sum", "a piece ends one column late", R"(setp\.lt\.s64 (\t%p42))",
     "setp.le.s64 $1", 0, FaultKind::OutOfBounds},
    {"sum", "a piece begins at the left edge",
     R"((setp\.lt\.s64 \t%p25, %rd87), %rd22;)", "$1, 0;", 0,
     FaultKind::OutOfBounds},
    {"sum", "a difference", R"(add\.rn\.f32)", "sub.rn.f32", 0, {}},
    {"sum", "results go one element on", R"((st\.global\.b32 \t\[%rd85))",
     "$1+4", 0, FaultKind::OutOfBounds},
    {"sum", "the result is a term's memory", R"(\[smex_reduce_f32_param_3\])",
     "[smex_reduce_f32_param_4]", 0, FaultKind::ReadOnly},
    {"sum",
     "coordinates begin at the piece's own end",
     R"((ld\.global\.b64 \t%rd67, \[%rd98)\+24\])",
     "$1+16]",
     0,
     {}},
    {"largest", "the smallest", R"(setp\.gt\.f32)", "setp.lt.f32", 0, {}},
    {"largest",
     "a NaN in front is lost",
     R"((selp\.f32 \t%r29, )%r1, (%r26), %p32;)",
     "$1$2, $2, %p32;",
     0,
     {}},
    {"halves",
     "ties are rounded up",
     R"((add\.s32 \t%r\d+, %r\d+, )32767;)",
     "$0132768;",
     0,
     {}},

    {"pad", "one element too many", R"(setp\.ge\.s64)", "setp.gt.s64", 0,
     FaultKind::Race},
    {"pad",
     "the border is of ones",
     R"((mov\.b32 \t%r23), 0;)",
     "$1, 0f3f800000;",
     0,
     {}},
    {"pad", "the border is what a register has", R"(\tmov\.b32 \t%r23, 0;\n)",
     "", 0, FaultKind::Uninitialized},
    {"pad", "the source goes on to the right", R"(setp\.lt\.s64 (\t%p9))",
     "setp.le.s64 $1", 0, FaultKind::OutOfBounds},
    {"pad", "the source begins one row higher",
     R"(setp\.ge\.s64 (\t%p11, %rd39), %rd16;)", "setp.ge.s64 $1, 0;", 0,
     FaultKind::OutOfBounds},
    {"pad", "the left border is not subtracted",
     R"(add\.s64 \t(%rd84), %rd36, (%rd113);)", "mov.b64 $1, $2;", 0,
     FaultKind::OutOfBounds},
    {"pad", "a condition is left out", R"(and\.pred \t(%p2), (%p13), %p12;)",
     "mov.pred $1, $2;", 0, FaultKind::OutOfBounds},
    {"pad", "a target's stride is another one's", R"(\[%rd1\+240\])",
     "[%rd1+248]", 0, FaultKind::Race},
    {"pad",
     "a dimension is left out",
     R"(mul\.lo\.s64 \t%rd51, (%rd50), %rd6;)",
     "mov.b64 %rd51, $1;",
     0,
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
