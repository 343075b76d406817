#include "compiler/placement/ir/TasksOf.h"

#include "compiler/placement/ir/Layers.h"
#include "compiler/simulate/KernelTime.h"
#include "dialects/tdl/analysis/Properties.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <unordered_map>

using namespace smex;
using namespace smex::placement;

namespace {

/// As a double: points are more than 63 bits can count.
double volumeOf(const Box &points) {
  double volume = 1;
  for (const Interval &each : points)
    volume *= double(each.hi - each.lo);
  return volume;
}

/// Of all points of an operator, what part these are.
double partOf(const Box &points, const std::vector<int64_t> &extents) {
  double all = 1;
  for (int64_t extent : extents)
    all *= double(extent);
  return all == 0 ? 1 : volumeOf(points) / all;
}

/// As plans place it.
int64_t placedBytes(int64_t bytes) { return llvm::alignTo(bytes, 64); }

/// By tensor: the last operator that reads it, in the module's order; or -1.
std::vector<int> lastReadersOf(const partition::OperatorGraph &graph) {
  std::vector<int> last(graph.tensors.size(), -1);
  for (size_t o = 0; o < graph.operators.size(); ++o)
    for (const partition::Operand &operand : graph.operators[o].operands)
      last[size_t(operand.tensor)] = int(o);
  return last;
}

/// Whether something but an operator reads the value, and so after the last of
/// them: it is a result of the model, or a parameter's next value.
bool isKept(mlir::Value value) {
  return llvm::any_of(value.getUsers(), [](mlir::Operation *user) {
    return !llvm::isa<semantic::ApplyOp>(user);
  });
}

/// Whether a value is there for other operators alone: what a plan computes
/// others in the place of (compiler/memory/InPlace.h).
bool isTemporary(mlir::Value value) {
  return value.getDefiningOp<semantic::ApplyOp>() && !isKept(value);
}

/// Whether the operator reads the value element by element alone, so that it
/// can write its result over it (compiler/memory/InPlace.h, Lifetimes.h).
bool readsInPlace(semantic::ApplyOp apply, mlir::Value value,
                  llvm::ArrayRef<int> inPlace) {
  for (const auto [i, operand] : llvm::enumerate(apply.getInputs()))
    if (operand == value && !llvm::is_contained(inPlace, int(i)))
      return false;
  return true;
}

/// Numbers of the parts that are read of what tasks make: 1, 2 and so on.
class Parts {
public:
  int of(int maker, const Box &part) {
    std::vector<Box> &known = byMaker[maker];
    const auto found = llvm::find(known, part);
    const int number = int(found - known.begin()) + 1;
    if (found == known.end())
      known.push_back(part);
    return number;
  }

private:
  std::unordered_map<int, std::vector<Box>> byMaker;
};

/// Times by lambda: a model of thousands of layers has few of them.
class Times {
public:
  Times(const tdl::LambdaTable &lambdas, const machines::Device &device)
      : lambdas(lambdas), device(device) {}

  /// Of these points of the operator's. `written`, `regions`: bytes of the
  /// result, and of what is read of each operand. `aligned`: all of their rows
  /// are.
  double of(semantic::ApplyOp apply, const partition::Operator &op,
            const partition::OperatorGraph &graph, const Box &points,
            double written, const std::vector<double> &regions, bool aligned) {
    const mlir::Attribute symbol = apply.getLambdaAttr().getAttr();
    auto known = kernels.find(symbol);
    if (known == kernels.end())
      known = kernels
                  .try_emplace(symbol,
                               simulate::KernelTime(
                                   lambdas[apply.getLambdaAttr().getAttr()]))
                  .first;
    const smex::TensorType type =
        semantic::tensorType(apply.getResult().getType());
    const double counted = known->second.counted(volumeOf(points), type.shape);
    double bytes = written;
    for (size_t i = 0; i < regions.size(); ++i) {
      const auto &tensor = graph.tensors[size_t(op.operands[i].tensor)];
      bytes += known->second.bytesRead(device, i, regions[i],
                                       double(tensor.elementBytes), counted);
    }
    return device.launchSeconds +
           known->second.seconds(device, type.dtype, counted, bytes, aligned);
  }

private:
  const tdl::LambdaTable &lambdas;
  const machines::Device &device;
  llvm::DenseMap<mlir::Attribute, simulate::KernelTime> kernels;
};

} // namespace

int64_t placement::bytesOf(const partition::Tensor &tensor) {
  int64_t bytes = tensor.elementBytes;
  for (const int64_t size : tensor.shape)
    bytes *= size;
  return bytes;
}

