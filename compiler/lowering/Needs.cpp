#include "compiler/lowering/Needs.h"

#include "compiler/partition/Fetches.h"

using namespace mlir;
using namespace smex;
using namespace smex::lowering;
using partition::JoinedFetch;
using partition::Needed;

bool lowering::contains(const Boxes &outer, const Boxes &inner) {
  for (size_t w = 0; w < inner.size(); ++w)
    if (!smex::contains(outer[w], inner[w]))
      return false;
  return true;
}

Runs Need::rowsOf(size_t worker) const {
  const Box &box = (*boxes)[worker];
  if (isEmpty(box))
    return {};
  return rows ? (*rows)[worker] : Runs{box[0]};
}

// As partition::containsAll.
bool lowering::contains(const Need &outer, const Need &inner) {
  if (!contains(*outer.boxes, *inner.boxes))
    return false;
  if (outer.rows || inner.rows)
    for (size_t w = 0; w < inner.boxes->size(); ++w)
      if (!smex::contains(outer.rowsOf(w), inner.rowsOf(w)))
        return false;
  return true;
}

static partition::Region regionOf(const Need &need) {
  partition::Region region;
  for (size_t w = 0; w < need.boxes->size(); ++w)
    region.push_back(
        {(*need.boxes)[w], need.rows ? &(*need.rows)[w] : nullptr});
  return region;
}

/// The union, as a need: of the first reader whose boxes hold all, if there is
/// one.
static Need unionOf(const JoinedFetch &fetch, const std::vector<Need> &needs,
                    ArrayRef<int64_t> shape, exec::Regions &regions,
                    MLIRContext *context) {
  Boxes boxes;
  exec::RowLists rows;
  for (const Needed &needed : fetch.region) {
    boxes.push_back(needed.box);
    rows.push_back(rowsOf(needed));
  }
  Need need;
  for (size_t i : fetch.of)
    if (!need.of && *needs[i].boxes == boxes)
      need.of = needs[i].of;
  if (!need.of) {
    for (Box &box : boxes)
      if (isEmpty(box))
        box = Box::absent(shape.size());
    need.of = exec::BoxesAttr::get(context, boxes);
  }
  need.boxes = &regions.of(need.of, shape);
  // What is fetched whole has a collective's name.
  if (hasRows(fetch.region))
    need.rows = std::move(rows);
  return need;
}

std::vector<Need> lowering::joined(const std::vector<Need> &needs,
                                   const Boxes &owned, ArrayRef<int64_t> shape,
                                   exec::Regions &regions,
                                   MLIRContext *context) {
  std::vector<partition::Region> needed;
  for (const Need &need : needs)
    needed.push_back(regionOf(need));
  std::vector<Need> all;
  for (const JoinedFetch &fetch : fetchesOf(needed, owned))
    all.push_back(fetch.of.size() == 1
                      ? needs[fetch.of.front()]
                      : unionOf(fetch, needs, shape, regions, context));
  // Who reads no row at all needs a buffer nonetheless.
  for (const Need &need : needs)
    if (llvm::none_of(all,
                      [&](const Need &other) { return contains(other, need); }))
      all.push_back(need);
  return all;
}
