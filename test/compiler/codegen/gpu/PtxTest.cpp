// What the text of GPU kernels says: that it is PTX which stands alone, and
// that the forms of a schedule show in it.
#include "compiler/codegen/gpu/Codegen.h"
#include "compiler/codegen/gpu/Schedule.h"
#include "test/compiler/codegen/Trial.h"
#include "test/compiler/codegen/gpu/Ptxas.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::codegen;

namespace {

std::string textOf(const std::string &lambda,
                   const std::string &arch = "sm_80") {
  GpuOptions options;
  options.arch = arch;
  const Result<GpuCode> code = compilePtx({{"k", lambdaOf(lambda)}}, options);
  if (!code)
    FAIL(lambda << ": " << code.error().message);
  return code->ptx;
}

bool has(const std::string &text, const std::string &what) {
  return text.find(what) != std::string::npos;
}

size_t count(const std::string &text, const std::string &what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + 1))
    ++found;
  return found;
}

} // namespace

TEST_CASE("every kernel becomes PTX that stands alone") {
  const std::vector<KernelRequest> requests = requestsOf(allCases());
  const std::string ptxas = test::findPtxas();
  const std::vector<std::string> archs = {"sm_80", "sm_90"};
  const auto codes = compilePtx(requests, archs);
  if (!codes)
    FAIL(codes.error().message);
  REQUIRE(codes->size() == archs.size());
  std::string body; // what follows the header
  for (size_t a = 0; a < archs.size(); ++a) {
    const GpuCode &code = (*codes)[a];
    // README.md says so.
    const std::string own = code.ptx.substr(code.ptx.find(".address_size"));
    const bool isFirst = body.empty();
    CHECK((isFirst || own == body));
    body = own;
    const auto ofParts = std::count_if(
        code.launches.begin(), code.launches.end(),
        [](const plan::Launch &launch) { return launch.parts.along >= 0; });
    CHECK(ofParts > 0);
    CHECK(count(code.ptx, ".visible .entry") ==
          requests.size() + size_t(ofParts));
    CHECK(count(code.ptx, ".version") == 1);
    CHECK(has(code.ptx, ".target " + archs[a] + "\n"));
    CHECK(!has(code.ptx, ".extern"));
    CHECK(!has(code.ptx, "call"));
    REQUIRE(code.launches.size() == requests.size());
    if (!isFirst)
      continue; // the same, but for a header
    if (ptxas.empty()) {
      WARN("no ptxas here: nothing assembles the text");
      continue;
    }
    const Status assembled = test::assemble(ptxas, code.ptx);
    INFO((assembled ? "" : assembled.error().message));
    CHECK(bool(assembled));
  }
}

TEST_CASE("a text is the same whatever other architectures are asked for") {
  const std::vector<KernelRequest> all = requestsOf(allCases());
  const std::vector<KernelRequest> requests(all.begin(), all.begin() + 12);
  const std::vector<std::string> archs = {"sm_90", "sm_80", "sm_100"};
  const auto together = compilePtx(requests, archs);
  REQUIRE(together);
  REQUIRE(together->size() == archs.size());
  for (size_t a = 0; a < archs.size(); ++a) {
    GpuOptions options;
    options.arch = archs[a];
    const Result<GpuCode> alone = compilePtx(requests, options);
    REQUIRE(alone);
    INFO(archs[a]);
    CHECK(alone->ptx == (*together)[a].ptx);
    CHECK(alone->launches == (*together)[a].launches);
  }
}

TEST_CASE("the text is the same each time, in the order of the requests") {
  const std::vector<KernelRequest> all = requestsOf(allCases());
  const std::vector<KernelRequest> requests(all.begin(), all.begin() + 12);
  const Result<GpuCode> once = compilePtx(requests);
  const Result<GpuCode> again = compilePtx(requests);
  REQUIRE(once);
  REQUIRE(again);
  CHECK(once->ptx == again->ptx);
  size_t last = 0;
  for (const KernelRequest &request : requests) {
    const size_t at = once->ptx.find(".entry " + request.symbol + "(");
    INFO(request.symbol);
    REQUIRE(at != std::string::npos);
    CHECK(at >= last);
    last = at;
  }
  const Result<GpuCode> none = compilePtx({});
  REQUIRE(none);
  CHECK(none->ptx.empty());
}

TEST_CASE("old drivers of CUDA 12 know the version") {
  const char *const map = "(x: f32[1]) -> f32: lambda i: x[i]";
  CHECK(has(textOf(map), ".version 7.8\n.target sm_80\n"));
  const std::string hopper = textOf(map, "sm_90");
  CHECK(has(hopper, ".version 8.0\n.target sm_90\n"));
  if (const std::string ptxas = test::findPtxas(); !ptxas.empty())
    CHECK(bool(test::assemble(ptxas, hopper)));
}

TEST_CASE("operations are rounded one by one, as on the CPU") {
  const std::string text = textOf("(x: f32[1], y: f32[1]) -> f32: lambda i: "
                                  "(x[i] * y[i] + f32(3)) / sqrt(x[i] + y[i])");
  CHECK(has(text, "mul.rn.f32"));
  CHECK(has(text, "add.rn.f32"));
  CHECK(has(text, "div.rn.f32"));
  CHECK(has(text, "sqrt.rn.f32"));
  CHECK(!has(text, "fma"));
  CHECK(!has(text, ".ftz"));
  CHECK(!has(text, ".approx"));
}

TEST_CASE("a long sum goes through shuffles, and a block's shared memory") {
  const std::string text =
      textOf("(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j])");
  CHECK(has(text, "shfl.sync.down.b32"));
  CHECK(has(text, "bar.sync"));
  CHECK(has(text, ".shared .align"));
}

