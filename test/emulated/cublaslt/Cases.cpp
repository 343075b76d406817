// Calls of cuBLASLt, each with what the emulated library answers: the same
// program runs on NVIDIA's, where there is a GPU, and lists what differs.
#include "test/emulated/Reports.h"
#include "test/emulated/cublaslt/Trial.h"

#include <cstdio>
#include <functional>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace smex::emulated::cublaslt;

namespace {

struct Case {
  const char *name;
  const char *expected; // the call that is refused, and its status; or "0"
  std::function<void(Spec &)> change;
  /// Where the emulated library is stricter: what cuBLASLt 13.1 was seen to do.
  const char *seen = nullptr;
};

void types(Spec &s, int operands, int result) {
  s.a.type = s.b.type = operands;
  s.d.type = result;
}

void byRows(Spec &s) {
  s.a = {R_32F, 16, 24, 24, 1, 0, ORDER_ROW};
  s.b = {R_32F, 24, 8, 8, 1, 0, ORDER_ROW};
  s.d = {R_32F, 16, 8, 8, 1, 0, ORDER_ROW};
}

/// Sums of a few terms, for values where GELU is not z or 0.
void shortened(Spec &s, uint32_t epilogue) {
  s.a.columns = s.b.rows = 1;
  s.b.leading = 16;
  s.epilogue = epilogue;
}

const std::vector<Case> cases = {
    {"f32", "0", [](Spec &) {}},
    {"f64", "0",
     [](Spec &s) {
       s.computeType = COMPUTE_64F;
       s.scaleType = R_64F;
       types(s, R_64F, R_64F);
     }},
    {"f16 to f16", "0", [](Spec &s) { types(s, R_16F, R_16F); }},
    {"f16 to f32", "0", [](Spec &s) { types(s, R_16F, R_32F); }},
    {"bf16 to bf16", "0", [](Spec &s) { types(s, R_16BF, R_16BF); }},
    {"bf16 to f32", "0", [](Spec &s) { types(s, R_16BF, R_32F); }},
    {"pedantic", "0", [](Spec &s) { s.computeType = COMPUTE_32F_PEDANTIC; }},
    {"A transposed", "0",
     [](Spec &s) {
       s.transA = OP_T;
       s.a = {R_32F, 24, 16, 24};
     }},
    {"B transposed", "0",
     [](Spec &s) {
       s.transB = OP_T;
       s.b = {R_32F, 8, 24, 8};
     }},
    {"leading dimensions with room", "0",
     [](Spec &s) { s.a.leading = 20, s.b.leading = 28, s.d.leading = 32; }},
    {"odd leading dimensions", "0",
     [](Spec &s) {
       s.a.leading = 17, s.b.leading = 25, s.d.leading = 19;
       s.alignment = 4;
     }},
    {"all by rows", "0", byRows},
    {"a batch", "0",
     [](Spec &s) {
       s.a.batch = s.b.batch = s.d.batch = 3;
       s.a.batchStride = 400, s.b.batchStride = 192, s.d.batchStride = 128;
     }},
    {"one A for a batch", "0",
     [](Spec &s) {
       s.a.batch = s.b.batch = s.d.batch = 3;
       s.b.batchStride = 192, s.d.batchStride = 128;
     }},
    {"a batch between the columns", "0",
     [](Spec &s) {
       s.a.batch = s.b.batch = s.d.batch = 3;
       s.a.leading = s.d.leading = 48;
       s.a.batchStride = s.d.batchStride = 16, s.b.batchStride = 192;
     }},
    {"added to D", "0", [](Spec &s) { s.beta = 1; }},
    {"added to one column for all", "0",
     [](Spec &s) { s.beta = 1, s.broadcastsC = true; }},
    {"added to one row for all", "0",
     [](Spec &s) {
       byRows(s);
       s.beta = 1, s.broadcastsC = true;
     }},
    {"one row", "0",
     [](Spec &s) {
       s.a = {R_32F, 1, 24, 1};
       s.d = {R_32F, 1, 8, 1};
       s.alignment = 4;
     }},
    {"one column", "0",
     [](Spec &s) {
       s.b = {R_32F, 24, 1, 24};
       s.d = {R_32F, 16, 1, 16};
     }},
    {"one term", "0",
     [](Spec &s) {
       s.a = {R_32F, 16, 1, 16};
       s.b = {R_32F, 1, 8, 1};
       s.alignment = 4;
     }},
    {"a single number", "0",
     [](Spec &s) {
       s.a = {R_32F, 1, 1, 1};
       s.b = {R_32F, 1, 1, 1};
       s.d = {R_32F, 1, 1, 1};
       s.alignment = 4;
     }},
    {"an address of 4 bytes that the preference allows", "0",
     [](Spec &s) { s.offsetA = 4, s.alignment = 4; }},
    {"no algorithm", "0", [](Spec &s) { s.asks = false; }},
    {"a long sum with a workspace", "0",
     [](Spec &s) {
       s.a = {R_32F, 16, 192, 16};
       s.b = {R_32F, 192, 8, 192};
       s.workspaceBytes = 1 << 16;
     }},
    {"a long sum without reductions", "0",
     [](Spec &s) {
       s.a = {R_32F, 16, 192, 16};
       s.b = {R_32F, 192, 8, 192};
       s.workspaceBytes = 1 << 16;
       s.reductions = REDUCTION_SCHEME_NONE;
     }},
    {"relu", "0", [](Spec &s) { s.epilogue = EPILOGUE_RELU; }},
    {"bias", "0", [](Spec &s) { s.epilogue = EPILOGUE_BIAS; }},
    {"bias and relu", "0", [](Spec &s) { s.epilogue = EPILOGUE_RELU_BIAS; }},
    {"gelu, which is that of tanh", "0",
     [](Spec &s) { shortened(s, EPILOGUE_GELU); }},
    {"bias and gelu", "0", [](Spec &s) { shortened(s, EPILOGUE_GELU_BIAS); }},
    {"bias and relu of f64", "0",
     [](Spec &s) {
       s.computeType = COMPUTE_64F;
       s.scaleType = R_64F;
       types(s, R_64F, R_64F);
       s.epilogue = EPILOGUE_RELU_BIAS;
     }},
    {"bias and relu of f16", "0",
     [](Spec &s) {
       types(s, R_16F, R_16F);
       s.epilogue = EPILOGUE_RELU_BIAS;
     }},
    {"bias and gelu of bf16", "0",
     [](Spec &s) {
       types(s, R_16BF, R_16BF);
       shortened(s, EPILOGUE_GELU_BIAS);
     }},
    {"bias of f32 for a result of f32 of bf16", "0",
     [](Spec &s) {
       types(s, R_16BF, R_32F);
       s.epilogue = EPILOGUE_BIAS;
     }},
    {"bias of a type that is said", "0",
     [](Spec &s) {
       s.epilogue = EPILOGUE_BIAS;
       s.biasType = R_32F;
     }},
    {"one bias for a batch", "0",
     [](Spec &s) {
       s.a.batch = s.b.batch = s.d.batch = 3;
       s.a.batchStride = 400, s.b.batchStride = 192, s.d.batchStride = 128;
       s.epilogue = EPILOGUE_RELU_BIAS;
     }},
    {"a bias for each of a batch", "0",
     [](Spec &s) {
       s.a.batch = s.b.batch = s.d.batch = 3;
       s.a.batchStride = 400, s.b.batchStride = 192, s.d.batchStride = 128;
       s.epilogue = EPILOGUE_BIAS;
       s.biasStride = 16;
     }},
    {"bias and relu of what is added to D", "0",
     [](Spec &s) {
       s.epilogue = EPILOGUE_RELU_BIAS;
       s.beta = 1;
     }},
    {"bias of one row", "0",
     [](Spec &s) {
       s.a = {R_32F, 1, 24, 1};
       s.d = {R_32F, 1, 8, 1};
       s.alignment = 4;
       s.epilogue = EPILOGUE_BIAS;
     }},
    {"bias and relu of a long sum with a workspace", "0",
     [](Spec &s) {
       s.a = {R_32F, 16, 192, 16};
       s.b = {R_32F, 192, 8, 192};
       s.workspaceBytes = 1 << 16;
       s.epilogue = EPILOGUE_RELU_BIAS;
     }},
    {"no bias", "matmul 7",
     [](Spec &s) {
       s.epilogue = EPILOGUE_BIAS;
       s.nullBias = true;
     }},
    {"bias of another type than D", "heuristic 7",
     [](Spec &s) {
       s.epilogue = EPILOGUE_BIAS;
       s.biasType = R_16F;
     }},
    {"bias and relu by rows", "heuristic 15",
     [](Spec &s) {
       byRows(s);
       s.epilogue = EPILOGUE_RELU_BIAS;
     }},
    {"bias by rows", "heuristic 15",
     [](Spec &s) {
       byRows(s);
       s.epilogue = EPILOGUE_BIAS;
     }},
    {"relu by rows", "heuristic 15",
     [](Spec &s) {
       byRows(s);
       s.epilogue = EPILOGUE_RELU;
     },
     "0"},
    {"bias at an address of 4 bytes", "matmul 7",
     [](Spec &s) {
       s.epilogue = EPILOGUE_BIAS;
       s.offsetBias = 4;
     },
     "0"},
    {"an epilogue that is none", "heuristic 15",
     [](Spec &s) { s.epilogue = 3; }, "0"},
    {"destroying nothing, which a handle must not be", "destroyed 0 0 0 7",
     [](Spec &s) { s.destroysNothing = true; }},
    {"no handle", "heuristic 1", [](Spec &s) { s.nullHandle = true; }},
    {"no layout", "heuristic 7", [](Spec &s) { s.nullLayout = true; }},
    {"no A", "matmul 7", [](Spec &s) { s.nullA = true; }},
    {"no alpha", "matmul 7", [](Spec &s) { s.nullAlpha = true; }, "signal 11"},
    {"no algorithm is asked for", "heuristic 7", [](Spec &s) { s.wanted = 0; }},
    {"a leading dimension below the rows", "heuristic 7",
     [](Spec &s) { s.a.leading = 15; }},
    {"a leading dimension of 0 of what is multiplied", "heuristic 7",
     [](Spec &s) { s.a.leading = 0; }},
    {"a leading dimension of 0 of the result", "heuristic 7",
     [](Spec &s) { s.d.leading = 0; }},
    {"sums of different lengths", "heuristic 7",
     [](Spec &s) { s.b = {R_32F, 20, 8, 20}; }},
    {"a result of another height", "heuristic 7",
     [](Spec &s) { s.d = {R_32F, 12, 8, 12}; }},
    {"batches of different sizes", "heuristic 7",
     [](Spec &s) { s.a.batch = 2; }},
    {"operands of two types", "heuristic 7", [](Spec &s) { s.b.type = R_16F; }},
    {"f32 to f16", "heuristic 15", [](Spec &s) { s.d.type = R_16F; }},
    {"f64 summed in f32", "heuristic 15",
     [](Spec &s) { types(s, R_64F, R_64F); }},
    {"C transposed", "heuristic 15", [](Spec &s) { s.transC = OP_T; }},
    {"an algorithm of zeros", "check 7",
     [](Spec &s) { s.zeroAlgorithm = true; }},
    {"a workspace that is not aligned", "matmul 7",
     [](Spec &s) {
       s.a = {R_32F, 16, 192, 16};
       s.b = {R_32F, 192, 8, 192};
       s.workspaceBytes = 1 << 16;
       s.workspaceOffset = 64;
     }},
    {"less workspace than the algorithm needs", "matmul 7",
     [](Spec &s) {
       s.a = {R_32F, 16, 192, 16};
       s.b = {R_32F, 192, 8, 192};
       s.workspaceBytes = 1 << 16;
       s.takesWorkspaceAway = true;
     },
     "0"},
    {"an address of 4 bytes that the preference does not allow", "matmul 7",
     [](Spec &s) { s.offsetA = 4; }, "0"},
    {"an address that no element has", "matmul 7",
     [](Spec &s) { s.offsetD = 2, s.alignment = 4; }, "stream 716"},
};

/// What a child says to its parent, in memory that both have.
struct Progress {
  size_t next;     // the case that is, or would be, tried
  int differences; // so far
  bool isEmulated;
};

void compare(Progress &progress, const Case &of, const std::string &got) {
  const std::string expected =
      of.seen && !progress.isEmulated ? of.seen : of.expected;
  if (got == expected)
    return;
  if (progress.differences++ == 0)
    std::printf("%-60s %-16s %s\n", "case", "expected", "got");
  std::printf("%-60s %-16s %s\n", of.name, expected.c_str(), got.c_str());
  std::fflush(stdout);
}

/// The cases from `progress.next` on; 2, where there is no machine for them.
int tryCases(Progress &progress) {
  smex::emulated::Reports reports;
  if (!openMachine())
    return 2;
  progress.isEmulated = isEmulated();
  if (progress.next == 0)
    std::printf("%s\n", machineName().c_str());
  for (; progress.next < cases.size(); ++progress.next) {
    const Case &each = cases[progress.next];
    Spec spec;
    each.change(spec);
    std::string got = run(spec);
    // The emulated library says of each refusal where NVIDIA has it.
    if (isEmulated() && got != "0")
      if (const auto wrong = reports.wrongWithRefusal(); !wrong.empty())
        got += ": " + wrong;
    compare(progress, each, got);
  }
  std::fflush(stdout);
  return 0;
}

} // namespace

/// A library may crash where the emulated one refuses: a child tries the cases,
/// and another one those after the case that it ended by.
int main() {
  auto *progress = static_cast<Progress *>(
      ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (progress == MAP_FAILED)
    return 1;
  *progress = {};
  while (progress->next < cases.size()) {
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0)
      ::_exit(tryCases(*progress));
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child)
      return 1;
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
      return WEXITSTATUS(status);
    if (WIFSIGNALED(status) && progress->next < cases.size())
      compare(*progress, cases[progress->next++],
              "signal " + std::to_string(WTERMSIG(status)));
  }
  std::printf("%zu cases, %d differ\n", cases.size(), progress->differences);
  return progress->differences ? 3 : 0;
}
