// The gradient of every operator against finite differences: for each distinct
// application in ONNX's node cases and each of its float operands.
//
// usage: gradients_of_all_operators FOLDER_OF_CASES
#include "test/compiler/frontend/evaluate.h"
#include "test/compiler/training/FiniteDifferences.h"

#include <cstdio>
#include <set>

using namespace smex;

namespace {

class Checker {
public:
  void visit(const frontend::Application &application,
             const std::vector<const Tensor *> &given) {
    std::string key = toString(application.lambda);
    for (int64_t extent : application.extents)
      key += " " + std::to_string(extent);
    if (!isFloat(application.lambda.result) || !seen.insert(key).second)
      return;
    const std::string problem =
        differences.check(application.lambda, application.extents, given);
    if (problem.empty())
      return;
    ++failed;
    std::printf("FAIL node %s: %s\n  %s\n", application.node.c_str(),
                key.c_str(), problem.c_str());
  }

  std::set<std::string> seen;
  int failed = 0;

  test::FiniteDifferences differences{20240917};
};

} // namespace

int main(int argc, char **argv) {
  Checker checker;
  if (argc == 2)
    test::visitCases(
        argv[1], [&](const auto &a, const auto &o) { checker.visit(a, o); });
  std::printf(
      "%zu distinct applications: %d gradients, %d flat, %d too large to "
      "try, %d wrong\n",
      checker.seen.size(), checker.differences.gradients,
      checker.differences.flat, checker.differences.large, checker.failed);
  for (const std::string &reason : checker.differences.refused)
    std::printf("without a gradient: %s\n", reason.c_str());
  return checker.differences.gradients < 300 || checker.failed ? 1 : 0;
}
