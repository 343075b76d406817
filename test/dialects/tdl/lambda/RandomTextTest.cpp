// Whatever can be built is printed such that it reads back as the same, and no
// text is too broken to be refused.
#include "test/dialects/tdl/lambda/RandomLambda.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::tdl;

TEST_CASE("random lambdas read back as they were") {
  RandomLambda draw(1);
  for (int n = 0; n < 3000; ++n) {
    const Lambda lambda = draw.lambda(1 + n % 7);
    const std::string text = toString(lambda);
    INFO(text);
    REQUIRE(verify(lambda));
    const auto back = parseLambda(text);
    INFO((back ? toString(*back) : back.error().message));
    REQUIRE(back);
    REQUIRE(toString(*back) == text);
    REQUIRE(equal(back->body, lambda.body));
    REQUIRE(equal(back->guard, lambda.guard));
    REQUIRE(back->reducer == lambda.reducer);
  }
}

TEST_CASE("broken text is refused or read, never fatal") {
  RandomLambda draw(2);
  const std::string parts[] = {"(",      ")",
                               "[",      "]",
                               ":",      "...",
                               "lambda", "Sum(",
                               " else ", " if ",
                               "-",      "1",
                               "x0",     "i0",
                               ",",      " where ",
                               "\n",     "**",
                               "@det",   "{",
                               "e5",     ".",
                               "not ",   "\"",
                               "#",      "18446744073709551615"};
  int read = 0;
  for (int n = 0; n < 20000; ++n) {
    std::string text = toString(draw.lambda(1 + n % 5));
    for (int64_t edits = 1 + draw.below(3); edits > 0; --edits) {
      const size_t at = size_t(draw.below(int64_t(text.size())));
      switch (draw.below(4)) {
      case 0:
        text.erase(at, size_t(1 + draw.below(5)));
        break;
      case 1:
        text[at] = char(draw.below(256));
        break;
      case 2:
        text.insert(at, text.substr(size_t(draw.below(int64_t(text.size()))),
                                    size_t(draw.below(20))));
        break;
      default:
        text.insert(at, parts[draw.below(int64_t(std::size(parts)))]);
        break;
      }
      if (text.empty())
        text = "(";
    }
    const auto lambda = parseLambda(text);
    if (!lambda) {
      REQUIRE(lambda.error().message.find("lambda:") == 0);
      continue;
    }
    ++read;
    const auto back = parseLambda(toString(*lambda));
    INFO(text);
    REQUIRE(back);
    REQUIRE(toString(*back) == toString(*lambda));
  }
  CHECK(read > 100);
}
