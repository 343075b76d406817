#include "compiler/offload/ir/Prices.h"

#include "compiler/machine/Routes.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace smex;
using offload::Prices;

namespace {

/// What PCI-e 5 reaches, for machines that say nothing of a host.
constexpr double usualRate = 55e9;

int64_t elementBytes(exec::BufferOp buffer) {
  auto type = cast<RankedTensorType>(buffer.getTensorType());
  return byteSize(*tdl::toDType(type.getElementType()));
}

} // namespace

std::vector<double> smex::offload::hostRates(const machines::Machine &machine,
                                             int64_t workers) {
  machines::Routes routes(machine);
  const std::vector<double> capacities = machines::capacities(machine);
  const size_t gpus = machine.gpus.size();
  std::vector<std::vector<int>> resources(static_cast<size_t>(workers));
  std::vector<double> users(capacities.size());
  for (size_t w = 0; w < size_t(workers); ++w) {
    const int gpu = machine.gpus[w % gpus];
    if (const auto host = machines::nearestHost(machine, routes, gpu))
      resources[w] = routes.between(gpu, *host).resources;
    for (int resource : resources[w])
      if (w < gpus)
        ++users[size_t(resource)];
  }
  std::vector<double> rates;
  for (const std::vector<int> &used : resources) {
    double rate = used.empty() ? usualRate : INFINITY;
    for (int resource : used)
      rate = std::min(rate,
                      capacities[size_t(resource)] / users[size_t(resource)]);
    rates.push_back(rate);
  }
  return rates;
}

Prices::Prices(exec::ProgramOp program, exec::Regions &regions,
               const machines::Machine &machine)
    : regions(regions), machine(machine), lambdas(program->getParentOp()),
      rates(hostRates(machine, program.getWorkers())) {}

const simulate::KernelTime &Prices::timeOf(exec::ComputeOp compute) {
  const Attribute symbol = compute.getLambdaAttr().getAttr();
  auto known = times.find(symbol);
  if (known == times.end())
    known = times
                .try_emplace(symbol,
                             simulate::KernelTime(
                                 lambdas[compute.getLambdaAttr().getAttr()]))
                .first;
  return known->second;
}

std::vector<double> Prices::seconds(exec::ComputeOp compute) {
  const simulate::KernelTime &time = timeOf(compute);
  exec::BufferOp to = exec::written(compute);
  auto type = cast<RankedTensorType>(to.getTensorType());
  const std::vector<int64_t> result = type.getShape().vec();
  const auto shapes = exec::operandShapes(compute);
  const std::vector<analysis::Access> &reads =
      accesses.of(lambdas[compute.getLambdaAttr().getAttr()], shapes);
  const auto operands = exec::read(compute);
  const std::vector<Box> &indices = regions.indices(compute);
  std::vector<double> seconds;
  for (size_t w = 0; w < indices.size(); ++w) {
    if (isEmpty(indices[w]) && !result.empty()) {
      seconds.push_back(0);
      continue;
    }
    const machines::Device &device =
        machine.deviceOf(int(w % machine.gpus.size()));
    const double counted = time.counted(double(volume(indices[w])), result);
    const Box &written = regions.of(to)[w];
    double bytes = double(volume(written)) * double(elementBytes(to));
    const DType dtype = *tdl::toDType(type.getElementType());
    bool aligned = simulate::hasAlignedRows(written, byteSize(dtype));
    for (size_t k = 0; k < operands.size(); ++k) {
      const int64_t element = elementBytes(operands[k]);
      const Box region = reads[k].region(indices[w], shapes[k]);
      aligned &= simulate::hasAlignedRows(region, element);
      bytes +=
          time.bytesRead(device, k, double(volume(region)) * double(element),
                         double(element), counted);
    }
    seconds.push_back(device.launchSeconds +
                      time.seconds(device, dtype, counted, bytes, aligned));
  }
  return seconds;
}

int64_t Prices::inBytes(const std::vector<double> &seconds) const {
  constexpr double most = 1e14; // as many as a problem may have
  double bytes = 0;
  for (size_t w = 0; w < seconds.size(); ++w)
    bytes += seconds[w] * rates[w];
  return std::max<int64_t>(1, std::llround(std::min(bytes, most)));
}
