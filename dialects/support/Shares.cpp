#include "dialects/support/Shares.h"

#include <optional>
#include <tuple>

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

/// The walk of Gathering, of every worker, but not where it would find no step
/// that is not known already: who gathers from thousands crosses a few steps.
class Crossing {
public:
  Crossing(const Divisions &divisions, const Ways &ways)
      : divisions(divisions), ways(ways), possible(ways.size() + 1) {
    for (size_t s = ways.size(); s-- > 0;)
      possible[s] =
          possible[s + 1] |
          (divisions[s].isWhole() || ways[s] == 1 ? 0 : StepSet(1) << s);
  }

  void visit(const Box &wanted, const std::vector<int64_t> &extents,
             int64_t worker) {
    digits = digitsOf(ways, worker);
    visit(0, wholeBox(extents), 0, wanted, 0);
  }

  StepSet found = 0;

private:
  void visit(size_t step, const Box &box, int64_t before, const Box &wanted,
             StepSet crossed) {
    if (((crossed | possible[step]) & ~found) == 0 ||
        isEmpty(intersect(box, wanted)))
      return;
    if (step == ways.size()) {
      found |= crossed;
      return;
    }
    const Division &division = divisions[step];
    const int64_t own = digits[step], k = ways[step];
    const auto enter = [&](int64_t group) {
      Box share = box;
      division.take(share, k, group, before);
      visit(step + 1, share, before * k + group, wanted,
            crossed | (group == own ? 0 : StepSet(1) << step));
    };
    if (division.isWhole())
      return enter(own);
    if (division.isPlaced())
      return enter(division.group());
    for (int64_t i = 0; i < k; ++i)
      enter((own + i) % k);
  }

