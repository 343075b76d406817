#include "compiler/offload/Problem.h"

#include <algorithm>

using namespace smex;
using namespace smex::offload;

namespace {

/// Sums of so many bytes of as many tensors as there may be do not overflow.
constexpr int64_t mostBytes = int64_t(1) << 48;
constexpr size_t mostTensors = size_t(1) << 14;

Status validateTensor(const Problem &problem, const Tensor &tensor) {
  if (int64_t(tensor.bytes.size()) != problem.memories())
    return fail("\"", tensor.name, "\" has bytes in ", tensor.bytes.size(),
                " memories of ", problem.memories());
  for (int64_t bytes : tensor.bytes)
    if (bytes < 0 || bytes > mostBytes)
      return fail("\"", tensor.name, "\" has ", bytes, " bytes");
  if (tensor.moved < 0 || tensor.moved > mostBytes)
    return fail("\"", tensor.name, "\" moves ", tensor.moved, " bytes");
  return {};
}

Status validateNext(const Problem &problem, const std::vector<int> &writer,
                    const std::vector<int> &lastReader) {
  std::vector<bool> hasNext(problem.tensors.size());
  for (size_t t = 0; t < problem.tensors.size(); ++t) {
    const Tensor &next = problem.tensors[t];
    if (next.nextOf < 0)
      continue;
    const auto of = size_t(next.nextOf);
    if (of >= problem.tensors.size() ||
        problem.tensors[of].start != Start::Either ||
        !problem.tensors[of].keepsPlace || hasNext[of])
      return fail("\"", next.name, "\" is the next value of tensor ", of,
                  ", which has none, or another one");
    hasNext[of] = true;
    const bool isRead = writer[t] == lastReader[of];
    if (writer[t] < lastReader[of] ||
        (isRead && problem.operations[size_t(writer[t])].over != int(of)) ||
        next.start != Start::Nowhere || !next.isMovable || next.toHost ||
        next.bytes != problem.tensors[of].bytes ||
        next.moved != problem.tensors[of].moved)
      return fail("\"", next.name, "\" cannot take the place of \"",
                  problem.tensors[of].name, "\"");
  }
  return {};
}

} // namespace

std::vector<int> smex::offload::nextValues(const Problem &problem) {
  std::vector<int> next(problem.tensors.size(), -1);
  for (size_t t = 0; t < next.size(); ++t)
    if (const int of = problem.tensors[t].nextOf; of >= 0)
      next[size_t(of)] = int(t);
  return next;
}

std::vector<int> smex::offload::writersOf(const Problem &problem) {
  std::vector<int> writers(problem.tensors.size(), -1);
  for (size_t o = 0; o < problem.operations.size(); ++o)
    for (int t : problem.operations[o].writes)
      writers[size_t(t)] = int(o);
  return writers;
}

std::vector<int64_t> smex::offload::costsAgain(const Problem &problem) {
  std::vector<int64_t> costs(problem.tensors.size(), -1);
  for (const Operation &op : problem.operations)
    if (op.again >= 0)
      costs[size_t(op.writes.front())] = op.again;
  return costs;
}

std::vector<int64_t>
smex::offload::whileRunning(const Problem &problem, const Operation &operation,
                            const std::vector<int64_t> &before, int under) {
  std::vector<int64_t> most = before;
  for (size_t m = 0; m < most.size(); ++m) {
    for (int t : operation.writes)
      most[m] += problem.tensors[size_t(t)].bytes[m];
    if (under >= 0)
      most[m] -= problem.tensors[size_t(under)].bytes[m];
    most[m] = std::max(most[m], before[m]);
  }
  return most;
}

