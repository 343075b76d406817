#include "compiler/lowering/Work.h"

#include "dialects/support/Terms.h"

#include <set>

using namespace mlir;
using namespace smex;
using namespace smex::lowering;
using semantic::ApplyOp;
using semantic::DivisionAttr;

namespace {

DivisionAttr orWhole(DivisionAttr decided, const Ways &ways,
                     MLIRContext *context) {
  return decided ? decided : DivisionAttr::get(context, Divisions(ways.size()));
}

bool isOpaque(const tdl::Lambda &lambda) {
  return lambda.body->kind == tdl::ExprKind::Opaque;
}

/// How many distinct parts of the reduction workers have, none of them empty.
size_t partsOf(ApplyOp apply, const Divisions &indices, size_t rank,
               const Ways &ways) {
  const auto extents = apply.getExtents();
  std::set<std::vector<std::pair<int64_t, int64_t>>> parts;
  for (const Box &box : sharesOf(extents.vec(), indices, ways)) {
    std::vector<std::pair<int64_t, int64_t>> part;
    bool isNothing = box.isAbsent();
    for (size_t v = rank; v < box.size(); ++v) {
      part.push_back({box[v].lo, box[v].hi});
      isNothing |= box[v].empty() && extents[v] > 0;
    }
    if (!isNothing)
      parts.insert(std::move(part));
  }
  return parts.size();
}

} // namespace

DivisionAttr lowering::homeOf(Value value, const Ways &ways) {
  return orWhole(semantic::cutOf(value), ways, value.getContext());
}

bool lowering::isInTerms(Value value) {
  const DivisionAttr cut = semantic::cutOf(value);
  return cut && termSteps(cut.getValue()) != 0;
}

Work lowering::workOf(ApplyOp apply, const tdl::Lambda &lambda,
                      const Ways &ways, exec::Regions &regions) {
  MLIRContext *context = apply.getContext();
  const size_t rank = size_t(lambda.rank());
  const auto extents = apply.getExtents();
  const auto isReduced = [&](const Division &division) {
    return division.isPart() && size_t(division.dimension()) >= rank;
  };
  Divisions indices = orWhole(apply.getSplitAttr(), ways, context).getValue();
  // A reduction of nothing has no parts: each worker gives the identity.
  for (Division &division : indices)
    if (isReduced(division) && extents[size_t(division.dimension())] == 0)
      division = Division::whole();
  const bool isCut = llvm::any_of(indices, isReduced);
  Work work;
  work.partial = (isCut && partsOf(apply, indices, rank, ways) > 1) ||
                 termSteps(indices) != 0 || isInTerms(apply.getResult());
  work.indices = DivisionAttr::get(context, indices);
  work.result = work.indices;
  if (isCut)
    work.result =
        exec::ResultAttr::get(context, apply.getExtentsAttr(), work.indices);
  // Whoever computes all that it owns, and more, computes only that.
  const auto shape =
      cast<RankedTensorType>(apply.getResult().getType()).getShape();
  const DivisionAttr home = homeOf(apply.getResult(), ways);
  if (!work.partial && !isOpaque(lambda) &&
      contains(regions.of(work.result, shape), regions.of(home, shape)))
    work.result = work.indices = home;
  return work;
}
