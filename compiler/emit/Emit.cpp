#include "compiler/emit/Emit.h"

#include "compiler/emit/Graphs.h"
#include "dialects/exec/ir/Regions.h"
#include "runtime/plan/Regions.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace smex;
using namespace smex::emit;

namespace {

class Emitter {
public:
  Emitter(exec::ProgramOp program, KernelTable &kernels)
      : op(program), kernels(kernels), lambdas(program->getParentOp()),
        regions(program) {}

  plan::Partitioned run() {
    for (auto buffer : op.getOps<exec::BufferOp>())
      if (!buffer.getPartial())
        types.try_emplace(buffer.getTensor(), elementOf(buffer));
    program().ways = op.getWays().vec();
    number();
    result.workers.resize(size_t(op.getWorkers()));
    for (size_t w = 0; w < result.workers.size(); ++w) {
      plan::Worker &worker = result.workers[w];
      worker.arenaBytes = (*op.getArena())[w];
      worker.workspaceOffset = (*op.getWorkspace())[w];
      worker.workspaceBytes = op.getWorkspace()->back();
      if (const auto onHost = op.getHostArena())
        worker.hostBytes = (*onHost)[w];
      if (const auto staging = op.getStaging())
        worker.stagingBytes = (*staging)[w];
    }
    for (Operation &each : op.getBody().front()) {
      if (auto buffer = dyn_cast<exec::BufferOp>(each))
        addBuffer(buffer);
      else if (auto output = dyn_cast<exec::OutputOp>(each))
        addOutput(output);
      else if (auto update = dyn_cast<exec::UpdateOp>(each))
        setNext(numbers.at(exec::bufferOf(update.getParameter())),
                numbers.at(exec::bufferOf(update.getValue())));
      else
        addInstruction(&each);
    }
    setGraphs();
    plan::evaluate(program(), *plan::lambdasOf(program()));
    plan::nameCollectives(result);
    return std::move(result);
  }

private:
  plan::Program &program() { return result.program; }

  /// Which compute reads or makes a region: in a plan, the first that does
  /// stands for the lambda, its operands' shapes, its extents and divisions.
  void number() {
    for (const auto &[i, each] : llvm::enumerate(exec::instructions(op))) {
      auto compute = dyn_cast<exec::ComputeOp>(each);
      if (!compute)
        continue;
      makers.try_emplace(
          madeOf(compute.getExtentsAttr(), compute.getIndices(),
                 size_t(lambdas[compute.getLambdaAttr().getAttr()].rank())),
          int(i));
      for (size_t k = 0; k < compute.getInputs().size(); ++k)
        readers.try_emplace({workOf(compute), int64_t(k)}, int(i));
    }
  }

  static DType elementOf(exec::BufferOp buffer) {
    auto type = cast<RankedTensorType>(buffer.getTensorType());
    return *tdl::toDType(type.getElementType());
  }

  /// A partial result may be of another type than its tensor.
  DType typeOf(exec::BufferOp buffer) const {
    const auto whole = types.find(buffer.getTensor());
    return whole == types.end() ? elementOf(buffer) : whole->second;
  }

  int tensorOf(exec::BufferOp buffer) {
    const auto [entry, isNew] = tensors.try_emplace(
        buffer.getTensor().str(), int(program().tensors.size()));
    if (isNew) {
      auto type = cast<RankedTensorType>(buffer.getTensorType());
      program().tensors.push_back(
          {entry->first, {typeOf(buffer), type.getShape().vec()}});
    }
    return entry->second;
  }

  static void setRange(plan::Port &port, semantic::RangeAttr range) {
    if (!range)
      return;
    port.low = range.getLow();
    port.high = range.getHigh();
    port.ignore = range.getIgnore();
  }

  void setGraphs() {
    if (const ArrayAttr graphs = op.getGraphsAttr())
      for (const auto graph : graphs.getAsRange<semantic::GraphAttr>())
        addGraph(program(), graph.getValue(), graphs.size() == 1);
  }

  void addOutput(exec::OutputOp output) {
    program().outputs.push_back(
        {output.getName().str(),
         numbers.at(exec::bufferOf(output.getBuffer()))});
    setRange(program().outputs.back(), output.getRangeAttr());
    program().outputs.back().loss = output.getLoss();
  }

  void setNext(int buffer, int next) {
    for (plan::Parameter &parameter : program().parameters)
      if (parameter.buffer == buffer)
        parameter.next = next;
  }

