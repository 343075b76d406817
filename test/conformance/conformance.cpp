// Runs cases on rows: the matrix of test/conformance, or a part of it.
//
// usage: conformance [--rows NAME,..] [--groups NAME,..] [--percent N]
//                    [--seed N] [--plans FOLDER] [--list]
//        conformance --keep FOLDER [--groups NAME,..] [--percent N] [--seed N]
//        conformance --assemble [--percent N]
//
// With --plans, rows of one kind of device make each plan once, and leave it in
// that folder. The second one runs cases on the processor, and writes each to a
// folder below FOLDER, for run-cases on a machine with a GPU. The third one
// gives the code of all lambdas to CUDA's assembler (Assembled.h). Each row
// runs in a process of its own, or several that mpirun starts, with the row's
// environment: this program again, with --row. LD_LIBRARY_PATH must lead to the
// emulated devices.
#include "test/conformance/Assembled.h"
#include "test/conformance/Cases.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace smex;
using namespace smex::conformance;
namespace fs = std::filesystem;

namespace {

struct Arguments {
  std::vector<std::string> rows, groups; // none: all
  std::string row;                       // this process is to run it
  std::string keep;                      // a folder
  SessionOptions session;
  int shard = 0, shards = 1;
  bool isList = false, assembles = false;
};

/// Names that commas are in are separated by "; ".
std::vector<std::string> listOf(const std::string &text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string each; std::getline(stream, each, ';');)
    all.push_back(each.substr(each.find_first_not_of(' ')));
  return all;
}

bool parse(int argc, char **argv, Arguments &arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--list" || option == "--assemble") {
      (option == "--list" ? arguments.isList : arguments.assembles) = true;
      continue;
    }
    if (++i == argc)
      return false;
    if (option == "--rows")
      arguments.rows = listOf(argv[i]);
    else if (option == "--groups")
      arguments.groups = listOf(argv[i]);
    else if (option == "--row")
      arguments.row = argv[i];
    else if (option == "--plans")
      arguments.session.plans = argv[i];
    else if (option == "--keep")
      arguments.keep = argv[i];
    else if (option == "--percent")
      arguments.session.percent = std::atoi(argv[i]);
    else if (option == "--seed")
      arguments.session.seed = std::strtoull(argv[i], nullptr, 10);
    else
      return false;
  }
  const auto number = [](const char *variable, int otherwise) {
    const char *text = std::getenv(variable);
    return text ? std::atoi(text) : otherwise;
  };
  if (const char *file = std::getenv("TEST_SHARD_STATUS_FILE"))
    std::ofstream(file).put('\n'); // tells Bazel that the shards are heeded
  arguments.shard = number("TEST_SHARD_INDEX", 0);
  arguments.shards = number("TEST_TOTAL_SHARDS", 1);
  return arguments.session.percent > 0 && arguments.session.percent <= 100;
}

bool isAmong(const std::string &name, const std::vector<std::string> &names) {
  return names.empty() ||
         std::find(names.begin(), names.end(), name) != names.end();
}

/// Which of the rows of its kind of device it is, and of how many.
void place(const Row &row, SessionOptions &options) {
  options.row = options.ofRows = 0;
  for (const Row &each : rows()) {
    if (each.isOnGpus() != row.isOnGpus())
      continue;
    if (each.name == row.name)
      options.row = options.ofRows;
    ++options.ofRows;
  }
}

int runRow(const Row &row, const SessionOptions &options,
           const std::vector<std::string> &chosen) {
  auto runner = Runner::open(row);
  if (!runner) {
    std::printf("FAIL %s: %s\n", row.name.c_str(),
                runner.error().message.c_str());
    return 1;
  }
  Session session(row, std::move(*runner), options);
  for (const Group &group : groups())
    if (isAmong(group.name, chosen)) {
      session.begin(group.name);
      group.run(session);
    }
  const bool isGood = session.finish();
  std::fflush(stdout);
  return session.runner.finish(isGood);
}

int runRow(const Arguments &arguments) {
  for (const Row &row : rows()) {
    if (row.name != arguments.row)
      continue;
    SessionOptions options = arguments.session;
    place(row, options);
    return runRow(row, options, arguments.groups);
  }
  return 2;
}

int keepCases(const Arguments &arguments) {
  SessionOptions options = arguments.session;
  options.ofRows = std::max(1, 100 / options.percent);
  options.kept = std::make_shared<Kept>(arguments.keep);
  return runRow(keptRow(), options, arguments.groups);
}

[[noreturn]] void execute(std::vector<std::string> words) {
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  std::printf("FAIL: cannot start %s: %s\n", pointers[0], strerror(errno));
  std::fflush(stdout);
  _exit(127);
}

/// This program, for one row.
int runApart(const Row &row, const std::vector<char *> &arguments) {
  const pid_t child = fork();
  if (child < 0)
    return 1;
  if (child == 0) {
    for (const auto &[name, value] : row.environment)
      setenv(name.c_str(), value.c_str(), 1);
    std::vector<std::string> words = {arguments.begin() + 1, arguments.end()};
    words.insert(words.end(), {"--row", row.name});
    words.insert(words.begin(), fs::read_symlink("/proc/self/exe"));
    if (row.processes > 0) {
      setenv("HOME", "/tmp", 0); // mpirun wants one
      words.insert(words.begin(),
                   {"mpirun", "-n", std::to_string(row.processes)});
    }
    execute(std::move(words));
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    std::printf("FAIL %s: crashes: %s\n", row.name.c_str(),
                strsignal(WTERMSIG(status)));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fprintf(stderr, "usage: conformance [--rows NAME;..] [--groups "
                         "NAME;..] [--percent N] [--seed N] "
                         "[--plans FOLDER] [--list] [--assemble]\n");
    return 2;
  }
  if (!arguments.keep.empty())
    return keepCases(arguments);
  if (arguments.assembles)
    return assembleAll(arguments.session.percent == 100) ? 0 : 1;
  if (!arguments.row.empty())
    return runRow(arguments);
  if (arguments.isList) {
    for (const Row &row : rows())
      std::printf("row   %s\n", row.name.c_str());
    for (const Group &group : groups())
      std::printf("group %-10s %s\n", group.name, group.what);
    return 0;
  }
  std::vector<Row> chosen;
  for (const Row &row : rows())
    if (isAmong(row.name, arguments.rows))
      chosen.push_back(row);
  // A shard has rows that follow one another: they share plans.
  const size_t shard = size_t(arguments.shard), of = size_t(arguments.shards);
  int failed = 0, count = 0;
  for (size_t r = 0; r < chosen.size(); ++r)
    if (r * of / chosen.size() == shard) {
      ++count;
      std::fflush(stdout);
      failed += runApart(chosen[r], {argv, argv + argc}) != 0;
    }
  std::printf("%d of %d rows failed, seed %llu, %d %% of the cases\n", failed,
              count, (unsigned long long)arguments.session.seed,
              arguments.session.percent);
  return failed || chosen.empty() ? 1 : 0;
}
