#include "test/conformance/Applications.h"

#include "compiler/training/Adjoint.h"
#include "dialects/tdl/lambda/Interpreter.h"
#include "test/compiler/frontend/evaluate.h"
#include "test/conformance/OperatorUses.h"
#include "test/conformance/Whole.h"
#include "test/end_to_end/EdgeParts.h"

using namespace smex;
using namespace smex::conformance;

namespace {

int64_t workOf(const std::vector<int64_t> &extents,
               const std::vector<const Tensor *> &operands) {
  int64_t work = 1;
  for (int64_t extent : extents)
    work *= std::max<int64_t>(extent, 1);
  for (const Tensor *operand : operands)
    work += int64_t(operand->bytes.size());
  return work;
}

void add(Applications &all, const tdl::Lambda &lambda,
         const std::vector<int64_t> &extents,
         const std::vector<const Tensor *> &operands) {
  const int64_t work = workOf(extents, operands);
  Application &entry = all[toString(lambda)];
  if (entry.work != 0 && entry.work <= work)
    return;
  entry = {lambda, extents, {}, work};
  for (const Tensor *operand : operands)
    entry.operands.push_back(*operand);
}

/// The operand's number in an instance, as tdl::Application has it.
const Tensor &operandOf(int number, const std::vector<Tensor> &given,
                        const std::vector<Tensor> &results) {
  return number >= 0 ? given[size_t(number)] : results[size_t(~number)];
}

/// The applications of an instance one after the other; an error where the
/// interpreter has one.
Status addInstance(Applications &all, const tdl::Instance &instance,
                   const std::vector<Tensor> &given) {
  std::vector<Tensor> results;
  for (const tdl::Application &each : instance.applications) {
    std::vector<const Tensor *> operands;
    for (int number : each.operands)
      operands.push_back(&operandOf(number, given, results));
    auto result = tdl::interpret(each.lambda, each.extents, operands);
    if (!result)
      return result.takeError();
    add(all, each.lambda, each.extents, operands);
    results.push_back(std::move(*result));
  }
  return {};
}

/// An operator of the library on values for which it has a result: indices are
/// drawn below ever less.
Status addUse(Applications &all, const OperatorUse &use) {
  const auto instance =
      tdl::standardLibrary().instantiate(use.op, use.operands, use.attributes);
  if (!instance)
    return instance.error();
  Status done;
  for (int64_t below : {5, 3, 2, 1}) {
    Random random(uint64_t(below) + 17);
    std::vector<Tensor> given;
    for (const TensorType &type : use.operands)
      given.push_back(drawn(random, type, below));
    Applications own;
    done = addInstance(own, *instance, given);
    if (!done)
      continue;
    for (auto &[text, each] : own) {
      std::vector<const Tensor *> operands;
      for (const Tensor &operand : each.operands)
        operands.push_back(&operand);
      add(all, each.lambda, each.extents, operands);
    }
    return {};
  }
  return done;
}

/// The gradients by each operand, as lambdas; nothing where there is none.
void addGradients(Applications &all, const Application &of, Random &random) {
  constexpr int64_t most = 20000;
  if (!isFloat(of.lambda.result) || of.work > most)
    return;
  std::vector<const Tensor *> operands;
  analysis::Shapes shapes;
  for (const Tensor &operand : of.operands) {
    operands.push_back(&operand);
    shapes.push_back(operand.type.shape);
  }
  auto result = tdl::interpret(of.lambda, of.extents, operands);
  if (!result)
    return;
  std::vector<Tensor> given = of.operands;
  given.push_back(*result);
  given.push_back(drawn(random, result->type, 5));
  for (size_t o = 0; o < of.operands.size(); ++o)
    if (isFloat(of.operands[o].type.dtype))
      for (tdl::Ties ties : {tdl::Ties::Shared, tdl::Ties::First})
        if (const auto made = training::adjoint(of.lambda, of.extents, shapes,
                                                int(o), ties)) {
          Status added = addInstance(all, *made, given);
          (void)added; // as far as it goes: an index may have no value here
        }
}

Collected collect() {
  Collected found;
  const test::Visitor visit = [&](const frontend::Application &application,
                                  const std::vector<const Tensor *> &values) {
    add(found.all, application.lambda, application.extents, values);
  };
  for (const std::string &folder : caseFolders())
    test::visitCases(folder, visit);
  for (const std::string &file : edgeFiles())
    test::visitEdgeParts(
        file, [&](const auto &model, const auto &inputs, const auto &) {
          const auto ignored = test::evaluateVisiting(model, inputs, visit);
          (void)ignored;
        });
  if (found.all.size() < 400)
    found.problems.push_back("only " + std::to_string(found.all.size()) +
                             " are found in ONNX's cases");
  const auto uses = operatorUses("test/conformance/operators.jsonl");
  if (!uses) {
    found.problems.push_back(uses.error().message);
    return found;
  }
  std::set<std::string> used;
  for (const OperatorUse &use : *uses) {
    used.insert(use.op);
    if (Status added = addUse(found.all, use); !added)
      found.problems.push_back(use.op + ": " + added.error().message);
  }
  for (const std::string &op : tdl::standardLibrary().names())
    if (!used.count(op))
      found.problems.push_back("test/conformance/operators.jsonl: no line uses "
                               "the operator " +
                               op);
  Applications gradients;
  Random random(7);
  for (const auto &[text, application] : found.all)
    addGradients(gradients, application, random);
  if (gradients.size() < 300)
    found.problems.push_back("only " + std::to_string(gradients.size()) +
                             " gradients are found");
  found.all.merge(gradients);
  return found;
}

bool isExact(const tdl::ExprRef &e) {
  if (!e)
    return true;
  if (e->kind == tdl::ExprKind::Unary) {
    const tdl::UnaryOp op = e->unary;
    if (op >= tdl::UnaryOp::Exp && op <= tdl::UnaryOp::Atanh &&
        op != tdl::UnaryOp::Sqrt)
      return false;
  }
  if (e->kind == tdl::ExprKind::Binary && e->binary == tdl::BinaryOp::Pow)
    return false;
  for (const tdl::ExprRef &child : e->children)
    if (!isExact(child))
      return false;
  return isExact(e->otherwise);
}

} // namespace

const Collected &conformance::collected() {
  static const Collected found = collect();
  return found;
}

Agreement conformance::agreementOf(const tdl::Lambda &lambda) {
  const bool isOrdered =
      lambda.reducer == Reducer::None || !isFloat(lambda.result) ||
      lambda.reducer == Reducer::Max || lambda.reducer == Reducer::Min;
  return isOrdered && isExact(lambda.guard) && isExact(lambda.body)
             ? Agreement::Exact
             : Agreement::Close;
}