  void addBuffer(exec::BufferOp buffer) {
    const int number = int(program().buffers.size());
    numbers[buffer] = number;
    program().buffers.push_back({tensorOf(buffer), buffer.getPartial(), {}});
    if (elementOf(buffer) != typeOf(buffer))
      program().buffers.back().element = elementOf(buffer);
    if (buffer.getRole() == exec::Role::Input) {
      program().inputs.push_back({buffer.getTensor().str(), number});
      plan::Port &port = program().inputs.back();
      setRange(port, buffer.getRangeAttr());
      if (const auto parts = buffer.getPartRangesAttr())
        port.parts = parts.getValue();
      if (const auto recipe = buffer.getRecipeAttr())
        port.derived = recipe.getValue();
    } else if (exec::isParameter(buffer)) {
      const auto scale = buffer.getDrawn();
      program().parameters.push_back(
          {buffer.getTensor().str(), number, scale.has_value(),
           scale ? scale->convertToDouble() : 0.0, -1,
           buffer.getRole() == exec::Role::State,
           buffer.getRole() == exec::Role::Constant});
    }
    plan::BufferInfo &made = program().buffers.back();
    made.region =
        regionOf(buffer.getRegions(),
                 cast<RankedTensorType>(buffer.getTensorType()).getShape());
    made.offsets = offsetsOf(buffer);
    if (exec::isOnHost(buffer))
      made.space = plan::Space::Host;
    if (const auto on = buffer.getKeptOn()) {
      made.kept.emplace();
      made.kept->on.assign(on->begin(), on->end());
      if (exec::BufferOp as = exec::keptAs(buffer))
        made.kept->as = numbers.at(as);
    }
  }

  /// One, if all that have something of the buffer have it there.
  std::vector<int64_t> offsetsOf(exec::BufferOp buffer) {
    const std::vector<Box> &boxes = regions.of(buffer);
    const ArrayRef<int64_t> all = *buffer.getOffsets();
    std::optional<int64_t> alike;
    for (size_t w = 0; w < boxes.size(); ++w)
      if (!isEmpty(boxes[w]) && alike.value_or(all[w]) != all[w])
        return all.vec();
      else if (!isEmpty(boxes[w]))
        alike = all[w];
    return {alike.value_or(0)};
  }

  /// What is said alike is one region.
  int regionOf(Attribute of, ArrayRef<int64_t> extents) {
    const auto [entry, isNew] = regionNumbers.try_emplace(
        {of, DenseI64ArrayAttr::get(op.getContext(), extents)},
        int(program().regions.size()));
    if (isNew)
      program().regions.push_back(makeRegion(of, extents));
    return entry->second;
  }

  plan::Region makeRegion(Attribute of, ArrayRef<int64_t> extents) {
    plan::Region region;
    if (auto divided = dyn_cast<semantic::DivisionAttr>(of)) {
      region.kind = plan::Region::Kind::Divided;
      region.extents = extents.vec();
      region.divisions = divided.getValue();
      return region;
    }
    if (auto read = dyn_cast<exec::ReadAttr>(of)) {
      const auto reader =
          readers.find({workOf(read.getLambda(), read.getShapes(),
                               read.getExtents(), read.getDivision()),
                        read.getOperand()});
      if (reader != readers.end()) {
        region.kind = plan::Region::Kind::Read;
        region.instruction = reader->second;
        region.operand = int(read.getOperand());
        return region;
      }
    }
    if (auto result = dyn_cast<exec::ResultAttr>(of))
      if (const auto maker = makers.find(madeOf(
              result.getExtents(), result.getDivision(), extents.size()));
          maker != makers.end()) {
        region.kind = plan::Region::Kind::Result;
        region.instruction = maker->second;
        return region;
      }
    region.boxes = regions.of(of, extents);
    return region;
  }

  /// What tells one compute's accesses from another's.
  Attribute workOf(FlatSymbolRefAttr lambda, ArrayAttr shapes,
                   DenseI64ArrayAttr extents, Attribute indices) {
    return ArrayAttr::get(op.getContext(), {lambda, shapes, extents, indices});
  }
  Attribute workOf(exec::ComputeOp compute) {
    SmallVector<Attribute> shapes;
    for (const std::vector<int64_t> &shape : exec::operandShapes(compute))
      shapes.push_back(DenseI64ArrayAttr::get(op.getContext(), shape));
    return workOf(compute.getLambdaAttr(),
                  ArrayAttr::get(op.getContext(), shapes),
                  compute.getExtentsAttr(), compute.getIndices());
  }
  /// And its results: the first dimensions, `rank` of them, are the result's.
  Attribute madeOf(DenseI64ArrayAttr extents, Attribute indices, size_t rank) {
    Builder builder(op.getContext());
    return builder.getArrayAttr(
        {extents, indices, builder.getI64IntegerAttr(int64_t(rank))});
  }

  /// Kernels are told apart by lambda and binding: see KernelTable.
  /// Instructions repeat, and their lambdas and extents are unique in the
  /// context.
  int kernelOf(exec::ComputeOp compute, const tdl::Lambda &lambda) {
    const analysis::Shapes shapes = exec::operandShapes(compute);
    SmallVector<int64_t> sizes;
    for (const std::vector<int64_t> &shape : shapes)
      sizes.append(shape.begin(), shape.end());
    const auto [known, isNew] = kernelNumbers.try_emplace(
        {compute.getLambdaAttr(), compute.getExtentsAttr(),
         DenseI64ArrayAttr::get(op.getContext(), sizes)},
        -1);
    if (isNew)
      known->second = kernelNumber(lambda, compute.getExtents().vec(), shapes);
    return known->second;
  }

