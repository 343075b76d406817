#include "compiler/frontend/InputRanges.h"

#include "compiler/frontend/ReadPart.h"
#include "dialects/tdl/analysis/Affine.h"

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

/// The element of an operand that the expression is, or null.
ExprRef elementRead(const ExprRef &e) {
  const ExprRef inner = withoutCasts(e);
  return inner->kind == ExprKind::Read && !inner->otherwise ? inner : nullptr;
}

/// The element that counts from both ends: `v + extent if v < 0 else v`.
ExprRef elementFromBothEnds(const ExprRef &given) {
  const ExprRef e = withoutCasts(given);
  if (e->kind != ExprKind::Select)
    return nullptr;
  const ExprRef &condition = e->children[0];
  const ExprRef element = elementRead(e->children[2]);
  const bool isNegative =
      element && condition->kind == ExprKind::Binary &&
      condition->binary == tdl::BinaryOp::Lt &&
      tdl::equal(withoutCasts(condition->children[0]), element) &&
      condition->children[1]->kind == ExprKind::Int &&
      condition->children[1]->integer == 0;
  return isNegative ? element : nullptr;
}

/// A value whose elements are those of an input: element v of it is the
/// input's element at `indices`, expressions of v's coordinates.
struct View {
  int input = -1;
  std::vector<ExprRef> indices;
};

/// Extents as numbers: they mean operands of one lambda.
ExprRef resolved(const ExprRef &e, const analysis::Shapes &shapes) {
  return tdl::transform(e, [&](const ExprRef &node) -> ExprRef {
    if (node->kind != ExprKind::Extent)
      return nullptr;
    return tdl::constant(shapes[size_t(node->operand)][size_t(node->dim)]);
  });
}

class Ranges {
public:
  explicit Ranges(Model &model) : model(model), views(model.values.size()) {
    for (int input : model.inputs) {
      const TensorType &type = model.values[size_t(input)].type;
      if (!isInteger(type.dtype))
        continue;
      View &view = views[size_t(input)];
      view.input = input;
      for (int d = 0; d < type.rank(); ++d)
        view.indices.push_back(tdl::indexVar(d));
    }
  }

  void add() {
    for (const Application &given : model.applications) {
      const auto isView = [&](int operand) {
        return views[size_t(operand)].input >= 0;
      };
      if (std::none_of(given.operands.begin(), given.operands.end(), isView))
        continue;
      application = &given;
      shapes.clear();
      for (int operand : given.operands)
        shapes.push_back(shapeOf(operand));
      const tdl::Lambda &lambda = given.lambda;
      if (lambda.reducer == tdl::Reducer::None)
        follow(withoutCasts(lambda.body));
      if (!given.conditional)
        visit(lambda.body);
    }
    for (auto &[input, ranges] : found)
      keep(input, std::move(ranges));
  }

private:
  const std::vector<int64_t> &shapeOf(int value) const {
    return model.values[size_t(value)].type.shape;
  }

  const View &viewOf(int operand) const {
    return views[size_t(application->operands[size_t(operand)])];
  }

  /// The indices of the input's element that the read of a view takes; nothing
  /// if data decides, or they are too long.
  std::optional<std::vector<ExprRef>> through(const ExprRef &read) const {
    std::vector<ExprRef> taken, indices;
    for (const ExprRef &child : read->children) {
      if (tdl::readsData(child))
        return std::nullopt;
      taken.push_back(resolved(child, shapes));
    }
    for (const ExprRef &index : viewOf(read->operand).indices) {
      ExprRef e = tdl::substitute(index, taken);
      // A reshape of a reshape is short again.
      if (const auto sum = analysis::affine(e, nullptr))
        e = analysis::toExpr(*sum);
      if (e->size > longest || e->depth > tdl::maxDepth / 2)
        return std::nullopt;
      indices.push_back(std::move(e));
    }
    return indices;
  }

  /// Whether the application's result is a view, too.
  void follow(const ExprRef &body) {
    if (body->kind != ExprKind::Read || body->otherwise ||
        viewOf(body->operand).input < 0 ||
        !isInteger(model.values[size_t(application->result)].type.dtype))
      return;
    if (auto indices = through(body))
      views[size_t(application->result)] = {viewOf(body->operand).input,
                                            std::move(*indices)};
  }

  /// Every read that is reached by way of the conditions.
  void visit(const ExprRef &e) {
    if (!e)
      return;
    if (e->kind == ExprKind::Read && !e->otherwise)
      indexed(e);
    if (e->kind == ExprKind::Select) {
      visit(e->children[0]);
      const ExprRef condition = resolved(e->children[0], shapes);
      for (const bool holds : {true, false}) {
        conditions.push_back({condition, holds});
        visit(e->children[holds ? 1 : 2]);
        conditions.pop_back();
      }
      return;
    }
    for (const ExprRef &child : e->children)
      visit(child);
    visit(e->otherwise);
    for (const tdl::Expr::Slice &slice : e->slices)
      for (const ExprRef &index : slice.index)
        visit(index);
  }

  void indexed(const ExprRef &read) {
    const auto &shape = shapes[size_t(read->operand)];
    for (size_t d = 0; d < read->children.size(); ++d) {
      narrow(elementRead(read->children[d]), 0, shape[d] - 1);
      narrow(elementFromBothEnds(read->children[d]), -shape[d], shape[d] - 1);
    }
  }

  void narrow(const ExprRef &index, int64_t low, int64_t high) {
    if (!index || low > high || viewOf(index->operand).input < 0)
      return;
    for (const Taken &taken : conditions)
      if (tdl::readsData(taken.condition))
        return;
    const int input = viewOf(index->operand).input;
    const auto indices = through(index);
    if (!indices)
      return;
    const auto part =
        readPart(*indices, conditions, application->extents, shapeOf(input));
    if (part)
      found[input].push_back({*part, low, high});
  }

  /// What holds for all of the input is a range of its own.
  void keep(int input, std::vector<PartRange> ranges) {
    const Part whole = wholePart(shapeOf(input));
    std::vector<PartRange> parts;
    for (PartRange &range : joined(std::move(ranges))) {
      if (!(range.part == whole)) {
        parts.push_back(std::move(range));
        continue;
      }
      const auto [known, isNew] = model.inputRanges.try_emplace(
          input, InputRange{range.low, range.high, {}});
      known->second.low = std::max(known->second.low, range.low);
      known->second.high = std::min(known->second.high, range.high);
    }
    const auto all = model.inputRanges.find(input);
    for (PartRange &range : parts)
      if (all == model.inputRanges.end() || range.low > all->second.low ||
          range.high < all->second.high)
        model.partRanges[input].push_back(std::move(range));
  }

  static constexpr int64_t longest = 256; // nodes of an index expression

  Model &model;
  std::vector<View> views; // by value
  std::map<int, std::vector<PartRange>> found;
  const Application *application = nullptr;
  analysis::Shapes shapes; // of its operands
  std::vector<Taken> conditions;
};

} // namespace

void smex::frontend::addInputRanges(Model &model) { Ranges(model).add(); }