Tasks placement::tasksOf(const partition::GraphOfModule &module,
                         const tdl::LambdaTable &lambdas,
                         const machines::Device &device,
                         const machines::Profile *profile,
                         const partition::PartitionPlan &before) {
  const partition::OperatorGraph &graph = module.graph;
  const auto owned = [&](int tensor) {
    return partition::ownedBox(graph, before, tensor, /*worker=*/0);
  };
  const ModelLayers layers = layersOf(graph);
  Tasks tasks;
  tasks.ofTensor.assign(graph.tensors.size(), -1);
  llvm::DenseMap<mlir::Value, int> makers;
  const auto add = [&](const std::string &name, int64_t bytes) -> Task & {
    tasks.graph.tasks.emplace_back();
    Task &task = tasks.graph.tasks.back();
    task.name = name;
    task.bytes = bytes;
    return task;
  };
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const mlir::Value value = module.values[t];
    if (value.getDefiningOp<semantic::ApplyOp>())
      continue;
    makers[value] = tasks.ofTensor[t] = int(tasks.graph.tasks.size());
    Task &task =
        add(graph.tensors[t].name,
            placedBytes(volume(owned(int(t))) * graph.tensors[t].elementBytes));
    task.layer = layers.ofTensor[t];
    if (graph.tensors[t].isParameter)
      task.memory = MemoryKind::Residual;
    else
      task.kept = isKept(value);
  }
  Times times(lambdas, device);
  Parts parts;
  const std::vector<int> lastReaders = lastReadersOf(graph);
  // Of arguments and parameters.
  std::vector<std::vector<int>> readers(tasks.graph.tasks.size());
  for (size_t o = 0; o < graph.operators.size(); ++o) {
    const partition::Operator &op = graph.operators[o];
    semantic::ApplyOp apply = module.applications[o];
    const partition::Tensor &result = graph.tensors[size_t(op.result)];
    const int number = int(tasks.graph.tasks.size());
    const Box indices = partition::indexBox(graph, before, int(o), 0);
    const Box written = front(indices, result.shape.size());
    const int64_t writtenBytes = volume(written) * result.elementBytes;
    std::vector<double> regions;
    bool aligned = simulate::hasAlignedRows(written, result.elementBytes);
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const partition::Tensor &tensor =
          graph.tensors[size_t(op.operands[i].tensor)];
      const Box whole = owned(op.operands[i].tensor);
      const Box region =
          intersect(op.operands[i].access.region(indices, tensor.shape), whole);
      const int64_t bytes = volume(region) * tensor.elementBytes;
      aligned &= simulate::hasAlignedRows(region, tensor.elementBytes);
      regions.push_back(double(bytes));
      const int maker = makers.at(apply.getInputs()[i]);
      tasks.graph.edges.push_back(
          {maker, number, placedBytes(bytes),
           region == whole ? 0 : parts.of(maker, region)});
      tasks.packs.push_back(bytes > 0 && !runIn(whole, region));
      if (size_t(maker) < readers.size())
        readers[size_t(maker)].push_back(number);
    }
    Task &task = add(op.name, placedBytes(writtenBytes));
    task.layer = layers.ofOperator[o];
    const std::vector<int> inPlace =
        analysis::inPlaceOperands(lambdas[apply.getLambdaAttr().getAttr()]);
    for (const int i : inPlace) {
      const mlir::Value operand = apply.getInputs()[size_t(i)];
      const size_t tensor = size_t(op.operands[size_t(i)].tensor);
      if (isTemporary(operand) && readsInPlace(apply, operand, inPlace) &&
          lastReaders[tensor] == int(o) &&
          graph.tensors[tensor].shape == result.shape &&
          regions[size_t(i)] == double(writtenBytes)) {
        task.overwrites = makers.at(operand);
        break;
      }
    }
    task.seconds = times.of(apply, op, graph, indices, double(writtenBytes),
                            regions, aligned);
    if (profile)
      if (const auto measured = profile->seconds.find(result.name);
          measured != profile->seconds.end())
        task.seconds = measured->second * partOf(indices, op.extents);
    task.kept = isKept(apply.getResult());
    if (const int parameter = tasks.ofTensor[size_t(op.result)];
        parameter >= 0) {
      if (readsInPlace(apply, module.values[size_t(op.result)], inPlace)) {
        task.memory = MemoryKind::Reference;
        task.target = parameter;
        task.kept = false;
        // What reads the value before that comes first, or both values would
        // take memory.
        for (const int reader : readers[size_t(parameter)])
          if (reader != number) {
            tasks.graph.edges.push_back({reader, number, 0});
            tasks.packs.push_back(false);
          }
      } else {
        task.together = tasks.graph.tasks[size_t(parameter)].together =
            parameter;
      }
      task.overwrites = -1;
    }
    makers[apply.getResult()] = number;
    tasks.ofOperator.push_back(number);
  }
  return tasks;
}
