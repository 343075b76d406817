#include "dialects/tdl/analysis/RowReads.h"

#include "dialects/tdl/lambda/Arithmetic.h"

#include <algorithm>
#include <set>

using namespace smex;
using namespace smex::analysis;
using tdl::BinaryOp;
using tdl::Expr;
using tdl::ExprKind;
using tdl::ExprRef;
using tdl::UnaryOp;

namespace {

using Shapes = std::vector<std::vector<int64_t>>;

/// More variables than this in one expression make too many points.
constexpr size_t kVariables = 2;

/// So many steps for each element of the lists, and besides, are taken before
/// all rows count as read: a file may say that a small list is looked at 2^48
/// times.
constexpr int64_t workPerElement = 64, leastWork = int64_t(1) << 26;

/// Whether the expression can be worked out from lists and indices alone.
bool isKnown(const ExprRef &e, const KnownLists &lists) {
  const auto areKnown = [&](const std::vector<ExprRef> &all) {
    return std::all_of(all.begin(), all.end(), [&](const ExprRef &each) {
      return isKnown(each, lists);
    });
  };
  switch (e->kind) {
  case ExprKind::Index:
  case ExprKind::Extent:
  case ExprKind::Int:
    return true;
  case ExprKind::Read:
    return lists[size_t(e->operand)] && !e->otherwise && areKnown(e->children);
  case ExprKind::Unary:
    return (e->unary == UnaryOp::Neg || e->unary == UnaryOp::Not) &&
           areKnown(e->children);
  case ExprKind::Cast:
    return isInteger(e->type) && isInteger(e->children[0]->type) &&
           areKnown(e->children);
  case ExprKind::Select:
    return areKnown(e->children);
  case ExprKind::Binary:
    break;
  case ExprKind::Float:
  case ExprKind::Opaque:
    return false;
  }
  switch (e->binary) {
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod:
    return e->children[1]->kind == ExprKind::Int &&
           e->children[1]->integer != 0 && areKnown(e->children);
  case BinaryOp::Add:
  case BinaryOp::Sub:
  case BinaryOp::Mul:
  case BinaryOp::Min:
  case BinaryOp::Max:
  case BinaryOp::And:
  case BinaryOp::Or:
  case BinaryOp::Eq:
  case BinaryOp::Ne:
  case BinaryOp::Lt:
  case BinaryOp::Le:
  case BinaryOp::Gt:
  case BinaryOp::Ge:
    return std::none_of(
               e->children.begin(), e->children.end(),
               [](const ExprRef &each) { return isFloat(each->type); }) &&
           areKnown(e->children);
  default:
    return false;
  }
}

std::vector<int> variablesOf(const std::vector<ExprRef> &expressions) {
  std::set<int> variables;
  for (const ExprRef &e : expressions)
    tdl::walk(e, [&](const ExprRef &node) {
      if (node->kind == ExprKind::Index)
        variables.insert(node->index);
    });
  return {variables.begin(), variables.end()};
}

void addConditions(const ExprRef &e, std::vector<ExprRef> &conditions) {
  if (e->kind == ExprKind::Binary && e->binary == BinaryOp::And) {
    addConditions(e->children[0], conditions);
    addConditions(e->children[1], conditions);
  } else {
    conditions.push_back(e);
  }
}

ExprRef plusOne(const ExprRef &e) {
  return tdl::binary(BinaryOp::Add, e, tdl::constant(int64_t(1), e->type));
}

/// The conditions of the guard that keep a reduction variable between what
/// lists say, of the first variable that has some.
RowReads::Bounds boundsOf(const tdl::Lambda &lambda, const KnownLists &lists) {
  RowReads::Bounds bounds;
  if (!lambda.guard)
    return bounds;
  std::vector<ExprRef> conditions;
  addConditions(lambda.guard, conditions);
  for (const ExprRef &condition : conditions) {
    if (condition->kind != ExprKind::Binary)
      continue;
    for (int side = 0; side < 2; ++side) {
      const ExprRef &variable = condition->children[size_t(side)],
                    &limit = condition->children[size_t(1 - side)];
      if (variable->kind != ExprKind::Index ||
          variable->index < lambda.rank() ||
          (bounds.variable >= 0 && bounds.variable != variable->index) ||
          tdl::uses(limit, variable->index) || !tdl::readsData(limit) ||
          !isKnown(limit, lists))
        continue;
      // As `variable OP limit`.
      BinaryOp op = condition->binary;
      if (side == 1)
        op = op == BinaryOp::Lt   ? BinaryOp::Gt
             : op == BinaryOp::Le ? BinaryOp::Ge
             : op == BinaryOp::Gt ? BinaryOp::Lt
             : op == BinaryOp::Ge ? BinaryOp::Le
                                  : op;
      if (op == BinaryOp::Lt)
        bounds.highs.push_back(limit);
      else if (op == BinaryOp::Le)
        bounds.highs.push_back(plusOne(limit));
      else if (op == BinaryOp::Ge)
        bounds.lows.push_back(limit);
      else if (op == BinaryOp::Gt)
        bounds.lows.push_back(plusOne(limit));
      else
        continue;
      bounds.variable = variable->index;
    }
  }
  std::vector<ExprRef> limits = bounds.lows;
  limits.insert(limits.end(), bounds.highs.begin(), bounds.highs.end());
  bounds.variables = variablesOf(limits);
  return bounds;
}

} // namespace

