#include "test/conformance/Lambdas.h"

#include "test/compiler/frontend/evaluate.h"
#include "test/conformance/Whole.h"
#include "test/end_to_end/EdgeParts.h"

#include <map>

using namespace smex;
using namespace smex::conformance;

namespace {

/// A lambda where it has the fewest elements to compute, and on what.
struct Application {
  tdl::Lambda lambda;
  std::vector<int64_t> extents;
  std::vector<Tensor> operands;
  int64_t work = 0;
};

/// By the lambda's text.
using Applications = std::map<std::string, Application>;

int64_t workOf(const std::vector<int64_t> &extents,
               const std::vector<const Tensor *> &operands) {
  int64_t work = 1;
  for (int64_t extent : extents)
    work *= std::max<int64_t>(extent, 1);
  for (const Tensor *operand : operands)
    work += int64_t(operand->bytes.size());
  return work;
}

Applications collected() {
  Applications all;
  const test::Visitor visit = [&](const frontend::Application &application,
                                  const std::vector<const Tensor *> &values) {
    const int64_t work = workOf(application.extents, values);
    Application &entry = all[toString(application.lambda)];
    if (entry.work != 0 && entry.work <= work)
      return;
    entry = {application.lambda, application.extents, {}, work};
    for (const Tensor *value : values)
      entry.operands.push_back(*value);
  };
  for (const std::string &folder : caseFolders())
    test::visitCases(folder, visit);
  for (const std::string &file : edgeFiles())
    test::visitEdgeParts(
        file, [&](const auto &model, const auto &inputs, const auto &) {
          const auto ignored = test::evaluateVisiting(model, inputs, visit);
          (void)ignored;
        });
  return all;
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

/// Operations that are rounded as IEEE 754 says, and no sums of floats, whose
/// order is anybody's.
bool isExact(const tdl::Lambda &lambda) {
  const bool isOrdered =
      lambda.reducer == Reducer::None || !isFloat(lambda.result) ||
      lambda.reducer == Reducer::Max || lambda.reducer == Reducer::Min;
  return isOrdered && isExact(lambda.guard) && isExact(lambda.body);
}

} // namespace

void conformance::runLambdas(Session &session) {
  const Applications all = collected();
  if (all.size() < 400)
    session.fail("all", "only " + std::to_string(all.size()) + " are found");
  uint64_t seed = 0;
  for (const auto &[text, application] : all) {
    ++seed;
    if (!session.isDealt(text))
      continue;
    if (application.work > 5000000) {
      session.skip("more than 5,000,000 elements");
      continue;
    }
    Evaluated model;
    model.model.name = "lambda";
    std::vector<int> operands;
    for (const Tensor &operand : application.operands)
      operands.push_back(
          model.add("x" + std::to_string(operands.size()), operand));
    const auto made =
        model.apply("y", application.lambda, application.extents, operands);
    if (!made) {
      session.fail(text, made.error().message);
      continue;
    }
    Random random(seed);
    DivideOptions how;
    how.alike = seed % 2;
    session.check(text, model, random, how,
                  isExact(application.lambda) ? Agreement::Exact
                                              : Agreement::Close);
  }
}
