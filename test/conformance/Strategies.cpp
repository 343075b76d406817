#include "test/conformance/Strategies.h"

#include "test/conformance/Batch.h"

using namespace smex;
using namespace smex::conformance;

namespace {

void run(Session &session, const Lambdas &lambdas, int64_t ways, uint64_t seed,
         Agreement agreement) {
  Batch batch;
  batch.model.model.name = "strategies";
  for (const auto *each : lambdas)
    if (Status added = batch.addStrategies(session, each->first, each->second);
        !added)
      return session.fail(each->first, added.error().message);
  Random random(seed);
  DivideOptions how;
  how.ways = {ways};
  how.cuts = batch.cuts;
  session.check(batch.name() + ", over " + std::to_string(ways) + " workers",
                batch.model, random, how, agreement, int(batch.cuts.size()));
}

} // namespace

void conformance::runStrategies(Session &session) {
  uint64_t seed = 3000000;
  for (Agreement agreement : {Agreement::Exact, Agreement::Close})
    for (const Lambdas &lambdas : lambdasBy(session, agreement))
      for (int64_t ways : {2, 3}) {
        ++seed;
        if (session.isChosen(lambdas.front()->first + std::to_string(ways)))
          run(session, lambdas, ways, seed, agreement);
      }
}
