#include "test/conformance/Cases.h"

#include "test/conformance/HostMoves.h"
#include "test/conformance/Indices.h"
#include "test/conformance/Lambdas.h"
#include "test/conformance/RandomModel.h"
#include "test/conformance/Strategies.h"
#include "test/conformance/Whole.h"

using namespace smex;
using namespace smex::conformance;

namespace {

constexpr DType types[] = {DType::Bool, DType::I8,  DType::I16,  DType::I32,
                           DType::I64,  DType::U8,  DType::U16,  DType::U32,
                           DType::U64,  DType::F16, DType::BF16, DType::F32,
                           DType::F64};

/// Every other one is divided alike, one in five over 8 workers, one in nine
/// not at all.
DivideOptions howOf(uint64_t seed) {
  DivideOptions how;
  how.alike = seed % 2;
  how.library = seed % 3 == 0;
  if (seed % 9 == 8)
    how.ways = {1};
  else if (seed % 5 == 4)
    how.ways =
        seed % 4 < 2 ? std::vector<int64_t>{8} : std::vector<int64_t>{2, 2, 2};
  return how;
}

void runGraphs(Session &session) {
  for (DType type : types)
    for (uint64_t seed = 0; seed < 40; ++seed) {
      const std::string name =
          std::string(smex::name(type)) + " " + std::to_string(seed);
      if (!session.isChosen(name))
        continue;
      Random random(seed * 16 + uint64_t(type) + 1000000);
      session.check(name, randomModel(random, type), random, howOf(seed),
                    Agreement::Exact);
    }
}

void runSpecials(Session &session) {
  for (DType type : types)
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const std::string name =
          std::string(smex::name(type)) + " " + std::to_string(seed);
      if (!session.isChosen(name))
        continue;
      Random random(seed * 16 + uint64_t(type) + 2000000);
      session.check(name, specialModel(random, type), random, howOf(seed),
                    Agreement::Exact);
    }
}

void runMove(Session &session, const std::string &name, bool overlap,
             int workers, uint64_t seed) {
  auto moves =
      hostMoves(session.context, overlap, workers, session.runner.targets());
  if (!moves) {
    session.fail(name, moves.error().message);
    return;
  }
  session.cover(moves->plan.partitioned.program);
  if (!session.isAccepted(moves->plan))
    return;
  runtime::RunOptions options;
  options.steps = 3;
  options.device.seed = seed;
  const auto result =
      session.run(name, moves->plan, NoParameters(), moves->feeds, options);
  if (!result)
    session.fail(name, result.error().message);
  else if (result->outputs[0].bytes != moves->output.bytes)
    session.fail(name, "another output than the formula's");
  else if (result->peakBytes != moves->plan.peakBytes ||
           result->communicationBytes != moves->plan.communicationBytes ||
           !(result->hostTraffic == moves->plan.hostTraffic))
    session.fail(name, "another peak or other bytes than the plan's");
  else
    session.pass();
}

void runMoves(Session &session) {
  for (int workers : {2, 5})
    for (bool overlap : {false, true})
      for (uint64_t seed = 0; seed < 8; ++seed) {
        const std::string name = std::to_string(workers) + " workers" +
                                 (overlap ? ", overlapped " : " ") +
                                 std::to_string(seed);
        if (seed > 0 && !session.isChosen(name))
          continue;
        runMove(session, name, overlap, workers, seed);
      }
}

} // namespace

const std::vector<Group> &conformance::groups() {
  static const std::vector<Group> all = {
      {"graphs", "random models of each element type, divided at random",
       runGraphs},
      {"specials", "the same with values that are no ordinary numbers",
       runSpecials},
      {"indices", "indices that are data, at and beyond all ends", runIndices},
      {"moves", "buffers that are on the host for a while", runMoves},
      {"lambdas", "each lambda, divided at random", runLambdas},
      {"strategies", "each strategy of each lambda, over 2 and 3 workers",
       runStrategies},
      {"cases", "ONNX's cases against ONNX's outputs, divided by the search",
       runCases},
      {"edges", "operators at their edges, divided by the search", runEdges},
  };
  return all;
}
