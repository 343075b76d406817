#include "dialects/support/Shares.h"

using namespace smex;

int64_t smex::workersOf(const Ways &ways) {
  int64_t workers = 1;
  for (int64_t k : ways)
    workers *= k;
  return workers;
}

std::vector<int64_t> smex::digitsOf(const Ways &ways, int64_t worker) {
  std::vector<int64_t> digits(ways.size());
  for (size_t s = ways.size(); s-- > 0; worker /= ways[s])
    digits[s] = worker % ways[s];
  return digits;
}

namespace {

/// `before`: how many groups the steps before have made.
Status validate(const Division &division, size_t rank, int64_t ways,
                int64_t before) {
  if (division.isPlaced() && (division.group() < 0 || division.group() >= ways))
    return fail("no group ", division.group(), " of ", ways);
  if (!division.isPart())
    return {};
  if (division.dimension() < 0 || size_t(division.dimension()) >= rank)
    return fail("no dimension ", division.dimension());
  if (const auto &weights = division.weights(); !weights.empty()) {
    if (int64_t(weights.size()) != ways)
      return fail(weights.size(), " weights for ", ways, " groups");
    int64_t largest = 0;
    for (int64_t weight : weights) {
      if (weight < 0)
        return fail("a weight of ", weight);
      largest = std::max(largest, weight);
    }
    if (largest == 0)
      return fail("all weights are 0");
  }
  if (const auto &bounds = division.bounds(); !bounds.empty()) {
    if (int64_t(bounds.size()) != before)
      return fail("bounds of ", bounds.size(), " groups; there are ", before);
    for (const std::vector<int64_t> &list : bounds)
      if (int64_t(list.size()) != ways - 1 ||
          !std::is_sorted(list.begin(), list.end()))
        return fail("bounds that are not ", ways - 1, " ascending numbers");
  }
  return {};
}

/// The shares of the workers of one group, in order.
class AllShares {
public:
  AllShares(const Divisions &divisions, const Ways &ways)
      : divisions(divisions), ways(ways) {
    boxes.reserve(size_t(workersOf(ways)));
  }

  void visit(size_t step, const Box &box, int64_t before) {
    if (step == ways.size()) {
      boxes.push_back(box);
      return;
    }
    for (int64_t group = 0; group < ways[step]; ++group) {
      Box share = box;
      divisions[step].take(share, ways[step], group, before);
      visit(step + 1, share, before * ways[step] + group);
    }
  }

  std::vector<Box> boxes;

private:
  const Divisions &divisions;
  const Ways &ways;
};

class Gathering {
public:
  Gathering(const Box &wanted, const Divisions &divisions, const Ways &ways,
            int64_t worker)
      : wanted(wanted), divisions(divisions), ways(ways),
        digits(digitsOf(ways, worker)) {}

  /// `box` is what the groups of the steps before have, `before` their number.
  void visit(size_t step, const Box &box, int64_t before) {
    if (isEmpty(intersect(box, wanted)))
      return;
    if (step == ways.size()) {
      pieces.push_back({int(before), intersect(box, wanted)});
      return;
    }
    const Division &division = divisions[step];
    const int64_t k = ways[step];
    const auto enter = [&](int64_t group) {
      Box share = box;
      division.take(share, k, group, before);
      visit(step + 1, share, before * k + group);
    };
    switch (division.kind()) {
    case Division::Kind::Whole:
      return enter(digits[step]);
    case Division::Kind::Placed:
      return enter(division.group());
    case Division::Kind::Part:
      for (int64_t i = 0; i < k; ++i)
        enter((digits[step] + i) % k);
      return;
    case Division::Kind::Term:
      for (int64_t group = 0; group < k; ++group)
        enter(group);
      return;
    }
  }

  std::vector<Piece> pieces;

private:
  const Box &wanted;
  const Divisions &divisions;
  const Ways &ways;
  const std::vector<int64_t> digits;
};

} // namespace

Status smex::validate(const Divisions &divisions, size_t rank,
                      const Ways &ways) {
  if (divisions.size() != ways.size())
    return fail(divisions.size(), " divisions for ", ways.size(), " steps");
  int64_t before = 1;
  for (size_t s = 0; s < ways.size(); before *= ways[s++])
    if (Status status = ::validate(divisions[s], rank, ways[s], before);
        !status)
      return fail("step ", s + 1, ": ", status.error().message);
  return {};
}

Box smex::shareOf(const std::vector<int64_t> &extents,
                  const Divisions &divisions, const Ways &ways,
                  int64_t worker) {
  Box box = wholeBox(extents);
  const std::vector<int64_t> digits = digitsOf(ways, worker);
  int64_t before = 0;
  for (size_t s = 0; s < ways.size(); ++s) {
    divisions[s].take(box, ways[s], digits[s], before);
    before = before * ways[s] + digits[s];
  }
  return box;
}

std::vector<Box> smex::sharesOf(const std::vector<int64_t> &extents,
                                const Divisions &divisions, const Ways &ways) {
  AllShares shares(divisions, ways);
  shares.visit(0, wholeBox(extents), 0);
  return std::move(shares.boxes);
}

std::vector<Piece> smex::piecesOf(const Box &wanted,
                                  const std::vector<int64_t> &extents,
                                  const Divisions &divisions, const Ways &ways,
                                  int64_t worker) {
  Gathering gathering(wanted, divisions, ways, worker);
  gathering.visit(0, wholeBox(extents), 0);
  return std::move(gathering.pieces);
}
