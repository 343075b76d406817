#include "dialects/tdl/analysis/InBounds.h"

#include "dialects/tdl/analysis/Bounds.h"
#include "dialects/tdl/analysis/ValueRange.h"
#include "dialects/tdl/lambda/Opaque.h"

#include <algorithm>

using namespace smex;
using namespace smex::analysis;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

/// Parts of the index space that are looked at for one read: enough for every
/// operator there is, and a second at most.
constexpr int kParts = 20000;

/// Something that holds where an expression is evaluated: a condition has this
/// value, or a read is (not) within its operand.
struct Fact {
  ExprRef of; // a condition, or a read with `else`
  bool isRead;
  bool value;
};

/// What is to be proven: where all of `when` holds, each index lies within the
/// extent beside it, or (without extents) is not 0.
struct Goal {
  ExprRef what; // for messages
  int operand = -1;
  std::vector<ExprRef> values;
  std::vector<int64_t> extents; // empty: divisors
  std::vector<int> dims;        // of the operand
  std::vector<Fact> when;
};

bool isDivision(const ExprRef &e) {
  return e->kind == ExprKind::Binary && e->type == DType::I64 &&
         (e->binary == BinaryOp::FloorDiv || e->binary == BinaryOp::Mod ||
          e->binary == BinaryOp::Div || e->binary == BinaryOp::Rem);
}

/// Collects the goals of a lambda that are not plain to see.
class Collector {
public:
  Collector(const std::vector<int64_t> &extents, const Shapes &shapes)
      : extents(extents), shapes(shapes) {}

  void collect(const ExprRef &e, bool isIndex = false) {
    if (!e)
      return;
    switch (e->kind) {
    case ExprKind::Select:
      collect(e->children[0], isIndex);
      under({e->children[0], false, true},
            [&] { collect(e->children[1], isIndex); });
      under({e->children[0], false, false},
            [&] { collect(e->children[2], isIndex); });
      return;
    case ExprKind::Read:
      for (const ExprRef &child : e->children)
        collect(child, true);
      if (e->otherwise)
        under({e, true, false}, [&] { collect(e->otherwise, isIndex); });
      else
        add(e, e->operand, e->children);
      return;
    case ExprKind::Opaque:
      for (const tdl::Expr::Slice &slice : e->slices) {
        for (const ExprRef &child : slice.index)
          collect(child, true);
        add(e, slice.operand, slice.index);
      }
      break;
    case ExprKind::Binary:
      if (e->type == DType::Bool &&
          (e->binary == BinaryOp::And || e->binary == BinaryOp::Or)) {
        // The right side is looked at only if the left one does not decide.
        collect(e->children[0], isIndex);
        under({e->children[0], false, e->binary == BinaryOp::And},
              [&] { collect(e->children[1], isIndex); });
        return;
      }
      if (isIndex && isDivision(e))
        divides(e);
      break;
    default:
      break;
    }
    for (const ExprRef &child : e->children)
      collect(child, isIndex || e->kind == ExprKind::Opaque);
  }

  template <typename F> void under(const Fact &fact, F &&body) {
    when.push_back(fact);
    body();
    when.pop_back();
  }

  std::vector<Goal> goals;

private:
  bool isPlain(const ExprRef &e, int64_t extent) const {
    if (e->kind == ExprKind::Index)
      return extents[size_t(e->index)] <= extent;
    return e->kind == ExprKind::Int && e->integer >= 0 && e->integer < extent;
  }

  void add(const ExprRef &what, int operand,
           const std::vector<ExprRef> &index) {
    Goal goal;
    for (size_t d = 0; d < index.size(); ++d) {
      const ExprRef &e = index[d];
      const int64_t extent = shapes[size_t(operand)][d];
      // What data says is clamped: there must be something to clamp it to.
      if (!e || isPlain(e, extent) || (extent > 0 && readsData(e)))
        continue;
      goal.values.push_back(e);
      goal.extents.push_back(extent);
      goal.dims.push_back(int(d));
    }
    if (goal.values.empty())
      return;
    goal.what = what;
    goal.operand = operand;
    goal.when = when;
    goals.push_back(std::move(goal));
  }

