// Tensors in terms: what is a sum over steps of the partition, of which each
// group has its own terms. A linear map of terms makes terms of its result, and
// a reduction of all of them makes it whole; so what is shown here is that all
// operands of a map, and what is brought together, are in terms of the same
// steps.
#include "dialects/support/Terms.h"
#include "runtime/plan/Subject.h"

#include <algorithm>
#include <optional>

using namespace smex;
using namespace smex::plan;

namespace {

StepSet termSteps(const Region &region) {
  return smex::termSteps(region.divisions);
}

class Terms {
public:
  explicit Terms(const Subject &subject)
      : subject(subject), program(subject.program), findings(subject.findings),
        names(subject.names), steps(program.buffers.size()),
        areTerms(program.buffers.size(), false) {}

  void run() {
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      const Instruction &instruction = program.instructions[i];
      if (instruction.op == Opcode::Compute)
        compute(int(i), instruction);
      else if (instruction.op == Opcode::Fetch && isPartial(instruction.from))
        fetch(int(i), instruction);
      else if (instruction.op == Opcode::Reduce)
        reduce(int(i), instruction);
    }
  }

private:
  bool isPartial(int buffer) const {
    return program.buffers[size_t(buffer)].partial;
  }
  const Region &regionOf(int buffer) const {
    return program.regions[size_t(program.buffers[size_t(buffer)].region)];
  }

  template <typename... Parts> void add(int i, const Parts &...parts) {
    findings.add(FindingKind::Reduction, names.prefix, names.instruction(i),
                 parts...);
  }

  void compute(int i, const Instruction &instruction) {
    const Region &indices = program.regions[size_t(instruction.indices)];
    const StepSet split = termSteps(indices);
    const bool readsTerms =
        std::any_of(instruction.operands.begin(), instruction.operands.end(),
                    [&](int operand) { return isPartial(operand); });
    if (split != 0 && !readsTerms)
      return add(i, " is divided into terms, but reads none");
    if (!isPartial(instruction.to))
      return;
    if (readsTerms) {
      if (mapsTerms(i, instruction, split))
        fill(i, instruction, indices);
      areTerms[size_t(instruction.to)] = true;
      return;
    }
    if (indices.kind == Region::Kind::Divided)
      fill(i, instruction, indices);
  }

  /// A sum of whole operands and terms would count what is whole once per term.
  /// That it is a linear map, validate() has seen.
  bool mapsTerms(int i, const Instruction &instruction, StepSet split) {
    for (int operand : instruction.operands)
      if (!isPartial(operand) || steps[size_t(operand)] != split) {
        add(i, " reads ", names.buffer(operand),
            ", which is not in the terms that it is divided into");
        return false;
      }
    return true;
  }

  /// The buffer's region says which terms it holds, if it says any.
  void fill(int i, const Instruction &instruction, const Region &indices) {
    const int buffer = instruction.to;
    const size_t rank = subject.tensorOf(buffer).type.shape.size();
    const Divisions terms = leftInTerms(indices.divisions, rank);
    const tdl::Lambda &lambda = subject.lambdas[size_t(instruction.kernel)];
    const Region &region = regionOf(buffer);
    if (termSteps(region) != 0 &&
        (region.divisions != terms || lambda.reducer == tdl::Reducer::Max ||
         lambda.reducer == tdl::Reducer::Min ||
         lambda.reducer == tdl::Reducer::Prod))
      return add(i, " fills ", names.buffer(buffer),
                 ", whose region is in other terms than it makes");
    set(i, buffer, smex::termSteps(terms));
  }

  void set(int i, int buffer, StepSet made) {
    std::optional<StepSet> &known = steps[size_t(buffer)];
    if (known.value_or(made) != made)
      add(i, " fills ", names.buffer(buffer),
          " with other terms than an instruction before it");
    known = made;
  }

  void fetch(int i, const Instruction &instruction) {
    const Region &from = regionOf(instruction.from),
                 &to = regionOf(instruction.to);
    areTerms[size_t(instruction.to)] = true;
    if (from.kind != Region::Kind::Divided || !instruction.pieces.empty() ||
        steps[size_t(instruction.from)] != termSteps(from))
      return add(i, " moves terms of ", names.buffer(instruction.from),
                 " that no division tells apart");
    if (termSteps(to) != 0 && termSteps(to) != termSteps(from))
      return add(i, " moves terms of ", names.buffer(instruction.from), " to ",
                 names.buffer(instruction.to), ", which is in others");
    set(i, instruction.to, termSteps(from));
  }

  /// Terms that are computed of terms are known by the region's division alone.
  void reduce(int i, const Instruction &instruction) {
    const Region &region = regionOf(instruction.from);
    const bool isDivided =
        region.kind == Region::Kind::Divided && instruction.pieces.empty();
    if (!isDivided && areTerms[size_t(instruction.from)])
      return add(i, " combines terms of ", names.buffer(instruction.from),
                 " that no division tells apart");
    if (!isDivided)
      return;
    if (instruction.reducer != "Sum")
      add(i, " combines by ", instruction.reducer, " what are terms of a Sum");
    if (steps[size_t(instruction.from)] != termSteps(region))
      add(i, " combines terms of ", names.buffer(instruction.from),
          ", which is in others than its region says");
  }

  const Subject &subject;
  const Program &program;
  Findings &findings;
  const Names &names;
  /// By buffer, in which steps it is in terms, where its writers tell.
  std::vector<std::optional<StepSet>> steps;
  std::vector<bool> areTerms; // what was made of terms, or moved
};

} // namespace

void plan::checkTerms(const Subject &subject) { Terms(subject).run(); }
