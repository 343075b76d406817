#include "compiler/pipeline/Choice.h"

#include "runtime/plan/Inspect.h"
#include "runtime/plan/Lifetimes.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace smex;
using namespace smex::pipeline;

namespace {

/// Names and bytes of the largest buffers of a worker that are alive when most
/// of its memory is.
std::string largestAtPeak(const plan::Partitioned &partitioned, int worker) {
  std::vector<plan::Lifetime> there = plan::lifetimes(partitioned, worker);
  const int time = plan::mostAlive(there).time;
  there.erase(std::remove_if(there.begin(), there.end(),
                             [&](const plan::Lifetime &span) {
                               return span.buffer < 0 || time < span.lower ||
                                      time >= span.upper;
                             }),
              there.end());
  std::stable_sort(there.begin(), there.end(),
                   [](const plan::Lifetime &a, const plan::Lifetime &b) {
                     return a.bytes > b.bytes;
                   });
  const plan::Program &program = partitioned.program;
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(there.size(), 4); ++i) {
    const int tensor = program.buffers[size_t(there[i].buffer)].tensor;
    text += (i ? ", \"" : "\"") + program.tensors[size_t(tensor)].name + "\" " +
            plan::humanBytes(there[i].bytes);
  }
  return text;
}

/// The operator that alone takes most of a worker's memory: whatever waits on
/// the host, its operands and results are there together, beside parameters
/// that are not on the host.
std::string largestOperator(const plan::Partitioned &partitioned, int worker) {
  const plan::Program &program = partitioned.program;
  int64_t most = 0;
  std::string node;
  for (const plan::Instruction &each : program.instructions) {
    if (plan::isMove(each.op))
      continue;
    std::vector<int> buffers = each.operands;
    buffers.push_back(each.to);
    if (each.op != plan::Opcode::Compute)
      buffers.push_back(each.from);
    std::map<int64_t, int64_t> bytes; // by offset: some results are in place
    for (int buffer : buffers) {
      int64_t &there = bytes[partitioned.offset(worker, buffer)];
      there = std::max(there, volume(partitioned.box(worker, buffer)) *
                                  byteSize(elementType(program, buffer)));
    }
    int64_t sum = 0;
    for (const auto &[offset, there] : bytes)
      sum += there;
    if (sum > most) {
      most = sum;
      node = each.node;
    }
  }
  int64_t parameters = 0;
  for (const plan::Parameter &each : program.parameters)
    if (partitioned.space(worker, each.buffer) == plan::Space::Device)
      parameters += volume(partitioned.box(worker, each.buffer)) *
                    byteSize(elementType(program, each.buffer));
  const std::string text = "\"" + node + "\", " + plan::humanBytes(most);
  return parameters == 0 ? text
                         : text + ", beside " + plan::humanBytes(parameters) +
                               " of parameters";
}

std::string withOffload(const std::string &choices) {
  if (choices == "moves")
    return ", even with buffers on the host";
  if (choices == "recompute")
    return ", even with buffers computed again";
  return choices.empty() ? ""
                         : ", even with buffers on the host or computed again";
}

/// Of searches that made no plan, why the one did not that would with the
/// smallest limit, if that is smaller than this one.
std::string failureOf(const std::vector<Compared> &compared, int64_t limit) {
  const Compared *least = nullptr;
  for (const Compared &each : compared)
    if (each.enough && *each.enough < limit) {
      limit = *each.enough;
      least = &each;
    }
  return least ? "; of --algorithm " + toString(least->by) +
                     " there is none: " + least->failure
               : "";
}

Compared compared(const Candidate &candidate, bool fits) {
  const auto &peaks = candidate.peaks();
  return {candidate.by,
          candidate.seconds,
          candidate.totals.communicationBytes,
          *std::max_element(peaks.begin(), peaks.end()),
          fits,
          "",
          "",
          std::nullopt,
          candidate.isSimulated};
}

