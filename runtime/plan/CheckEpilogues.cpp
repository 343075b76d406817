// Maps that can be done at the place of their product in the list. By their
// lambdas and tensors they are epilogues: load() has seen to that. That a bias
// is there when the product starts, and that memory is nobody else's, is found
// where all reads and writes are looked at (CheckMemory.cpp).
#include "runtime/plan/Epilogue.h"
#include "runtime/plan/Subject.h"

using namespace smex;
using namespace smex::plan;

namespace {

class Epilogues {
public:
  explicit Epilogues(const Subject &subject)
      : subject(subject), program(subject.program) {}

  void run() {
    for (size_t i = 0; i < program.instructions.size(); ++i)
      if (program.instructions[i].epilogueOf >= 0)
        check(int(i));
  }

private:
  void check(int map) {
    const int product = program.instructions[size_t(map)].epilogueOf;
    const int made = program.instructions[size_t(product)].to;
    if (const std::string other = otherUser(made, product, map); !other.empty())
      return add(map, other + " " + subject.names.buffer(made) +
                          ", which is not there when the two are done at once");
    for (size_t w = 0; w < subject.partitioned.workers.size(); ++w)
      if (const std::string why = differsOn(int(w), product, map); !why.empty())
        return add(map, why);
  }

  void add(int map, const std::string &why) {
    const int product = program.instructions[size_t(map)].epilogueOf;
    subject.findings.add(FindingKind::Epilogue, subject.names.prefix,
                         subject.names.instruction(map),
                         ": is no epilogue of instruction ", product, ": ",
                         why);
  }

  /// Who else reads or writes what the product makes: "instruction 7 (..)
  /// reads".
  std::string otherUser(int buffer, int product, int map) const {
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      const Instruction &each = program.instructions[i];
      bool reads = each.from == buffer;
      for (int operand : each.operands)
        reads |= operand == buffer;
      if (reads && int(i) != map)
        return subject.names.instruction(int(i)) + " reads";
      if (each.to == buffer && int(i) != product)
        return subject.names.instruction(int(i)) + " writes";
    }
    for (size_t b = 0; b < program.buffers.size(); ++b)
      if (const auto &kept = program.buffers[b].kept;
          kept && kept->as == buffer)
        return subject.names.buffer(int(b)) + " is, where that is kept,";
    for (const auto *ports : {&program.inputs, &program.outputs})
      for (const Port &port : *ports)
        if (port.buffer == buffer)
          return "\"" + port.name + "\" is";
    for (const Parameter &parameter : program.parameters)
      if (parameter.buffer == buffer || parameter.next == buffer)
        return "parameter \"" + parameter.name + "\" has";
    return "";
  }

  /// Both do the same elements, and put them in the same place.
  std::string differsOn(int w, int product, int map) const {
    const int made = program.instructions[size_t(product)].to,
              to = program.instructions[size_t(map)].to;
    const Box &box = subject.box(w, made);
    const auto first = subject.written(w, product),
               second = subject.written(w, map);
    if (!first && !second)
      return "";
    if (!first || !second || *first != box || *second != box ||
        subject.box(w, to) != box)
      return "they do not do the same on " + subject.names.gpu(w);
    if (!isEmpty(box) && subject.partitioned.offset(w, made) !=
                             subject.partitioned.offset(w, to))
      return subject.names.buffer(to) + " does not lie where " +
             subject.names.buffer(made) + " does on " + subject.names.gpu(w);
    return "";
  }

  const Subject &subject;
  const Program &program;
};

} // namespace

void plan::checkEpilogues(const Subject &subject) { Epilogues(subject).run(); }
