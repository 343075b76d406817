#include "compiler/pipeline/OnMachine.h"

#include "compiler/placement/Algorithm.h"
#include "compiler/simulate/Simulate.h"
#include "runtime/plan/Totals.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace smex;
using namespace smex::pipeline;
using machines::Device;

Result<OnMachine> OnMachine::of(const machines::Machine &machine,
                                int64_t gpus) {
  auto site = partition::siteOf(machine, gpus);
  if (!site)
    return site.takeError();
  return OnMachine(machine, std::move(*site));
}

std::vector<partition::Search> OnMachine::allKinds() const {
  std::vector<partition::Search> list = searches();
  list.resize(1);
  const auto add = [&](std::string_view algorithm, int64_t groups = 0,
                       int64_t replicas = 1) {
    partition::Search search;
    search.algorithm = algorithm;
    search.groups = groups;
    search.replicas = replicas;
    list.push_back(std::move(search));
  };
  const int64_t gpus = int64_t(site.devices.size());
  if (gpus == 1)
    return list;
  add("data-parallel");
  add("zero");
  for (const std::string_view placement : placement::strongest())
    add(placement);
  for (int64_t groups = 2; groups < gpus; ++groups)
    if (gpus % groups == 0)
      add(placement::strongest().front(), groups);
  for (int64_t replicas = 2; replicas < gpus; ++replicas)
    if (gpus % replicas == 0)
      add(placement::strongest().front(), 0, replicas);
  return list;
}

std::vector<partition::Search> OnMachine::otherKinds(bool hasSides) const {
  std::set<std::string> known;
  for (const partition::Search &search : allKinds())
    known.insert(toString(search));
  std::vector<partition::Search> list;
  for (partition::Search &search : searches(hasSides))
    if (known.insert(toString(search)).second)
      list.push_back(std::move(search));
  return list;
}

int64_t OnMachine::enoughPlans(int64_t operators, bool hasSides) const {
  constexpr double work = 400000;
  // Those of sides come to what others have.
  const double few = hasSides ? double(partition::searchesOfSides) : 2,
               most = hasSides ? 15 : 12;
  return int64_t(std::clamp(work / (double(operators) * workers()), few, most));
}

MemoryLimit OnMachine::memory() const {
  MemoryLimit limit;
  limit.of = "the memory of a GPU of " + machine->name;
  for (const Device &device : site.devices)
    limit.bytes.push_back(device.usableBytes());
  return limit;
}

ExecOptions OnMachine::execOptions() const {
  ExecOptions options;
  double memory = INFINITY, flops = INFINITY, launch = 0;
  int64_t workspace = -1;
  for (const Device &device : site.devices) {
    memory = std::min(memory, device.memoryRate());
    flops =
        std::min(flops, device.flops.at(DType::F32) * device.contraction.most);
    launch = std::max(launch, device.launchSeconds);
    workspace = std::max(workspace, device.workspaceBytes.value_or(-1));
  }
  options.memory.workspaceBytes = workspace;
  if (site.levels.empty())
    return options;
  const double link = site.levels.front().bytesPerSecond;
  for (const machines::Level &level : site.levels) {
    options.overlap.linkGroups.push_back(level.gpus);
    options.overlap.linkCosts.push_back(
        std::max<int64_t>(1, std::llround(link / level.bytesPerSecond)));
  }
  options.overlap.memoryRate = memory / link;
  options.overlap.flopsRate = flops / link;
  options.overlap.launch = launch * link;
  return options;
}

/// At most so many pieces go from one worker to another: of each fetch, as many
/// as it has pairs of workers that get something and that have something.
static double flowsOf(const plan::Partitioned &plan) {
  const auto having = [&](int buffer) {
    double workers = 0;
    for (int w = 0; w < int(plan.workers.size()); ++w)
      workers += volume(plan.box(w, buffer)) > 0;
    return workers;
  };
  double flows = 0;
  for (const plan::Instruction &each : plan.program.instructions)
    if (each.op != plan::Opcode::Compute)
      flows += having(each.to) * having(each.from);
  return flows;
}

/// What is known of a program, by buffer.
static analysis::KnownLists listsOf(const plan::Program &program,
                                    const analysis::NamedLists &known) {
  analysis::KnownLists lists;
  for (const plan::BufferInfo &buffer : program.buffers) {
    const auto list = known.find(program.tensors[size_t(buffer.tensor)].name);
    lists.push_back(list == known.end() ? nullptr : list->second);
  }
  return lists;
}

Status OnMachine::measure(const machines::Profile &profile,
                          const plan::Partitioned &whole,
                          const analysis::NamedLists &known) {
  const plan::Program &program = whole.program;
  simulate::Options options;
  options.lists = listsOf(program, known);
  const auto described = simulate::simulate(whole, *machine, options);
  if (!described)
    return described.error();
  const double launch = machine->deviceOf(0).launchSeconds;
  bool isOfModel = false;
  for (const simulate::Event &event : described->events) {
    const plan::Instruction &what =
        program.instructions[size_t(event.instruction)];
    if (what.op != plan::Opcode::Compute)
      continue;
    const std::string &name =
        program.tensors[size_t(program.buffers[size_t(what.to)].tensor)].name;
    const auto measured = profile.seconds.find(name);
    if (measured == profile.seconds.end())
      continue;
    isOfModel = true;
    if (const double counted = event.end - event.start - launch; counted > 0)
      slowdowns[name] = std::max(0., measured->second - launch) / counted;
  }
  return isOfModel ? Status() : machines::noneOfModel(profile);
}

Result<StepTime> OnMachine::stepTime(const plan::Partitioned &plan,
                                     int64_t operators,
                                     const analysis::NamedLists &known,
                                     double mostFlows) const {
  simulate::Options options;
  options.lists = listsOf(plan.program, known);
  if (!slowdowns.empty())
    for (const plan::TensorInfo &tensor : plan.program.tensors) {
      const auto found = slowdowns.find(tensor.name);
      options.slowdowns.push_back(found == slowdowns.end() ? 1 : found->second);
    }
  // A fetch is up to a flow per pair of workers; of placed operators it is one.
  StepTime time;
  time.isSimulated = double(operators) * workers() * workers() <= mostFlows ||
                     flowsOf(plan) <= mostFlows;
  options.skipCopies = !time.isSimulated;
  const auto simulation = simulate::simulate(plan, *machine, options);
  if (!simulation)
    return simulation.error();
  time.seconds = simulation->stepSeconds;
  if (time.isSimulated)
    return time;
  const std::vector<plan::LinkLevel> links = info(plan).links;
  for (size_t l = 0; l < links.size(); ++l)
    time.seconds +=
        double(links[l].bytes) / workers() / site.levels[l].bytesPerSecond;
  return time;
}

plan::MachineInfo OnMachine::info(const plan::Partitioned &plan) const {
  plan::MachineInfo info{machine->name, {}};
  for (const machines::Level &level : site.levels)
    info.links.push_back(
        {level.gpus, std::max<int64_t>(1, std::llround(level.bytesPerSecond)),
         0});
  plan::countBytes(plan, info.links);
  return info;
}
