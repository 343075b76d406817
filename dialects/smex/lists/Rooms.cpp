#include "dialects/smex/lists/Rooms.h"

#include <algorithm>
#include <tuple>

using namespace smex;
using namespace smex::graph;
using Kind = GraphList::Kind;

static constexpr std::pair<Kind, std::string_view> names[] = {
    {Kind::BucketEdges, "bucket_edges"},
    {Kind::BucketLengths, "bucket_lengths"},
    {Kind::BucketNodes, "bucket_nodes"},
    {Kind::BucketPlaces, "bucket_places"},
    {Kind::LevelSources, "level_sources"},
    {Kind::LevelDestinations, "level_destinations"},
    {Kind::LevelNodes, "level_nodes"},
    {Kind::LevelPlaces, "level_places"}};

std::string_view graph::name(Kind kind) {
  for (const auto &[each, text] : names)
    if (each == kind)
      return text;
  return {};
}

std::optional<Kind> graph::parseListKind(std::string_view name) {
  for (const auto &[each, text] : names)
    if (text == name)
      return each;
  return std::nullopt;
}

int64_t LevelRoom::edges() const {
  int64_t sum = 0;
  for (const PairRoom &pair : from)
    sum += pair.edges;
  return sum;
}

int64_t Rooms::rows(size_t level) const {
  const LevelRoom &room = levels[level];
  return room.nodes + (!exact && !room.from.empty());
}

int64_t Rooms::firstRow(size_t level) const {
  int64_t sum = 0;
  for (size_t below = 0; below < level; ++below)
    sum += rows(below);
  return sum;
}

int64_t Rooms::bucketRows() const {
  int64_t sum = 0;
  for (const BucketRoom &room : buckets)
    sum += room.nodes;
  return sum;
}

int64_t Rooms::bucketEdges() const {
  int64_t sum = 0;
  for (const BucketRoom &room : buckets)
    sum += room.nodes * room.places();
  return sum;
}

Status graph::check(const Rooms &rooms) {
  // Sums of all of them fit, too: tensors are smaller than 2^48 bytes, and a
  // file does not list 2^20 rooms of that size.
  constexpr int64_t most = int64_t(1) << 40;
  const auto fits = [](int64_t number) {
    return 0 <= number && number <= most;
  };
  if (!fits(rooms.nodes) || !fits(rooms.edges))
    return fail("nodes and edges must be from 0 to 2^40");
  for (size_t b = 0; b < rooms.buckets.size(); ++b) {
    const auto [width, nodes] = rooms.buckets[b];
    if (!fits(width) || !fits(nodes) || (width && nodes > most / width))
      return fail("buckets[", b, "]: is beyond 2^40 messages");
    if (b && width <= rooms.buckets[b - 1].width)
      return fail("buckets[", b, "]: is not wider than the one before");
  }
  for (size_t l = 0; l < rooms.levels.size(); ++l) {
    if (!fits(rooms.levels[l].nodes))
      return fail("levels[", l, "]: nodes must be from 0 to 2^40");
    int64_t before = -1;
    for (const auto &[from, edges] : rooms.levels[l].from) {
      if (!fits(edges))
        return fail("levels[", l, "]: edges must be from 0 to 2^40");
      if (from <= before || from >= int64_t(l))
        return fail("levels[", l, "]: edges come from levels below it, in ",
                    "ascending order");
      before = from;
    }
  }
  return {};
}

bool GraphList::isOfAll() const {
  return kind != Kind::BucketLengths && kind != Kind::LevelSources &&
         kind != Kind::LevelDestinations;
}

bool GraphList::operator<(const GraphList &other) const {
  return std::tie(kind, at, from) < std::tie(other.kind, other.at, other.from);
}

std::string graph::nameOf(const GraphList &list) {
  const std::string_view text = name(list.kind);
  const size_t bar = text.find('_');
  const std::string group(text.substr(0, bar)), what(text.substr(bar + 1));
  if (list.isOfAll())
    return group + "s." + what;
  std::string made = group + std::to_string(list.at) + "." + what;
  if (list.kind == Kind::LevelSources && list.from + 1 != list.at)
    made += ".of" + std::to_string(list.from);
  return made;
}

std::optional<ListType> graph::typeOf(const GraphList &list,
                                      const Rooms &rooms) {
  const auto numbers = [](int64_t length, int64_t low, int64_t count) {
    return ListType{{DType::I64, {length}}, low, std::max(low, count - 1)};
  };
  const bool isOfAll = list.isOfAll();
  const bool isOfBucket = list.kind <= Kind::BucketPlaces;
  const size_t groups = isOfBucket ? rooms.buckets.size() : rooms.levels.size();
  if (groups == 0 || list.at < 0 || list.at >= int64_t(isOfAll ? 1 : groups) ||
      (list.kind != Kind::LevelSources && list.from != 0))
    return std::nullopt;
  const size_t at = size_t(list.at);
  switch (list.kind) {
  case Kind::BucketPlaces:
    return numbers(rooms.nodes, -1, rooms.bucketRows());
  case Kind::LevelPlaces:
    return numbers(rooms.nodes, -1, rooms.levelRows());
  case Kind::BucketEdges:
    return numbers(rooms.bucketEdges(), -1, rooms.edges);
  case Kind::BucketLengths: {
    const auto [width, nodes] = rooms.buckets[at];
    return ListType{{DType::I32, {nodes}}, 0, width};
  }
  case Kind::BucketNodes:
    return numbers(rooms.bucketRows(), -1, rooms.nodes);
  case Kind::LevelNodes:
    return numbers(rooms.levelRows(), -1, rooms.nodes);
  case Kind::LevelDestinations:
    return numbers(rooms.levels[at].edges(), 0, rooms.rows(at));
  case Kind::LevelSources:
    for (const PairRoom &pair : rooms.levels[at].from)
      if (pair.from == list.from)
        return numbers(pair.edges, -1, rooms.rows(size_t(pair.from)));
  }
  return std::nullopt;
}

std::vector<GraphList> graph::listsOf(const Rooms &rooms) {
  std::vector<GraphList> lists;
  if (!rooms.buckets.empty())
    lists = {{Kind::BucketEdges}, {Kind::BucketNodes}, {Kind::BucketPlaces}};
  for (size_t b = 0; b < rooms.buckets.size(); ++b)
    lists.push_back({Kind::BucketLengths, int64_t(b)});
  if (!rooms.levels.empty())
    lists.insert(lists.end(), {{Kind::LevelNodes}, {Kind::LevelPlaces}});
  for (size_t l = 0; l < rooms.levels.size(); ++l) {
    lists.push_back({Kind::LevelDestinations, int64_t(l)});
    for (const PairRoom &pair : rooms.levels[l].from)
      lists.push_back({Kind::LevelSources, int64_t(l), pair.from});
  }
  return lists;
}
