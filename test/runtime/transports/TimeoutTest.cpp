#include "runtime/transports/Timeout.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace smex;
using runtime::secondsIn;

TEST_CASE("a variable of the environment says how many seconds") {
  const char *const name = "SMEX_TEST_SECONDS";
  unsetenv(name);
  CHECK(*secondsIn(name, 7) == 7);
  setenv(name, "0.25", 1);
  CHECK(*secondsIn(name, 7) == 0.25);
  setenv(name, "1e2", 1);
  CHECK(*secondsIn(name, 7) == 100);
  for (const char *wrong : {"", "x", "0", "-3", "3s", "nan", "inf"}) {
    setenv(name, wrong, 1);
    const auto seconds = secondsIn(name, 7);
    REQUIRE_FALSE(seconds);
    CHECK(seconds.error().message ==
          std::string(name) + "=" + wrong +
              ": give a number of seconds that is greater than 0");
  }
}
