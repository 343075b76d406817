#include "compiler/pipeline/Candidates.h"

#include "compiler/emit/Emit.h"
#include "compiler/lowering/Passes.h"
#include "compiler/pipeline/LessMemory.h"
#include "compiler/pipeline/PlanFacts.h"
#include "compiler/pipeline/PlanLimits.h"
#include "compiler/placement/Algorithm.h"
#include "compiler/placement/ir/Passes.h"

#include <algorithm>
#include <functional>

using namespace mlir;
using namespace smex;
using namespace smex::pipeline;

Result<plan::Partitioned> pipeline::emitProgram(const Prepared &of,
                                                ModuleOp module,
                                                const ExecOptions &options,
                                                emit::KernelTable &kernels) {
  if (failed(runPasses(module, of.options, [&](OpPassManager &manager) {
        addExecPasses(manager, options);
      })))
    return of.diagnostics.error();
  plan::Partitioned emitted =
      emit::emit(*module.getOps<exec::ProgramOp>().begin(), kernels);
  if (Status fits = checkPlanLimits(of.model, emitted); !fits)
    return fits.takeError();
  return emitted;
}

Result<Candidate> Candidates::decide(const partition::Search &by,
                                     std::optional<double> toBeat) {
  auto best = withoutOffload(by);
  if (of.options.offload.empty() ||
      (best ? of.limit.isKeptBy(best->peaks())
            : !placement::isAlgorithm(by.algorithm)))
    return best;
  if (best && toBeat && best->cost() >= *toBeat) {
    best->isBehind = true;
    return best;
  }
  return offloaded(by, toBeat);
}

/// Whether a plan takes the place of the best one so far: it keeps the limit,
/// and that one does not, or costs more.
static bool replaces(const MemoryLimit &limit, const Candidate &other,
                     const Candidate &best) {
  return limit.isKeptBy(other.peaks()) &&
         (!limit.isKeptBy(best.peaks()) || other.cost() < best.cost());
}

/// What may wait is first looked for in so many states, with so many ways to
/// make room (README.md); small models are soon searched as a whole.
constexpr int kRoughly = 16;
constexpr int64_t kSmall = 64; // operators

/// How often operators are placed on groups, each time by how they were cut the
/// last time.
constexpr int64_t kRounds = 3;

/// On a machine, placement on groups and partition within them take turns; the
/// fastest plan of all turns is taken, since neither sees what the other hides.
Result<Candidate> Candidates::withoutOffload(const partition::Search &by) {
  auto best = withinLimit(by);
  if (by.groups == 0 || !of.machine)
    return best;
  const int64_t enough =
      std::min(kRounds, of.machine->enoughPlans(of.operators));
  partition::Search again = by;
  while (best && again.rounds < enough) {
    ++again.rounds;
    auto other = withinLimit(again);
    if (!other)
      break;
    if (replaces(of.limit, *other, *best))
      best = std::move(other);
  }
  return best;
}

Result<Candidate> Candidates::withinLimit(const partition::Search &by) {
  if (!placement::isAlgorithm(by.algorithm)) {
    auto made = make(by, {});
    const std::vector<int64_t> &bytes = of.limit.bytes;
    const bool areUnlike =
        std::adjacent_find(bytes.begin(), bytes.end(), std::not_equal_to<>()) !=
        bytes.end();
    if (!made || !areUnlike || of.limit.isKeptBy(made->peaks()))
      return made;
    // What hides transfers may take as much of each GPU as of any.
    Room room;
    room.isTight = true;
    auto tight = make(by, room);
    return tight && of.limit.isKeptBy(tight->peaks()) ? tight : made;
  }
  std::optional<int64_t> likely;
  auto made = placed(by, likely);
  if (made)
    return made;
  enough = likely ? limitThatWorks(by, *likely) : std::nullopt;
  return enough ? fail(made.error().message, placement::withLimit(*enough))
                : made.takeError();
}

/// Where no task has room: `likely`, a limit that tasks would keep.
Result<Candidate> Candidates::placed(const partition::Search &by,
                                     std::optional<int64_t> &likely) {
  if (of.limit.bytes.empty())
    return make(by, {});
  return placeWithin(of.limit, *leastOf(of.limit), [&](int64_t bytes) {
    auto made = make(by, {bytes, {}, {}});
    if (!made && !likely)
      likely = enough;
    return made;
  });
}

