#include "runtime/plan/Totals.h"

#include "runtime/plan/Regions.h"

#include <array>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <tuple>

using namespace smex;
using namespace smex::plan;

int64_t Traffic::saturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum)
             ? std::numeric_limits<int64_t>::max()
             : sum;
}

namespace {

const TensorType &typeOf(const Program &program, int buffer) {
  return program.tensors[size_t(program.buffers[size_t(buffer)].tensor)].type;
}

/// Calls `use(worker, instruction, bytes)` for what comes from other workers.
template <typename Use>
void forEachTransfer(const Partitioned &partitioned, Use &&use) {
  const Program &program = partitioned.program;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    if (program.instructions[i].op == Opcode::Compute)
      continue;
    const int64_t element =
        smex::byteSize(elementType(program, program.instructions[i].from));
    const std::vector<int64_t> elements = received(partitioned, int(i));
    for (size_t w = 0; w < elements.size(); ++w)
      if (elements[w])
        use(w, i, elements[w] * element);
  }
}

void add(int64_t &sum, int64_t bytes) {
  sum = Traffic::saturatingAdd(sum, bytes);
}

/// The buffer that has the tensor first, or -1.
int firstBuffer(const Program &program, int tensor) {
  const auto isIt = [&](int buffer) {
    return program.buffers[size_t(buffer)].tensor == tensor &&
           !program.buffers[size_t(buffer)].partial;
  };
  for (const Port &input : program.inputs)
    if (isIt(input.buffer))
      return input.buffer;
  for (const Parameter &parameter : program.parameters)
    if (isIt(parameter.buffer))
      return parameter.buffer;
  for (const Instruction &instruction : program.instructions)
    if (isIt(instruction.to))
      return instruction.to;
  return -1;
}

std::string human(double value, double base,
                  const std::array<const char *, 7> &units) {
  size_t unit = 0;
  // 999.995 would print as 1000.00.
  while (unit + 1 < units.size() && value >= base - 0.005) {
    value /= base;
    ++unit;
  }
  char text[64];
  std::snprintf(text, sizeof text, unit ? "%.2f %s" : "%.0f %s", value,
                units[unit]);
  std::string result = text;
  if (result.back() == ' ')
    result.pop_back();
  return result;
}

} // namespace

Totals plan::totals(const Partitioned &partitioned) {
  Totals totals;
  for (const Worker &worker : partitioned.workers)
    totals.peakBytes.push_back(worker.arenaBytes);
  forEachTransfer(partitioned, [&](size_t, size_t, int64_t bytes) {
    add(totals.communicationBytes, bytes);
  });
  const Program &program = partitioned.program;
  for (const Instruction &instruction : program.instructions)
    if (isMove(instruction.op))
      for (size_t w = 0; w < partitioned.workers.size(); ++w)
        if (!partitioned.isKept(int(w), instruction.to))
          add(totals.hostTraffic.of(instruction.op),
              volume(partitioned.box(int(w), instruction.to)) *
                  smex::byteSize(elementType(program, instruction.to)));
  for (const Parameter &parameter : program.parameters)
    if (!parameter.state)
      add(totals.parameterBytes,
          byteCount(typeOf(program, parameter.buffer)).value_or(0));
  return totals;
}

std::vector<int> plan::repeated(const Program &program) {
  // By tensor, kernel and region: the buffers.
  std::map<std::tuple<int, int, int>, std::set<int>> known;
  std::vector<int> list;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction &what = program.instructions[i];
    if (what.op != Opcode::Compute)
      continue;
    std::set<int> &buffers = known[{program.buffers[size_t(what.to)].tensor,
                                    what.kernel, what.indices}];
    if (buffers.insert(what.to).second && buffers.size() > 1)
      list.push_back(int(i));
  }
  return list;
}

int64_t plan::bytesBetween(const Partitioned &partitioned, int64_t gpus) {
  const Program &program = partitioned.program;
  int64_t sum = 0;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction &instruction = program.instructions[i];
    if (instruction.op == Opcode::Compute)
      continue;
    const int64_t element =
        smex::byteSize(elementType(program, instruction.from));
    for (int64_t elements : crossing(partitioned, int(i), gpus))
      add(sum, elements * element);
  }
  return sum;
}

void plan::countBytes(const Partitioned &partitioned,
                      std::vector<LinkLevel> &levels) {
  int64_t inner = 1;
  for (LinkLevel &level : levels) {
    level.bytes = bytesBetween(partitioned, inner) -
                  bytesBetween(partitioned, level.gpus);
    inner = level.gpus;
  }
}

Traffic plan::traffic(const Partitioned &partitioned) {
  Traffic traffic;
  traffic.received.resize(partitioned.workers.size());
  traffic.instructions.resize(partitioned.program.instructions.size());
  forEachTransfer(partitioned, [&](size_t w, size_t i, int64_t bytes) {
    const Instruction &instruction = partitioned.program.instructions[i];
    Traffic::OfNode &node = traffic.nodes[instruction.node];
    add(instruction.op == Opcode::Fetch ? node.fetched : node.reduced, bytes);
    add(traffic.received[w], bytes);
    add(traffic.instructions[i], bytes);
  });
  return traffic;
}

std::string plan::cutOf(const Partitioned &partitioned, int tensor) {
  const int buffer = firstBuffer(partitioned.program, tensor);
  const auto &buffers = partitioned.program.buffers;
  if (buffer < 0)
    return std::any_of(buffers.begin(), buffers.end(),
                       [&](const BufferInfo &each) {
                         return each.partial && each.tensor == tensor;
                       })
               ? "in terms"
               : "nowhere";
  const auto less = [](const Box &a, const Box &b) {
    return std::lexicographical_compare(
        a.begin(), a.end(), b.begin(), b.end(), [](Interval x, Interval y) {
          return x.lo != y.lo ? x.lo < y.lo : x.hi < y.hi;
        });
  };
  std::set<Box, decltype(less)> distinct(less);
  size_t holders = 0, last = 0;
  for (size_t w = 0; w < partitioned.workers.size(); ++w) {
    const Box &box = partitioned.box(int(w), buffer);
    if (isEmpty(box))
      continue;
    ++holders;
    last = w;
    distinct.insert(box);
  }
  if (holders == 0)
    return "nowhere";
  if (holders == 1)
    return "on gpu" + std::to_string(last);
  if (distinct.size() == 1)
    return "whole on " + std::to_string(holders);
  // A grid has as many cells as its dimensions' parts make.
  size_t cells = 1;
  std::string grid;
  for (size_t d = 0; d < distinct.begin()->size(); ++d) {
    std::set<std::pair<int64_t, int64_t>> parts;
    for (const Box &box : distinct)
      parts.insert({box[d].lo, box[d].hi});
    cells *= parts.size();
    grid += (d ? " x " : "") + std::to_string(parts.size());
  }
  if (cells != distinct.size())
    grid = std::to_string(distinct.size()) + " shares";
  if (holders % distinct.size() == 0 && holders > distinct.size())
    grid += ", each on " + std::to_string(holders / distinct.size());
  else if (holders > distinct.size())
    grid += ", some held more than once";
  return grid;
}

std::string plan::humanBytes(int64_t bytes) {
  return human(double(bytes), 1024,
               {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"});
}

std::string plan::toString(const HostTraffic &traffic) {
  return humanBytes(traffic.toHost) + " to the host and " +
         humanBytes(traffic.fromHost) + " back";
}

std::string plan::humanCount(int64_t count) {
  return human(double(count), 1000, {"", "k", "M", "G", "T", "P", "E"});
}
