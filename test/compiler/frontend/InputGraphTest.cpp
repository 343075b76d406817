// What a model's metadata says of its graphs.
#include "compiler/frontend/onnx/InputGraph.h"

#include "onnx.pb.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::frontend;
using Catch::Matchers::Contains;

static Result<std::vector<InputGraph>> declared(const std::string &text) {
  onnx::ModelProto model;
  auto *property = model.add_metadata_props();
  property->set_key(graphKey);
  property->set_value(text);
  return inputGraphs(model);
}

TEST_CASE("graphs are written and read") {
  InputGraph one;
  one.sourceNodes = one.destinationNodes = "n";
  one.edges = "e";
  one.sources = "s";
  one.destinations = "d";
  one.selfLoops = true;
  InputGraph two = one;
  two.name = "two";
  two.destinationNodes = "m";
  two.selfLoops = false;
  two.types = "t";
  two.relations = 3;
  one.name = "one";
  const std::string text = toText({one, two});
  const auto read = declared(text);
  REQUIRE(read);
  REQUIRE(read->size() == 2);
  CHECK((*read)[0].isOfOneType());
  CHECK_FALSE((*read)[1].isOfOneType());
  CHECK((*read)[1].destinationNodes == "m");
  CHECK(toText(*read) == text);
  one.name = "";
  one.graphs = "g";
  one.graphOf = "of";
  CHECK(toText({one}).front() == '{');
  const auto alone = declared(toText({one}));
  REQUIRE(alone);
  CHECK(alone->front().graphs == "g");
  CHECK(alone->front().graphOf == "of");
  CHECK(inputGraphs(onnx::ModelProto())->empty());
}

TEST_CASE("what edges have is written and read") {
  InputGraph one;
  one.sourceNodes = one.destinationNodes = "n";
  one.edges = "e";
  one.sources = "s";
  one.destinations = "d";
  one.selfLoops = true;
  one.values = "weights";
  one.loopRows["zero"] = {};
  CHECK_FALSE(one.needsAdded());
  one.loopRows["weights"] = {LoopRow::Kind::Number, 1.5};
  one.loopRows["x"] = {LoopRow::Kind::Mean};
  one.loopRows["y"] = {LoopRow::Kind::Parameter, 0, "p"};
  CHECK(one.needsAdded());
  CHECK(one.addedName() == "added_self_loops");
  one.added = "which";
  const auto read = declared(toText({one}));
  REQUIRE(read);
  CHECK(read->front().values == "weights");
  CHECK(read->front().addedName() == "which");
  CHECK(read->front().loopRows == one.loopRows);
}

TEST_CASE("text that declares no graphs") {
  const auto refused = [](const std::string &text) -> std::string {
    const auto read = declared(text);
    return read ? "" : read.error().message;
  };
  const std::string ends =
      R"("edges": "e", "sources": "s", "destinations": "d")";
  const std::vector<std::string> texts = {
      "",
      "{",
      "7",
      "null",
      "{}",
      "[7]",
      "[[]]",
      "{" + ends + "}",
      R"({"nodes": "n", "edges": 1, "sources": "s"})",
      R"({"nodes": 7, )" + ends + "}",
      R"({"nodes": {}, )" + ends + "}",
      R"({"nodes": {"sources": "n"}, )" + ends + "}",
      R"({"nodes": {"sources": "n", "destinations": []}, )" + ends + "}",
      std::string("\xff\xfe\0", 3)};
  for (const std::string &text : texts) {
    CAPTURE(text);
    CHECK_THAT(refused(text), Contains("metadata \"smex.graph\": must be an "
                                       "object with the names"));
  }
  CHECK_THAT(refused("[]"), Contains("is a list of no graphs"));
  const std::string named = R"({"name": "a", "nodes": "n", )" + ends + "}";
  CHECK_THAT(refused("[" + named + "," + named + "]"),
             Contains("two graphs are called \"a\""));
  const std::string nameless = R"({"nodes": "n", )" + ends + "}";
  CHECK_THAT(refused("[" + named + "," + nameless + "]"),
             Contains("must have a \"name\""));
  CHECK_THAT(refused(R"({"name": "a=", "nodes": "n", )" + ends + "}"),
             Contains("\"=\" in it"));
  const std::string batch = R"("graphs": "g", "graph_of": "of", )";
  CHECK_THAT(refused(R"({"graphs": "g", "nodes": "n", )" + ends + "}"),
             Contains("\"graph_of\" that of an input: both, or none"));
  CHECK_THAT(refused(R"({"nodes": {"sources": "n", "destinations": "m"}, )" +
                     batch + ends + "}"),
             Contains("batches of nodes of one type"));
  CHECK_THAT(refused(R"({"nodes": "g", )" + batch + ends + "}"),
             Contains("must be a dimension of its own, and \"g\" is that of"));
  CHECK_THAT(refused("[" + named + R"(, {"name": "b", "nodes": "n", )" + batch +
                     ends + "}]"),
             Contains("batches of a model's only graph"));
  const auto looped = [&](const std::string &rows) {
    return refused(R"({"nodes": "n", "self_loops": true, "loop_rows": )" +
                   rows + ", " + ends + "}");
  };
  CHECK(looped(R"({"w": 1, "x": "mean", "y": {"parameter": "p"}})") == "");
  for (const char *rows : {"1", "[]", R"({"w": "sum"})", R"({"w": null})",
                           R"({"w": {}})", R"({"w": {"parameter": 1}})"})
    CHECK_THAT(looped(rows), Contains("\"loop_rows\" must be an object"));
  CHECK_THAT(refused(R"({"nodes": "n", "added": "a", )" + ends + "}"),
             Contains("are for graphs with \"self_loops\""));
  CHECK_THAT(refused(R"({"nodes": "e", )" + ends + "}"),
             Contains("\"edges\" must be a dimension of its own"));
  CHECK_THAT(refused(R"({"nodes": "n", "values": "v", "types": "t",
                  "relations": 2, )" +
                     ends + "}"),
             Contains("not both"));
  CHECK_THAT(refused(R"({"nodes": {"sources": "n", "destinations": "m"},
                  "self_loops": true, )" +
                     ends + "}"),
             Contains("from nodes of one type to nodes of another"));
}
