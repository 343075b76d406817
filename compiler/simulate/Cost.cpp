#include "compiler/simulate/Cost.h"

#include "dialects/tdl/analysis/ProductOfReads.h"
#include "dialects/tdl/analysis/Properties.h"
#include "dialects/tdl/lambda/Lambda.h"
#include "runtime/plan/Epilogue.h"

#include <algorithm>
#include <set>

using namespace smex;
using namespace smex::simulate;
using machines::Device;
using machines::Efficiency;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

double bytesOf(const Box &box, int64_t elementBytes) {
  double bytes = box.isAbsent() ? 0 : double(elementBytes);
  for (Interval interval : box)
    bytes *= double(interval.size());
  return bytes;
}

/// x where conditions hold, as gradients have it, is x for this purpose.
const ExprRef &unguarded(const ExprRef &e) {
  const bool zeroElse =
      e->kind == ExprKind::Select && (e->children[2]->kind == ExprKind::Int ||
                                      e->children[2]->kind == ExprKind::Float);
  return zeroElse ? unguarded(e->children[1]) : e;
}

} // namespace

Work simulate::workOf(const tdl::Lambda &given) {
  const tdl::Lambda lambda = analysis::rounded(given);
  const ExprRef &body = unguarded(lambda.body);
  if (lambda.reducer != tdl::Reducer::Sum || body->kind != ExprKind::Binary ||
      body->binary != tdl::BinaryOp::Mul)
    return Work::Memory;
  bool plain = true;
  for (const ExprRef &factor : body->children) {
    const ExprRef &read = unguarded(factor);
    if (read->kind != ExprKind::Read)
      return Work::Memory;
    bool reduced = false; // reads along the reduction
    for (const ExprRef &index : read->children) {
      plain &= index->kind == ExprKind::Index;
      tdl::walk(index, [&](const ExprRef &e) {
        reduced |= e->kind == ExprKind::Index && e->index >= lambda.rank();
      });
    }
    if (!reduced)
      return Work::Memory;
  }
  return plain && !lambda.guard ? Work::Contraction : Work::Convolution;
}

double simulate::countedShare(const tdl::Lambda &lambda) {
  const auto share = [](const ExprRef &e, const auto &self) -> double {
    if (e->kind != ExprKind::Binary)
      return 1;
    const ExprRef &left = e->children[0], &right = e->children[1];
    if (e->binary == tdl::BinaryOp::And)
      return self(left, self) * self(right, self);
    const bool isRest = left->kind == ExprKind::Binary &&
                        left->binary == tdl::BinaryOp::Mod &&
                        left->children[1]->kind == ExprKind::Int &&
                        left->children[1]->integer > 1;
    if (!isRest)
      return 1;
    const double divisor = double(left->children[1]->integer);
    if (e->binary == tdl::BinaryOp::Eq)
      return 1 / divisor;
    if (e->binary == tdl::BinaryOp::Lt && right->kind == ExprKind::Int)
      return std::clamp(double(right->integer) / divisor, 0.0, 1.0);
    return 1;
  };
  return lambda.guard ? share(lambda.guard, share) : 1;
}

std::optional<int> simulate::sharedOut(const tdl::Lambda &lambda) {
  // Which of the index variables an expression depends on, and whether it
  // reads.
  struct Used {
    std::set<int> outputs, reductions;
    bool reads = false;
  };
  const auto usedBy = [&](const ExprRef &e) {
    Used used;
    tdl::walk(e, [&](const ExprRef &part) {
      used.reads |= part->kind == ExprKind::Read;
      if (part->kind == ExprKind::Index)
        (part->index < lambda.rank() ? used.outputs : used.reductions)
            .insert(part->index);
    });
    return used;
  };
  const auto find = [&](const ExprRef &e,
                        const auto &self) -> std::optional<int> {
    if (e->kind != ExprKind::Binary)
      return std::nullopt;
    if (e->binary == tdl::BinaryOp::And) {
      const auto left = self(e->children[0], self);
      return left ? left : self(e->children[1], self);
    }
    if (e->binary != tdl::BinaryOp::Eq && e->binary != tdl::BinaryOp::Le &&
        e->binary != tdl::BinaryOp::Lt)
      return std::nullopt;
    for (int side : {0, 1}) {
      const Used term = usedBy(e->children[size_t(side)]),
                 place = usedBy(e->children[size_t(1 - side)]);
      if (term.reductions.size() == 1 && term.outputs.empty() &&
          place.outputs.size() == 1 && place.reductions.empty() &&
          (e->binary == tdl::BinaryOp::Eq ? term.reads : place.reads))
        return *place.outputs.begin();
    }
    return std::nullopt;
  };
  return lambda.guard ? find(lambda.guard, find) : std::nullopt;
}

