// Calls that the emulated driver accepts or refuses, on whatever driver is
// loaded as libcuda.so.1: prints a line for each whose results are others than
// the emulator's, and ends with status 3 if there was any. Of the emulated
// driver, each refusal must also be reported, with where NVIDIA says so. Each
// case is a process of its own, since some errors are there to stay.
//
// usage: cases [--list]
#include "test/emulated/cuda/Cases.h"
#include "test/emulated/cuda/Increment.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace smex::emulated;

static const std::string ptx = incrementPtx("7.8");

bool Cuda::open() {
  return openContext() && !cuModuleLoadData(&module, ptx.c_str()) &&
         !cuModuleGetFunction(&function, module, "increment") &&
         !cuMemAlloc_v2(&a, 256) && !cuMemAlloc_v2(&b, 256) &&
         !cuStreamCreate(&first, 1) && !cuStreamCreate(&second, 1) &&
         !cuEventCreate(&event, 2) && !cuEventCreate(&join, 2) &&
         !cuMemsetD32Async(a, 1, 64, first) &&
         !cuMemsetD32Async(b, 2, 64, first) && !cuStreamSynchronize(first);
}

std::string Cuda::load() {
  void *loaded = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!loaded)
    return dlerror();
#define SMEX_CASE_LOAD(name, parameters, arguments)                            \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(loaded, #name));
  SMEX_CUDA_FUNCTIONS(SMEX_CASE_LOAD)
#undef SMEX_CASE_LOAD
  isEmulated = dlsym(loaded, "smexEmulatedSubmit") != nullptr;
  return "";
}

int Cuda::checked(const char *name, int result) {
  // Not ready, and the device's errors, of which other lines are reported.
  const bool isDevices = result == 600 || result == 700 || result == 716;
  if (isEmulated && result && !isDevices && wrong.empty()) {
    wrong = reports.wrongWithRefusal();
    if (!wrong.empty())
      wrong = std::string(name) + ": " + wrong;
  }
  return result;
}

const std::vector<Case> &smex::emulated::cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> both = callCases();
    for (Case &each : captureCases())
      both.push_back(std::move(each));
    return both;
  }();
  return all;
}

namespace {

std::string text(const Results &results) {
  std::string all;
  for (int each : results)
    all += (all.empty() ? "" : " ") + std::to_string(each);
  return all;
}

/// What the case gives, in a process of its own, and in a second line what is
/// wrong with its reports; a signal, by its number.
std::string outcome(const Case &each) {
  int pipes[2];
  if (pipe(pipes))
    return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    Cuda cuda;
    std::string said = cuda.load();
    if (said.empty())
      said = each.opens && !cuda.open() ? "cannot begin" : text(each.run(cuda));
    said += "\n" + cuda.wrong;
    if (write(pipes[1], said.data(), said.size()) < 0)
      _exit(1);
    _exit(0); // a context after an error may not end in order
  }
  close(pipes[1]);
  std::string said(4096, 0);
  const ssize_t length = read(pipes[0], said.data(), said.size());
  said.resize(length > 0 ? size_t(length) : 0);
  close(pipes[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : said;
}

} // namespace

int main(int argc, char **argv) {
  const Reports log; // one for all cases
  if (argc > 1 && !std::strcmp(argv[1], "--list")) {
    for (const Case &each : cases())
      std::printf("%s: %s\n", each.name, text(each.expected).c_str());
    return 0;
  }
  int differences = 0;
  for (const Case &each : cases()) {
    const std::string said = outcome(each), expected = text(each.expected);
    const std::string found = said.substr(0, said.find('\n'));
    const std::string wrong =
        said.substr(std::min(said.size(), found.size() + 1));
    if (found == expected && wrong.empty())
      continue;
    ++differences;
    if (found != expected)
      std::printf("%s: %s, the emulator gives %s\n", each.name, found.c_str(),
                  expected.c_str());
    else
      std::printf("%s: %s\n", each.name, wrong.c_str());
    std::fflush(stdout);
  }
  std::printf("%zu cases of the driver, %d differ\n", cases().size(),
              differences);
  return differences ? 3 : 0;
}
