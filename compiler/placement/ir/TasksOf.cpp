#include "compiler/placement/ir/TasksOf.h"

#include "compiler/placement/ir/Layers.h"
#include "compiler/simulate/KernelTime.h"
#include "dialects/tdl/analysis/Properties.h"

#include "llvm/ADT/STLExtras.h"

using namespace smex;
using namespace smex::placement;

namespace {

double volumeOf(const std::vector<int64_t> &shape) {
  double volume = 1;
  for (int64_t size : shape)
    volume *= double(size);
  return volume;
}

int64_t bytesOf(const partition::Tensor &tensor) {
  int64_t bytes = tensor.elementBytes;
  for (int64_t size : tensor.shape)
    bytes *= size;
  return bytes;
}

/// By tensor: the last operator that reads it, in the module's order; or -1.
std::vector<int> lastReadersOf(const partition::OperatorGraph &graph) {
  std::vector<int> last(graph.tensors.size(), -1);
  for (size_t o = 0; o < graph.operators.size(); ++o)
    for (const partition::Operand &operand : graph.operators[o].operands)
      last[size_t(operand.tensor)] = int(o);
  return last;
}

/// Whether a value is there for other operators alone: what a plan computes
/// others in the place of (compiler/memory/InPlace.h).
bool isTemporary(mlir::Value value) {
  return value.getDefiningOp<semantic::ApplyOp>() &&
         llvm::all_of(value.getUsers(), [](mlir::Operation *user) {
           return llvm::isa<semantic::ApplyOp>(user);
         });
}

/// Times by lambda: a model of thousands of layers has few of them.
class Times {
public:
  Times(const tdl::LambdaTable &lambdas, const machines::Device &device)
      : lambdas(lambdas), device(device) {}

  /// `written`, `regions`: bytes of the result, and of what is read of each
  /// operand. `aligned`: all of their rows are.
  double of(semantic::ApplyOp apply, const partition::Operator &op,
            const partition::OperatorGraph &graph, double written,
            const std::vector<double> &regions, bool aligned) {
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
    const double counted =
        known->second.counted(volumeOf(op.extents), type.shape);
    double bytes = written;
    for (size_t i = 0; i < regions.size(); ++i) {
      const auto &tensor = graph.tensors[size_t(op.operands[i].tensor)];
      bytes += known->second.bytesRead(device, i, regions[i],
                                       double(tensor.elementBytes), counted);
    }
    return known->second.seconds(device, type.dtype, counted, bytes, aligned);
  }

private:
  const tdl::LambdaTable &lambdas;
  const machines::Device &device;
  llvm::DenseMap<mlir::Attribute, simulate::KernelTime> kernels;
};

} // namespace

Tasks placement::tasksOf(const partition::GraphOfModule &module,
                         const tdl::LambdaTable &lambdas,
                         const machines::Device &device,
                         const machines::Profile *profile) {
  const partition::OperatorGraph &graph = module.graph;
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
    Task &task = add(graph.tensors[t].name, bytesOf(graph.tensors[t]));
    task.layer = layers.ofTensor[t];
    if (graph.tensors[t].isParameter)
      task.memory = MemoryKind::Residual;
  }
  Times times(lambdas, device);
  const std::vector<int> lastReaders = lastReadersOf(graph);
  // Of arguments and parameters.
  std::vector<std::vector<int>> readers(tasks.graph.tasks.size());
  for (size_t o = 0; o < graph.operators.size(); ++o) {
    const partition::Operator &op = graph.operators[o];
    semantic::ApplyOp apply = module.applications[o];
    const partition::Tensor &result = graph.tensors[size_t(op.result)];
    const int number = int(tasks.graph.tasks.size());
    Box indices;
    for (int64_t extent : op.extents)
      indices.push_back({0, extent});
    std::vector<double> regions;
    bool aligned =
        simulate::hasAlignedRows(wholeBox(result.shape), result.elementBytes);
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const partition::Tensor &tensor =
          graph.tensors[size_t(op.operands[i].tensor)];
      const Box region = op.operands[i].access.region(indices, tensor.shape);
      const int64_t bytes = volume(region) * tensor.elementBytes;
      aligned &= simulate::hasAlignedRows(region, tensor.elementBytes);
      regions.push_back(double(bytes));
      const int maker = makers.at(apply.getInputs()[i]);
      tasks.graph.edges.push_back({maker, number, bytes});
      if (size_t(maker) < readers.size())
        readers[size_t(maker)].push_back(number);
    }
    Task &task = add(op.name, bytesOf(result));
    task.layer = layers.ofOperator[o];
    for (const int i :
         analysis::inPlaceOperands(lambdas[apply.getLambdaAttr().getAttr()])) {
      const mlir::Value operand = apply.getInputs()[size_t(i)];
      const size_t tensor = size_t(op.operands[size_t(i)].tensor);
      if (isTemporary(operand) && lastReaders[tensor] == int(o) &&
          graph.tensors[tensor].shape == result.shape &&
          regions[size_t(i)] == double(bytesOf(result))) {
        task.overwrites = makers.at(operand);
        break;
      }
    }
    task.seconds =
        times.of(apply, op, graph, double(bytesOf(result)), regions, aligned);
    if (profile)
      if (const auto measured = profile->seconds.find(result.name);
          measured != profile->seconds.end())
        task.seconds = measured->second;
    if (const int parameter = tasks.ofTensor[size_t(op.result)];
        parameter >= 0) {
      task.memory = MemoryKind::Reference;
      task.overwrites = -1;
      task.target = parameter;
      // What reads the value before that comes first, or both values would take
      // memory.
      for (const int reader : readers[size_t(parameter)])
        if (reader != number)
          tasks.graph.edges.push_back({reader, number, 0});
    }
    makers[apply.getResult()] = number;
    tasks.ofOperator.push_back(number);
  }
  return tasks;
}
