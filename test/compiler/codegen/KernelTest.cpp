// Compiled kernels against the reference interpreter: many shapes of lambdas,
// on random extents, in random parts, in buffers that hold no more than the
// part needs. Small integers, so that equal means equal to the bit.
#include "test/compiler/codegen/Trial.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace smex;
using namespace smex::codegen;

TEST_CASE("kernels compute what the interpreter computes") {
  const std::vector<Case> all = allCases();
  const std::vector<KernelRequest> requests = requestsOf(all);
  const Loaded loaded(requests);
  Random random(1);
  for (size_t k = 0; k < requests.size(); ++k) {
    const tdl::Lambda &lambda = requests[k].lambda;
    const Loaded::Function function = loaded.function(requests[k].symbol);
    INFO(all[k].text);
    for (int number = 0; number < 12; ++number) {
      const Trial trial = drawTrial(all[k], lambda, random, number % 2);
      INFO("part " << toString(trial.part));
      // The buffer may be larger than the part: what is outside stays.
      Buffer result =
          emptyBuffer(lambda.result, trial.shape, wholeBox(trial.shape));
      call(function, trial.part, result, trial.operands);
      Tensor whole{{lambda.result, trial.shape}, result.bytes};
      Tensor got{trial.want.type, bufferOf(whole, trial.outputs).bytes};
      CHECK(same(got, trial.want));
      Buffer inside = bufferOf(whole, trial.outputs);
      Buffer again = emptyBuffer(lambda.result, trial.shape, trial.outputs);
      call(function, trial.part, again, trial.operands);
      CHECK((again.bytes == inside.bytes));
    }
  }
}