/// Values of expressions where each index variable has a value.
class RowReads::Point {
public:
  Point(const RowReads &reads, size_t variables)
      : reads(reads), at(variables) {}

  int64_t &operator[](int variable) { return at[size_t(variable)]; }

  int64_t value(const ExprRef &e) const {
    switch (e->kind) {
    case ExprKind::Index:
      return at[size_t(e->index)];
    case ExprKind::Extent:
      return reads.shapes[size_t(e->operand)][size_t(e->dim)];
    case ExprKind::Int:
      return e->integer;
    case ExprKind::Read:
      return element(*e);
    case ExprKind::Unary:
      return tdl::evaluate(e->unary, typeOfOperand(e), operand(e, 0)).integer;
    case ExprKind::Cast:
      return tdl::convert(typeOfOperand(e), e->type, operand(e, 0)).integer;
    case ExprKind::Select:
      return value(e->children[value(e->children[0]) ? 1 : 2]);
    case ExprKind::Binary:
      return combined(e);
    case ExprKind::Float:
    case ExprKind::Opaque:
      break; // isKnown refuses them
    }
    return 0;
  }

private:
  static DType typeOfOperand(const ExprRef &e) { return e->children[0]->type; }
  tdl::Scalar operand(const ExprRef &e, size_t k) const {
    return tdl::scalarOf(value(e->children[k]));
  }

  /// isKnown leaves no division by zero.
  int64_t combined(const ExprRef &e) const {
    tdl::Scalar result = tdl::scalarOf(int64_t(0));
    tdl::evaluate(e->binary, typeOfOperand(e), operand(e, 0), operand(e, 1),
                  result);
    return result.integer;
  }

  /// An index that leads out of a list is kept within it, as kernels do.
  int64_t element(const Expr &e) const {
    const KnownList &list = *reads.lists[size_t(e.operand)];
    int64_t place = 0;
    for (size_t d = 0; d < list.shape.size(); ++d) {
      if (list.shape[d] == 0)
        return 0;
      place = place * list.shape[d] +
              std::clamp<int64_t>(value(e.children[d]), 0, list.shape[d] - 1);
    }
    return list.values[size_t(place)];
  }

  const RowReads &reads;
  std::vector<int64_t> at;
};

RowReads::RowReads(std::vector<Site> sites, Bounds bounds, KnownLists lists,
                   Shapes shapes, int64_t extent)
    : sites(std::move(sites)), bounds(std::move(bounds)),
      lists(std::move(lists)), shapes(std::move(shapes)), extent(extent) {
  std::set<int> all;
  for (const Site &site : this->sites) {
    all.insert(site.variables.begin(), site.variables.end());
    if (site.isGuarded)
      all.insert(this->bounds.variables.begin(), this->bounds.variables.end());
  }
  used.assign(all.begin(), all.end());
}

const Runs &RowReads::of(const Box &indices) const {
  std::vector<int64_t> key = {isEmpty(indices)};
  for (int variable : used)
    key.insert(key.end(),
               {indices[size_t(variable)].lo, indices[size_t(variable)].hi});
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [entry, isNew] = found.try_emplace(std::move(key));
  if (isNew && !isEmpty(indices))
    entry->second = find(indices);
  return entry->second;
}

