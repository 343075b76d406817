#include "runtime/backends/cpu/CpuWorker.h"

#include "kernels/cpu/Boxes.h"
#include "runtime/backends/cpu/Accesses.h"
#include "runtime/backends/host/Arenas.h"
#include "runtime/backends/host/Bring.h"
#include "runtime/plan/Regions.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;
using plan::Opcode;

namespace {
/// Elements that one thread moves at a time: they stay in its cache while the
/// partial results are added up.
constexpr int64_t elementsPerMove = 1 << 16;

/// The same where they are added up in f32, and then rounded: on the stack.
constexpr int64_t elementsPerSum = 1 << 12;
} // namespace

Status CpuWorker::start() {
  threads.adopt();
  const auto pack = [shared = shared, number = number, from = arena()](
                        int buffer, const Box &box, std::byte *to) {
    packBox(shared->partitioned, number, from, buffer, box, to);
    return Status();
  };
  shared->transport.offer(number, {{shared, arena()}, pack});
  return {};
}

TensorType CpuWorker::typeOf(int buffer) const {
  const plan::Program &program = shared->program();
  const plan::BufferInfo &info = program.buffers[size_t(buffer)];
  return {plan::elementType(program, buffer),
          program.tensors[size_t(info.tensor)].type.shape};
}

BufferView CpuWorker::view(int buffer) const {
  const plan::Partitioned &partitioned = shared->partitioned;
  return {arena() + placeOf(partitioned, number, buffer),
          partitioned.box(number, buffer), typeOf(buffer), false};
}

/// A parameter that is read by one instruction only, is no output, shares its
/// bytes with nothing, and stays as it is.
bool CpuWorker::isExclusive(int buffer) const {
  const plan::Program &program = shared->program();
  bool parameter = false;
  for (const plan::Parameter &p : program.parameters)
    parameter |= p.buffer == buffer && p.next < 0;
  for (const plan::Port &port : program.outputs)
    parameter &= port.buffer != buffer;
  int readers = 0;
  for (const plan::Instruction &i : program.instructions) {
    if (i.to == buffer || i.from == buffer)
      return false;
    readers += int(std::count(i.operands.begin(), i.operands.end(), buffer));
  }
  if (!parameter || readers != 1)
    return false;
  const auto bytes = [&](int b) {
    const int64_t at = placeOf(shared->partitioned, number, b);
    return Interval{at, at + volume(shared->partitioned.box(number, b)) *
                                 byteSize(typeOf(b).dtype)};
  };
  for (int b = 0; b < int(program.buffers.size()); ++b)
    if (b != buffer && !intersect(bytes(b), bytes(buffer)).empty())
      return false;
  return true;
}

Result<BoundKernelPtr> CpuWorker::bindCompute(int instruction) const {
  const plan::Instruction &what =
      shared->program().instructions[size_t(instruction)];
  const auto part = plan::written(shared->partitioned, number, instruction);
  if (!part)
    return BoundKernelPtr();
  if (!contains(shared->partitioned.box(number, what.to), *part))
    return fail("the result's buffer does not hold ", toString(*part));

  const plan::Kernel &kernel = shared->program().kernels[size_t(what.kernel)];
  const plan::Worker &worker = own();
  Binding binding{kernel,
                  shared->lambdas[size_t(what.kernel)],
                  shared->partitioned.indices(number, instruction),
                  view(what.to),
                  {},
                  {arena() + worker.workspaceOffset, worker.workspaceBytes},
                  threads,
                  shared->target,
                  shared->object};
  for (int operand : what.operands) {
    binding.operands.push_back(view(operand));
    if (kernel.kind == plan::KernelKind::Convolution)
      binding.operands.back().exclusive = isExclusive(operand);
  }
  return bindKernel(binding);
}

