#include "test/conformance/Lambdas.h"

#include "test/conformance/Batch.h"

using namespace smex;
using namespace smex::conformance;

namespace {

void run(Session &session, const Lambdas &lambdas, uint64_t seed,
         Agreement agreement) {
  Batch batch;
  batch.model.model.name = "lambdas";
  for (const auto *each : lambdas)
    if (Status added = batch.add(each->first, each->second); !added)
      return session.fail(each->first, added.error().message);
  Random random(seed);
  DivideOptions how;
  how.alike = seed % 2;
  how.least = session.row.processes;
  session.check(batch.name(), batch.model, random, how, agreement,
                batch.lambdas);
}

} // namespace

void conformance::runLambdas(Session &session) {
  for (const std::string &problem : collected().problems)
    session.fail("all", problem);
  uint64_t seed = 0;
  for (Agreement agreement : {Agreement::Exact, Agreement::Close})
    for (const Lambdas &lambdas : lambdasBy(session, agreement)) {
      ++seed;
      if (session.isDealt(lambdas.front()->first))
        run(session, lambdas, seed, agreement);
    }
  // A part of the matrix has each lambda once on each kind of device.
  if (const int skipped = session.skipped())
    session.fail("all", std::to_string(skipped) + " lambdas are not run");
}
