#include "runtime/plan/Json.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::plan;

TEST_CASE("canonical text: sorted keys, two spaces, numbers on one line") {
  const Json value = {
      {"b", {{"x", 1}, {"a", Json::array()}}},
      {"a", {1, 2, {3, -4}}},
      {"list", {{{"k", {1, 2}}, {"j", "s"}}, {{"deep", {{"x", 1}}}}}},
      {"mixed", {1, "two"}},
      {"empty", Json::object()},
      {"flag", true}};
  CHECK(canonicalJson(value) == R"({
  "a": [1, 2, [3, -4]],
  "b": {
    "a": [],
    "x": 1
  },
  "empty": {},
  "flag": true,
  "list": [
    {"j": "s", "k": [1, 2]},
    {
      "deep": {
        "x": 1
      }
    }
  ],
  "mixed": [
    1,
    "two"
  ]
}
)");
}

TEST_CASE("canonical text reads back, and is stable") {
  for (const char *text :
       {"[]", "{}", "null",
        "[0.1, 1e300, -0.0, 5e-324, 1.0, 123456789012345680.0]",
        "[9223372036854775807, -9223372036854775808, 18446744073709551615]",
        R"({"\u0000\"\\": "\u007f\n\ud83d\ude00"})"}) {
    const auto value = parseJson(text);
    REQUIRE(value);
    const std::string written = canonicalJson(*value);
    const auto again = parseJson(written);
    REQUIRE(again);
    CHECK(*again == *value);
    CHECK(canonicalJson(*again) == written);
  }
}

TEST_CASE("doubles are short, and stay doubles") {
  CHECK(canonicalJson(0.1) == "0.1\n");
  CHECK(canonicalJson(2.0) == "2.0\n");
  CHECK(canonicalJson(1e100) == "1e+100\n");
  CHECK(canonicalJson(5e-324) == "5e-324\n");
  CHECK(canonicalJson(-0.0) == "-0.0\n");
}

TEST_CASE("a text that is not UTF-8 does not throw") {
  CHECK(canonicalJson("\xff") == "\"\xef\xbf\xbd\"\n");
}

TEST_CASE("what is not JSON is an error that says where") {
  const auto message = [](const std::string &text) {
    const auto value = parseJson(text);
    return value ? std::string("accepted") : value.error().message;
  };
  CHECK_THAT(message("{"), Catch::Contains("line 1, column 2"));
  CHECK(message("{\"a\": 1, \"a\": 2}") ==
        "line 1, column 12: the key \"a\" occurs twice");
  CHECK(message("{\"a\": 1,\n \"a\": 2}") ==
        "line 2, column 4: the key \"a\" occurs twice");
  CHECK(message("{\"a\\nb\": 1, \"a\\nb\": 2}") ==
        "line 1, column 18: the key \"a?b\" occurs twice");
  CHECK_THAT(message("\"\xff\""), Catch::Contains("UTF-8"));
  CHECK_THAT(message("[1] 2"), Catch::Contains("expected end of input"));
  CHECK(message(std::string(1000000, '[')) ==
        "line 1, column 33: nested more than 32 deep");
  CHECK_THAT(message("[\n1e999]"), Catch::Contains("line 2, column ") &&
                                       Catch::Contains("number overflow"));
  CHECK(message("\"" + std::string(1000000, 'x')).size() < 600);
  CHECK(message(std::string(1000000, '9')).size() < 600);
  CHECK(message("") != "accepted");
  CHECK(message("// 1\n1") != "accepted");
}
