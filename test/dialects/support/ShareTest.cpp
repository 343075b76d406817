#include "dialects/support/Share.h"

#include <catch2/catch.hpp>

using namespace smex;

static Box share(int64_t choice, int64_t ways, int64_t group) {
  Box box = wholeBox({6, 4});
  takeShare(box, choice, ways, group);
  return box;
}

TEST_CASE("a choice cuts a dimension, leaves a box whole, or places it") {
  CHECK(share(0, 3, 1) == Box{{2, 4}, {0, 4}});
  CHECK(share(1, 8, 7) == Box{{0, 6}, {3, 4}});
  CHECK(isEmpty(share(1, 8, 0)));
  CHECK(share(kWhole, 3, 2) == wholeBox({6, 4}));
  for (int64_t place = 0; place < 3; ++place) {
    CHECK(isPlaced(placedOn(place)));
    CHECK(placeOfChoice(placedOn(place)) == place);
    for (int64_t group = 0; group < 3; ++group)
      if (group == place)
        CHECK(share(placedOn(place), 3, group) == wholeBox({6, 4}));
      else
        CHECK(isEmpty(share(placedOn(place), 3, group)));
  }
  CHECK_FALSE(isPlaced(kWhole));
  CHECK_FALSE(isPlaced(0));
}