  int kernelNumber(const tdl::Lambda &lambda,
                   const std::vector<int64_t> &extents,
                   const analysis::Shapes &shapes) {
    const plan::Kernel &kernel =
        kernels.kernelOf(tdl::toString(lambda), extents, shapes);
    const auto [entry, isNew] =
        numbersOfKernels.try_emplace(&kernel, int(program().kernels.size()));
    if (isNew)
      program().kernels.push_back(kernel);
    return entry->second;
  }

  static plan::Opcode opcodeOf(Operation *each) {
    return TypeSwitch<Operation *, plan::Opcode>(each)
        .Case([](exec::ComputeOp) { return plan::Opcode::Compute; })
        .Case([](exec::FetchOp) { return plan::Opcode::Fetch; })
        .Case([](exec::ReduceOp) { return plan::Opcode::Reduce; })
        .Case([](exec::ToHostOp) { return plan::Opcode::ToHost; })
        .Case([](exec::FromHostOp) { return plan::Opcode::FromHost; });
  }

  void addInstruction(Operation *each) {
    plan::Instruction instruction;
    if (auto node = each->getAttrOfType<StringAttr>("node"))
      instruction.node = node.str();
    instruction.op = opcodeOf(each);
    instruction.to = numbers.at(exec::written(each));
    if (auto compute = dyn_cast<exec::ComputeOp>(each)) {
      for (exec::BufferOp operand : exec::read(each))
        instruction.operands.push_back(numbers.at(operand));
      const tdl::Lambda &lambda = lambdas[compute.getLambdaAttr().getAttr()];
      const std::vector<int64_t> extents = compute.getExtents().vec();
      instruction.kernel = kernelOf(compute, lambda);
      instruction.reductions.assign(extents.begin() + lambda.rank(),
                                    extents.end());
      instruction.indices = regionOf(compute.getIndices(), extents);
      if (const auto epilogue = compute.getEpilogue())
        instruction.epilogueOf =
            instructions.at(exec::makerOf(exec::read(each)[size_t(*epilogue)]));
    } else {
      instruction.from = numbers.at(exec::read(each).front());
      if (auto reduce = dyn_cast<exec::ReduceOp>(each))
        instruction.reducer = exec::stringifyReducer(reduce.getReducer()).str();
      if (!exec::isMove(each))
        instruction.pieces = piecesOf(each);
      if (const auto rows = each->getAttrOfType<exec::RowsAttr>("rows"))
        instruction.rows = rows.getValue();
    }
    if (const auto waits = each->getAttrOfType<exec::WaitsAttr>("waits"))
      instruction.waits = waits.getValue();
    instructions[each] = int(program().instructions.size());
    program().instructions.push_back(std::move(instruction));
  }

  /// Of a fetch or a reduction, only where no division says it.
  std::vector<std::vector<Piece>> piecesOf(Operation *each) {
    exec::BufferOp from = exec::read(each).front();
    const plan::Region &region = program().regions[size_t(
        program().buffers[size_t(numbers.at(from))].region)];
    const bool isInTerms =
        from.getPartial() && region.kind == plan::Region::Kind::Divided;
    const bool isKnown =
        isInTerms ||
        (isa<exec::FetchOp>(each) ? plan::isTiled(region)
                                  : region.kind == plan::Region::Kind::Result);
    std::vector<std::vector<Piece>> pieces;
    if (each->hasAttr("pieces") || !isKnown)
      for (int64_t w = 0; w < op.getWorkers(); ++w)
        pieces.push_back(regions.pieces(each, w));
    return pieces;
  }

  exec::ProgramOp op;
  KernelTable &kernels;
  tdl::LambdaTable lambdas;
  exec::Regions regions;
  plan::Partitioned result;
  llvm::DenseMap<Operation *, int> numbers; // of buffers
  llvm::DenseMap<Operation *, int> instructions;
  llvm::DenseMap<StringRef, DType> types; // of tensors, by name
  std::map<std::string, int> tensors;
  /// By what they read or make.
  llvm::DenseMap<std::pair<Attribute, int64_t>, int> readers;
  llvm::DenseMap<Attribute, int> makers;
  /// By attribute and extents.
  llvm::DenseMap<std::pair<Attribute, Attribute>, int> regionNumbers;
  /// By lambda, extents, and the operands' shapes.
  llvm::DenseMap<std::tuple<Attribute, Attribute, Attribute>, int>
      kernelNumbers;
  llvm::DenseMap<const plan::Kernel *, int> numbersOfKernels;
};

} // namespace

plan::Partitioned smex::emit::emit(exec::ProgramOp program,
                                   KernelTable &kernels) {
  return Emitter(program, kernels).run();
}
