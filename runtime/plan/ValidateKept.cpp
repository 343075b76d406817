// What workers keep in place of what others move back or compute again.
#include "runtime/plan/Validate.h"

#include <algorithm>
#include <set>

using namespace smex;
using namespace smex::plan;

namespace {

class KeptValidator {
public:
  KeptValidator(const Program &program, size_t workers, Complaint &complaint)
      : program(program), workers(workers), complaint(complaint) {
    for (const Port &input : program.inputs)
      sources.insert(input.buffer);
    for (const Parameter &parameter : program.parameters)
      sources.insert(parameter.buffer);
  }

  void run() {
    bool isAny = false;
    for (size_t b = 0; b < program.buffers.size() && !complaint; ++b)
      if (program.buffers[b].kept) {
        buffer(int(b), program.buffers[b], *program.buffers[b].kept);
        isAny = true;
      }
    if (!isAny)
      return;
    for (size_t i = 0; i < program.instructions.size() && !complaint; ++i)
      instruction(i, program.instructions[i]);
    for (size_t o = 0; o < program.outputs.size() && !complaint; ++o)
      output(o, program.outputs[o]);
    for (size_t p = 0; p < program.parameters.size() && !complaint; ++p)
      parameter(p, program.parameters[p]);
  }

private:
  template <typename... Parts>
  void refuse(int buffer, const char *key, Parts &&...parts) {
    complaint.add("buffers[", buffer, "].kept", key, ": ",
                  std::forward<Parts>(parts)...);
  }

  bool isKept(int buffer, int worker) const {
    const auto &kept = program.buffers[size_t(buffer)].kept;
    return kept && std::binary_search(kept->on.begin(), kept->on.end(), worker);
  }

  /// As Partitioned::space has it.
  Space spaceOf(int buffer, int worker) const {
    while (isKept(buffer, worker)) {
      const int as = program.buffers[size_t(buffer)].kept->as;
      if (as < 0)
        return Space::Device;
      buffer = as;
    }
    return program.buffers[size_t(buffer)].space;
  }

  void buffer(int number, const BufferInfo &info, const Kept &kept) {
    if (kept.on.empty())
      return refuse(number, ".on", "no GPU keeps it");
    for (size_t k = 0; k < kept.on.size(); ++k) {
      if (kept.on[k] < 0 || size_t(kept.on[k]) >= workers)
        return refuse(number, ".on", "there is no GPU ", kept.on[k],
                      ", there are ", workers);
      if (k > 0 && kept.on[k - 1] >= kept.on[k])
        return refuse(number, ".on", "is not in ascending order");
    }
    if (info.partial)
      return refuse(number, "", "is of a partial result");
    const bool isSource = sources.count(number) > 0;
    if (kept.as < 0) {
      if (!isSource || info.space != Space::Host)
        refuse(number, "",
               "only an input or a parameter on the host is kept "
               "as itself");
      return;
    }
    // So a buffer leads to one that is there in fewer steps than there are
    // buffers.
    if (isSource)
      return refuse(number, ".as", "an input or a parameter is kept as itself");
    if (kept.as >= number)
      return refuse(number, ".as", "buffer ", kept.as, " does not come before");
    const BufferInfo &there = program.buffers[size_t(kept.as)];
    if (there.tensor != info.tensor)
      return refuse(number, ".as", "buffer ", kept.as, " is of tensor ",
                    there.tensor, ", and not of ", info.tensor);
    if (there.partial)
      refuse(number, ".as", "buffer ", kept.as, " is a partial result");
  }

  /// What it reads is where it looks for it, on each GPU that does it; a fetch
  /// or a reduction looks on others.
  void instruction(size_t index, const Instruction &instruction) {
    const bool isLocal =
        instruction.op == Opcode::Compute || isMove(instruction.op);
    if (program.buffers[size_t(instruction.to)].kept && !isLocal)
      return complaint.add("instructions[", index, "].to: buffer ",
                           instruction.to,
                           " is kept on some GPUs; only a compute or a move "
                           "may be left out");
    const Space space =
        instruction.op == Opcode::FromHost ? Space::Host : Space::Device;
    std::vector<int> reads = instruction.operands;
    if (instruction.op != Opcode::Compute)
      reads = {instruction.from};
    for (int read : reads)
      for (size_t w = 0; program.buffers[size_t(read)].kept && w < workers; ++w)
        if (!isKept(instruction.to, int(w)) && spaceOf(read, int(w)) != space)
          return complaint.add("instructions[", index, "]: reads buffer ", read,
                               ", which GPU ", w, " keeps in another memory");
  }

  void output(size_t index, const Port &output) {
    for (size_t w = 0; w < workers; ++w)
      if (spaceOf(output.buffer, int(w)) != Space::Device)
        return complaint.add("outputs[", index, "].buffer: buffer ",
                             output.buffer, " is on the host of GPU ", w);
  }

  /// A parameter and what it becomes are in one space.
  void parameter(size_t index, const Parameter &parameter) {
    if (parameter.next < 0)
      return;
    for (size_t w = 0; w < workers; ++w)
      if (spaceOf(parameter.buffer, int(w)) != spaceOf(parameter.next, int(w)))
        return complaint.add("parameters[", index, "].next: buffer ",
                             parameter.next, " is in another memory of GPU ", w,
                             " than the parameter");
  }

  const Program &program;
  const size_t workers;
  Complaint &complaint;
  std::set<int> sources; // buffers that hold inputs and parameters
};

} // namespace

void plan::validateKept(const Program &program, size_t workers,
                        Complaint &complaint) {
  KeptValidator(program, workers, complaint).run();
}
