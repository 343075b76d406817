// What rooms may be, and the lists that they have.
#include "dialects/smex/lists/Rooms.h"

#include <catch2/catch.hpp>

#include <functional>

using namespace smex;
using namespace smex::graph;
using Kind = GraphList::Kind;

TEST_CASE("rooms that make no sense are refused") {
  const auto said = [](std::function<void(Rooms &)> change) {
    Rooms rooms;
    rooms.nodes = rooms.edges = 9;
    rooms.buckets = {{0, 3}, {2, 5}};
    rooms.levels = {{3, {}}, {3, {{0, 3}}}, {3, {{0, 1}, {1, 2}}}};
    change(rooms);
    const Status status = check(rooms);
    return status ? std::string() : status.error().message;
  };
  const int64_t large = int64_t(1) << 41;
  CHECK(said([](Rooms &) {}) == "");
  CHECK(said([](Rooms &r) { r.nodes = -1; }) ==
        "nodes and edges must be from 0 to 2^40");
  CHECK(said([&](Rooms &r) { r.edges = large; }) ==
        "nodes and edges must be from 0 to 2^40");
  CHECK(said([&](Rooms &r) { r.buckets[1].nodes = large; }) ==
        "buckets[1]: is beyond 2^40 messages");
  CHECK(said([&](Rooms &r) { r.buckets[1] = {large >> 1, 3}; }) ==
        "buckets[1]: is beyond 2^40 messages");
  CHECK(said([](Rooms &r) { r.buckets[1].width = 0; }) ==
        "buckets[1]: is not wider than the one before");
  CHECK(said([](Rooms &r) { r.levels[1].nodes = -1; }) ==
        "levels[1]: nodes must be from 0 to 2^40");
  CHECK(said([](Rooms &r) { r.levels[1].from[0].edges = -1; }) ==
        "levels[1]: edges must be from 0 to 2^40");
  for (int64_t from : {-1, 0, 2})
    CHECK(said([&](Rooms &r) { r.levels[2].from[1].from = from; }) ==
          "levels[2]: edges come from levels below it, in ascending order");
}

TEST_CASE("only lists that the rooms have are of a type") {
  Rooms rooms;
  rooms.nodes = rooms.edges = 9;
  rooms.buckets = {{0, 3}, {2, 5}};
  CHECK(typeOf({Kind::BucketEdges}, rooms)->type ==
        TensorType{DType::I64, {13}});
  CHECK(typeOf({Kind::BucketLengths, 1}, rooms)->type ==
        TensorType{DType::I32, {5}});
  CHECK_FALSE(typeOf({Kind::BucketLengths, 2}, rooms));
  CHECK_FALSE(typeOf({Kind::BucketLengths, -1}, rooms));
  CHECK_FALSE(typeOf({Kind::BucketLengths, 1, 1}, rooms));
  CHECK_FALSE(typeOf({Kind::BucketNodes, 1}, rooms));
  CHECK_FALSE(typeOf({Kind::LevelNodes}, rooms));
  rooms.levels = {{3, {}}, {3, {{0, 3}}}};
  CHECK(typeOf({Kind::LevelNodes}, rooms)->type == TensorType{DType::I64, {7}});
  CHECK(typeOf({Kind::LevelSources, 1, 0}, rooms)->type ==
        TensorType{DType::I64, {3}});
  CHECK_FALSE(typeOf({Kind::LevelSources, 1, 1}, rooms));
  CHECK_FALSE(typeOf({Kind::LevelSources, 2, 0}, rooms));
  for (const GraphList &list : listsOf(rooms)) {
    CHECK(typeOf(list, rooms));
    CHECK(parseListKind(name(list.kind)) == list.kind);
  }
  CHECK_FALSE(parseListKind("rows"));
}
