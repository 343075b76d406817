#include "dialects/tdl/analysis/Access.h"

#include "dialects/tdl/analysis/Bounds.h"

#include <algorithm>

using namespace smex;
using namespace smex::analysis;
using tdl::Expr;
using tdl::ExprKind;
using tdl::ExprRef;
using Instruction = IntervalProgram::Instruction;

namespace {

using Program = std::vector<Instruction>;

/// More reads of one operand than this are not told apart: a program is
/// evaluated often, and must stay short.
constexpr size_t kReads = 32;

/// A place where an operand is read, and when.
struct Site {
  std::vector<ExprRef> index; // null: the whole dimension
  Conditions when;
};

/// Collects the reads of a lambda in the order in which an evaluation meets
/// them: a read nested in another's index, or in a condition, happens whenever
/// the outer expression is evaluated.
class Reads {
public:
  Reads(const Shapes &shapes) : shapes(shapes), sites(shapes.size()) {}

  void collect(const ExprRef &e, const Conditions &when) {
    if (!e || when.empty())
      return;
    if (e->kind == ExprKind::Select) {
      collect(e->children[0], when);
      collect(e->children[1],
              both(when, conditions(e->children[0], true, shapes)));
      collect(e->children[2],
              both(when, conditions(e->children[0], false, shapes)));
      return;
    }
    for (const ExprRef &child : e->children)
      collect(child, when);
    for (const Expr::Slice &slice : e->slices) {
      for (const ExprRef &child : slice.index)
        collect(child, when);
      sites[slice.operand].push_back({slice.index, when});
    }
    if (e->kind != ExprKind::Read)
      return;
    sites[e->operand].push_back({e->children, possible(e, when)});
    if (e->otherwise) {
      collect(e->otherwise, both(when, inRange(e, false, shapes)));
      guarded.push_back({e->operand, sites[e->operand].size() - 1});
      ranges.push_back(inRange(e, true, shapes));
    }
  }

  /// An operand with several reads: where one of them is out of range (and
  /// yields its `else`) it must not widen what the others need.
  void restrictGuarded() {
    for (size_t g = 0; g < guarded.size(); ++g) {
      std::vector<Site> &all = sites[guarded[g].first];
      Site &site = all[guarded[g].second];
      if (all.size() > 1)
        site.when = both(site.when, ranges[g]);
    }
  }

  const Shapes &shapes;
  std::vector<std::vector<Site>> sites; // per operand

private:
  /// The alternatives under which the read is within the shape: of `a[i, j]
  /// else b[i - 4, j]`, b is not read because j is beyond a, or it would be
  /// beyond b as well.
  Conditions possible(const ExprRef &read, const Conditions &when) const {
    if (when.size() < 2)
      return when;
    const Conditions inside = inRange(read, true, shapes);
    Conditions left;
    for (const Conjunction &all : when)
      if (!both({all}, inside).empty())
        left.push_back(all);
    return left;
  }

  std::vector<std::pair<int, size_t>>
      guarded;                    // operand, number among its sites
  std::vector<Conditions> ranges; // per guarded
};

/// True if `dim` has no value where one of `parts` has none: it computes that
/// very part, and nothing but a Hull goes on without a value.
bool emptiedBy(const Program &dim, const std::vector<IntervalProgram> &parts) {
  for (const Instruction &instruction : dim)
    if (instruction.code == Instruction::Hull)
      return false;
  return std::any_of(
      parts.begin(), parts.end(), [&](const IntervalProgram &part) {
        return std::search(dim.begin(), dim.end(), part.code.begin(),
                           part.code.end()) != dim.end();
      });
}

/// The programs of one site under one of its alternatives.
std::vector<Program> programs(const Site &site, const Conjunction &known,
                              const Shapes &shapes, bool alone) {
  const Bounds bounds(known, shapes);
  std::vector<Program> dims;
  for (const ExprRef &e : site.index) {
    const auto program = e ? bounds.value(e) : std::nullopt;
    dims.push_back(program ? program->code : Program{{Instruction::Whole, 0}});
  }
  // A condition that cannot be met empties all dimensions; for an only read it
  // is enough if it empties one.
  for (const std::vector<IntervalProgram> &tests : bounds.feasibility()) {
    const auto emptied = [&](const Program &dim) {
      return emptiedBy(dim, tests);
    };
    if (alone && std::any_of(dims.begin(), dims.end(), emptied))
      continue;
    for (Program &dim : dims) {
      if (!emptied(dim)) {
        const Program &test = tests.front().code;
        dim.insert(dim.end(), test.begin(), test.end());
        dim.push_back({Instruction::When, 0});
      }
      if (alone)
        break;
    }
  }
  return dims;
}

Access accessOf(const std::vector<Site> &sites, size_t rank,
                const Shapes &shapes) {
  size_t alternatives = 0;
  for (const Site &site : sites)
    alternatives += site.when.size();
  const bool few = alternatives <= kReads;
  std::vector<std::vector<Program>> distinct;
  Access access;
  access.dims.resize(rank);
  for (const Site &site : sites)
    for (const Conjunction &known : few ? site.when : always()) {
      auto dims = programs(site, known, shapes, alternatives == 1);
      if (std::find(distinct.begin(), distinct.end(), dims) == distinct.end())
        distinct.push_back(std::move(dims));
      if (distinct.size() <= kReads)
        continue;
      for (IntervalProgram &dim : access.dims)
        dim.code = {{Instruction::Whole, 0}};
      return access;
    }
  for (size_t d = 0; d < rank; ++d) {
    std::vector<Program> seen;
    for (const std::vector<Program> &dims : distinct) {
      if (std::find(seen.begin(), seen.end(), dims[d]) != seen.end())
        continue;
      Program &code = access.dims[d].code;
      code.insert(code.end(), dims[d].begin(), dims[d].end());
      if (!seen.empty())
        code.push_back({Instruction::Hull, 0});
      seen.push_back(dims[d]);
    }
  }
  return access;
}

} // namespace

std::vector<Access>
analysis::accesses(const tdl::Lambda &lambda,
                   const std::vector<std::vector<int64_t>> &operandShapes) {
  Reads reads(operandShapes);
  // The guard is asked for every term; the body only where it holds.
  reads.collect(lambda.guard, always());
  reads.collect(lambda.body, lambda.guard
                                 ? conditions(lambda.guard, true, operandShapes)
                                 : always());
  reads.restrictGuarded();
  std::vector<Access> result;
  for (size_t operand = 0; operand < lambda.operands.size(); ++operand)
    result.push_back(accessOf(reads.sites[operand],
                              size_t(lambda.operands[operand].rank),
                              operandShapes));
  return result;
}
