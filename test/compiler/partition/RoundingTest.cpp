// Rounding.h and DecidedTerms.h against what plans move.
#include "compiler/partition/Rounding.h"
#include "compiler/partition/CommunicationBytes.h"
#include "compiler/partition/DecidedTerms.h"
#include "compiler/partition/DualAscent.h"
#include "test/compiler/partition/ListedTerms.h"
#include "test/compiler/partition/Models.h"
#include "test/compiler/partition/RandomGraph.h"

#include <catch2/catch.hpp>

#include <iostream>

using namespace smex;
using namespace smex::partition;
using namespace smex::partition::test;

namespace {

constexpr int64_t kMuch = int64_t(1) << 28; // of work

template <typename Numbers>
void decideAll(DecidedTerms &decided, const Numbers &histories) {
  for (int op = 0; op < decided.operators(); ++op)
    decided.fix(op, int(histories[op]));
}

/// By all tensors.
int64_t moved(DecidedTerms &decided, const TensorTerms &terms) {
  double sum = 0;
  for (int term = 0; term < int(terms.terms.size()); ++term)
    sum += decided.moved(term).bytes;
  return int64_t(sum);
}

template <typename Numbers>
int64_t moved(const TensorTerms &terms, const Numbers &histories) {
  DecidedTerms decided(terms, {});
  decideAll(decided, histories);
  return moved(decided, terms);
}

std::vector<int> draw(Random &random, const Listed &listed) {
  std::vector<int> histories;
  for (int list : listed.lists.operators)
    histories.push_back(int(random.below(listed.count(list))));
  return histories;
}

bool isReadTwice(const OperatorGraph &graph, int tensor) {
  return std::any_of(
      graph.operators.begin(), graph.operators.end(), [&](const Operator &op) {
        return std::count_if(op.operands.begin(), op.operands.end(),
                             [&](const Operand &operand) {
                               return operand.tensor == tensor;
                             }) > 1;
      });
}

} // namespace

TEST_CASE("what moves of a tensor is known where operators are decided") {
  int all = 0;
  for (uint64_t seed = 6000; seed < 6150; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Model model = randomGraph(random);
    CAPTURE(describe(model));
    const int64_t workers = random.chance(50) ? 4 : 6;
    const Listed listed(model, workers, randomParams(random));
    auto [plan, tensors, operators] = Drawn(random, listed);
    DecidedTerms decided(listed.terms, {});
    decideAll(decided, operators);
    for (int term = 0; term < int(listed.terms.terms.size()); ++term) {
      const Term &here = listed.terms.terms[term];
      int64_t least = kMostBytes;
      double atLeast = double(kMostBytes);
      listed.forEachHistory(
          here.tensor, plan,
          [&, &plan = plan, &operators = operators](int64_t column) {
            int64_t bytes = sharedReadBytes(model, plan, here.tensor);
            for (int op = 0; op < int(model.operators.size()); ++op)
              if (model.operators[op].result == here.tensor)
                bytes += writeBytes(model, plan, op);
            least = std::min(least, bytes);
            atLeast = std::min(atLeast,
                               costOf(listed.terms, here, column, operators));
          });
      const DecidedTerms::Moved found = decided.moved(term);
      REQUIRE(found.bytes >= atLeast);
      REQUIRE(found.column < listed.count(listed.lists.tensors[here.tensor]));
      // Of an operator that reads it in two ways the one that moves more
      // counts.
      if (!isReadTwice(model, here.tensor)) {
        REQUIRE(int64_t(found.bytes) == least);
        ++all;
      }
    }
  }
  CHECK(all > 500);
}

TEST_CASE("what many readers need of one tensor counts once each") {
  // With regions told apart, and without: then what one reader needs counts.
  for (const int64_t maxFetched : {Params().maxFetched, int64_t(0)}) {
    CAPTURE(maxFetched);
    Model model;
    const int x = model.tensor({8, 12});
    for (int i = 0; i < 30; ++i) {
      model.apply({8, 12}, {}, {{x, indices({0, 1})}});
      model.apply({12, 8}, {}, {{x, indices({1, 0})}});
    }
    const Listed listed(model, 4, {}, maxFetched);
    REQUIRE((listed.terms.costs[0].regions > 0) == (maxFetched > 0));
    DecidedTerms decided(listed.terms, {});
    Random random(8000);
    auto [plan, tensors, operators] = Drawn(random, listed);
    decideAll(decided, operators);
    for (int round = 0; round < 60; ++round) {
      CAPTURE(round);
      // Few have another history than the first one, or many.
      for (int op = 0; op < decided.operators(); ++op) {
        const int64_t count = listed.count(listed.lists.operators[op]);
        decided.fix(op, int(random.chance(round) ? random.below(count) : 0));
        if (random.chance(20))
          decided.decideAgain(op);
      }
      for (int op = 0; op < decided.operators(); ++op) {
        operators[op] = decided.histories()[op];
        for (size_t s = 0; s < plan.steps.size(); ++s)
          plan.steps[s].operators[op] =
              listed.history(listed.lists.operators[op], operators[op])[s];
      }
      int64_t least = kMostBytes;
      double atLeast = double(kMostBytes);
      listed.forEachHistory(
          x, plan, [&, &plan = plan, &operators = operators](int64_t column) {
            least = std::min(least, sharedReadBytes(model, plan, x));
            atLeast =
                std::min(atLeast, costOf(listed.terms, listed.terms.terms[0],
                                         column, operators));
          });
      REQUIRE(decided.moved(0).bytes ==
              (maxFetched > 0 ? double(least) : atLeast));
    }
  }
}

