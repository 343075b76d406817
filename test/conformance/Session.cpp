#include "test/conformance/Session.h"

#include "dialects/tdl/lambda/Arithmetic.h"
#include "runtime/plan/Totals.h"
#include "test/compiler/frontend/evaluate.h"
#include "test/conformance/Cases.h"

#include <cmath>
#include <cstdio>
#include <cstring>

using namespace smex;
using namespace smex::conformance;

namespace {

uint64_t hashOf(const std::string &text, uint64_t seed) {
  uint64_t hash = 0xcbf29ce484222325u ^ seed;
  for (unsigned char byte : text)
    hash = (hash ^ byte) * 0x100000001b3u;
  hash ^= hash >> 29;
  hash *= 0xbf58476d1ce4e5b9u;
  return hash ^ hash >> 32;
}

std::string textOf(DType type, tdl::Scalar value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", value.real);
  return isFloat(type) ? text : std::to_string(value.integer);
}

std::string exactDifference(const Tensor &got, const Tensor &want) {
  if (got.type != want.type)
    return toString(got.type) + " instead of " + toString(want.type);
  const DType type = got.type.dtype;
  const auto size = size_t(byteSize(type));
  for (size_t at = 0; at < got.bytes.size(); at += size) {
    if (std::memcmp(&got.bytes[at], &want.bytes[at], size) == 0)
      continue;
    const tdl::Scalar a = tdl::load(type, &got.bytes[at]),
                      b = tdl::load(type, &want.bytes[at]);
    if (isFloat(type) &&
        (a.real == b.real || (std::isnan(a.real) && std::isnan(b.real))))
      continue;
    return "element " + std::to_string(at / size) + " is " + textOf(type, a) +
           " instead of " + textOf(type, b);
  }
  return "";
}

bool hasSumOfNothing(const frontend::Model &model) {
  for (const frontend::Application &each : model.applications)
    for (size_t v = size_t(each.lambda.rank()); v < each.extents.size(); ++v)
      if (each.extents[v] == 0)
        return true;
  return false;
}

} // namespace

std::string conformance::disagreement(const Tensor &got, const Tensor &want,
                                      Agreement agreement) {
  return agreement == Agreement::Exact ? exactDifference(got, want)
                                       : test::difference(got, want);
}

Session::Session(const Row &row, Runner runner, const SessionOptions &options)
    : context(mlir::MLIRContext::Threading::DISABLED), row(row),
      runner(std::move(runner)), options(options) {
  loadDialects(context);
}

bool Session::isChosen(const std::string &name) const {
  return int(hashOf(name + row.name, options.seed) % 100) < options.percent;
}

bool Session::isDealt(const std::string &name) const {
  return options.percent == 100 || int(hashOf(name, options.seed) %
                                       uint64_t(options.ofRows)) == options.row;
}

void Session::begin(const std::string &group) {
  const double now = runtime::clockSeconds();
  if (!tallies.empty())
    tallies.back().second.seconds += now;
  tallies.push_back({group, {}});
  tallies.back().second.seconds = -now;
}

int Session::skipped() const {
  int count = 0;
  for (const auto &[reason, cases] : tallies.back().second.skipped)
    count += cases;
  return count;
}

void Session::fail(const std::string &name, const std::string &problem) {
  tallies.back().second.failed += 1;
  std::string where = row.name;
  if (row.processes > 0)
    where += ": process " + std::to_string(runner.rank());
  std::printf("FAIL %s: %s: %s: %s\n", where.c_str(),
              tallies.back().first.c_str(), name.c_str(), problem.c_str());
  std::fflush(stdout);
}

bool Session::isAccepted(const plan::Plan &plan, int cases) {
  const Status accepted = runner.accepts(plan);
  if (!accepted)
    skip(accepted.error().message.substr(accepted.error().message.find(": ") +
                                         2),
         cases);
  return bool(accepted);
}

void Session::cover(const partition::PartitionPlan &partition) {
  for (const partition::Step &step : partition.steps)
    for (const auto *list : {&step.tensors, &step.operators})
      for (const Division &division : *list)
        coverage.add(division);
}

Result<runtime::RunResult>
Session::run(const std::string &name, const plan::Plan &plan,
             const runtime::ParameterSource &parameters,
             const std::vector<runtime::Feed> &feeds,
             runtime::RunOptions running) {
  auto result = runner.run(plan, parameters, feeds, running);
  if (result && options.kept)
    if (Status done = options.kept->keep(tallies.back().first + ": " + name,
                                         plan, feeds, running, *result);
        !done)
      return done.takeError();
  return result;
}

void Session::check(const std::string &name, const Evaluated &model,
                    Random &random, DivideOptions how, Agreement agreement,
                    int cases) {
  how.targets = runner.targets();
  how.plans = options.plans;
  auto divided = divide(context, model, random, how);
  if (!divided)
    return fail(name, divided.error().message);
  cover(divided->plan.partitioned.program);
  cover(divided->partition);
  const auto failed = [&](const std::string &problem) {
    fail(name, problem + "\n" + divided->decided);
  };
  if (!isAccepted(divided->plan, cases))
    return;
  if (const std::string found = findingsOf(divided->plan); !found.empty())
    return failed("check: " + found);
  runtime::RunOptions running;
  running.steps = 2; // bytes of the first are there in the second
  running.device.seed = hashOf(name, options.seed);
  const auto result = run(name, divided->plan, NoParameters(), divided->feeds,
                          std::move(running));
  if (!result)
    return failed(result.error().message);
  // The definition counts nothing of sums over nothing, whose neutral element
  // somebody computes and others may get.
  if (!hasSumOfNothing(model.model) &&
      result->communicationBytes != divided->communicationBytes)
    return failed(std::to_string(result->communicationBytes) +
                  " bytes cross workers instead of " +
                  std::to_string(divided->communicationBytes));
  if (result->communicationBytes !=
      plan::totals(divided->plan.partitioned).communicationBytes)
    return failed("not as many bytes cross workers as the plan says");
  if (result->peakBytes != divided->plan.peakBytes)
    return failed("the peaks are not the plan's");
  for (size_t o = 0; o < divided->outputs.size(); ++o) {
    const std::string problem =
        disagreement(result->outputs[o], divided->outputs[o], agreement);
    if (!problem.empty())
      return failed(divided->plan.partitioned.program.outputs[o].name + ": " +
                    problem);
  }
  pass(cases);
}

bool Session::finish() {
  begin("");
  tallies.pop_back();
  if (options.kept)
    std::printf("%d cases are kept, and %d are not\n", options.kept->count(),
                options.kept->leftOut());
  bool isGood = !tallies.empty();
  for (const auto &[group, tally] : tallies) {
    isGood = isGood && tally.failed == 0;
    if (runner.rank() > 0)
      continue;
    std::printf("%-40s %-10s %5d passed, %d failed, %6.1f s", row.name.c_str(),
                group.c_str(), tally.passed, tally.failed, tally.seconds);
    for (const auto &[reason, count] : tally.skipped)
      std::printf("; %d not run: %s", count, reason.c_str());
    std::printf("\n");
  }
  const std::set<std::string> missing =
      options.percent == 100 && tallies.size() == groups().size()
          ? coverage.missing()
          : std::set<std::string>();
  if (runner.rank() == 0)
    std::printf("%-40s had: %s\n", row.name.c_str(), coverage.text().c_str());
  if (!missing.empty())
    std::printf("FAIL %s: no plan had: %s\n", row.name.c_str(),
                listed(missing).c_str());
  return isGood && missing.empty();
}
