// One row of the matrix: what has been run on it, and what came of it.
#ifndef SMEX_TEST_CONFORMANCE_SESSION_H
#define SMEX_TEST_CONFORMANCE_SESSION_H

#include "test/conformance/Coverage.h"
#include "test/conformance/Divided.h"
#include "test/conformance/Kept.h"
#include "test/conformance/Rows.h"

#include <map>

namespace smex::conformance {

struct SessionOptions {
  /// Of each group's cases, so many in a hundred run, drawn by the seed.
  int percent = 100;
  uint64_t seed = 0;
  /// Where only a part is run, each lambda, and each case of indices, runs on
  /// one row of those that have the same kind of device: `row` of `ofRows`.
  int row = 0, ofRows = 1;
  /// Where what runs is written to, beside being run; null: nowhere.
  std::shared_ptr<Kept> kept = nullptr;
  /// Where rows find each other's plans (KeptPlan.h); empty: each makes its
  /// own.
  std::string plans = {};
};

struct Tally {
  int passed = 0;
  int failed = 0;
  std::map<std::string, int> skipped; // by the reason
  double seconds = 0;
};

/// How what was computed must agree with what is expected.
enum class Agreement {
  /// To the bit; but any NaN is one, and so are 0 and -0.
  Exact,
  /// As ONNX's own tests have it (test::difference).
  Close,
};

class Session {
public:
  Session(const Row &row, Runner runner, const SessionOptions &options);

  /// Cases of the group at hand that were not run.
  int skipped() const;
  /// Whether the case is one of those to run.
  bool isChosen(const std::string &name) const;
  /// The same for what is dealt out among rows.
  bool isDealt(const std::string &name) const;
  /// All that follows is of this group of cases.
  void begin(const std::string &group);
  void pass(int cases = 1) { tallies.back().second.passed += cases; }
  void skip(const std::string &reason, int cases = 1) {
    tallies.back().second.skipped[reason] += cases;
  }
  void fail(const std::string &name, const std::string &problem);
  /// Whether the row can run it at all; if not, the case is skipped.
  bool isAccepted(const plan::Plan &plan, int cases = 1);

  /// Runs a case's plan on the row.
  Result<runtime::RunResult> run(const std::string &name,
                                 const plan::Plan &plan,
                                 const runtime::ParameterSource &parameters,
                                 const std::vector<runtime::Feed> &feeds,
                                 runtime::RunOptions options);

  /// Divides the model, runs it, and compares: outputs, communication bytes,
  /// peaks; and what check() finds. It is so many cases.
  void check(const std::string &name, const Evaluated &model, Random &random,
             DivideOptions options, Agreement agreement, int cases = 1);

  void cover(const plan::Program &program) { coverage.add(program); }
  void cover(const partition::PartitionPlan &partition);
  /// Prints what came of it; whether all is well. Where all cases of all groups
  /// have run, plans must have had all that there is (Coverage.h).
  bool finish();

  mlir::MLIRContext context;
  const Row &row;
  const Runner runner;
  const SessionOptions options;

private:
  std::vector<std::pair<std::string, Tally>> tallies; // by group
  Coverage coverage;
};

/// Nothing, or what is wrong.
std::string disagreement(const Tensor &got, const Tensor &want,
                         Agreement agreement);

} // namespace smex::conformance

#endif
