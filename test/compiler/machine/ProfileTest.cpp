#include "compiler/machine/Profile.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::machines;

namespace {

std::string profileOf(const std::string &operators,
                      const std::string &rest = R"("version": 1)") {
  return R"({"format": "smex-profile", "model": "mlp", "backend": "cpu", )" +
         rest + R"(, "operators": )" + operators + "}";
}

std::string refusal(const std::string &text) {
  const auto profile = readProfile(text, "p.json");
  return profile ? "" : profile.error().message;
}

} // namespace

TEST_CASE("seconds by name") {
  const auto profile = readProfile(profileOf(R"({"a/b": 0.5, "c": 0})"), "p");
  REQUIRE(profile);
  CHECK(profile->model == "mlp");
  CHECK(profile->seconds.size() == 2);
  CHECK(profile->seconds.at("a/b") == 0.5);
  CHECK(profile->seconds.at("c") == 0);
}

TEST_CASE("what is no profile is refused, with the key") {
  using Catch::Contains;
  CHECK_THAT(refusal(""), Contains("p.json: "));
  CHECK_THAT(refusal("[]"), Contains("p.json: "));
  CHECK_THAT(refusal(profileOf("{}", R"("version": 2)")), Contains("version"));
  CHECK_THAT(refusal(profileOf("{}", R"("version": 1, "more": 1)")),
             Contains("more"));
  CHECK_THAT(refusal(profileOf(R"({"a": -1})")),
             Contains("operators.a") && Contains("between 0"));
  CHECK_THAT(refusal(profileOf(R"({"a": 1e7})")), Contains("operators.a"));
  CHECK_THAT(refusal(profileOf(R"({"a": "1"})")), Contains("operators.a"));
  CHECK_THAT(refusal(profileOf("[1]")), Contains("operators"));
  CHECK_THAT(refusal(profileOf(R"({"a": 1e999})")), Contains("p.json"));
}