  void divides(const ExprRef &e) {
    const ExprRef &divisor = e->children[1];
    if (divisor->kind == ExprKind::Int && divisor->integer != 0)
      return;
    Goal goal;
    goal.what = e;
    goal.values = {divisor};
    goal.when = when;
    goals.push_back(std::move(goal));
  }

  const std::vector<int64_t> &extents;
  const Shapes &shapes;
  std::vector<Fact> when;
};

/// Proves one goal.
class Proof {
public:
  Proof(const Goal &goal, const Shapes &shapes, RangeEvaluator &values,
        const Box &whole)
      : goal(goal), values(values) {
    Conditions alternatives = always();
    for (const Fact &fact : goal.when)
      alternatives = both(
          alternatives, fact.isRead ? inRange(fact.of, fact.value, shapes)
                                    : conditions(fact.of, fact.value, shapes));
    for (const Conjunction &all : alternatives)
      cases.push_back(caseOf(all, shapes));
    const auto use = [&](const ExprRef &e) {
      tdl::walk(e, [&](const ExprRef &node) {
        if (node->kind == ExprKind::Index)
          used.push_back(node->index);
      });
    };
    for (const ExprRef &e : goal.values)
      use(e);
    for (const Fact &fact : goal.when) {
      if (!fact.isRead) {
        use(fact.of);
        continue;
      }
      // Indices that lie within the operand everywhere decide nothing: parts of
      // them would only be many.
      const std::vector<int64_t> &shape = shapes[size_t(fact.of->operand)];
      for (size_t d = 0; d < shape.size(); ++d) {
        const ValueRange range = values.range(fact.of->children[d], whole);
        if (range.first < 0 || range.last >= shape[d])
          use(fact.of->children[d]);
      }
    }
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
  }

  enum class Outcome { Proven, Refuted, Open };

  /// Refuted: `at` is a box, one point in the variables that matter, at which
  /// the goal fails. Open: `at` is the first part left when there was no time
  /// for more.
  Outcome run(const Box &whole, Box &at) {
    std::vector<Box> left = {whole};
    for (int parts = 0; !left.empty(); ++parts) {
      at = left.back();
      if (parts == kParts)
        return Outcome::Open;
      left.pop_back();
      if (holds(at))
        continue;
      int widest = -1;
      for (int v : used)
        if (at[size_t(v)].size() > 1 &&
            (widest < 0 || at[size_t(v)].size() > at[size_t(widest)].size()))
          widest = v;
      if (widest < 0)
        return Outcome::Refuted;
      for (int64_t half : {1, 0}) {
        Box part = at;
        part[size_t(widest)] = cut(at[size_t(widest)], 2, half);
        left.push_back(std::move(part));
      }
    }
    return Outcome::Proven;
  }

private:
  /// The goal under one alternative of its conditions, as interval programs.
  struct Case {
    std::vector<std::optional<IntervalProgram>> values;
    std::vector<IntervalProgram> tests; // all have values, or it never happens
  };

  Case caseOf(const Conjunction &all, const Shapes &shapes) const {
    const Bounds bounds(all, shapes);
    Case made;
    for (const ExprRef &e : goal.values)
      made.values.push_back(bounds.value(e));
    for (std::vector<IntervalProgram> &tests : bounds.feasibility())
      made.tests.push_back(std::move(tests.front()));
    return made;
  }

  bool fits(size_t i, int64_t first, int64_t last) const {
    if (goal.extents.empty())
      return first > 0 || last < 0;
    return first >= 0 && last < goal.extents[i];
  }

  bool holds(const Box &box) const {
    const auto never = [&](const Fact &fact) {
      const Truth truth = fact.isRead ? values.inside(fact.of, box)
                                      : values.truth(fact.of, box);
      return truth == (fact.value ? Truth::Never : Truth::Always);
    };
    if (std::any_of(goal.when.begin(), goal.when.end(), never))
      return true;
    bool byValues = true;
    for (size_t i = 0; byValues && i < goal.values.size(); ++i) {
      const ValueRange range = values.range(goal.values[i], box);
      byValues = fits(i, range.first, range.last);
    }
    return byValues ||
           std::all_of(cases.begin(), cases.end(),
                       [&](const Case &each) { return holds(each, box); });
  }