/// A limit that a plan of this placement keeps, the first that is found from
/// `likely` on.
std::optional<int64_t> Candidates::limitThatWorks(const partition::Search &by,
                                                  int64_t likely) const {
  constexpr int kTries = 6;
  for (int t = 0; t < kTries; ++t) {
    Prepared larger = of;
    std::fill(larger.limit.bytes.begin(), larger.limit.bytes.end(), likely);
    std::optional<int64_t> next;
    const auto made = Candidates(larger, kernels).placed(by, next);
    if (made && larger.limit.isKeptBy(made->peaks()))
      return likely;
    if (made)
      next = *std::max_element(made->peaks().begin(), made->peaks().end());
    if (!next || *next <= likely)
      return std::nullopt;
    likely = *next;
  }
  return std::nullopt;
}

/// Moves and recomputation are chosen together, but not always best: on a
/// machine, each alone is tried, too.
Result<Candidate> Candidates::offloaded(const partition::Search &by,
                                        std::optional<double> toBeat) {
  auto placedBytes =
      placement::isAlgorithm(by.algorithm) ? leastOf(of.limit) : std::nullopt;
  auto decisions = decisionsOf(by, placedBytes);
  if (!decisions && placedBytes) {
    // No placement keeps the limit by itself: the host has room for what one
    // takes that knows of no limit.
    placedBytes.reset();
    decisions = decisionsOf(by, placedBytes);
  }
  if (!decisions)
    return decisions.takeError();
  const auto within = [&](const std::string &choices, bool alike) {
    return offloadWithin(
        of.limit,
        [&](const std::vector<int64_t> &capacities) {
          Room room{placedBytes, capacities, choices, alike, /*isTight=*/true};
          // Where nothing moves, what is kept of few states may end where
          // other schedules still have room.
          room.isThorough = of.options.offload == "recompute";
          auto made = make(by, **decisions, room);
          if (made || room.isThorough)
            return made;
          room.isThorough = true;
          return make(by, **decisions, room);
        },
        toBeat);
  };
  // Where plans of own schedules do not keep the limit, packed and with
  // transfers hidden, one of a common schedule may.
  const auto with = [&](const std::string &choices) {
    auto own = within(choices, /*alike=*/false);
    if (!own || !own->areUnlike || own->isBehind ||
        of.limit.isKeptBy(own->peaks()))
      return own;
    auto other = within(choices, /*alike=*/true);
    return other && replaces(of.limit, *other, *own) ? std::move(other)
                                                     : std::move(own);
  };
  auto made = with(of.options.offload);
  if (!made || of.options.offload != "both" || !of.machine)
    return made;
  const int64_t bound = made->search.hostLowerBoundBytes.value_or(0);
  for (const char *one : {"moves", "recompute"}) {
    auto other = with(one);
    if (other && replaces(of.limit, *other, *made))
      made = std::move(other);
  }
  boundBy(bound, *made);
  return made;
}

std::optional<Candidate> Candidates::refined(const Candidate &rough) {
  if (rough.room.choices.empty() || rough.room.isThorough ||
      of.operators <= kSmall || !of.limit.isKeptBy(rough.peaks()))
    return std::nullopt;
  constexpr int kTries = 3;
  const auto decisions = decisionsOf(rough.by, rough.room.placedBytes);
  Room room = rough.room;
  room.isThorough = true;
  for (int t = 0; decisions && t < kTries; ++t) {
    auto made = make(rough.by, **decisions, room);
    if (!made)
      break;
    if (of.limit.isKeptBy(made->peaks())) {
      // What is proven of less memory, or of fewer choices, may not hold.
      if (room.capacities != of.limit.bytes ||
          room.choices != of.options.offload)
        boundBy(rough.search.hostLowerBoundBytes.value_or(0), *made);
      if (replaces(of.limit, *made, rough))
        return std::move(*made);
      break;
    }
    for (size_t w = 0; w < room.capacities.size(); ++w)
      room.capacities[w] -=
          std::clamp<int64_t>(made->peaks()[w] - of.limit.bytes[w], 0,
                              room.capacities[w]);
  }
  return std::nullopt;
}