Cost::Cost(const plan::Partitioned &partitioned, const Machine &machine)
    : program(partitioned.program), machine(machine), findings(0),
      subject(partitioned, "", findings), epilogues(plan::epilogues(program)) {
  for (size_t i = 0; i < program.instructions.size(); ++i)
    if (program.instructions[i].epilogueOf >= 0)
      for (size_t w = 0; w < partitioned.workers.size(); ++w)
        doneBefore[int(i)].push_back(
            hasWork(int(w), int(i)) &&
            plan::isInOneCall(partitioned, subject.lambdas, int(w), int(i)));
  for (const tdl::Lambda &lambda : subject.lambdas)
    kernels.push_back(
        {workOf(lambda),
         double(analysis::flopsPerPoint(lambda)) * countedShare(lambda),
         sharedOut(lambda)});
}

int64_t Cost::elementBytes(int buffer) const {
  return byteSize(plan::elementType(program, buffer));
}

bool Cost::hasWork(int worker, int instruction) const {
  return subject.written(worker, instruction).has_value();
}

bool Cost::isDoneBefore(int worker, int map) const {
  const auto found = doneBefore.find(map);
  return found != doneBefore.end() && found->second[size_t(worker)];
}

double Cost::computeSeconds(int worker, int number) const {
  if (isDoneBefore(worker, number))
    return 0;
  const plan::Instruction &instruction = program.instructions[size_t(number)];
  const OfKernel &kernel = kernels[size_t(instruction.kernel)];
  double flops = kernel.flopsPerPoint *
                 bytesOf(subject.partitioned.indices(worker, number), 1);
  if (kernel.sharedOut) {
    const auto &shape = subject.tensorOf(instruction.to).type.shape;
    flops /= double(std::max<int64_t>(1, shape[size_t(*kernel.sharedOut)]));
  }
  double bytes =
      bytesOf(*subject.written(worker, number), elementBytes(instruction.to));
  const std::vector<Box> regions = subject.regions(worker, number);
  for (size_t k = 0; k < regions.size(); ++k)
    bytes += bytesOf(regions[k], elementBytes(instruction.operands[k]));
  // Of an epilogue only the bias is read besides: its result is written instead
  // of the product's.
  if (const int map = epilogues[size_t(number)];
      map >= 0 && isDoneBefore(worker, map)) {
    const plan::Instruction &what = program.instructions[size_t(map)];
    const std::vector<Box> read = subject.regions(worker, map);
    for (size_t k = 0; k < read.size(); ++k)
      if (what.operands[k] != instruction.to)
        bytes += bytesOf(read[k], elementBytes(what.operands[k]));
  }

  const Device &device = machine.deviceOf(worker);
  const DType type = subject.tensorOf(instruction.to).type.dtype;
  const auto known = device.flops.find(type);
  const double peak =
      known == device.flops.end() ? device.flops.at(DType::F32) : known->second;
  // w / (peak * most * w / (w + half)), which holds for w = 0, too.
  double arithmetic = flops / peak;
  if (kernel.work != Work::Memory) {
    const Efficiency &reached = kernel.work == Work::Contraction
                                    ? device.contraction
                                    : device.convolution;
    arithmetic = (flops + reached.halfFlops) / (peak * reached.most) +
                 reached.rampSeconds;
  }
  return device.launchSeconds +
         std::max(arithmetic,
                  bytes / (device.memoryBandwidth * device.memoryEfficiency));
}

double Cost::localSeconds(int worker, int number) const {
  const plan::Instruction &instruction = program.instructions[size_t(number)];
  const int64_t size = elementBytes(instruction.from);
  double bytes = 0;
  for (const Piece &piece : plan::piecesOf(subject.partitioned, worker, number))
    if (piece.worker == worker)
      bytes += 2 * bytesOf(piece.box, size);
  const Device &device = machine.deviceOf(worker);
  return device.launchSeconds +
         bytes / (device.memoryBandwidth * device.memoryEfficiency);
}