Status smex::offload::validate(const Problem &problem) {
  if (problem.capacities.empty())
    return fail("there is no memory");
  for (int64_t capacity : problem.capacities)
    if (capacity < 0)
      return fail("a memory has ", capacity, " bytes");
  if (!problem.moves &&
      (problem.writesAll ||
       std::any_of(problem.tensors.begin(), problem.tensors.end(),
                   [](const Tensor &tensor) {
                     return tensor.start == Start::Host || tensor.toHost;
                   })))
    return fail("nothing may move, and something is to be on the host");
  if (problem.tensors.size() > mostTensors)
    return fail("more than ", mostTensors, " tensors");
  for (const Tensor &tensor : problem.tensors)
    if (Status valid = validateTensor(problem, tensor); !valid)
      return valid;
  std::vector<bool> isThere;
  for (const Tensor &tensor : problem.tensors)
    isThere.push_back(tensor.start != Start::Nowhere);
  const auto count = int(problem.tensors.size());
  for (const Tensor &tensor : problem.tensors)
    if (tensor.start == Start::Host && !tensor.isMovable)
      return fail("\"", tensor.name, "\" is on the host, and may not move");
    else if (tensor.start == Start::Either &&
             (!tensor.isMovable || tensor.toHost))
      return fail("\"", tensor.name,
                  "\" starts anywhere, and may not move, or must");
  std::vector<int> writer(problem.tensors.size(), -1), lastReader = writer;
  for (int o = 0; o < int(problem.operations.size()); ++o) {
    const Operation &op = problem.operations[size_t(o)];
    for (int t : op.reads) {
      if (t < 0 || t >= count || !isThere[size_t(t)])
        return fail("operation \"", op.name, "\" reads tensor ", t,
                    ", which is not there");
      lastReader[size_t(t)] = o;
    }
    for (int t : op.writes) {
      if (t < 0 || t >= count || isThere[size_t(t)])
        return fail("operation \"", op.name, "\" writes tensor ", t,
                    ", which is there already");
      isThere[size_t(t)] = true;
      writer[size_t(t)] = o;
    }
    if (op.over >= 0 &&
        (op.writes.size() != 1 || std::find(op.reads.begin(), op.reads.end(),
                                            op.over) == op.reads.end()))
      return fail("operation \"", op.name,
                  "\" writes over a tensor that it does not read");
    if (op.again < -1 || op.again > mostBytes)
      return fail("operation \"", op.name, "\" costs ", op.again,
                  " bytes when it runs again");
    if (op.again >= 0 &&
        (op.writes.size() != 1 ||
         problem.tensors[size_t(op.writes.front())].nextOf >= 0))
      return fail("operation \"", op.name,
                  "\" runs again, and writes no tensor, several, or a next "
                  "value");
  }
  if (Status valid = validateNext(problem, writer, lastReader); !valid)
    return valid;
  for (const Operation &op : problem.operations)
    if (op.over >= 0 &&
        (problem.tensors[size_t(op.over)].keepsPlace ||
         problem.tensors[size_t(op.over)].nextOf >= 0) &&
        problem.tensors[size_t(op.writes.front())].nextOf != op.over)
      return fail("operation \"", op.name,
                  "\" writes over a tensor that has a place until the end");
  return {};
}

std::vector<std::vector<int64_t>>
smex::offload::needed(const Problem &problem) {
  using Bytes = std::vector<int64_t>;
  std::vector<int> last(problem.tensors.size(), -1); // reader
  for (int o = 0; o < int(problem.operations.size()); ++o)
    for (int t : problem.operations[size_t(o)].reads)
      last[size_t(t)] = o;
  Bytes staying(size_t(problem.memories())); // what may not be moved
  const auto add = [&](Bytes &to, int t, int64_t sign) {
    for (size_t m = 0; m < to.size(); ++m)
      to[m] += sign * problem.tensors[size_t(t)].bytes[m];
  };
  const std::vector<int64_t> again = costsAgain(problem);
  // Until the end, where nothing moves: parameters and their next values.
  const auto isPlaced = [&](int t) {
    const Tensor &tensor = problem.tensors[size_t(t)];
    return !problem.moves && (tensor.keepsPlace || tensor.nextOf >= 0);
  };
  const auto stays = [&](int t) {
    return !problem.mayMove(t) && again[size_t(t)] < 0 &&
           last[size_t(t)] >= 0 && !isPlaced(t);
  };
  for (int t = 0; t < int(last.size()); ++t)
    if (problem.tensors[size_t(t)].start != Start::Nowhere &&
        (stays(t) || isPlaced(t)))
      add(staying, t, 1);
  std::vector<Bytes> list;
  for (int o = 0; o < int(problem.operations.size()); ++o) {
    const Operation &op = problem.operations[size_t(o)];
    std::vector<int> reads = op.reads; // each once
    std::sort(reads.begin(), reads.end());
    reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
    Bytes before = staying;
    for (int t : reads)
      if (!stays(t) && !isPlaced(t))
        add(before, t, 1);
    const bool isOver = op.over >= 0 && (last[size_t(op.over)] == o ||
                                         again[size_t(op.over)] >= 0);
    int under = isOver ? op.over : -1;
    for (int t : op.writes)
      if (isPlaced(t))
        under = problem.tensors[size_t(t)].nextOf;
    list.push_back(whileRunning(problem, op, before, under));
    for (int t : reads)
      if (stays(t) && last[size_t(t)] == o)
        add(staying, t, -1);
    for (int t : op.writes)
      if (stays(t))
        add(staying, t, 1);
  }
  return list;
}

Largest smex::offload::largestOperation(const Problem &problem) {
  Largest largest;
  int64_t worst = 0; // what is lacking, or left over
  const std::vector<std::vector<int64_t>> all = needed(problem);
  for (int o = 0; o < int(all.size()); ++o) {
    const std::vector<int64_t> &bytes = all[size_t(o)];
    for (int m = 0; m < int(bytes.size()); ++m) {
      const int64_t lacking = bytes[size_t(m)] - problem.capacities[size_t(m)];
      if (largest.operation >= 0 && lacking <= worst)
        continue;
      worst = lacking;
      largest = {o, m, bytes[size_t(m)]};
    }
  }
  return largest;
}

Status smex::offload::checkFits(const Problem &problem) {
  const Largest largest = largestOperation(problem);
  if (largest.operation < 0 ||
      largest.bytes <= problem.capacities[size_t(largest.memory)])
    return {};
  return fail(
      "operation \"", problem.operations[size_t(largest.operation)].name,
      "\" alone needs ", largest.bytes, " bytes, more than the ",
      problem.capacities[size_t(largest.memory)],
      " there are; the smallest limit that works is ", largest.bytes, " bytes");
}
