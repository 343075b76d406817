// The models of several numbers of rows as one for any number; see Lengths.h.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_LENGTHBINDER_H
#define SMEX_COMPILER_FRONTEND_ONNX_LENGTHBINDER_H

#include "compiler/frontend/onnx/LengthLines.h"
#include "compiler/frontend/onnx/Lengths.h"

#include <set>

namespace smex::frontend {

/// Why a model cannot be computed for any number of rows; caught in
/// withLengths.
struct Unclear {
  std::string reason;
};

template <typename... Parts> [[noreturn]] void refuseLengths(Parts &&...parts) {
  throw Unclear{fail(std::forward<Parts>(parts)...).message};
}

class LengthBinder {
public:
  /// `rows`: as lineThrough has them. The first model is the one that becomes
  /// the result.
  LengthBinder(std::vector<SampledModel> given, std::vector<Numbers> rows)
      : all(std::move(given)), rows(std::move(rows)), base(all[0].model) {}

  Model run();

  /// What has another shape than in the other models, or is decided in another
  /// way, where there are so many rows; "" for nothing.
  std::string differsFrom(const SampledModel &sample, const Numbers &n) const;

  /// Whether the first output has rows whose number is not known.
  bool firstHasRows() const;

private:
  using Same = std::vector<tdl::ExprRef>; // what is in one place, per model

  template <typename Get> Numbers numbersOf(Get &&get) const {
    Numbers numbers;
    for (const SampledModel &each : all)
      numbers.push_back(get(each.model));
    return numbers;
  }

  Length lengthOf(const Numbers &y, const std::string &where) const;
  std::vector<Length> shapeOf(int v, const std::string &where) const;

  /// The models must be alike but for numbers.
  void compareModels() const;

  /// A stored value: the same in all models, or its beginning, as of 0, 1, 2 ..
  void addParameter(size_t p);

  // LengthExpressions.cpp: what the lambda of `current` becomes.

  /// How many rows node k has chosen, in the current lambda.
  tdl::ExprRef countOf(size_t k);
  tdl::ExprRef toExpr(const Length &length);
  bool readsCounts(const tdl::ExprRef &e) const;
  [[noreturn]] void unclear() const;
  tdl::ExprRef number(const Same &es);
  tdl::ExprRef merge(const Same &es);
  const std::vector<Length> &lengthsOf(int operand) const;
  /// `else` is for what is behind the rows that there are, too. What rows that
  /// do not count, or what follows from them where there are none, has as an
  /// index, may be anything: nothing is read out of range.
  tdl::ExprRef element(const tdl::Expr &read, std::vector<tdl::ExprRef> index,
                       tdl::ExprRef otherwise);

  // One application.

  void addApplication(size_t i);
  void finish(Application application);
  /// What an opaque function takes whole, has what changes nothing where no
  /// rows are.
  void padSlices();
  /// The value with this element behind the rows that there are.
  int withoutRest(int v, const std::vector<bool> &dims, double rest,
                  const std::string &node);
  void addOutputs();

  const std::vector<SampledModel> all;
  const std::vector<Numbers> rows; // per model, of each node
  const Model &base;
  Model made;
  std::vector<std::vector<Length>> lengths; // per value and dimension
  std::vector<bool> follows;                // from chosen rows: what a value is
  std::set<std::string> newNames;

  Application current;
  int given = 0;                // its operands, before any was added
  std::map<size_t, int> counts; // its operands that are numbers of rows
};

} // namespace smex::frontend

#endif