Result<Candidates::Decisions>
Candidates::decisionsOf(const partition::Search &by,
                        std::optional<int64_t> placedBytes) {
  enough.reset();
  Decisions decisions = ModuleOp(of.module).clone();
  const ExecOptions execOptions = execOptionsOf(by);
  if (failed(runPasses(*decisions, of.options, [&](OpPassManager &manager) {
        addDecisionPasses(manager, of.options, by, placedBytes, of.known,
                          execOptions.memory);
      }))) {
    if (const auto bytes =
            (*decisions)
                ->getAttrOfType<IntegerAttr>(placement::enoughBytesAttr))
      enough = bytes.getInt();
    return of.diagnostics.error();
  }
  decided = std::chrono::steady_clock::now();
  return decisions;
}

ExecOptions Candidates::execOptionsOf(const partition::Search &by) const {
  return execOptionsFor(of.options,
                        by.withoutMachine ? std::nullopt : of.machine);
}

Result<Candidate> Candidates::make(const partition::Search &by,
                                   const Room &room) {
  auto decisions = decisionsOf(by, room.placedBytes);
  if (!decisions)
    return decisions.takeError();
  return make(by, **decisions, room);
}

Result<Candidate> Candidates::make(const partition::Search &by,
                                   ModuleOp decisions, const Room &room) const {
  ExecOptions execOptions = execOptionsOf(by);
  execOptions.known = of.known;
  if (room.isTight)
    execOptions.overlap.capacities.assign(of.limit.bytes.begin(),
                                          of.limit.bytes.end());
  execOptions.offload.capacities.assign(room.capacities.begin(),
                                        room.capacities.end());
  execOptions.offload.choices = room.choices;
  if (room.alike)
    execOptions.offload.mostSchedules = 1;
  if (!room.choices.empty() && !room.isThorough && of.operators > kSmall) {
    execOptions.offload.mostStates = execOptions.offload.mostWays = kRoughly;
    execOptions.memory.packingSteps = memory::kPackingSteps / 64;
  }
  if (of.options.machine)
    execOptions.offloadOn =
        std::make_shared<const machines::Machine>(*of.options.machine);
  const auto inOrder = [&](ListOrder order) {
    execOptions.order = order;
    return emitted(decisions, by, execOptions, room);
  };
  if (!isPlaced(by)) {
    auto joined = inOrder(ListOrder::FetchedLate);
    if (!joined || of.limit.isKeptBy(joined->peaks()) ||
        !room.capacities.empty() || !joined->joinsFetches)
      return joined;
    // One buffer for readers far apart is kept in between.
    decisions->setAttr(lowering::fetchesApartAttr,
                       UnitAttr::get(decisions.getContext()));
    auto apart = inOrder(ListOrder::FetchedLate);
    // Where neither keeps it, what comes nearer says which limit works.
    const auto excess = [&](const Candidate &made) {
      return std::max<int64_t>(0, of.limit.worstOf(made.peaks()).excess);
    };
    return apart && excess(*apart) < excess(*joined) ? std::move(apart)
                                                     : std::move(joined);
  }
  if (!room.capacities.empty())
    return inOrder(ListOrder::FetchedWhenMade);
  const int64_t enough = of.machine ? of.machine->enoughPlans(of.operators) : 1;
  return fastestOrder(placedPeakOf(decisions), of.limit, enough, inOrder);
}

Result<Candidate> Candidates::emitted(ModuleOp decisions,
                                      const partition::Search &by,
                                      const ExecOptions &options,
                                      const Room &room) const {
  OwningOpRef<ModuleOp> ordered = decisions.clone();
  Candidate candidate{by, {}, searchInfo(decisions), {}, kernels};
  candidate.room = room;
  auto partitioned = emitProgram(of, *ordered, options, candidate.kernels);
  if (!partitioned)
    return partitioned.takeError();
  candidate.partitioned = std::move(*partitioned);
  candidate.joinsFetches = (*ordered)->hasAttr(lowering::fetchesJoinedAttr);
  exec::ProgramOp program = *ordered->getOps<exec::ProgramOp>().begin();
  candidate.areUnlike =
      bool(program->getDiscardableAttr(offload::unlikeSchedulesAttr));
  candidate.search.hostLowerBoundBytes = program.getHostLowerBound();
  if (const auto recomputing = program.getRecomputing())
    candidate.search.recomputing =
        plan::Recomputing{(*recomputing)[0], (*recomputing)[1]};
  candidate.totals = plan::totals(candidate.partitioned);
  if (of.machine) {
    const auto time =
        of.machine->stepTime(candidate.partitioned, of.operators, of.counted);
    if (!time)
      return fail(of.model, ": ", time.error().message);
    candidate.seconds = time->seconds;
    candidate.isSimulated = time->isSimulated;
  }
  return candidate;
}
