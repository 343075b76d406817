#include "runtime/plan/Lifetimes.h"

#include <algorithm>
#include <limits>
#include <map>

using namespace smex;
using namespace smex::plan;

std::vector<Lifetime> plan::lifetimes(const Partitioned &partitioned,
                                      int worker) {
  const Program &program = partitioned.program;
  const Worker &own = partitioned.workers[size_t(worker)];
  const int end = int(program.instructions.size()) + 1;
  std::vector<Lifetime> spans(program.buffers.size());
  for (size_t b = 0; b < spans.size(); ++b) {
    const bool isHost = partitioned.space(worker, int(b)) == Space::Host;
    spans[b] = {int(b), std::numeric_limits<int>::max(), -1,
                isHost ? 0
                       : volume(partitioned.box(worker, int(b))) *
                             byteSize(elementType(program, int(b)))};
  }
  const auto touch = [&](int buffer, int time) {
    Lifetime &span = spans[size_t(partitioned.storage(worker, buffer))];
    span.lower = std::min(span.lower, time);
    span.upper = std::max(span.upper, time + 1);
  };
  for (int i = 0; i + 1 < end; ++i) {
    const Instruction &instruction = program.instructions[size_t(i)];
    if (partitioned.isKept(worker, instruction.to))
      continue;
    touch(instruction.to, i);
    for (int operand : instruction.operands)
      touch(operand, i);
    if (instruction.from >= 0)
      touch(instruction.from, i);
  }
  for (const Port &input : program.inputs)
    touch(input.buffer, -1);
  for (const Port &output : program.outputs)
    touch(output.buffer, end - 1);
  for (const Parameter &parameter : program.parameters) {
    touch(parameter.buffer, -1);
    touch(parameter.buffer, end - 1);
    if (parameter.next < 0)
      continue;
    touch(parameter.next, end - 1);
    if (partitioned.offset(worker, parameter.next) ==
        partitioned.offset(worker, parameter.buffer))
      spans[size_t(partitioned.storage(worker, parameter.next))].bytes = 0;
  }
  // What is written over an operand lives on in its place.
  std::vector<int> place(spans.size());
  for (size_t b = 0; b < place.size(); ++b)
    place[b] = int(b);
  for (int i = 0; i + 1 < end; ++i) {
    const Instruction &instruction = program.instructions[size_t(i)];
    const auto at = [&](int buffer) {
      return partitioned.offset(worker, buffer);
    };
    const int to = instruction.to;
    for (int read : instruction.operands) {
      const int operand = partitioned.storage(worker, read);
      if (partitioned.isKept(worker, to))
        break;
      Lifetime &over = spans[size_t(place[size_t(operand)])];
      Lifetime &result = spans[size_t(to)];
      if (operand == to || at(operand) != at(to) || over.bytes != result.bytes)
        continue;
      over.upper = std::max(over.upper, result.upper);
      result.bytes = 0;
      place[size_t(to)] = place[size_t(operand)];
      break;
    }
  }
  for (const int64_t bytes : {own.workspaceBytes, own.stagingBytes})
    spans.push_back({-1, -1, end, bytes});
  spans.erase(std::remove_if(spans.begin(), spans.end(),
                             [](const Lifetime &span) {
                               return span.bytes == 0 || span.upper < 0;
                             }),
              spans.end());
  return spans;
}

MostAlive plan::mostAlive(const std::vector<Lifetime> &lifetimes) {
  std::map<int, int64_t> changes;
  for (const Lifetime &span : lifetimes) {
    changes[span.lower] += span.bytes;
    changes[span.upper] -= span.bytes;
  }
  MostAlive most;
  int64_t alive = 0;
  for (const auto &[time, change] : changes)
    if ((alive += change) > most.bytes)
      most = {alive, time};
  return most;
}
