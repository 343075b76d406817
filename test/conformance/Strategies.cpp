#include "test/conformance/Strategies.h"

#include "test/conformance/Applications.h"

using namespace smex;
using namespace smex::conformance;

namespace {

/// So many lambdas of one plan: compiling many plans takes longer, and of a
/// larger one nobody sees what failed.
constexpr size_t most = 8;

using Lambdas = std::vector<Applications::const_pointer>;

/// Applications of one plan, with what each is cut along.
struct Batch {
  Evaluated model;
  std::vector<int> cuts;
  std::string name; // the texts of its lambdas

  /// The lambda once for each strategy, on the same operands; once whole where
  /// it has none.
  Status add(Session &session, const std::string &text,
             const Application &application) {
    std::vector<int> operands;
    for (const Tensor &operand : application.operands)
      operands.push_back(
          model.add("x" + std::to_string(model.model.values.size()), operand));
    const auto apply = [&]() -> Status {
      const auto made =
          model.apply("y" + std::to_string(model.model.values.size()),
                      application.lambda, application.extents, operands);
      return made ? Status() : Status(made.error());
    };
    if (Status first = apply(); !first)
      return first;
    const std::vector<int> splits = strategies(session.context, model).back();
    for (size_t s = 1; s < splits.size(); ++s)
      if (Status next = apply(); !next)
        return next;
    cuts.insert(cuts.end(), splits.begin(), splits.end());
    if (splits.empty())
      cuts.push_back(-1);
    name += (name.empty() ? "" : "; ") + text;
    return {};
  }
};

/// Those whose results agree so, in the order of their texts.
std::vector<Lambdas> lambdasBy(Session &session, Agreement agreement) {
  std::vector<Lambdas> all;
  for (const auto &each : collected().all)
    if (agreementOf(each.second.lambda) != agreement)
      continue;
    else if (!each.second.isSmall())
      session.skip("more than 5,000,000 elements");
    else if (all.empty() || all.back().size() == most)
      all.push_back({&each});
    else
      all.back().push_back(&each);
  return all;
}

void run(Session &session, const Lambdas &lambdas, int64_t ways, uint64_t seed,
         Agreement agreement) {
  Batch batch;
  batch.model.model.name = "strategies";
  for (const auto *each : lambdas)
    if (Status added = batch.add(session, each->first, each->second); !added)
      return session.fail(each->first, added.error().message);
  Random random(seed);
  DivideOptions how;
  how.ways = {ways};
  how.cuts = batch.cuts;
  session.check(batch.name + ", over " + std::to_string(ways) + " workers",
                batch.model, random, how, agreement);
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
