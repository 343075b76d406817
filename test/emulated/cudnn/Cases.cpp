// Calls of cuDNN with what they should give, as a table of differences. It runs
// on the emulated library in CI, and on NVIDIA's where that is found: then what
// the emulator believes is compared with what is. Without a GPU, only calls
// that need none are tried.
// usage: cases [--all]     exit status: 0 no difference, 3 some, 4 no library
#include "test/emulated/Reports.h"
#include "test/emulated/cudnn/CaseLibrary.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <utility>

using namespace smex::cases;

bool Library::open() {
  void *library = dlopen("libcudnn.so.9", RTLD_NOW);
  if (!library) {
    error = dlerror();
    return false;
  }
#define SMEX_CASE_FIND(name, result, parameters)                               \
  name = reinterpret_cast<result(*) parameters>(dlsym(library, #name));        \
  if (!name)                                                                   \
    error = "libcudnn.so.9 has no " #name;
  SMEX_EMULATED_CUDNN_FUNCTIONS(SMEX_CASE_FIND)
#undef SMEX_CASE_FIND
  return error.empty();
}

void Library::openDevice() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library)
    return;
  isEmulated = dlsym(library, "smexEmulatedSubmit") != nullptr;
  bool isWhole = true;
#define SMEX_CASE_FIND(name, parameters)                                       \
  name = reinterpret_cast<int(*) parameters>(dlsym(library, #name));           \
  isWhole = isWhole && name;
  SMEX_CASE_DRIVER(SMEX_CASE_FIND)
#undef SMEX_CASE_FIND
  char text[256] = "";
  int number = 0;
  void *context = nullptr;
  if (!isWhole || cuInit(0) || cuDeviceGet(&number, 0) ||
      cuDeviceGetName(text, sizeof text, number) ||
      cuDevicePrimaryCtxRetain(&context, number) || cuCtxSetCurrent(context) ||
      cuStreamCreate(&stream, 1) || cudnnCreate(&handle) ||
      cudnnSetStream(handle, stream))
    return;
  device = text;
}

namespace {

struct Outcome {
  int number; // of the case
  int status;
  char note[240];
};

/// In a process of its own, from a case on: a library may crash.
void runFrom(const std::vector<Case> &all, size_t first, int pipe) {
  Library library;
  if (!library.open())
    _exit(4);
  library.openDevice();
  Outcome outcome{-1, 0, ""};
  std::strncpy(outcome.note, library.device.c_str(), sizeof outcome.note - 1);
  bool sent = write(pipe, &outcome, sizeof outcome) > 0;
  for (size_t i = first; sent && i < all.size(); ++i) {
    if (all[i].needsDevice && library.device.empty())
      continue;
    std::string note;
    int status = all[i].run(library, note);
    if (status >= 1000) { // a refusal, of which the library says why
      char why[200] = "";
      library.cudnnGetLastErrorString(why, sizeof why);
      if (library.isEmulated && !smex::emulated::isCited(why)) {
        note = std::string("without a citation: ") + why;
        status = -1;
      } else if (note.empty()) {
        note = why;
      }
    }
    outcome = {int(i), status, ""};
    std::strncpy(outcome.note, note.c_str(), sizeof outcome.note - 1);
    sent = write(pipe, &outcome, sizeof outcome) > 0;
  }
  _exit(0);
}

bool isAsExpected(const Case &each, int status) {
  return each.expected == 0 ? status == 0
                            : status / 1000 * 1000 == each.expected;
}

} // namespace

int main(int count, char **arguments) {
  const bool printsAll = count > 1 && !std::strcmp(arguments[1], "--all");
  Library library;
  if (!library.open()) {
    std::printf("no cuDNN 9: %s\n", library.error.c_str());
    return 4;
  }
  std::vector<Case> all = refusals();
  for (Case &each : values())
    all.push_back(std::move(each));

  int tried = 0, different = 0;
  std::string device;
  const auto report = [&](const Case &each, const std::string &got,
                          bool isRight, const char *note) {
    ++tried;
    different += !isRight;
    if (!isRight || printsAll)
      std::printf("%-9s | %-62s | expected %4d | got %s %s\n",
                  isRight ? "ok" : "DIFFERENT", each.name.c_str(),
                  each.expected, got.c_str(), note);
  };
  for (size_t next = 0; next < all.size();) {
    int ends[2];
    if (pipe(ends) != 0)
      return 4;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      runFrom(all, next, ends[1]);
    }
    close(ends[1]);
    size_t done = next;
    for (Outcome outcome;
         read(ends[0], &outcome, sizeof outcome) == ssize_t(sizeof outcome);) {
      if (outcome.number < 0) {
        device = outcome.note;
        continue;
      }
      const Case &each = all[size_t(outcome.number)];
      report(each, std::to_string(outcome.status),
             isAsExpected(each, outcome.status), outcome.note);
      done = size_t(outcome.number) + 1;
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      break;
    while (done < all.size() && all[done].needsDevice && device.empty())
      ++done;
    if (done < all.size())
      report(all[done], "a crash", false, "");
    next = done + 1;
  }
  std::printf("cuDNN %zu on %s: %d cases, %d different, %d not tried\n",
              library.cudnnGetVersion(),
              device.empty() ? "no GPU" : device.c_str(), tried, different,
              int(all.size()) - tried);
  return different ? 3 : 0;
}
