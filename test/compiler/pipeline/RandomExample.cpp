#include "test/compiler/pipeline/RandomExample.h"

#include "compiler/codegen/cpu/Codegen.h"
#include "test/conformance/RandomModel.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::test;

RandomExample test::randomExample(mlir::MLIRContext &context, uint64_t seed,
                                  Kernels kernels) {
  conformance::loadDialects(context);
  conformance::Random random(seed);
  const conformance::Evaluated model =
      conformance::randomModel(random, DType::F32);
  conformance::DivideOptions options;
  options.targets = {
      kernels == Kernels::Cuda ? "sm_80" : codegen::CodegenOptions().cpuArch};
  options.code = kernels != Kernels::None;
  auto example = conformance::divide(context, model, random, options);
  INFO((example ? "" : example.error().message));
  REQUIRE(example);
  return {std::move(*example)};
}

void test::requireRight(const RandomExample &example,
                        const Result<runtime::RunResult> &result) {
  if (!result)
    FAIL(result.error().message);
  REQUIRE(result->communicationBytes == example.communicationBytes);
  REQUIRE(result->peakBytes == example.plan.peakBytes);
  for (size_t o = 0; o < example.outputs.size(); ++o) {
    CAPTURE(o);
    REQUIRE(result->outputs[o].bytes == example.outputs[o].bytes);
  }
}
