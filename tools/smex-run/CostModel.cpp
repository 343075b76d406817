#include "tools/smex-run/CostModel.h"

#include "dialects/support/Destination.h"
#include "dialects/support/File.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

using namespace smex;
using namespace smex::runtime;
using tools::CostModel;

namespace {

graph::Numbers numbersOf(DType type, const std::byte *bytes, int64_t count) {
  graph::Numbers numbers;
  for (int64_t i = 0; i < count; ++i) {
    int64_t number = 0;
    if (type == DType::I32) {
      int32_t narrow = 0;
      std::memcpy(&narrow, bytes + i * 4, 4);
      number = narrow;
    } else {
      std::memcpy(&number, bytes + i * 8, 8);
    }
    numbers.push_back(number);
  }
  return numbers;
}

/// Of the workers' shares.
Result<graph::Numbers> wholeOf(const plan::Partitioned &partitioned,
                               const ParameterSource &parameters, int parameter,
                               const TensorType &type) {
  graph::Numbers whole(size_t(type.shape[0]), 0);
  const int buffer = partitioned.program.parameters[size_t(parameter)].buffer;
  for (size_t w = 0; w < partitioned.workers.size(); ++w) {
    const Box &own = partitioned.box(int(w), buffer);
    if (isEmpty(own))
      continue;
    std::vector<std::byte> bytes(size_t(volume(own)) *
                                 size_t(byteSize(type.dtype)));
    if (Status filled = parameters.fill(int(w), parameter, bytes.data());
        !filled)
      return filled.takeError();
    const auto part = numbersOf(type.dtype, bytes.data(), own[0].size());
    std::copy(part.begin(), part.end(), whole.begin() + own[0].lo);
  }
  return whole;
}

/// A list of the graph: a constant of the plan, or an input.
Result<graph::Numbers> listOf(const plan::Plan &plan,
                              const ParameterSource &parameters,
                              const std::vector<Feed> &feeds, int step,
                              int tensor) {
  const plan::Program &program = plan.partitioned.program;
  const TensorType &type = program.tensors[size_t(tensor)].type;
  const auto isIt = [&](int buffer) {
    return program.buffers[size_t(buffer)].tensor == tensor;
  };
  for (size_t p = 0; p < program.parameters.size(); ++p)
    if (isIt(program.parameters[p].buffer))
      return wholeOf(plan.partitioned, parameters, int(p), type);
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (!isIt(program.inputs[i].buffer))
      continue;
    if (feeds[i].source || feeds[i].perStep)
      return fail("--cost-model: each step works on another graph, and a cost "
                  "model is fitted on one: give it without --sample, --walk "
                  "and --parts");
    const auto values = feeds[i].at(step, byteCount(type).value());
    if (!values)
      return values.error();
    return numbersOf(type.dtype, values->get(), type.shape[0]);
  }
  return fail("--cost-model: ", plan.modelName,
              " makes its graph itself, step by step");
}

} // namespace

Result<std::unique_ptr<CostModel>>
CostModel::open(const plan::Plan &plan, const ParameterSource &parameters,
                const std::vector<Feed> &feeds, int firstStep,
                const std::string &file) {
  std::unique_ptr<CostModel> model(new CostModel);
  model->file = file;
  auto layers = balance::LayerTimes::open(
      plan.partitioned, plan.modelName, [&](int tensor) {
        return listOf(plan, parameters, feeds, firstStep, tensor);
      });
  if (!layers)
    return layers.takeError();
  model->layers = std::move(*layers);
  if (Status writable = StagedFile::probe(file); !writable)
    return writable.takeError();
  std::error_code code;
  if (std::filesystem::exists(file, code)) {
    const auto fitted = graphpartition::readModelFileAt(file);
    if (!fitted)
      return fitted.error();
    if (Status same = model->layers->resume(*fitted, file); !same)
      return same.takeError();
  }
  return model;
}

void CostModel::add(std::vector<TraceEvent> step) {
  if (++steps == 1)
    first = std::move(step);
  else
    layers->add(step);
}

void CostModel::addAll(const std::vector<TraceEvent> &run) {
  std::map<std::pair<int, int>, size_t> seen; // of a worker's instruction
  std::vector<std::vector<TraceEvent>> all;
  for (const TraceEvent &event : run) {
    const size_t step = seen[{event.worker, event.instruction}]++;
    if (step == all.size())
      all.emplace_back();
    all[step].push_back(event);
  }
  for (auto &step : all)
    add(std::move(step));
}

void CostModel::finish() {
  if (steps == 1)
    layers->add(first);
}

Status CostModel::save() const {
  if (layers->timings() == 0)
    return {};
  return writeFile(file, graphpartition::formatModelFile(layers->model()));
}

std::string CostModel::summary() const {
  char text[200];
  std::string lines;
  if (layers->leftOut() > 0) {
    std::snprintf(text, sizeof text,
                  "%lld timings of layers were left out: they are 0, or no "
                  "finite numbers\n",
                  (long long)layers->leftOut());
    lines += text;
  }
  if (layers->timings() == 0)
    return lines + "no cost model: nothing was measured to fit it to\n";
  std::snprintf(text, sizeof text,
                "slowest worker %.3f times the mean, %.3f predicted; cost "
                "model fitted to %lld timings more: ",
                layers->imbalance(), layers->predictedImbalance(),
                (long long)layers->timings());
  return lines + text + file + "\n";
}
