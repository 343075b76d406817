#include "dialects/support/Collective.h"
#include "test/dialects/support/RandomDivisions.h"

#include <catch2/catch.hpp>

#include <map>
#include <set>

using namespace smex;

namespace {

using Point = std::vector<int64_t>;
using Points = std::set<Point>;

Points pointsOf(const Box &box) {
  Points points;
  if (box.isAbsent())
    return points;
  points.insert(Point());
  for (Interval side : box) {
    Points next;
    for (const Point &point : points)
      for (int64_t i = side.lo; i < side.hi; ++i) {
        Point longer = point;
        longer.push_back(i);
        next.insert(longer);
      }
    points = std::move(next);
  }
  return points;
}

bool includes(const Points &all, const Points &some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

/// What the header says of each kind, point by point, of one group.
class ByPoints {
public:
  ByPoints(const std::vector<Box> &wanted, const std::vector<Box> &own,
           const std::vector<int> &members) {
    for (int member : members) {
      want.push_back(pointsOf(wanted[size_t(member)]));
      have.push_back(pointsOf(own[size_t(member)]));
      takers += !want.back().empty();
      sum += want.back().size();
      all.insert(want.back().begin(), want.back().end());
    }
  }

  bool wantsNothing() const { return all.empty(); }
  std::optional<CollectiveKind> kind(bool hasTerms) const {
    using Kind = CollectiveKind;
    if (hasTerms)
      return std::all_of(have.begin(), have.end(),
                         [&](const Points &own) { return includes(own, all); })
                 ? among(Kind::AllReduce, Kind::ReduceScatter, Kind::Reduce)
                 : std::nullopt;
    if (std::any_of(have.begin(), have.end(),
                    [&](const Points &own) { return includes(own, all); }))
      return among(Kind::Broadcast, Kind::Scatter, Kind::Send);
    const auto found = among(Kind::AllGather, Kind::AllToAll, Kind::Gather);
    return found || !isShift() ? found : Kind::Shift;
  }

private:
  std::optional<CollectiveKind>
  among(CollectiveKind alike, CollectiveKind parts, CollectiveKind one) const {
    if (takers == 1)
      return one;
    if (takers < want.size())
      return std::nullopt;
    if (sum == all.size() * want.size())
      return alike;
    return sum == all.size() ? std::optional(parts) : std::nullopt;
  }

  /// Each wants some of its own, and projected on any dimension but one what it
  /// wants is what it has.
  bool isShift() const {
    std::set<size_t> others;
    for (size_t m = 0; m < want.size(); ++m) {
      bool keeps = false;
      for (const Point &point : want[m])
        keeps |= have[m].count(point) > 0;
      if (!keeps)
        return false;
      for (size_t d = 0; d < want[m].begin()->size(); ++d)
        if (projected(want[m], d) != projected(have[m], d))
          others.insert(d);
    }
    return others.size() == 1;
  }

  static std::set<int64_t> projected(const Points &points, size_t d) {
    std::set<int64_t> numbers;
    for (const Point &point : points)
      numbers.insert(point[d]);
    return numbers;
  }

  std::vector<Points> want, have; // per member
  size_t takers = 0, sum = 0;
  Points all;
};

/// Of a tensor of the first `rank` dimensions.
std::vector<Box> ofTensor(const std::vector<Box> &boxes, size_t rank) {
  std::vector<Box> fronts;
  for (const Box &box : boxes)
    fronts.push_back(isEmpty(box) ? Box::absent(rank) : front(box, rank));
  return fronts;
}

std::optional<Collective> change(const std::vector<int64_t> &extents,
                                 const Divisions &from, const Divisions &to,
                                 const Ways &ways) {
  return collectiveOf(sharesOf(extents, to, ways),
                      sharesOf(extents, from, ways), extents, from, ways);
}

} // namespace

TEST_CASE("a change of division has the field's name") {
  using Kind = CollectiveKind;
  const Division whole, rows = Division::part(0), columns = Division::part(1),
                        term = Division::term(Reducer::Sum),
                        first = Division::placed(0),
                        second = Division::placed(1);
  const auto kind = [](const Division &from, const Division &to) {
    const auto found = change({4, 4}, {from}, {to}, {2});
    return found ? std::string(name(found->kind)) : "nothing";
  };
  CHECK(kind(rows, whole) == "all-gather");
  CHECK(kind(rows, columns) == "all-to-all");
  CHECK(kind(rows, first) == "gather");
  CHECK(kind(first, whole) == "broadcast");
  CHECK(kind(first, rows) == "scatter");
  CHECK(kind(first, second) == "send");
  CHECK(kind(term, whole) == "all-reduce");
  CHECK(kind(term, rows) == "reduce-scatter");
  CHECK(kind(term, second) == "reduce");
  CHECK(kind(whole, rows) == "nothing"); // it is there
  CHECK(kind(rows, rows) == "nothing");
  const std::vector<Box> halves = sharesOf({8}, {rows}, {2});
  CHECK(collectiveOf({Box{{0, 5}}, Box{{3, 8}}}, halves, {8}, {rows}, {2}) ==
        Collective{Kind::Shift, 1});
}

TEST_CASE("a collective is one of all the steps that it spans") {
  using Kind = CollectiveKind;
  const Division whole, rows = Division::part(0), columns = Division::part(1);
  CHECK(change({8, 8}, {rows, columns, rows}, {whole, columns, whole},
               {2, 2, 2}) == Collective{Kind::AllGather, 0b101});
  CHECK(change({8, 8}, {rows, columns}, {rows, whole}, {2, 2}) ==
        Collective{Kind::AllGather, 0b10});
  // Rows 0 and 1 of 4 go to workers 0 and 2, which have rows 0 and 2.
  CHECK(change({4, 4}, {rows, rows}, {whole, rows}, {2, 2}) == std::nullopt);
  // An all-to-all of the second step and an all-gather of the first.
  CHECK(change({4, 4}, {rows, rows}, {whole, columns}, {2, 2}) == std::nullopt);
}

TEST_CASE("names as each kind's points say, for divisions of all kinds") {
  std::map<std::string_view, int> seen;
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    INFO("seed " << seed);
    Draws random(seed);
    Ways ways;
    for (int64_t s = random.below(3); s >= 0; --s)
      ways.push_back(2 + random.below(2));
    std::vector<int64_t> extents;
    for (int64_t d = 1 + random.below(3); d > 0; --d)
      extents.push_back(1 + random.below(6));
    const size_t rank = 1 + size_t(random.below(int64_t(extents.size())));
    const std::vector<int64_t> shape(extents.begin(),
                                     extents.begin() + int64_t(rank));
    const Divisions from = randomDivisions(random, extents, ways);
    std::vector<Box> wanted =
        sharesOf(shape, randomDivisions(random, shape, ways), ways);
    if (random.below(3) == 0) // as windows read
      for (Box &box : wanted)
        if (!box.isAbsent() && !box[0].empty())
          box[0] = intersect({box[0].lo - 1, box[0].hi + 1}, {0, shape[0]});
    const std::vector<Box> own = ofTensor(sharesOf(extents, from, ways), rank);

    StepSet over = 0;
    for (int64_t w = 0; w < workersOf(ways); ++w)
      for (const Piece &piece :
           termsOf(wanted[size_t(w)], extents, from, ways, w))
        over |= differences(ways, w, piece.worker);
    bool hasTerms = false;
    for (size_t s = 0; s < ways.size(); ++s)
      hasTerms |= (over >> s & 1) &&
                  (from[s].isTerm() ||
                   (from[s].isPart() && size_t(from[s].dimension()) >= rank));
    std::set<std::optional<CollectiveKind>> kinds;
    for (int64_t w = 0; w < workersOf(ways); ++w)
      if (const ByPoints group(wanted, own, groupOf(ways, w, over));
          over && !group.wantsNothing())
        kinds.insert(group.kind(hasTerms));
    std::optional<Collective> expected;
    if (kinds.size() == 1 && *kinds.begin())
      expected = Collective{**kinds.begin(), over};

    const auto found = collectiveOf(wanted, own, extents, from, ways);
    CHECK(found.has_value() == expected.has_value());
    CHECK(found == expected);
    if (found)
      ++seen[name(found->kind)];
  }
  for (int k = 0; k < collectiveKinds; ++k) {
    INFO(name(CollectiveKind(k)));
    CHECK(seen[name(CollectiveKind(k))] > 5);
  }
}
