// ONNX's own cases of single operators through the whole product.
//
//   onnx_nodes_test CASES_FOLDER FAILING_FILE GPUS [CASE...]
//
// Cases that fail are listed in FAILING_FILE, each with a part of its message;
// a listed one that passes, or that fails otherwise, is as wrong as one that
// fails and is not listed. Each case runs in a process of its own, so that one
// that crashes is one failed case.
//
// The newest cases come from PyPI; onnx_newest_failing.txt is their list:
//
//   pip install onnx==1.22.0
//   test/end_to_end/make_onnx_cases.py /tmp/cases
//   bazel build //test/end_to_end:onnx_nodes_1_test
//   bazel-bin/test/end_to_end/onnx_nodes_1_test /tmp/cases
//     test/end_to_end/onnx_newest_failing.txt 3
#include "test/compiler/frontend/evaluate.h"
#include "test/end_to_end/Harness.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace smex;
namespace fs = std::filesystem;

namespace {
constexpr unsigned secondsPerCase = 120;

/// Nothing, or why the case fails.
std::string runCase(const std::string &folder, int64_t gpus) {
  test::Case c;
  if (std::string problem = c.load(folder); !problem.empty())
    return problem;
  const auto model = c.import();
  if (!model)
    return model.error().message;
  return c.check(*model, [&](const auto &model, const auto &inputs) {
    return test::runPartitioned(model, inputs, gpus);
  });
}

/// runCase in a child, which writes its answer to a pipe.
std::string runApart(const std::string &folder, int64_t gpus) {
  int ends[2];
  if (pipe(ends) != 0)
    return "no pipe";
  const pid_t child = fork();
  if (child < 0)
    return "no process";
  if (child == 0) {
    close(ends[0]);
    alarm(secondsPerCase);
    const std::string problem = runCase(folder, gpus);
    std::error_code ignored;
    fs::remove_all(test::scratchFolder(), ignored);
    size_t done = 0;
    while (done < problem.size()) {
      const ssize_t n =
          write(ends[1], problem.data() + done, problem.size() - done);
      if (n <= 0)
        _exit(1);
      done += size_t(n);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string problem;
  char text[4096];
  for (ssize_t n; (n = read(ends[0], text, sizeof text)) > 0;)
    problem.append(text, size_t(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM
               ? "takes more than " + std::to_string(secondsPerCase) + " s"
               : std::string("crashes: ") + strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0)
    return "exits with status " + std::to_string(WEXITSTATUS(status));
  return problem;
}

/// Lines "case: part of the message"; "#" begins a comment.
std::map<std::string, std::string> readFailing(const std::string &file) {
  std::map<std::string, std::string> failing;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(": ");
    if (line.empty() || line[0] == '#')
      continue;
    if (colon == std::string::npos) {
      std::fprintf(stderr, "%s: \"%s\" is no \"case: message\"\n", file.c_str(),
                   line.c_str());
      std::exit(2);
    }
    failing[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return failing;
}

int number(const char *variable, int otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

/// The cases of this shard, in order of names; those of a kind are neighbours
/// and take about as long, so they are dealt out in turn.
std::vector<std::string> casesOf(const std::string &folder) {
  std::vector<std::string> cases, mine;
  for (const auto &entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / "model.onnx"))
      cases.push_back(entry.path().filename());
  std::sort(cases.begin(), cases.end());
  if (const char *file = std::getenv("TEST_SHARD_STATUS_FILE"))
    std::ofstream(file).put('\n'); // tells Bazel that the shards are heeded
  const size_t shards = size_t(number("TEST_TOTAL_SHARDS", 1));
  for (size_t i = size_t(number("TEST_SHARD_INDEX", 0)); i < cases.size();
       i += shards)
    mine.push_back(cases[i]);
  return mine;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s CASES_FOLDER FAILING_FILE GPUS [CASE...]\n",
                 argv[0]);
    return 2;
  }
  const std::string folder = argv[1];
  const auto failing = readFailing(argv[2]);
  const int64_t gpus = std::atoll(argv[3]);
  const std::vector<std::string> cases =
      argc > 4 ? std::vector<std::string>(argv + 4, argv + argc)
               : casesOf(folder);
  size_t passed = 0, surprises = 0;
  std::map<std::string, int> reasons; // of failures, and how many have each
  for (const std::string &name : cases) {
    std::string problem = runApart(folder + "/" + name, gpus);
    const auto listed = failing.find(name);
    const bool surprise =
        listed == failing.end()
            ? !problem.empty()
            : problem.find(listed->second) == std::string::npos;
    passed += problem.empty();
    surprises += surprise;
    std::replace(problem.begin(), problem.end(), '\n', '|');
    if (!problem.empty())
      ++reasons[surprise ? "not as listed" : listed->second];
    if (!problem.empty())
      std::printf("%s %s: %s\n",
                  surprise ? "FAIL" : "fails, as listed:", name.c_str(),
                  problem.c_str());
    else if (surprise)
      std::printf("FAIL %s: passes, but is listed\n", name.c_str());
    std::fflush(stdout);
  }
  for (const auto &[reason, count] : reasons)
    std::printf("%4d fail: %s\n", count, reason.c_str());
  std::printf("%lld GPUs: %zu of %zu cases pass, %zu not as listed\n",
              (long long)gpus, passed, cases.size(), surprises);
  return cases.empty() || surprises ? 1 : 0;
}
