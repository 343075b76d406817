#include "dialects/tdl/analysis/Access.h"
#include "dialects/tdl/analysis/RowReads.h"
#include "runtime/plan/CheckWeights.h"
#include "runtime/plan/Regions.h"
#include "runtime/plan/StoredLists.h"
#include "runtime/plan/Subject.h"

#include <algorithm>
#include <set>

using namespace smex;
using namespace smex::plan;

namespace {

using List = std::shared_ptr<const analysis::KnownList>;

class Rows {
public:
  Rows(const Partitioned &partitioned, std::vector<tdl::Lambda> lambdas,
       std::vector<List> lists, Findings &findings)
      : partitioned(partitioned), program(partitioned.program),
        lambdas(std::move(lambdas)), lists(std::move(lists)),
        findings(findings), names{partitioned, ""} {}

  void run() {
    for (size_t i = 0; i < program.instructions.size(); ++i)
      if (!program.instructions[i].rows.empty())
        fetch(int(i));
  }

private:
  void fetch(int number) {
    const Instruction &fetch = program.instructions[size_t(number)];
    for (size_t w = 0; w < partitioned.workers.size(); ++w) {
      const Runs needed = neededOf(int(w), fetch.to, {}), &got = fetch.rows[w];
      if (const auto row = firstOutside(needed, got))
        findings.add(FindingKind::Region, names.instruction(int(w), number),
                     " does not get row ", *row, " of \"", nameOf(fetch.to),
                     "\", which is read");
      if (const auto row = firstOutside(got, needed))
        findings.add(FindingKind::Region, names.instruction(int(w), number),
                     " gets row ", *row, " of \"", nameOf(fetch.to),
                     "\", which nobody reads");
    }
  }

  const std::string &nameOf(int buffer) const {
    return program.tensors[size_t(program.buffers[size_t(buffer)].tensor)].name;
  }

  /// The first row of `rows` that is none of `others`.
  static std::optional<int64_t> firstOutside(const Runs &rows,
                                             const Runs &others) {
    auto other = others.begin();
    for (Interval run : rows) {
      while (other != others.end() && other->hi <= run.lo)
        ++other;
      // There are rows between two of the others.
      if (other == others.end() || other->lo > run.lo)
        return run.lo;
      if (other->hi < run.hi)
        return other->hi;
    }
    return std::nullopt;
  }

  /// What the worker reads of a buffer, or of where it is moved to, or of what
  /// it keeps it for. `seen`: buffers that lead here; a broken plan moves in a
  /// circle.
  Runs neededOf(int worker, int buffer, std::set<int> seen) {
    if (!seen.insert(buffer).second)
      return {};
    std::vector<Interval> needed;
    const auto add = [&](const Runs &rows) {
      needed.insert(needed.end(), rows.begin(), rows.end());
    };
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      const Instruction &reader = program.instructions[i];
      if (reader.op == Opcode::Compute) {
        for (size_t k = 0; k < reader.operands.size(); ++k)
          if (reader.operands[k] == buffer)
            add(readBy(worker, int(i), k));
      } else if (reader.from == buffer && isMove(reader.op)) {
        // What comes back is read in its place.
        if (written(partitioned, worker, int(i)))
          add(neededOf(worker, reader.to, seen));
      } else if (reader.from == buffer) {
        add(whole(worker, buffer));
      }
    }
    for (size_t b = 0; b < program.buffers.size(); ++b)
      if (partitioned.isKept(worker, int(b)) &&
          program.buffers[b].kept->as == buffer)
        add(neededOf(worker, int(b), seen));
    for (const Port &output : program.outputs)
      if (output.buffer == buffer)
        add(whole(worker, buffer));
    for (const Parameter &parameter : program.parameters)
      if (parameter.next == buffer)
        add(whole(worker, buffer));
    return runsOf(std::move(needed));
  }

  Runs whole(int worker, int buffer) const {
    const Box &box = partitioned.box(worker, buffer);
    return isEmpty(box) ? Runs() : Runs{box[0]};
  }

  Runs readBy(int worker, int number, size_t operand) {
    if (!written(partitioned, worker, number))
      return {};
    const Instruction &compute = program.instructions[size_t(number)];
    const tdl::Lambda &lambda = lambdas[size_t(compute.kernel)];
    std::vector<std::vector<int64_t>> shapes;
    analysis::KnownLists known;
    for (int each : compute.operands) {
      const int tensor = program.buffers[size_t(each)].tensor;
      shapes.push_back(program.tensors[size_t(tensor)].type.shape);
      known.push_back(lists[size_t(each)]);
    }
    const Box &indices = partitioned.indices(worker, number);
    const Box box =
        accesses.of(lambda, shapes)[operand].region(indices, shapes[operand]);
    if (isEmpty(box))
      return {};
    const auto &reads = rowReads.of(lambda, shapes, known)[operand];
    if (!reads)
      return {box[0]};
    return intersect(reads->of(indices), box[0]);
  }

  const Partitioned &partitioned;
  const Program &program;
  const std::vector<tdl::Lambda> lambdas;
  const std::vector<List> lists;
  Findings &findings;
  const Names names;
  analysis::AccessTable accesses;
  analysis::RowReadsTable rowReads;
};

} // namespace

std::vector<Finding> plan::checkRows(const Plan &plan,
                                     const std::string &directory) {
  Findings findings(100);
  const auto &instructions = plan.partitioned.program.instructions;
  if (std::all_of(instructions.begin(), instructions.end(),
                  [](const Instruction &each) { return each.rows.empty(); }))
    return findings.take();
  auto lambdas = lambdasOf(plan.partitioned.program);
  const std::vector<bool> all(plan.partitioned.program.tensors.size(), true);
  auto lists = storedLists(plan.partitioned, directory, all);
  if (!lambdas || !lists) {
    findings.add(FindingKind::Region,
                 (lambdas ? lists.error() : lambdas.error()).message);
    return findings.take();
  }
  Rows(plan.partitioned, std::move(*lambdas), std::move(*lists), findings)
      .run();
  return findings.take();
}

std::vector<Finding> plan::checkFolder(const Plan &plan,
                                       const std::string &directory,
                                       const CheckOptions &options) {
  std::vector<Finding> findings = check(plan, options);
  for (Finding &finding : checkWeights(plan, directory))
    findings.push_back(std::move(finding));
  if (findings.empty())
    findings = checkRows(plan, directory);
  return findings;
}
