// A model's plan, its tensors and operators divided over workers in every way
// that there is, mixed as the search would never cut them, together with what
// every run of it must give.
#ifndef SMEX_TEST_CONFORMANCE_DIVIDED_H
#define SMEX_TEST_CONFORMANCE_DIVIDED_H

#include "compiler/frontend/Model.h"
#include "runtime/executor/Executor.h"
#include "test/compiler/partition/RandomGraph.h"

#include "mlir/IR/MLIRContext.h"

namespace smex::conformance {

using partition::test::Random;

/// A model without parameters, and what the lambdas make of its inputs whole: a
/// tensor per value.
struct Evaluated {
  frontend::Model model;
  std::vector<Tensor> values;

  /// Adds an input.
  int add(const std::string &name, Tensor value);
  /// Adds an application, whose result is an output; an error where the
  /// interpreter has one. `lambda` is canonical.
  Result<int> apply(const std::string &name, const tdl::Lambda &lambda,
                    const std::vector<int64_t> &extents,
                    const std::vector<int> &operands);
  /// Takes the last application back, and its result.
  void dropLast();
};

struct Divided {
  plan::Plan plan; // the partitioned program, and the whole one
  std::vector<runtime::Feed> feeds;
  std::vector<Tensor> outputs; // what the lambdas make of whole tensors
  /// As the definition has them (compiler/partition/CommunicationBytes.h).
  int64_t communicationBytes = 0;
  std::string decided; // the module that was lowered, for messages
  partition::PartitionPlan partition;
};

struct DivideOptions {
  /// Of each step, in how many ways; none: drawn, 2 to 6 workers.
  std::vector<int64_t> ways;
  /// Where they are drawn, over so many workers or more.
  int64_t least = 1;
  /// Divisions of a few kinds alone, that go together often: what moves between
  /// them has a name, as a collective.
  bool alike = false;
  /// The index variable that each operator is cut along, as it is numbered in
  /// the model, or -1: it is whole; unevenly in 2 or 3 ways, and so are
  /// tensors. None: drawn.
  std::vector<int> cuts = {};
  /// What code is generated for.
  std::vector<std::string> targets;
  /// Without it, kernels of libraries have none, and sums one order.
  bool library = false;
  /// Without it, only the interpreter can run the plan.
  bool code = true;
  /// A folder of plans that were made before; empty: there is none.
  std::string plans = {};
};

/// Every dialect that a compilation has.
void loadDialects(mlir::MLIRContext &context);

/// Of each application, the index variables that it may be cut along: its
/// strategies.
std::vector<std::vector<int>> strategies(mlir::MLIRContext &context,
                                         const Evaluated &evaluated);

/// Divided at random. Errors are defects of the compiler, or lambdas that it
/// has no code for.
Result<Divided> divide(mlir::MLIRContext &context, const Evaluated &evaluated,
                       Random &random, const DivideOptions &options);

/// Nothing, or what check() finds in the plan; it has no totals of its own.
std::string findingsOf(const plan::Plan &plan);

/// Such models have no parameters.
class NoParameters : public runtime::ParameterSource {
  Status fill(int, int, std::byte *) const override {
    return fail("there are none");
  }
};

} // namespace smex::conformance

#endif
