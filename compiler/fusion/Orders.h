// The order of a tensor's dimensions, where a producer and its reader differ.
// Plain C++ on lambdas.
#ifndef SMEX_COMPILER_FUSION_ORDERS_H
#define SMEX_COMPILER_FUSION_ORDERS_H

#include "dialects/tdl/lambda/Lambda.h"

#include <optional>
#include <vector>

namespace smex::fusion {

/// The result's dimensions in the order in which `reader` takes them: for each,
/// its number in the producer. Nothing if the operand is not always read at the
/// same distinct index variables, or if these are in order already.
std::optional<std::vector<int>> orderOfReader(const tdl::Lambda &reader,
                                              int operand);

/// The lambda with its output variables in this order.
tdl::Lambda withOutputs(const tdl::Lambda &lambda,
                        const std::vector<int> &order);

/// The reader with the operand's dimensions in this order.
tdl::Lambda readInOrder(const tdl::Lambda &reader, int operand,
                        const std::vector<int> &order);

} // namespace smex::fusion

#endif
