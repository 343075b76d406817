// Applications in the making: lambdas over variables and tensors of the whole
// instance become canonical lambdas over their own.
#ifndef SMEX_DIALECTS_TDL_LIBRARY_NORMALIZE_H
#define SMEX_DIALECTS_TDL_LIBRARY_NORMALIZE_H

#include "dialects/support/Box.h"
#include "dialects/tdl/library/Library.h"

namespace smex::tdl {

/// A tensor of an instance: source >= 0 the operand of that number, < 0 the
/// result of application ~source.
struct ArrayShape {
  int source = 0;
  DType type{};
  std::vector<int64_t> shape;
};

/// A lambda whose Expr::index counts through all variables of the instance and
/// whose Expr::operand is a source.
struct Draft {
  std::vector<int> outputs, reductions;
  Reducer reducer = Reducer::None;
  ExprRef guard, body;
};

class Normalizer {
public:
  explicit Normalizer(const std::vector<TensorType> &operands);

  int addVariable(int64_t extent);
  /// Values of all variables so far.
  const std::vector<Interval> &ranges() const { return variables; }
  const ArrayShape &tensor(int source) const {
    return source >= 0 ? operands[size_t(source)] : results[size_t(~source)];
  }
  /// The source of its result. Drafts that say the same become one.
  Result<int> add(const Draft &draft);
  /// Marks what made the source: see Application::detached.
  void detach(int source) {
    if (source < 0)
      applications[size_t(~source)].detached = true;
  }
  void setTies(int source, Ties ties) {
    if (source < 0)
      applications[size_t(~source)].ties = ties;
  }
  /// The applications that the results need.
  Instance finish(const std::vector<int> &results) const;

private:
  std::vector<Interval> variables;
  std::vector<ArrayShape> operands, results;
  std::vector<Application> applications;
  std::map<std::string, int> known; // text of an application to its source
};

} // namespace smex::tdl

#endif