std::vector<CpuWorker::Move> CpuWorker::movesOf(int instruction) const {
  const plan::Instruction &what =
      shared->program().instructions[size_t(instruction)];
  std::vector<Move> list;
  // Where nothing has been put yet, a piece is copied, and combined elsewhere.
  const plan::Partitioned &partitioned = shared->partitioned;
  // Pieces of a fetch have no elements in common.
  std::vector<Box> fresh = {partitioned.box(number, what.to)};
  for (const Piece &piece : plan::piecesOf(partitioned, number, instruction)) {
    const auto add = [&](bool combine, const Box &box) {
      const std::byte *base = shared->transport.reach(piece.worker);
      list.push_back({combine, box, piece.worker,
                      base
                          ? base + placeOf(partitioned, piece.worker, what.from)
                          : nullptr,
                      &partitioned.box(piece.worker, what.from)});
    };
    if (what.op != Opcode::Reduce) {
      add(false, piece.box);
      continue;
    }
    std::vector<Box> rest, taken = {piece.box};
    for (const Box &free : fresh) {
      const Box first = intersect(free, piece.box);
      if (isEmpty(first)) {
        rest.push_back(free);
        continue;
      }
      add(false, first);
      for (Box &left : subtract(free, first))
        rest.push_back(std::move(left));
      std::vector<Box> others;
      for (const Box &box : taken)
        for (Box &left : subtract(box, first))
          others.push_back(std::move(left));
      taken = std::move(others);
    }
    fresh = std::move(rest);
    for (const Box &box : taken)
      if (!isEmpty(box))
        add(true, box);
  }
  return list;
}

Status CpuWorker::bind() {
  const auto &instructions = shared->program().instructions;
  kernels.resize(instructions.size());
  transfers.resize(instructions.size());
  for (size_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].op != Opcode::Compute) {
      transfers[i] = {movesOf(int(i)), exchangeOf(shared->partitioned, number,
                                                  int(i), shared->transport)};
      continue;
    }
    auto kernel = bindCompute(int(i));
    if (!kernel)
      return atNode(instructions[i], kernel.takeError());
    kernels[i] = std::move(*kernel);
  }
  return {};
}

/// Combines partial results in f32, and rounds what has become of them.
void CpuWorker::sumAndRound(const plan::Instruction &what, const BufferView &to,
                            const std::vector<Move> &list) {
  const cpu::Reduction reduction = *cpu::parseReduction(what.reducer);
  const std::vector<Box> tiles = cpu::tiles(to.box, elementsPerSum);
  threads.forEach(int64_t(tiles.size()), [&](int64_t i, int) {
    const Box &tile = tiles[size_t(i)];
    float sums[elementsPerSum];
    auto *bytes = reinterpret_cast<std::byte *>(sums);
    for (const Move &move : list) {
      const Box box = intersect(move.box, tile);
      if (isEmpty(box))
        continue;
      if (move.combine)
        cpu::combineBox(reduction, DType::F32, bytes, tile, move.from,
                        *move.fromBox, box);
      else
        cpu::copyBox(bytes, tile, move.from, *move.fromBox, box, sizeof(float));
    }
    cpu::roundBox(to.type.dtype, to.data, to.box, sums, tile);
  });
}

/// Brings what is out of reach to `brought`, and lets `list` begin there.
Status CpuWorker::bring(int instruction, std::vector<Move> &list,
                        std::vector<std::byte> &brought) const {
  const int buffer = shared->program().instructions[size_t(instruction)].from;
  const int64_t element = byteSize(typeOf(buffer).dtype);
  int64_t bytes = 0;
  for (const Move &move : list)
    bytes += move.from ? 0 : volume(move.box) * element;
  brought.resize(size_t(bytes));
  std::vector<Arrival> arrivals;
  std::byte *to = brought.data();
  for (Move &move : list) {
    if (move.from)
      continue;
    const int64_t count = volume(move.box) * element;
    arrivals.push_back({{move.worker, move.box}, to, count});
    move.from = to;
    move.fromBox = &move.box;
    to += count;
  }
  const auto &exchange = transfers[size_t(instruction)].exchange;
  return exchange
             ? shared->transport.collective(number, buffer, *exchange, arrivals)
             : shared->transport.move(number, buffer, arrivals);
}