  bool holds(const Case &each, const Box &box) const {
    for (const IntervalProgram &test : each.tests)
      if (unclamped(test, box).empty())
        return true;
    for (size_t i = 0; i < each.values.size(); ++i) {
      if (!each.values[i])
        return false;
      const Interval range = unclamped(*each.values[i], box);
      if (range.empty())
        return true;
      if (!fits(i, range.lo, range.hi - 1))
        return false;
    }
    return true;
  }

  const Goal &goal;
  RangeEvaluator &values;
  std::vector<Case> cases;
  std::vector<int> used; // index variables
};

/// "i = 4, j = 0"
std::string placeText(const tdl::Lambda &lambda, const Goal &goal,
                      const Box &at) {
  std::vector<bool> used(at.size());
  for (const ExprRef &e : goal.values)
    tdl::walk(e, [&](const ExprRef &node) {
      if (node->kind == ExprKind::Index)
        used[size_t(node->index)] = true;
    });
  std::string text;
  for (size_t v = 0; v < at.size(); ++v)
    if (used[v])
      text += (text.empty() ? " where " : ", ") + lambda.indexName(int(v)) +
              " = " + std::to_string(at[v].lo);
  return text;
}

/// The lambda's beginning: some are pages long.
std::string lambdaText(const tdl::Lambda &lambda) {
  constexpr size_t longest = 240;
  std::string text = tdl::toString(lambda);
  if (text.size() > longest)
    text = text.substr(0, longest) + "...";
  return "\"" + text + "\"";
}

std::string messageOf(const tdl::Lambda &lambda, const Goal &goal,
                      Proof::Outcome outcome, const Box &at,
                      RangeEvaluator &values,
                      const std::vector<std::string> &names) {
  const bool refuted = outcome == Proof::Outcome::Refuted;
  const std::string place = placeText(lambda, goal, at);
  const std::string what = tdl::toString(goal.what, lambda);
  if (goal.extents.empty())
    return "an index divides by " + tdl::toString(goal.values[0], lambda) +
           ", which " + (refuted ? "may be 0" : "cannot be shown not to be 0") +
           place + ": " + what + " in the lambda " + lambdaText(lambda);
  size_t i = 0;
  ValueRange range = values.range(goal.values[0], at);
  while (i + 1 < goal.values.size() && range.first >= 0 &&
         range.last < goal.extents[i])
    range = values.range(goal.values[++i], at);
  std::string text =
      "reads " + what + ", where dimension " + std::to_string(goal.dims[i]) +
      " of " + names[size_t(goal.operand)] + " has " +
      std::to_string(goal.extents[i]) + " elements, and the index " +
      tdl::toString(goal.values[i], lambda);
  text += !refuted          ? " cannot be shown to be one of them"
          : range.isPoint() ? " is " + std::to_string(range.first)
                            : " may be any number";
  return text + place + ": give the read an \"else\" in the lambda " +
         lambdaText(lambda);
}

} // namespace

std::optional<std::string>
analysis::strayRead(const tdl::Lambda &lambda,
                    const std::vector<int64_t> &extents, const Shapes &shapes,
                    const std::vector<std::string> &names) {
  const Box whole = wholeBox(extents);
  if (isEmpty(whole))
    return std::nullopt; // nothing is evaluated
  if (Status defined = tdl::checkCall(lambda, extents, shapes); !defined)
    return "calls " + defined.error().message + ", in the lambda " +
           lambdaText(lambda);
  Collector collector(extents, shapes);
  collector.collect(lambda.guard);
  if (lambda.guard)
    collector.under({lambda.guard, false, true},
                    [&] { collector.collect(lambda.body); });
  else
    collector.collect(lambda.body);
  RangeEvaluator values(shapes);
  for (const Goal &goal : collector.goals) {
    Box at;
    const Proof::Outcome outcome =
        Proof(goal, shapes, values, whole).run(whole, at);
    if (outcome != Proof::Outcome::Proven)
      return messageOf(lambda, goal, outcome, at, values, names);
  }
  return std::nullopt;
}