  const Divisions &divisions;
  const Ways &ways;
  std::vector<StepSet> possible; // from each step on
  std::vector<int64_t> digits;
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

Divisions smex::firstSteps(const Divisions &divisions, size_t steps) {
  Divisions first(divisions);
  std::fill(first.begin() + int64_t(steps), first.end(), Division::whole());
  return first;
}

Divisions smex::ofOwnTerms(const Divisions &divisions) {
  Divisions own(divisions);
  for (Division &division : own)
    if (division.isTerm())
      division = Division::whole();
  return own;
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

std::vector<Piece> smex::termsOf(const Box &wanted,
                                 const std::vector<int64_t> &extents,
                                 const Divisions &divisions, const Ways &ways,
                                 int64_t worker) {
  const size_t rank = wanted.size();
  if (rank == extents.size())
    return piecesOf(wanted, extents, divisions, ways, worker);
  Box all = wanted;
  for (size_t d = rank; d < extents.size(); ++d)
    all.push_back({0, extents[d]});
  std::vector<Piece> pieces = piecesOf(all, extents, divisions, ways, worker);
  const auto isTermBefore = [rank](const Piece &a, const Piece &b) {
    return std::lexicographical_compare(
        a.box.begin() + int64_t(rank), a.box.end(),
        b.box.begin() + int64_t(rank), b.box.end(), [](Interval x, Interval y) {
          return std::tie(x.lo, x.hi) < std::tie(y.lo, y.hi);
        });
  };
  std::stable_sort(pieces.begin(), pieces.end(), isTermBefore);
  for (Piece &piece : pieces)
    piece.box = front(piece.box, rank);
  return pieces;
}

namespace {

/// How many parts that are not empty the divisions make of the dimensions from
/// `rank` on; nothing where parts are not the same for all other elements.
std::optional<int64_t> termCount(size_t rank,
                                 const std::vector<int64_t> &extents,
                                 const Divisions &divisions, const Ways &ways) {
  std::vector<std::vector<Interval>> parts; // of each of these dimensions
  for (size_t d = rank; d < extents.size(); ++d)
    parts.push_back({{0, extents[d]}});
  for (size_t s = 0; s < ways.size(); ++s) {
    const Division &division = divisions[s];
    if (division.isTerm())
      return std::nullopt;
    if (!division.isPart() || size_t(division.dimension()) < rank)
      continue;
    if (!division.bounds().empty())
      return std::nullopt; // which depend on the group
    std::vector<Interval> cut;
    auto &sides = parts[size_t(division.dimension()) - rank];
    for (Interval side : sides)
      for (int64_t group = 0; group < ways[s]; ++group)
        if (Interval part = division.partOf(side, ways[s], group, 0);
            !part.empty())
          cut.push_back(part);
    sides = std::move(cut);
  }
  int64_t count = 1;
  for (const std::vector<Interval> &sides : parts)
    count *= int64_t(sides.size());
  return count;
}

} // namespace

std::vector<int64_t> smex::receivedOf(const std::vector<Box> &wanted,
                                      const std::vector<Box> &own,
                                      const std::vector<int64_t> &extents,
                                      const Divisions &divisions,
                                      const Ways &ways) {
  std::vector<int64_t> received;
  if (wanted.empty())
    return received;
  const auto terms = termCount(wanted.front().size(), extents, divisions, ways);
  for (size_t w = 0; w < wanted.size(); ++w) {
    int64_t elements = 0;
    if (terms)
      elements =
          volume(wanted[w]) * *terms - volume(intersect(wanted[w], own[w]));
    else
      for (const Piece &piece :
           termsOf(wanted[w], extents, divisions, ways, int64_t(w)))
        elements += piece.worker == int(w) ? 0 : volume(piece.box);
    received.push_back(elements);
  }
  return received;
}

std::vector<int64_t> smex::crossingOf(const std::vector<Box> &wanted,
                                      const std::vector<int64_t> &extents,
                                      const Divisions &divisions,
                                      const Ways &ways, size_t steps) {
  std::vector<int64_t> crossing;
  if (wanted.empty())
    return crossing;
  // What a group of the first steps has together is what these steps leave it,
  // however the others divide that among its workers.
  const size_t rank = wanted.front().size();
  const Divisions ofGroup = firstSteps(divisions, steps);
  Divisions inGroup(divisions);
  std::fill_n(inGroup.begin(), steps, Division::whole());
  const auto terms = termCount(rank, extents, divisions, ways);
  const auto outer = termCount(rank, extents, ofGroup, ways);
  const auto inner = termCount(rank, extents, inGroup, ways);
  const bool alike = terms && outer && inner && *outer * *inner == *terms;
  const int64_t size = workersOf({ways.begin() + int64_t(steps), ways.end()});
  for (size_t w = 0; w < wanted.size(); ++w) {
    int64_t elements = 0;
    if (alike) {
      const Box group = shareOf(extents, ofGroup, ways, int64_t(w));
      const bool hasTerm =
          std::none_of(group.begin() + int64_t(rank), group.end(),
                       [](Interval side) { return side.empty(); });
      elements = volume(wanted[w]) * *terms;
      if (hasTerm)
        elements -= volume(intersect(wanted[w], front(group, rank))) * *inner;
    }
    if (!alike)
      for (const Piece &piece :
           termsOf(wanted[w], extents, divisions, ways, int64_t(w)))
        elements +=
            piece.worker / size == int64_t(w) / size ? 0 : volume(piece.box);
    crossing.push_back(elements);
  }
  return crossing;
}

std::vector<int> smex::groupOf(const Ways &ways, int64_t worker,
                               StepSet steps) {
  std::vector<int> group = {0};
  const std::vector<int64_t> digits = digitsOf(ways, worker);
  for (size_t s = 0; s < ways.size(); ++s) {
    std::vector<int> next;
    for (const int before : group)
      if (steps >> s & 1)
        for (int64_t digit = 0; digit < ways[s]; ++digit)
          next.push_back(int(before * ways[s] + digit));
      else
        next.push_back(int(before * ways[s] + digits[s]));
    group = std::move(next);
  }
  return group;
}

StepSet smex::differences(const Ways &ways, int64_t a, int64_t b) {
  StepSet steps = 0;
  for (size_t s = ways.size(); s-- > 0; a /= ways[s], b /= ways[s])
    if (a % ways[s] != b % ways[s])
      steps |= StepSet(1) << s;
  return steps;
}

StepSet smex::crossedSteps(const std::vector<Box> &wanted,
                           const std::vector<int64_t> &extents,
                           const Divisions &divisions, const Ways &ways) {
  Crossing crossing(divisions, ways);
  for (size_t w = 0; w < wanted.size(); ++w) {
    Box all = wanted[w];
    for (size_t d = all.size(); d < extents.size(); ++d)
      all.push_back({0, extents[d]});
    crossing.visit(all, extents, int64_t(w));
  }
  return crossing.found;
}
