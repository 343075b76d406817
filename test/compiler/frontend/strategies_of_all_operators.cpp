// Every strategy of every operator, proven by execution (thesis section 3.4.2):
// each distinct application in ONNX's node cases is cut along every index
// variable, and every pair of them, the parts are run on nothing but the
// regions computed for them, put together, and compared with the whole.
//
// Integers keep the case's values, since many are indices; floats become small
// whole numbers, so that bits must be equal wherever sums are exact.
//
// usage: strategies_of_all_operators FOLDER_OF_CASES
#include "test/compiler/frontend/evaluate.h"
#include "test/dialects/tdl/analysis/ProveStrategy.h"

#include <cstdio>
#include <set>

using namespace smex;

namespace {

class Prover {
public:
  void visit(const frontend::Application &application,
             const std::vector<const Tensor *> &given) {
    std::string key = toString(application.lambda);
    for (int64_t extent : application.extents)
      key += " " + std::to_string(extent);
    if (!seen.insert(key).second)
      return;
    std::mt19937_64 random(20240917);
    std::vector<Tensor> operands;
    for (const Tensor *tensor : given)
      operands.push_back(isFloat(tensor->type.dtype)
                             ? analysis::drawIntegers(random, tensor->type)
                             : *tensor);
    const Status proved = analysis::proveStrategies(
        application.lambda, application.extents, operands);
    if (proved)
      return;
    ++failed;
    std::printf("FAIL node %s: %s\n  %s\n", application.node.c_str(),
                key.c_str(), proved.error().message.c_str());
  }

  std::set<std::string> seen;
  int failed = 0;
};

} // namespace

int main(int argc, char **argv) {
  Prover prover;
  if (argc == 2)
    test::visitCases(argv[1],
                     [&](const auto &a, const auto &o) { prover.visit(a, o); });
  std::printf("%zu distinct applications, %d with a wrong strategy\n",
              prover.seen.size(), prover.failed);
  return prover.seen.size() < 500 || prover.failed ? 1 : 0;
}
