// Operators of the standard library on given operands, as the interpreter
// computes them.
#ifndef SMEX_TEST_DIALECTS_TDL_LIBRARY_RESULTS_H
#define SMEX_TEST_DIALECTS_TDL_LIBRARY_RESULTS_H

#include "test/dialects/tdl/library/Use.h"

#include <catch2/catch.hpp>

namespace smex::tdl {

using Numbers = std::vector<double>;

/// The elements of each result; fails the test where there is none.
inline std::vector<Numbers> results(const std::string &op,
                                    const std::vector<Tensor> &operands,
                                    const Attributes &attributes = {}) {
  std::vector<TensorType> types;
  for (const Tensor &operand : operands)
    types.push_back(operand.type);
  const auto instance = standardLibrary().instantiate(op, types, attributes);
  INFO((instance ? "" : instance.error().message));
  REQUIRE(instance);
  const auto found = evaluate(*instance, operands);
  INFO((found ? "" : found.error().message));
  REQUIRE(found);
  std::vector<Numbers> all;
  for (const Tensor &result : *found)
    all.push_back(values(result));
  return all;
}

} // namespace smex::tdl

#endif
