#include "dialects/tdl/analysis/RowReads.h"

#include <algorithm>
#include <set>

using namespace smex;
using namespace smex::analysis;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

using Shapes = std::vector<std::vector<int64_t>>;

/// More variables than this in one expression make too many points.
constexpr size_t kVariables = 2;

/// So many steps for each element of the lists, and besides, are taken before
/// all rows count as read: a file may say that a small list is looked at 2^48
/// times.
constexpr int64_t workPerElement = 64, leastWork = int64_t(1) << 26;

/// Rows that are read, of so many that there are.
class RowSet {
public:
  explicit RowSet(int64_t extent) : extent(extent) {}

  void add(int64_t row) {
    if (extent <= densest) {
      if (words.empty())
        words.resize(size_t(extent + wordSize - 1) / wordSize);
      words[size_t(row) / wordSize] |= uint64_t(1) << (row % wordSize);
      return;
    }
    rows.push_back(row);
    if (rows.size() > most)
      keepOnce();
  }
  void add(Interval run) { runs.push_back(run); }

  Runs all() && {
    for (Interval run : runsOf(std::move(rows)))
      add(run);
    for (size_t w = 0; w < words.size(); ++w)
      for (uint64_t left = words[w]; left; left &= left - 1)
        append(int64_t(w) * wordSize + __builtin_ctzll(left));
    return runsOf(std::move(runs));
  }

private:
  /// A bit for each of so many rows costs nothing beside a graph's edges; of
  /// more, as a file may claim, there are only numbers of those that are read.
  static constexpr int64_t densest = int64_t(1) << 26, wordSize = 64;

  /// Rows that are read often are kept once: no more than twice those that
  /// there are, and a few.
  void keepOnce() {
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    most = std::max(most, 2 * rows.size());
  }

  /// Rows come in their order.
  void append(int64_t row) {
    if (!runs.empty() && runs.back().hi == row)
      ++runs.back().hi;
    else
      runs.push_back({row, row + 1});
  }

  const int64_t extent;
  std::vector<uint64_t> words; // a bit per row, as soon as there is one
  std::vector<int64_t> rows;
  Runs runs;
  size_t most = size_t(1) << 20;
};

/// The list of which `row` is the element at `variable`, and nothing else, as a
/// neighbour's number is; else null.
const KnownList *elementAt(const ExprRef &row, int variable,
                           const KnownLists &lists) {
  // A cast to the widest type keeps all values.
  if (row->kind == ExprKind::Cast && row->type == DType::I64)
    return elementAt(row->children[0], variable, lists);
  if (row->kind != ExprKind::Read || row->children.size() != 1 ||
      row->children[0]->kind != ExprKind::Index ||
      row->children[0]->index != variable)
    return nullptr;
  const KnownList &list = *lists[size_t(row->operand)];
  return list.shape.size() == 1 && !list.values.empty() ? &list : nullptr;
}

} // namespace

RowReads::RowReads(std::vector<Site> sites, TermBounds bounds, KnownLists lists,
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
  ListPoint point(lists, shapes, indices.size());
  RowSet rows(extent);
  int64_t work = 0;
  for (const auto &list : lists)
    work += list ? int64_t(list->values.size()) : 0;
  work = workPerElement * work + leastWork;
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
    return point.within(bounds, indices[size_t(bounds.variable)]);
  };
  for (const Site &site : sites) {
    const auto add = [&](int64_t row) {
      if (!site.canMiss || (row >= 0 && row < extent))
        rows.add(std::clamp<int64_t>(row, 0, extent - 1));
    };
    const auto mark = [&] { add(point.value(site.row)); };
    if (extent == 0)
      continue;
    std::vector<int> others = site.variables;
    if (!site.isGuarded) {
      forEach(others, 0, mark, forEach);
      continue;
    }
    others.erase(std::find(others.begin(), others.end(), bounds.variable));
    // Millions of edges are of this kind.
    const KnownList *list = elementAt(site.row, bounds.variable, lists);
    const auto markTerms = [&](Interval terms) {
      const auto last = list ? int64_t(list->values.size()) - 1 : 0;
      for (int64_t term = terms.lo; list && term < terms.hi && --work > 0;
           ++term)
        add(list->values[size_t(std::clamp<int64_t>(term, 0, last))]);
      if (list)
        return;
      for (int64_t term = terms.lo; term < terms.hi && --work > 0; ++term) {
        point[bounds.variable] = term;
        mark();
      }
    };
    if (others.empty()) {
      // Terms are shared by many results: each is looked at once.
      std::vector<Interval> all;
      const auto addTerms = [&] {
        const Interval terms = limits();
        if (terms.empty())
          return;
        // A list of offsets goes on where it was.
        if (!all.empty() && terms.lo >= all.back().lo &&
            terms.lo <= all.back().hi)
          all.back().hi = std::max(all.back().hi, terms.hi);
        else
          all.push_back(terms);
      };
      forEach(bounds.variables, 0, addTerms, forEach);
      // An edge's own data: so many rows at once.
      const bool areRows = site.row->kind == ExprKind::Index;
      const auto within = [&](int64_t row) {
        return std::clamp<int64_t>(row, 0, extent - 1);
      };
      for (Interval terms : runsOf(std::move(all)))
        if (areRows && site.canMiss)
          rows.add(smex::intersect(terms, {0, extent}));
        else if (areRows)
          rows.add({within(terms.lo), within(terms.hi - 1) + 1});
        else
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
  return std::move(rows).all();
}

std::vector<std::shared_ptr<const RowReads>>
analysis::rowReads(const tdl::Lambda &lambda, const Shapes &shapes,
                   const KnownLists &known) {
  std::vector<std::shared_ptr<const RowReads>> result(lambda.operands.size());
  if (std::none_of(known.begin(), known.end(),
                   [](const auto &list) { return list != nullptr; }) ||
      lambda.body->kind == ExprKind::Opaque)
    return result;
  const TermBounds bounds = boundsOf(lambda, known);
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