Runs RowReads::find(const Box &indices) const {
  Point point(*this, indices.size());
  std::vector<int64_t> rows;
  // Rows that are read often are kept once: no more than twice those that there
  // are, and a few.
  size_t most = size_t(1) << 20;
  int64_t work = 0;
  for (const auto &list : lists)
    work += list ? int64_t(list->values.size()) : 0;
  work = workPerElement * work + leastWork;
  const auto keepOnce = [&] {
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    most = std::max(most, 2 * rows.size());
  };
  // Calls `visit` with all values of these variables.
  const auto forEach = [&](const std::vector<int> &variables, size_t from,
                           auto &visit, auto &self) -> void {
    if (from == variables.size())
      return visit();
    const int variable = variables[from];
    for (int64_t i = indices[size_t(variable)].lo;
         i < indices[size_t(variable)].hi && --work > 0; ++i) {
      point[variable] = i;
      self(variables, from + 1, visit, self);
    }
  };
  const auto limits = [&] {
    Interval terms = indices[size_t(bounds.variable)];
    for (const ExprRef &low : bounds.lows)
      terms.lo = std::max(terms.lo, point.value(low));
    for (const ExprRef &high : bounds.highs)
      terms.hi = std::min(terms.hi, point.value(high));
    return terms;
  };
  for (const Site &site : sites) {
    const auto mark = [&] {
      int64_t row = point.value(site.row);
      if (site.canMiss && (row < 0 || row >= extent))
        return;
      row = std::clamp<int64_t>(row, 0, extent - 1);
      rows.push_back(row);
      if (rows.size() > most)
        keepOnce();
    };
    if (extent == 0)
      continue;
    std::vector<int> others = site.variables;
    if (!site.isGuarded) {
      forEach(others, 0, mark, forEach);
      continue;
    }
    others.erase(std::find(others.begin(), others.end(), bounds.variable));
    const auto markTerms = [&](Interval terms) {
      for (int64_t term = terms.lo; term < terms.hi && --work > 0; ++term) {
        point[bounds.variable] = term;
        mark();
      }
    };
    if (others.empty()) {
      // Terms are shared by many results: each is looked at once.
      std::vector<Interval> all;
      const auto add = [&] {
        const Interval terms = limits();
        if (!terms.empty())
          all.push_back(terms);
      };
      forEach(bounds.variables, 0, add, forEach);
      for (Interval terms : runsOf(std::move(all)))
        markTerms(terms);
      continue;
    }
    for (int variable : bounds.variables)
      if (std::find(others.begin(), others.end(), variable) == others.end())
        others.push_back(variable);
    const auto each = [&] { markTerms(limits()); };
    forEach(others, 0, each, forEach);
  }
  if (work <= 0)
    return extent > 0 ? Runs{{0, extent}} : Runs();
  return runsOf(std::move(rows));
}

std::vector<std::shared_ptr<const RowReads>>
analysis::rowReads(const tdl::Lambda &lambda, const Shapes &shapes,
                   const KnownLists &known) {
  std::vector<std::shared_ptr<const RowReads>> result(lambda.operands.size());
  if (std::none_of(known.begin(), known.end(),
                   [](const auto &list) { return list != nullptr; }) ||
      lambda.body->kind == ExprKind::Opaque)
    return result;
  const RowReads::Bounds bounds = boundsOf(lambda, known);
  for (size_t k = 0; k < result.size(); ++k) {
    if (shapes[k].empty())
      continue;
    std::vector<RowReads::Site> sites;
    bool areAllKnown = true, isListed = false;
    const auto collect = [&](bool isGuarded) {
      return [&, isGuarded](const ExprRef &e) {
        if (e->kind != ExprKind::Read || e->operand != int(k))
          return;
        RowReads::Site site{e->children[0], variablesOf({e->children[0]}),
                            false, e->otherwise != nullptr};
        areAllKnown &=
            isKnown(site.row, known) && site.variables.size() <= kVariables;
        site.isGuarded = isGuarded && bounds.variable >= 0 &&
                         std::find(site.variables.begin(), site.variables.end(),
                                   bounds.variable) != site.variables.end();
        isListed |= site.isGuarded || tdl::readsData(site.row);
        sites.push_back(std::move(site));
      };
    };
    tdl::walk(lambda.body, collect(true));
    tdl::walk(lambda.guard, collect(false));
    if (areAllKnown && isListed)
      result[k] = std::make_shared<const RowReads>(std::move(sites), bounds,
                                                   known, shapes, shapes[k][0]);
  }
  return result;
}
