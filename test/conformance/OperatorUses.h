// One use of each operator of the standard library: a file with a line for
// each, in JSON, as
//
//     {"op": "conv", "operands": ["f32[1, 2, 5]", ..], "attributes": {..}}
//
// Attributes: integers, numbers with a point, strings, lists of one of the
// first two, and {"type": "f32"} for an element type.
#ifndef SMEX_TEST_CONFORMANCE_OPERATORUSES_H
#define SMEX_TEST_CONFORMANCE_OPERATORUSES_H

#include "dialects/tdl/library/Library.h"
#include "test/conformance/Divided.h"

namespace smex::conformance {

struct OperatorUse {
  std::string op;
  std::vector<TensorType> operands;
  tdl::Attributes attributes;
};

/// An error names file and line.
Result<std::vector<OperatorUse>> operatorUses(const std::string &file);

/// Floats from -3/4 to 3, most above 0, in steps of 1/8; integers from 0 to
/// `below`, exclusive.
Tensor drawn(Random &random, const TensorType &type, int64_t below);

} // namespace smex::conformance

#endif
