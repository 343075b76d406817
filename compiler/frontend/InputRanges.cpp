#include "compiler/frontend/InputRanges.h"

#include <algorithm>

using namespace smex;
using namespace smex::frontend;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

ExprRef withoutCasts(ExprRef e) {
  while (e->kind == ExprKind::Cast && isInteger(e->type) &&
         isInteger(e->children[0]->type))
    e = e->children[0];
  return e;
}

/// The operand that the expression is an element of, or -1.
int operandOf(const ExprRef &e) {
  const ExprRef inner = withoutCasts(e);
  return inner->kind == ExprKind::Read && !inner->otherwise ? inner->operand
                                                            : -1;
}

/// The operand that counts from both ends: `v + extent if v < 0 else v`.
int operandFromBothEnds(const ExprRef &given) {
  const ExprRef e = withoutCasts(given);
  if (e->kind != ExprKind::Select)
    return -1;
  const ExprRef &condition = e->children[0];
  const int operand = operandOf(e->children[2]);
  const bool isNegative = condition->kind == ExprKind::Binary &&
                          condition->binary == tdl::BinaryOp::Lt &&
                          operandOf(condition->children[0]) == operand &&
                          condition->children[1]->kind == ExprKind::Int &&
                          condition->children[1]->integer == 0;
  return isNegative ? operand : -1;
}

} // namespace

void smex::frontend::addInputRanges(Model &model) {
  // The input that a value holds the elements of.
  std::vector<int> source(model.values.size(), -1);
  for (int input : model.inputs)
    if (isInteger(model.values[size_t(input)].type.dtype))
      source[size_t(input)] = input;
  const auto narrow = [&](int input, int64_t low, int64_t high) {
    if (input < 0 || low > high)
      return;
    const auto [known, isNew] =
        model.inputRanges.try_emplace(input, InputRange{low, high, {}});
    known->second.low = std::max(known->second.low, low);
    known->second.high = std::min(known->second.high, high);
    if (known->second.low > known->second.high) // no index suits both
      model.inputRanges.erase(known);
  };
  for (const Application &application : model.applications) {
    const tdl::Lambda &lambda = application.lambda;
    const auto sourceOf = [&](int operand) {
      return operand < 0
                 ? -1
                 : source[size_t(application.operands[size_t(operand)])];
    };
    if (lambda.reducer == tdl::Reducer::None)
      source[size_t(application.result)] = sourceOf(operandOf(lambda.body));
    tdl::walk(lambda.body, [&](const ExprRef &e) {
      if (e->kind != ExprKind::Read || e->otherwise)
        return;
      const int operand = application.operands[size_t(e->operand)];
      const auto &shape = model.values[size_t(operand)].type.shape;
      for (size_t d = 0; d < e->children.size(); ++d) {
        narrow(sourceOf(operandOf(e->children[d])), 0, shape[d] - 1);
        narrow(sourceOf(operandFromBothEnds(e->children[d])), -shape[d],
               shape[d] - 1);
      }
    });
  }
}