Status CpuWorker::move(int instruction) {
  const plan::Instruction &what =
      shared->program().instructions[size_t(instruction)];
  const DType type = typeOf(what.from).dtype;
  const BufferView to = view(what.to);
  const Transfer &transfer = transfers[size_t(instruction)];
  const std::vector<Move> *all = &transfer.list;
  bool areReached = !transfer.exchange;
  if (plan::isMove(what.op))
    activity.hostTraffic.of(what.op) += volume(to.box) * byteSize(type);
  for (const Move &move : *all) {
    if (move.worker != number)
      activity.receivedBytes += volume(move.box) * byteSize(type);
    areReached &= move.from != nullptr;
  }
  std::vector<std::byte> brought;
  std::vector<Move> reached;
  if (!areReached) {
    reached = *all;
    if (Status done = bring(instruction, reached, brought); !done)
      return done;
    all = &reached;
  }
  const std::vector<Move> &list = *all;
  if (type != to.type.dtype) {
    sumAndRound(what, to, list);
    return {};
  }
  const auto reduction = cpu::parseReduction(what.reducer);
  const std::vector<Box> slabs = cpu::slabs(to.box, elementsPerMove);
  threads.forEach(int64_t(slabs.size()), [&](int64_t i, int) {
    for (const Move &move : list) {
      const Box box = intersect(move.box, slabs[size_t(i)]);
      if (isEmpty(box))
        continue;
      if (move.combine && reduction)
        cpu::combineBox(*reduction, type, to.data, to.box, move.from,
                        *move.fromBox, box);
      else
        cpu::copyBox(to.data, to.box, move.from, *move.fromBox, box,
                     byteSize(type));
    }
  });
  return {};
}

/// What a kernel may touch: its operands, and its result.
void CpuWorker::noteAccesses(int instruction) const {
  const plan::Instruction &what =
      shared->program().instructions[size_t(instruction)];
  const auto bytes = [](const BufferView &buffer) {
    return volume(buffer.box) * byteSize(buffer.type.dtype);
  };
  for (int operand : what.operands) {
    const BufferView buffer = view(operand);
    noteRead(buffer.data, bytes(buffer));
  }
  const BufferView result = view(what.to);
  noteWrite(result.data, bytes(result));
}

Status CpuWorker::run(int instruction) {
  if (shared->program().instructions[size_t(instruction)].op != Opcode::Compute)
    return transfers[size_t(instruction)].list.empty() ? Status()
                                                       : move(instruction);
  BoundKernel *kernel = kernels[size_t(instruction)].get();
  if (!kernel)
    return {};
  if (accessesAreNoted)
    noteAccesses(instruction);
  return kernel->run();
}

Status CpuWorker::submit(const Submission &submission) {
  Transport &transport = shared->transport;
  for (const Event &event : *submission.after)
    if (!transport.wait(event))
      return {};
  const int instruction = submission.instruction;
  std::unique_lock<std::mutex> turn;
  if (shared->turn &&
      shared->program().instructions[size_t(instruction)].op == Opcode::Compute)
    turn = std::unique_lock(*shared->turn);
  const double begin = shared->options.trace ? clockSeconds() : 0;
  if (!submission.isSkipped)
    if (Status done = run(instruction); !done)
      return atNode(shared->program().instructions[size_t(instruction)],
                    done.takeError());
  if (shared->options.trace)
    activity.executed.push_back({instruction, begin, clockSeconds() - begin});
  if (turn)
    turn.unlock();
  transport.signal(submission.done);
  return {};
}

Result<Activity> CpuWorker::finish() { return std::exchange(activity, {}); }
