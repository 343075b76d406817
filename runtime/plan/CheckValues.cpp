#include "dialects/tdl/lambda/Accumulated.h"
#include "runtime/plan/Subject.h"

#include <algorithm>
#include <map>
#include <set>

using namespace smex;
using namespace smex::plan;

namespace {

/// Numbers for values: two have the same number if they are the same function
/// of the same inputs and parameters.
class Numbering {
public:
  int64_t ofText(const std::string &text) {
    return texts.try_emplace(text, int64_t(texts.size())).first->second;
  }
  int64_t of(const std::vector<int64_t> &key) {
    return values.try_emplace(key, int64_t(values.size())).first->second;
  }

private:
  std::map<std::string, int64_t> texts;
  std::map<std::vector<int64_t>, int64_t> values;
};

/// The values that one program computes.
class Values {
public:
  Values(const Partitioned &partitioned, Numbering &numbering)
      : program(partitioned.program), numbering(numbering),
        held(program.buffers.size(), none),
        computed(program.instructions.size(), none) {
    for (const Port &input : program.inputs)
      held[size_t(input.buffer)] =
          numbering.of({source, numbering.ofText("input " + input.name)});
    for (const Parameter &parameter : program.parameters)
      held[size_t(parameter.buffer)] = numbering.of(
          {source, numbering.ofText("parameter " + parameter.name)});
    // A partial sum of 16-bit floats is not rounded, a whole one is: the value
    // is the same.
    for (const Kernel &kernel : program.kernels)
      lambdas.push_back(numbering.ofText(
          tdl::toString(tdl::accumulated(*tdl::parseLambda(kernel.lambda)))));
    for (size_t i = 0; i < program.instructions.size(); ++i)
      add(i);
  }

  int64_t inBuffer(int buffer) const { return held[size_t(buffer)]; }
  int64_t ofInstruction(size_t i) const { return computed[i]; }
  std::set<int64_t> all() const {
    return std::set<int64_t>(computed.begin(), computed.end());
  }

  static constexpr int64_t none = -1; // nothing is there

private:
  /// What the first element of a key says.
  enum : int64_t { source, application, several };

  void add(size_t i) {
    const Instruction &instruction = program.instructions[i];
    if (instruction.op != Opcode::Compute)
      return write(instruction.to, held[size_t(instruction.from)]);
    const int tensor = program.buffers[size_t(instruction.to)].tensor;
    const TensorType &type = program.tensors[size_t(tensor)].type;
    // The lambda says how many numbers of each kind follow.
    std::vector<int64_t> key = {application,
                                lambdas[size_t(instruction.kernel)]};
    key.insert(key.end(), type.shape.begin(), type.shape.end());
    key.insert(key.end(), instruction.reductions.begin(),
               instruction.reductions.end());
    for (int operand : instruction.operands)
      key.push_back(held[size_t(operand)]);
    computed[i] = numbering.of(key);
    write(instruction.to, computed[i]);
  }

  void write(int buffer, int64_t value) {
    int64_t &there = held[size_t(buffer)];
    there = there == none || there == value
                ? value
                : numbering.of({several, there, value});
  }

  const Program &program;
  Numbering &numbering;
  std::vector<int64_t> lambdas;  // per kernel
  std::vector<int64_t> held;     // per buffer
  std::vector<int64_t> computed; // per instruction
};

class SameValues {
public:
  SameValues(const Plan &plan, Findings &findings)
      : plan(plan), findings(findings), parts(plan.partitioned, numbering),
        whole(plan.unpartitioned, numbering) {}

  void run() {
    onlyIn(plan.partitioned, parts, whole, "", "unpartitioned");
    onlyIn(plan.unpartitioned, whole, parts, "unpartitioned ", "partitioned");
    compare("output", plan.partitioned.program.outputs,
            plan.unpartitioned.program.outputs,
            [](const Port &output) { return output.buffer; });
    compare("the next value of parameter", plan.partitioned.program.parameters,
            plan.unpartitioned.program.parameters,
            [](const Parameter &parameter) { return parameter.next; });
  }

private:
  /// Instructions whose operands both programs have, and whose result the other
  /// one has not.
  void onlyIn(const Partitioned &partitioned, const Values &ours,
              const Values &theirs, const char *prefix, const char *other) {
    const Names names{partitioned, prefix};
    const std::set<int64_t> known = theirs.all(), own = ours.all();
    const auto &instructions = partitioned.program.instructions;
    for (size_t i = 0; i < instructions.size(); ++i) {
      if (instructions[i].op != Opcode::Compute ||
          known.count(ours.ofInstruction(i)))
        continue;
      const auto isOurs = [&](int operand) {
        const int64_t value = ours.inBuffer(operand);
        return own.count(value) && !known.count(value);
      };
      const auto &operands = instructions[i].operands;
      if (!std::any_of(operands.begin(), operands.end(), isOurs))
        findings.add(FindingKind::Interface, prefix, names.instruction(int(i)),
                     ": the ", other, " program does not compute this");
    }
  }

  template <typename Named, typename Buffer>
  void compare(const char *what, const std::vector<Named> &ours,
               const std::vector<Named> &theirs, Buffer &&bufferOf) {
    const auto valueOf = [&](const Values &values, const Named &each) {
      const int buffer = bufferOf(each);
      return buffer < 0 ? Values::none - 1 : values.inBuffer(buffer);
    };
    std::map<std::string, int64_t> expected;
    for (const Named &each : theirs)
      expected[each.name] = valueOf(whole, each);
    for (const Named &each : ours)
      if (const auto other = expected.find(each.name);
          other != expected.end() && other->second != valueOf(parts, each))
        findings.add(FindingKind::Interface, what, " \"", each.name,
                     "\": is another value in the unpartitioned program");
  }

  const Plan &plan;
  Findings &findings;
  Numbering numbering;
  Values parts, whole;
};

} // namespace

void plan::checkValues(const Plan &plan, Findings &findings) {
  SameValues(plan, findings).run();
}

void plan::checkKept(const Subject &subject) {
  const std::vector<BufferInfo> &buffers = subject.program.buffers;
  const auto isOther = [](const BufferInfo &buffer) {
    return buffer.kept && buffer.kept->as >= 0;
  };
  if (std::none_of(buffers.begin(), buffers.end(), isOther))
    return;
  Numbering numbering;
  const Values values(subject.partitioned, numbering);
  for (size_t b = 0; b < buffers.size(); ++b)
    if (isOther(buffers[b]) &&
        values.inBuffer(int(b)) != values.inBuffer(buffers[b].kept->as))
      subject.findings.add(
          FindingKind::Kept, subject.names.gpu(buffers[b].kept->on.front()),
          ": keeps ", subject.names.buffer(buffers[b].kept->as), " for ",
          subject.names.buffer(int(b)), ", which has another value");
}
