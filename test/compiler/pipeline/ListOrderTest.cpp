#include "compiler/pipeline/ListOrder.h"

#include <catch2/catch.hpp>

#include <map>

using namespace smex;
using namespace smex::pipeline;

namespace {

struct Made {
  std::vector<int64_t> peaks;
  double seconds;
};

/// Plans by order, and in which orders one was made.
struct Plans {
  std::map<ListOrder, Made> plans;
  std::vector<ListOrder> made;

  Result<Candidate> fastest(int64_t placedPeak, const MemoryLimit &limit,
                            int64_t enough) {
    return fastestOrder(placedPeak, limit, enough,
                        [this](ListOrder order) -> Result<Candidate> {
                          made.push_back(order);
                          Candidate candidate;
                          candidate.totals.peakBytes = plans.at(order).peaks;
                          candidate.seconds = plans.at(order).seconds;
                          return candidate;
                        });
  }
};

constexpr ListOrder kMade = ListOrder::FetchedWhenMade,
                    kLate = ListOrder::FetchedLate,
                    kPlaced = ListOrder::AsPlaced;

} // namespace

TEST_CASE("of orders, the fastest that takes no more than its placement says") {
  Plans plans{{{kMade, {{80, 90}, 3}},
               {kLate, {{101, 9}, 1}},
               {kPlaced, {{100, 7}, 2}}},
              {}};
  const auto made = plans.fastest(100, MemoryLimit::none(), 3);
  REQUIRE(made);
  CHECK(made->seconds == 2.);
}

TEST_CASE("the limit counts, too, where a placement counts on more") {
  Plans plans{{{kMade, {{80, 90}, 3}},
               {kLate, {{70, 80}, 4}},
               {kPlaced, {{100, 7}, 2}}},
              {}};
  const auto made = plans.fastest(110, {{85, 85}, "--memory-per-gpu"}, 3);
  REQUIRE(made);
  CHECK(made->seconds == 4.);
}

TEST_CASE("as many orders as are enough, and others where none is kept") {
  Plans plans{{{kMade, {{80}, 3}}, {kLate, {{101}, 1}}, {kPlaced, {{100}, 2}}},
              {}};
  CHECK(plans.fastest(100, MemoryLimit::none(), 1)->seconds == 3.);
  CHECK(plans.made == std::vector<ListOrder>{kMade});
  plans.made.clear();
  CHECK(plans.fastest(100, MemoryLimit::none(), 2)->seconds == 3.);
  CHECK(plans.made == std::vector<ListOrder>{kMade, kLate});
  plans.made.clear();
  plans.plans[kMade].peaks = {102};
  CHECK(plans.fastest(100, MemoryLimit::none(), 1)->seconds == 2.);
  CHECK(plans.made == std::vector<ListOrder>{kMade, kLate, kPlaced});
}

TEST_CASE("of orders that are all too large, the one that takes least") {
  Plans plans{{{kMade, {{80, 120}, 3}},
               {kLate, {{110, 90}, 4}},
               {kPlaced, {{130, 7}, 2}}},
              {}};
  CHECK(plans.fastest(100, MemoryLimit::none(), 3)->seconds == 4.);
}
