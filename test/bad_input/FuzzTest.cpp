// Damaged models through the whole compiler, in process: each gives a sound
// plan or a message. The same cases on every machine.
//   fuzz [--seed S] [--cases N] [--only I] MODEL...
#include "compiler/pipeline/Pipeline.h"
#include "runtime/plan/Check.h"
#include "test/bad_input/Mutate.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

using namespace smex;
using namespace smex::test;

namespace {
// A case may be slow under a sanitizer, but none may take forever.
unsigned secondsPerCase = 60;
char currentCase[1024];

/// The process is lost, but not the case that did it.
void onSignal(int number) {
  const char *what =
      number == SIGALRM ? "FAILED (no end): " : "FAILED (crash): ";
  (void)!::write(2, what, std::strlen(what));
  (void)!::write(2, currentCase, std::strlen(currentCase));
  (void)!::write(2, "\n", 1);
  std::signal(number, SIG_DFL);
  if (number == SIGALRM)
    std::_Exit(1);
  std::raise(number);
}

std::string readBytes(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// What is wrong with this error as a message to a person, or nothing.
std::string faultOf(const Error &error, const std::string &file) {
  if (error.fault == Fault::Defect || error.message.find("unexpected") == 0)
    return "blames smex: " + error.message;
  if (error.message.find(file) == std::string::npos)
    return "does not name the file: " + error.message;
  return "";
}

/// What is wrong with how the compiler took this file, or nothing.
std::string tryModel(const std::string &path, int64_t gpus, int &compiled) {
  try {
    auto model = frontend::importModel(path, {});
    if (!model)
      return faultOf(model.error(), "damaged.onnx");
    pipeline::CompileOptions options;
    options.gpus = gpus;
    const auto done = pipeline::compile(*model, options);
    if (!done)
      return faultOf(done.error(), "damaged.onnx");
    ++compiled;
    const auto findings = plan::check(done->plan);
    return findings.empty() ? "" : "unsound plan: " + findings[0].message;
  } catch (const std::exception &exception) {
    return std::string("exception: ") + exception.what();
  }
}

struct Arguments {
  uint64_t seed = 1;
  int cases = 300, only = -1;
  int64_t memoryGiB = 8;
  bool verbose = false;
  std::vector<std::string> models;
};

Arguments parse(int argc, char **argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    const bool more = i + 1 < argc;
    if (text == "--seed" && more)
      arguments.seed = std::strtoull(argv[++i], nullptr, 10);
    else if (text == "--cases" && more)
      arguments.cases = std::atoi(argv[++i]);
    else if (text == "--only" && more)
      arguments.only = std::atoi(argv[++i]);
    else if (text == "--memory-gib" && more) // 0: no limit, for sanitizers
      arguments.memoryGiB = std::atoi(argv[++i]);
    else if (text == "--verbose")
      arguments.verbose = true;
    else
      arguments.models.push_back(text);
  }
  return arguments;
}
} // namespace

int main(int argc, char **argv) {
  const Arguments arguments = parse(argc, argv);
  for (int number : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM})
    std::signal(number, onSignal);
  // What asks for more than a small machine has must say so.
  if (arguments.memoryGiB) {
    const rlim_t bytes = rlim_t(arguments.memoryGiB) << 30;
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
  }
  const char *root = std::getenv("TEST_TMPDIR");
  const std::string folder = (root ? std::filesystem::path(root)
                                   : std::filesystem::temp_directory_path())
                                 .string() +
                             "/fuzz-" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  const std::string path = folder + "/damaged.onnx";

  std::vector<std::string> originals;
  for (const std::string &model : arguments.models)
    originals.push_back(readBytes(model));
  int failures = 0, compiled = 0;
  for (int i = 0; i < arguments.cases; ++i) {
    if (arguments.only >= 0 && i != arguments.only)
      continue;
    // Each case has a seed of its own, so that --only repeats it.
    Random random(arguments.seed * 1000003 + uint64_t(i));
    const int which = random.below(int64_t(originals.size()));
    const int64_t gpus = 1 + random.below(8);
    std::string bytes = originals[which], what = "bytes";
    onnx::ModelProto proto;
    if (random.below(4) == 0 || !proto.ParseFromString(bytes)) {
      bytes = damageBytes(bytes, random);
    } else {
      what = damageModel(proto, random);
      bytes = proto.SerializeAsString();
    }
    std::snprintf(currentCase, sizeof currentCase,
                  "--seed %llu --only %d --gpus %lld %s: %s",
                  (unsigned long long)arguments.seed, i, (long long)gpus,
                  arguments.models[which].c_str(), what.c_str());
    std::ofstream(path, std::ios::binary) << bytes;
    if (arguments.verbose)
      std::fprintf(stderr, "%s\n", currentCase);
    alarm(secondsPerCase);
    const std::string fault = tryModel(path, gpus, compiled);
    alarm(0);
    if (!fault.empty()) {
      ++failures;
      std::fprintf(stderr, "FAILED: %s\n  %s\n", currentCase, fault.c_str());
    }
  }
  if (arguments.only < 0)
    std::filesystem::remove_all(folder);
  std::printf("%d cases, %d compiled, %d failed\n", arguments.cases, compiled,
              failures);
  return failures ? 1 : 0;
}
