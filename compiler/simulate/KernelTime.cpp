#include "compiler/simulate/KernelTime.h"

#include "dialects/tdl/analysis/NestedProduct.h"
#include "dialects/tdl/analysis/ProductOfReads.h"
#include "dialects/tdl/analysis/Properties.h"

#include <algorithm>
#include <set>

using namespace smex;
using namespace smex::simulate;
using machines::Device;
using machines::Efficiency;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

/// x where conditions hold, as gradients have it, is x for this purpose.
const ExprRef &unguarded(const ExprRef &e) {
  const bool zeroElse =
      e->kind == ExprKind::Select && (e->children[2]->kind == ExprKind::Int ||
                                      e->children[2]->kind == ExprKind::Float);
  return zeroElse ? unguarded(e->children[1]) : e;
}

} // namespace

Work simulate::workOf(const tdl::Lambda &given) {
  if (analysis::matchNestedProduct(given))
    return Work::Nested;
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
    // x - y == 0 is x == y, which is how gradients of reads have it.
    const ExprRef &left = e->children[0], &right = e->children[1];
    const bool isDifference =
        e->binary == tdl::BinaryOp::Eq && left->kind == ExprKind::Binary &&
        left->binary == tdl::BinaryOp::Sub && right->kind == ExprKind::Int &&
        right->integer == 0;
    const auto &sides = isDifference ? left->children : e->children;
    for (int side : {0, 1}) {
      const Used term = usedBy(sides[size_t(side)]),
                 place = usedBy(sides[size_t(1 - side)]);
      // A key may have several dimensions, as tokens of samples do; rows that
      // bound a range have one.
      const bool isKey = e->binary == tdl::BinaryOp::Eq
                             ? !term.reductions.empty()
                             : term.reductions.size() == 1;
      if (isKey && term.outputs.empty() && place.outputs.size() == 1 &&
          place.reductions.empty() &&
          (e->binary == tdl::BinaryOp::Eq ? term.reads : place.reads))
        return *place.outputs.begin();
    }
    return std::nullopt;
  };
  return lambda.guard ? find(lambda.guard, find) : std::nullopt;
}

std::vector<int> simulate::gathers(const tdl::Lambda &lambda) {
  std::vector<int> counts(lambda.operands.size(), 0);
  tdl::walk(lambda.body, [&](const ExprRef &e) {
    if (e->kind == ExprKind::Read &&
        std::any_of(e->children.begin(), e->children.end(), tdl::readsData))
      ++counts[size_t(e->operand)];
  });
  return counts;
}

double simulate::gatheredBytes(const Device &device, double read,
                               double region) {
  const double again = std::max(0.0, read - region);
  const double missed =
      device.cacheBytes && region > 0
          ? std::max(0.0, 1 - double(*device.cacheBytes) / region)
          : 0;
  return std::min(read, region) + again * missed;
}

double simulate::bytesOf(const Box &part, int64_t elementBytes) {
  double bytes = part.isAbsent() ? 0 : double(elementBytes);
  for (Interval interval : part)
    bytes *= double(interval.size());
  return bytes;
}

bool simulate::hasAlignedRows(const Box &part, int64_t elementBytes) {
  return part.size() == 0 || part.isAbsent() ||
         part.back().size() * elementBytes % 16 == 0;
}

KernelTime::KernelTime(const tdl::Lambda &lambda)
    : work(workOf(lambda)),
      flopsPerPoint(double(analysis::flopsPerPoint(lambda))),
      countedShare(simulate::countedShare(lambda)),
      gathers(simulate::gathers(lambda)),
      sharedOut(simulate::sharedOut(lambda)) {
  if (work == Work::Nested)
    innerType = analysis::matchNestedProduct(lambda)->inner.front().left->type;
}

double KernelTime::counted(double points,
                           const std::vector<int64_t> &result) const {
  const double vertices =
      sharedOut ? double(std::max<int64_t>(1, result[size_t(*sharedOut)])) : 1;
  return points * countedShare / vertices;
}

double KernelTime::counted(double points, double share) const {
  return points * countedShare * share;
}

double KernelTime::bytesRead(const Device &device, size_t k, double region,
                             double element, double counted) const {
  if (k >= gathers.size() || gathers[k] == 0)
    return region;
  return gatheredBytes(device, gathers[k] * counted * element, region);
}

void KernelTime::addReads(const Device &device, const Box &share,
                          const analysis::CountedTerms *terms,
                          const std::vector<int64_t> &result,
                          const std::vector<Part> &parts,
                          Amounts &amounts) const {
  const auto known = terms ? terms->share(share) : std::nullopt;
  const double points = bytesOf(share, 1);
  amounts.points =
      known ? counted(points, known->ofPoints) : counted(points, result);
  for (size_t k = 0; k < parts.size(); ++k) {
    const auto &[box, elementBytes] = parts[k];
    amounts.aligned &= hasAlignedRows(box, elementBytes);
    const double ofTerms = known && terms->hasTerms()[k] ? known->ofTerms : 1;
    amounts.bytes += bytesRead(device, k, ofTerms * bytesOf(box, elementBytes),
                               double(elementBytes), amounts.points);
  }
}

double KernelTime::seconds(const Device &device, DType type, double counted,
                           double bytes, bool aligned) const {
  const double flops = flopsPerPoint * counted;
  // FlashAttention-2, by the same instructions as our kernels, is at 35 % of an
  // H100's peak (arXiv 2407.08608, abstract); ours are not measured yet.
  constexpr double nestedEfficiency = 0.35;
  const auto known = device.flops.find(work == Work::Nested ? innerType : type);
  const double peak =
      known == device.flops.end() ? device.flops.at(DType::F32) : known->second;
  // w / (peak * most * w / (w + half)), which holds for w = 0, too.
  double arithmetic = flops / peak;
  if (work == Work::Nested)
    arithmetic /= nestedEfficiency;
  else if (work != Work::Memory) {
    const Efficiency &reached =
        work == Work::Contraction ? device.contraction : device.convolution;
    const bool slow = !aligned && (type == DType::F16 || type == DType::BF16);
    const double most =
        slow ? reached.mostUnaligned.value_or(reached.most) : reached.most;
    arithmetic =
        (flops + reached.halfFlops) / (peak * most) + reached.rampSeconds;
  }
  return std::max(arithmetic, bytes / device.memoryRate());
}