TEST_CASE("what is freed costs what it did before it was decided") {
  for (uint64_t seed = 7000; seed < 7050; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Model model = randomGraph(random);
    CAPTURE(describe(model));
    const Listed listed(model, 4, randomParams(random));
    Charges charges;
    const int64_t bound =
        raiseBound(listed.terms, kMostBytes, kMuch, charges).bytes;
    DecidedTerms decided(listed.terms, charges), again(listed.terms, charges);
    const std::vector<int> drawn = draw(random, listed);
    decideAll(decided, drawn);
    double excess = 0;
    for (int term = 0; term < int(listed.terms.terms.size()); ++term) {
      REQUIRE(decided.excess(term) >= 0);
      excess += decided.excess(term);
    }
    for (size_t op = 0; op < drawn.size(); ++op) {
      const Values &rest = charges.rest[op];
      excess += rest[drawn[op]] - *std::min_element(rest.begin(), rest.end());
    }
    REQUIRE(int64_t(excess) == moved(decided, listed.terms) - bound);
    for (int op = 0; op < decided.operators(); ++op)
      decided.free(op);
    for (int op = 0; op < decided.operators(); ++op) {
      decided.decide(op);
      again.decide(op);
    }
    REQUIRE(decided.histories() == again.histories());
  }
}

TEST_CASE("no other history of one operator betters what is rounded") {
  int plans = 0, least = 0;
  for (uint64_t seed = 4000; seed < 4150; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Model model = randomGraph(random);
    CAPTURE(describe(model));
    const Listed listed(model, random.chance(50) ? 4 : 6, randomParams(random));
    Charges charges;
    const int64_t bound =
        raiseBound(listed.terms, kMostBytes, kMuch, charges).bytes;
    const std::vector<int> drawn = draw(random, listed);
    const auto look = [&](int64_t work) {
      return std::vector<Rounded>{roundCharges(listed.terms, charges, work),
                                  improve(listed.terms, charges, drawn, work)};
    };
    const std::vector<Rounded> alone = look(0), around = look(kMuch);
    for (size_t i = 0; i < around.size(); ++i) {
      const Rounded &rounded = around[i];
      DecidedTerms decided(listed.terms, {});
      decideAll(decided, rounded.operators);
      const int64_t sum = moved(decided, listed.terms);
      REQUIRE(sum >= bound);
      REQUIRE(sum <= moved(listed.terms, alone[i].operators));
      for (size_t term = 0; term < rounded.terms.size(); ++term)
        REQUIRE(rounded.terms[term] == decided.moved(int(term)).column);
      for (int op = 0; op < decided.operators(); ++op) {
        for (int h = 0; h < listed.count(listed.lists.operators[op]); ++h) {
          decided.fix(op, h);
          REQUIRE(moved(decided, listed.terms) >= sum);
        }
        decided.fix(op, rounded.operators[op]);
      }
      ++plans;
      least += sum <= bound + bound / 1000;
    }
    REQUIRE(moved(listed.terms, around[1].operators) <=
            moved(listed.terms, drawn));
  }
  std::cout << least << " of " << plans << " rounded plans are the best\n";
  CHECK(least > plans * 9 / 10);
}

TEST_CASE("neighbours better what no operator betters alone") {
  const Model model = trainedMlp({256, 64, 512, 32, 128}, 96, false);
  const Listed listed(model, 8, {});
  Charges charges;
  const int64_t bound =
      raiseBound(listed.terms, kMostBytes, kMuch, charges).bytes;
  Random random(9000);
  int64_t alone = 0, around = 0;
  constexpr int starts = 10;
  for (int i = 0; i < starts; ++i) {
    const std::vector<int> drawn = draw(random, listed);
    const auto look = [&](int64_t work) {
      return moved(listed.terms,
                   improve(listed.terms, charges, drawn, work).operators);
    };
    const int64_t before = look(0), some = look(1 << 20), after = look(kMuch);
    REQUIRE(bound <= after);
    REQUIRE(after <= some);
    REQUIRE(some <= before);
    alone += before;
    around += after;
  }
  const auto above = [&](int64_t sum) {
    return double(sum) / double(bound * starts) - 1;
  };
  std::cout << "operators alone end " << 100 * above(alone)
            << " % above the bound, neighbours " << 100 * above(around)
            << " %\n";
  CHECK(above(around) < 0.01);
  CHECK(above(alone) > 0.05);
}
