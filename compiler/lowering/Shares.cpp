#include "compiler/lowering/Shares.h"

#include "dialects/support/Share.h"

#include <cstdlib>

using namespace smex;
using namespace smex::lowering;

std::vector<std::vector<int64_t>>
smex::lowering::digits(const std::vector<int64_t> &ways) {
  std::vector<std::vector<int64_t>> all(1);
  for (int64_t k : ways) {
    std::vector<std::vector<int64_t>> finer;
    for (const auto &prefix : all)
      for (int64_t digit = 0; digit < k; ++digit) {
        finer.push_back(prefix);
        finer.back().push_back(digit);
      }
    all = std::move(finer);
  }
  return all;
}

std::vector<Box> smex::lowering::shares(const std::vector<int64_t> &extents,
                                        const std::vector<int64_t> &choice,
                                        const std::vector<int64_t> &ways) {
  std::vector<Box> boxes;
  for (const auto &ofWorker : digits(ways)) {
    Box box = wholeBox(extents);
    for (size_t step = 0; step < ways.size(); ++step)
      takeShare(box, choice[step], ways[step], ofWorker[step]);
    boxes.push_back(std::move(box));
  }
  return boxes;
}

namespace {
/// The other workers, nearest first: neighbours were parted last, and share the
/// fastest links of most machines. Starting next to oneself spreads the load.
std::vector<int> byDistance(int worker, int workers) {
  std::vector<int> order = {worker};
  for (int d = 1; d < workers; ++d)
    order.push_back((worker + d) % workers);
  return order;
}

/// Takes from `missing` what `box` holds of it.
void take(std::vector<Box> &missing, const Box &box, int from,
          std::vector<Piece> &pieces) {
  std::vector<Box> rest;
  for (const Box &part : missing) {
    const Box common = intersect(part, box);
    if (isEmpty(common)) {
      rest.push_back(part);
      continue;
    }
    pieces.push_back({from, common});
    for (Box &left : subtract(part, common))
      rest.push_back(std::move(left));
  }
  missing = std::move(rest);
}
} // namespace

std::vector<Piece> smex::lowering::gather(const Box &wanted, int worker,
                                          const std::vector<Box> &held) {
  std::vector<Piece> pieces;
  if (isEmpty(wanted))
    return pieces;
  std::vector<Box> missing = {wanted};
  for (int from : byDistance(worker, int(held.size()))) {
    if (missing.empty())
      break;
    take(missing, held[from], from, pieces);
  }
  if (!missing.empty())
    pieces.clear();
  return pieces;
}

std::vector<Piece>
smex::lowering::gatherPartials(const Box &wanted, int worker,
                               const std::vector<Box> &held,
                               const std::vector<int> &groups) {
  std::vector<Piece> pieces;
  if (isEmpty(wanted))
    return pieces;
  int last = -1;
  for (int group : groups)
    last = std::max(last, group);
  for (int group = 0; group <= last; ++group) {
    std::vector<Box> missing = {wanted};
    for (int from : byDistance(worker, int(held.size())))
      if (groups[from] == group && !missing.empty())
        take(missing, held[from], from, pieces);
  }
  return pieces;
}
