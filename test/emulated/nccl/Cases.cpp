// Calls of NCCL that are accepted or refused, and with which result: the same
// program runs on the emulated library and on NVIDIA's, by their public entry
// points alone, and prints where one does not do what is expected as a table.
// Each case is a process of its own, since some leave a communicator behind
// that is of no use. Cases that make NVIDIA's library hang, or do what it does
// not look for, are for the emulated one only, as are those whose devices the
// machine lacks.
// usage: nccl-cases, or nccl-cases CASE; exit status 3: there are differences
#include "test/emulated/Reports.h"
#include "test/emulated/nccl/Case.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

using namespace smex::emulated::nccl;

Library smex::emulated::nccl::lib;

namespace {

/// What a case's process prints, and its exit status.
std::pair<int, std::string> inProcess(const char *program, const char *name) {
  int ends[2];
  if (pipe(ends) != 0)
    return {-1, ""};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    close(ends[0]);
    alarm(60);
    execl(program, program, name, nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string output;
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    output.append(buffer, size_t(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, output};
}

std::vector<Case> allCases() {
  std::vector<Case> all = communicatorCases();
  for (const auto &more : {operationCases(), emulatedCases()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

constexpr const char *mark = "RESULT ";

/// What is wrong with what the emulated library says; empty: it says where
/// NVIDIA has it that a call is refused, and what the case wants.
std::string wrongWithReports(const Case &of, const std::string &output) {
  size_t cited = 0;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (line.find("emulated NCCL: ") != std::string::npos) {
      if (!smex::emulated::isCited(line))
        return "no citation: " + line;
      ++cited;
    }
  const char *result = of.expected;
  constexpr const char init[] = "init ";
  if (std::strncmp(result, init, sizeof init - 1) == 0)
    result += sizeof init - 1;
  const long first = std::strtol(result, nullptr, 10);
  constexpr long results = 8; // of ncclResult_t; larger ones are the driver's
  if (first > 0 && first < results && cited == 0)
    return "nothing is reported";
  if (of.says && output.find(of.says) == std::string::npos)
    return "says nothing of \"" + std::string(of.says) + "\"";
  return "";
}

int runOne(const std::string &name) {
  if (!lib.open())
    return 1;
  for (const Case &each : allCases())
    if (name == each.name) {
      std::printf("%s%s\n", mark, each.run().c_str());
      std::fflush(stdout);
      _exit(0); // what was left behind is not waited for
    }
  return 2;
}

} // namespace

int main(int argc, char **argv) {
  setenv("NCCL_CHECK_POINTERS", "1", 1);
  setenv("SMEX_EMULATED_NCCL_TIMEOUT", "1", 0);
  if (argc > 1)
    return runOne(argv[1]);
  if (!lib.open()) {
    std::fprintf(stderr, "no GPU, or no NCCL: %s\n", dlerror());
    return 1;
  }
  const std::vector<Case> cases = allCases();
  int different = 0, skipped = 0;
  std::printf("%-40s %-28s %s\n", "case", "expected", "is");
  for (const Case &each : cases) {
    if (each.devices > lib.devices || (each.says && !lib.isEmulated)) {
      ++skipped;
      continue;
    }
    const auto [status, output] = inProcess("/proc/self/exe", each.name);
    const size_t at = output.rfind(mark);
    std::string is = at == std::string::npos
                         ? "ended with " + text(status)
                         : output.substr(at + std::strlen(mark));
    is = is.substr(0, is.find('\n'));
    const std::string wrong =
        lib.isEmulated ? wrongWithReports(each, output) : "";
    if (!wrong.empty())
      is += " (" + wrong + ")";
    const bool isRight = is == each.expected;
    different += !isRight;
    std::printf("%-40s %-28s %s%s\n", each.name, each.expected, is.c_str(),
                isRight ? "" : "   DIFFERENT");
    if (!isRight)
      std::fprintf(stderr, "%s\n", output.c_str());
  }
  std::printf("%s, %zu cases, %d different, %d skipped\n",
              lib.isEmulated ? "emulated" : "NVIDIA's library", cases.size(),
              different, skipped);
  return different ? 3 : 0;
}