TEST_CASE("a chain of maps reads and writes 16 bytes at a time") {
  const std::string text = textOf("(x: f32[2], y: f32[2]) -> f32: lambda i, j: "
                                  "max(x[i, j] * f32(2) + y[i, j], f32(0))");
  CHECK(count(text, "ld.global.nc.v4") + count(text, "ld.global.v4") == 2);
  CHECK(count(text, "st.global.v4") == 1);
  // Eight 16-bit elements are as many bytes.
  const std::string half = textOf("(x: f16[1]) -> f16: lambda i: x[i] * x[i]");
  CHECK(count(half, "ld.global.nc.v4") + count(half, "ld.global.v4") == 1);
  CHECK(count(half, "st.global.v4") == 1);
}

TEST_CASE("a product has its factors in shared memory, four at a time") {
  const std::string text = textOf("(a: f32[2], b: f32[2]) -> f32: lambda i, j: "
                                  "Sum(lambda k: a[i, k] * b[k, j])");
  CHECK(has(text, "ld.shared.v4"));
  CHECK(has(text, "mul.rn.f32"));
  CHECK(!has(text, "fma"));
  CHECK(!has(text, ".local"));
}

TEST_CASE("accumulators are registers") {
  for (const char *lambda :
       {"(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j])",
        "(x: f32[2]) -> f32: lambda j: Sum(lambda i: x[i, j])",
        "(x: f32[1]) -> f32: lambda i: Sum(lambda k: x[k] where k <= i)",
        "(x: f32[2], row: i64[1], src: i64[1]) -> f32: lambda v, f: Sum(lambda "
        "e: x[src[e], f] where row[v] <= e and e < row[v + 1])"}) {
    INFO(lambda);
    CHECK(!has(textOf(lambda), ".local"));
  }
}

TEST_CASE("kernels with tables can be in one text") {
  const tdl::Lambda sine = lambdaOf("(x: f32[1]) -> f32: lambda i: sin(x[i])");
  // More than are compiled as one module.
  std::vector<KernelRequest> requests;
  for (char c = 'a'; c <= 'z'; ++c)
    requests.push_back({std::string(1, c), sine});
  const Result<GpuCode> code = compilePtx(requests);
  if (!code)
    FAIL(code.error().message);
  CHECK(count(code->ptx, ".global .align") > 1);
  CHECK(has(code->ptx, " a_$_"));
  const std::string ptxas = test::findPtxas();
  if (!ptxas.empty()) {
    const Status assembled = test::assemble(ptxas, code->ptx);
    INFO((assembled ? "" : assembled.error().message));
    CHECK(bool(assembled));
  }
}

TEST_CASE("architectures are checked by name") {
  const KernelRequest request{"k",
                              lambdaOf("(x: f32[1]) -> f32: lambda i: x[i]")};
  for (const char *arch : {"sm_70", "sm_9", "x86-64-v3", "", "sm_80x"}) {
    GpuOptions options;
    options.arch = arch;
    const Result<GpuCode> code = compilePtx({request}, options);
    INFO(arch);
    REQUIRE(!code);
    CHECK(code.error().fault == Fault::Usage);
    CHECK(has(code.error().message, "unknown GPU architecture '"));
  }
}

TEST_CASE("more arguments than parameters go through memory") {
  std::string operands, sum = "x0[i, i, i, i]";
  for (int i = 0; i < 40; ++i) {
    const std::string name = "x" + std::to_string(i);
    operands += (i ? ", " : "") + name + ": f32[4]";
    sum += i ? " + " + name + "[i, i, i, i]" : "";
  }
  const auto request = [&](const std::string &text) {
    const Result<GpuCode> code = compilePtx({{"k", lambdaOf(text)}});
    if (!code)
      FAIL(code.error().message);
    return *code;
  };
  const GpuCode many = request("(" + operands + ") -> f32: lambda i: " + sum);
  CHECK(many.launches[0].inMemory);
  CHECK(count(many.ptx, ".param .u64") == 1);
  const GpuCode few = request("(x: f32[4]) -> f32: lambda i: x[i, i, i, i]");
  CHECK(!few.launches[0].inMemory);
  CHECK(count(few.ptx, ".param .u64") == 2 + 2 + 2 + 12);
}

TEST_CASE("the grid follows from the ranges") {
  const auto blocks = [](const std::string &text,
                         const std::vector<int64_t> &numbers) {
    const tdl::Lambda lambda = lambdaOf(text);
    return blocksOf(launchOf(chooseGpuSchedule(lambda), lambda),
                    numbers.data());
  };
  const char *const map = "(x: f32[2]) -> f32: lambda i, j: x[i, j]";
  CHECK(blocks(map, {0, 10, 5, 1029}) == 10);
  CHECK(blocks(map, {3, 3, 5, 1029}) == 1);
  const char *const rows =
      "(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j])";
  CHECK(blocks(rows, {0, 1000, 0, 500}) == 63);
  CHECK(blocks(rows, {0, 1000, 0, 5000}) == 1000);
  const char *const columns =
      "(x: f32[2]) -> f32: lambda j: Sum(lambda i: x[i, j])";
  CHECK(blocks(columns, {0, 1024, 0, 500}) == 2);
  CHECK(blocks(columns, {0, 1024, 0, 5000}) == 128);
  const char *const product = "(a: f32[2], b: f32[2]) -> f32: lambda i, j: "
                              "Sum(lambda k: a[i, k] * b[k, j])";
  CHECK(blocks(product, {0, 65, 0, 128, 0, 999}) == 4);
}
