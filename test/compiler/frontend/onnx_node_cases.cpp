// Runs ONNX's own test cases through the front-end and the reference
// interpreter, without any partitioning: what the import table says each
// operator is, is what ONNX says it is.
//
//   onnx_node_cases FOLDER... [--expect FILE] [--verbose]
//
// Each folder holds one case (model.onnx, test_data_set_0) or many cases. With
// --expect, cases that fail must be listed in the file with a part of the
// message, and those that are listed must fail.
#include "compiler/frontend/Model.h"
#include "dialects/tdl/lambda/Interpreter.h"
#include "runtime/io/Npy.h"
#include "runtime/io/TensorProto.h"
#include "test/compiler/frontend/evaluate.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace smex;
using namespace smex::frontend;
namespace fs = std::filesystem;

namespace {
/// Names of a model's inputs, in order, initializers left out: an import that
/// fails for want of a shape operand does not say.
using test::Case;

std::string runCase(const std::string &folder) {
  Case c;
  if (std::string problem = c.load(folder); !problem.empty())
    return problem;
  auto model = c.import();
  if (!model)
    return model.error().message;
  return c.check(*model);
}

std::vector<std::string> casesIn(const std::string &folder) {
  if (fs::exists(folder + "/model.onnx"))
    return {folder};
  std::vector<std::string> cases;
  for (const auto &entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / "model.onnx"))
      cases.push_back(entry.path());
  std::sort(cases.begin(), cases.end());
  return cases;
}

/// Lines "case: part of the message"; "#" begins a comment.
std::map<std::string, std::string> readExpectations(const std::string &file) {
  std::map<std::string, std::string> expected;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(": ");
    if (!line.empty() && line[0] != '#' && colon != std::string::npos)
      expected[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return expected;
}
} // namespace

int main(int argc, char **argv) {
  std::map<std::string, std::string> expected;
  std::vector<std::string> cases;
  bool verbose = false, expecting = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--verbose") {
      verbose = true;
    } else if (argument == "--expect" && i + 1 < argc) {
      expected = readExpectations(argv[++i]);
      expecting = true;
    } else {
      for (std::string &c : casesIn(argument))
        cases.push_back(std::move(c));
    }
  }
  int passed = 0, surprises = 0;
  for (const std::string &folder : cases) {
    const std::string name = fs::path(folder).filename();
    std::string problem = runCase(folder);
    const auto found = expected.find(name);
    const bool surprise =
        expecting && (found == expected.end()
                          ? !problem.empty()
                          : problem.find(found->second) == std::string::npos);
    passed += problem.empty();
    surprises += surprise;
    std::replace(problem.begin(), problem.end(), '\n', '|');
    if (verbose || surprise || (!expecting && !problem.empty()))
      std::printf("%s %s%s%s%s\n", problem.empty() ? "PASS" : "FAIL",
                  name.c_str(), problem.empty() ? "" : ": ", problem.c_str(),
                  surprise ? " (not as expected)" : "");
    std::fflush(stdout);
  }
  std::printf("%d of %zu pass\n", passed, cases.size());
  if (cases.empty() || surprises)
    return 1;
  return expecting || passed == int(cases.size()) ? 0 : 1;
}