Error refusal(const Candidate &least, const MemoryLimit &limit,
              const std::string &model, int64_t tried,
              const std::vector<Compared> &compared, bool isNamed) {
  const auto &peaks = least.peaks();
  const int worker = limit.worstOf(peaks).worker;
  const std::string gpus =
      std::to_string(peaks.size()) + (peaks.size() == 1 ? " GPU" : " GPUs");
  std::string needs = plan::humanBytes(peaks[size_t(worker)]),
              has = plan::humanBytes(limit.bytes[size_t(worker)]);
  if (needs == has) {
    needs = std::to_string(peaks[size_t(worker)]) + " bytes";
    has = std::to_string(limit.bytes[size_t(worker)]) + " bytes";
  }
  const std::string of =
      tried == 1 ? "; the plan of --algorithm " + toString(least.by) + " for " +
                       gpus + " keeps "
                 : "; of " + std::to_string(tried) + " plans for " + gpus +
                       ", that of --algorithm " + toString(least.by) +
                       " takes least, and keeps ";
  return fail(
      model, ": gpu", worker, " needs ", needs, ", more than ", limit.of, ", ",
      has, withOffload(least.room.choices), of, limit.keptBy(peaks),
      failureOf(compared, *std::max_element(peaks.begin(), peaks.end())), "; ",
      !least.room.choices.empty()
          ? "its largest operator is " +
                largestOperator(least.partitioned, worker) + "; "
          : "",
      isNamed && peaks.size() > 1
          ? "without --algorithm, other searches are tried; "
          : "",
      "more GPUs may need less each; largest at its peak: ",
      largestAtPeak(least.partitioned, worker));
}

} // namespace

void Chosen::refine(Candidate by) {
  const std::string label = toString(candidate.by);
  for (Compared &each : compared)
    if (each.failure.empty() && each.behind.empty() &&
        toString(each.by) == label)
      each = ::compared(by, /*fits=*/true);
  candidate = std::move(by);
}

Result<Chosen>
smex::pipeline::choose(Candidate first, const MemoryLimit &limit,
                       const std::string &model, int64_t enough,
                       const std::vector<partition::Search> &others,
                       const std::vector<partition::Search> &ifNoneFits,
                       const Attempt &attempt, bool isNamed) {
  // What keeps the limit is better than what does not, and then by how much.
  const auto rank = [&limit](const Candidate &candidate) {
    const auto &peaks = candidate.peaks();
    if (!limit.isKeptBy(peaks))
      return std::make_tuple(1, double(limit.worstOf(peaks).excess),
                             int64_t(0));
    return std::make_tuple(0, candidate.cost(),
                           *std::max_element(peaks.begin(), peaks.end()));
  };
  const bool firstFits = limit.isKeptBy(first.peaks()),
             firstIsEnough = firstFits && first.totals.hostTraffic.isNone() &&
                             !first.search.recomputing;
  std::vector<Compared> all = {compared(first, firstFits)};
  Chosen chosen{std::move(first), 1, firstFits, std::move(all)};
  const auto tryOne = [&](const partition::Search &search) {
    std::optional<int64_t> works;
    auto candidate =
        attempt(search,
                chosen.fitting == 0 ? std::nullopt
                                    : std::optional(chosen.candidate.cost()),
                works);
    if (!candidate) {
      chosen.compared.push_back({search});
      chosen.compared.back().failure = candidate.error().message;
      chosen.compared.back().enough = works;
      return;
    }
    const bool fits = limit.isKeptBy(candidate->peaks());
    chosen.compared.push_back(compared(*candidate, fits));
    if (candidate->isBehind) {
      chosen.compared.back().behind = toString(chosen.candidate.by);
      return;
    }
    ++chosen.tried;
    chosen.fitting += fits;
    if (rank(*candidate) < rank(chosen.candidate))
      chosen.candidate = std::move(*candidate);
  };
  for (const partition::Search &search : others) {
    if (firstIsEnough && chosen.tried >= enough)
      break;
    tryOne(search);
  }
  if (chosen.fitting == 0)
    for (const partition::Search &search : ifNoneFits)
      tryOne(search);
  if (chosen.fitting == 0)
    return refusal(chosen.candidate, limit, model, chosen.tried,
                   chosen.compared, isNamed);
  return chosen;
}
