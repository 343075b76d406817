#include "test/conformance/Lambdas.h"

#include "test/conformance/Applications.h"

using namespace smex;
using namespace smex::conformance;

void conformance::runLambdas(Session &session) {
  for (const std::string &problem : collected().problems)
    session.fail("all", problem);
  uint64_t seed = 0;
  for (const auto &[text, application] : collected().all) {
    ++seed;
    if (!session.isDealt(text))
      continue;
    if (!application.isSmall()) {
      session.skip("more than 5,000,000 elements");
      continue;
    }
    Evaluated model;
    model.model.name = "lambda";
    std::vector<int> operands;
    for (const Tensor &operand : application.operands)
      operands.push_back(
          model.add("x" + std::to_string(operands.size()), operand));
    const auto made =
        model.apply("y", application.lambda, application.extents, operands);
    if (!made) {
      session.fail(text, made.error().message);
      continue;
    }
    Random random(seed);
    DivideOptions how;
    how.alike = seed % 2;
    session.check(text, model, random, how, agreementOf(application.lambda));
  }
}
