// What tests of every search ask of its plans.
#ifndef SMEX_TEST_COMPILER_PARTITION_PLANCHECKS_H
#define SMEX_TEST_COMPILER_PARTITION_PLANCHECKS_H

#include "compiler/partition/CommunicationBytes.h"

#include <catch2/catch.hpp>

namespace smex::partition::test {

/// What the search says of its plan against the definitions.
inline void checkTotals(const OperatorGraph &graph, const PartitionPlan &plan) {
  REQUIRE(validate(graph, plan));
  PartitionPlan before;
  for (const Step &step : plan.steps) {
    before.steps.push_back(step);
    REQUIRE(step.bytes == communicationBytes(graph, before));
    REQUIRE(step.lowerBoundBytes <= step.bytes);
    REQUIRE(step.optimal == (step.lowerBoundBytes == step.bytes));
  }
  REQUIRE(plan.bytes == communicationBytes(graph, plan));
  REQUIRE(plan.sharedBytes == sharedCommunicationBytes(graph, plan));
  REQUIRE(plan.lowerBoundBytes <= plan.sharedBytes);
  REQUIRE(plan.optimal == (plan.lowerBoundBytes == plan.sharedBytes));
}

inline bool sameDecisions(const PartitionPlan &a, const PartitionPlan &b) {
  if (a.steps.size() != b.steps.size())
    return false;
  for (size_t s = 0; s < a.steps.size(); ++s)
    if (a.steps[s].tensors != b.steps[s].tensors ||
        a.steps[s].operators != b.steps[s].operators)
      return false;
  return true;
}

} // namespace smex::partition::test

#endif
