// Generates the execution graph (thesis section 3.6). For every operator of the
// semantic graph: fetch what a worker lacks of the operands, compute its share,
// and bring the result to where it is owned.
#include "compiler/lowering/Decisions.h"
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/Work.h"
#include "dialects/tdl/lambda/Accumulated.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace smex::lowering {
#define GEN_PASS_DEF_LOWERTOEXEC
#include "compiler/lowering/Passes.h.inc"
} // namespace smex::lowering

using namespace mlir;
using namespace smex;
using namespace smex::lowering;
using exec::BufferOp;
using exec::Role;
using semantic::ApplyOp;
using semantic::DivisionAttr;
using semantic::ParameterOp;
using semantic::PartRangesAttr;
using semantic::RangeAttr;
using semantic::RecipeAttr;

namespace {

class Lowering {
public:
  Lowering(func::FuncOp main, exec::ProgramOp program, const Ways &ways,
           const analysis::NamedLists &known)
      : main(main), program(program), ways(ways), known(known),
        lambdas(main->getParentOp()), regions(program),
        builder(program.getContext()) {
    builder.setInsertionPointToEnd(&program.getBody().front());
  }

  void run() {
    collectReads();
    for (BlockArgument argument : main.getArguments())
      makeHome(argument, Role::Input);
    for (Operation &op : main.getBody().front()) {
      if (auto parameter = dyn_cast<ParameterOp>(op)) {
        if (!parameter.getResult().use_empty())
          makeHome(parameter.getResult(), parameter.getState() ? Role::State
                                          : parameter.getConstant()
                                              ? Role::Constant
                                              : Role::Parameter);
      } else if (auto apply = dyn_cast<ApplyOp>(op)) {
        lower(apply);
      }
    }
    auto names = main->getAttrOfType<ArrayAttr>(semantic::outputsAttr);
    auto results = main.getBody().front().getTerminator()->getOperands();
    for (auto [i, value] : llvm::enumerate(results))
      exec::OutputOp::create(
          builder, value.getLoc(), cast<StringAttr>(names[unsigned(i)]),
          homes.at(value),
          main.getResultAttrOfType<RangeAttr>(unsigned(i), semantic::rangeAttr),
          main.getResultAttrOfType<UnitAttr>(unsigned(i), semantic::lossAttr));
    for (auto update : main.getOps<semantic::UpdateOp>())
      exec::UpdateOp::create(builder, update.getLoc(),
                             homes.at(update.getParameter()),
                             homes.at(update.getValue()));
  }

private:
  DivisionAttr homeOf(Value value) { return lowering::homeOf(value, ways); }

  const Boxes &boxesOf(Value tensor, Attribute of) {
    return regions.of(of, cast<RankedTensorType>(tensor.getType()).getShape());
  }
  const Boxes &homeBoxes(Value value) { return boxesOf(value, homeOf(value)); }

  Work workOf(ApplyOp apply) {
    return lowering::workOf(apply, lambdas[apply.getLambdaAttr().getAttr()],
                            ways, regions);
  }

  exec::ReadAttr readOf(ApplyOp apply, const Work &work, size_t operand) {
    SmallVector<Attribute> shapes;
    for (Value input : apply.getInputs())
      shapes.push_back(builder.getDenseI64ArrayAttr(
          cast<RankedTensorType>(input.getType()).getShape()));
    return exec::ReadAttr::get(builder.getContext(), apply.getLambdaAttr(),
                               int64_t(operand), builder.getArrayAttr(shapes),
                               apply.getExtentsAttr(), work.indices);
  }

  /// Which rows of an operand each worker needs, where known lists say so; all
  /// of what it reads, elsewhere.
  std::optional<exec::RowLists> rowsOf(ApplyOp apply, const Work &work,
                                       size_t operand, const Boxes &boxes) {
    std::vector<std::vector<int64_t>> shapes;
    analysis::KnownLists lists;
    for (Value input : apply.getInputs()) {
      shapes.push_back(
          cast<RankedTensorType>(input.getType()).getShape().vec());
      lists.push_back(semantic::listOf(input, known));
    }
    const auto &reads = rowReads.of(lambdas[apply.getLambdaAttr().getAttr()],
                                    shapes, lists)[operand];
    if (!reads)
      return std::nullopt;
    exec::RowLists rows;
    bool areAll = true;
    const Boxes &indices = regions.of(work.indices, apply.getExtents());
    for (size_t w = 0; w < boxes.size(); ++w) {
      rows.emplace_back();
      if (isEmpty(boxes[w]))
        continue;
      rows.back() = intersect(reads->of(indices[w]), boxes[w][0]);
      areAll &= rows.back() == Runs{boxes[w][0]};
    }
    // What is fetched whole has a collective's name.
    if (areAll)
      return std::nullopt;
    return rows;
  }

  /// What each worker needs of an operand.
  Need needOf(ApplyOp apply, const Work &work, size_t operand) {
    const exec::ReadAttr read = readOf(apply, work, operand);
    const Boxes &boxes = boxesOf(apply.getInputs()[unsigned(operand)], read);
    return {read, &boxes, rowsOf(apply, work, operand, boxes)};
  }

  /// All reads of each tensor that its owners cannot serve locally, less those
  /// that another one contains on every worker, those of rows that overlap made
  /// one: readers share fetches.
  void collectReads() {
    llvm::MapVector<Value, std::vector<Need>> needs;
    main.walk([&](ApplyOp apply) {
      const Work work = workOf(apply);
      for (auto [i, operand] : llvm::enumerate(apply.getInputs())) {
        Need need = needOf(apply, work, i);
        if (contains(homeBoxes(operand), *need.boxes))
          continue;
        auto &wanted = needs[operand];
        if (llvm::any_of(wanted, [&](const Need &other) {
              return contains(other, need);
            }))
          continue;
        llvm::erase_if(
            wanted, [&](const Need &other) { return contains(need, other); });
        wanted.push_back(std::move(need));
      }
    });
    Operation *module = main->getParentOp();
    const bool areApart = module->hasAttr(fetchesApartAttr);
    for (auto &[operand, wanted] : needs) {
      const auto shape = cast<RankedTensorType>(operand.getType()).getShape();
      const size_t readers = wanted.size();
      if (!areApart)
        wanted = joined(wanted, homeBoxes(operand), shape, regions,
                        builder.getContext());
      if (wanted.size() < readers)
        module->setAttr(fetchesJoinedAttr, builder.getUnitAttr());
      for (Need &need : wanted)
        fetches[operand].push_back({std::move(need), nullptr});
    }
  }

  /// What main says of the input.
  template <typename Attribute>
  Attribute inputAttribute(Value input, StringRef name) {
    const unsigned number = cast<BlockArgument>(input).getArgNumber();
    return main.getArgAttrOfType<Attribute>(number, name);
  }

  /// Without a type, elements are as the tensor's.
  BufferOp makeBuffer(Location loc, Role role, Value tensor, Attribute of,
                      bool partial = false, Type type = {}) {
    auto drawn = FloatAttr();
    if (auto parameter = tensor.getDefiningOp<ParameterOp>())
      drawn = parameter.getDrawnAttr();
    const bool isInput = role == Role::Input;
    return BufferOp::create(
        builder, loc, builder.getType<exec::BufferType>(),
        exec::RoleAttr::get(builder.getContext(), role),
        builder.getStringAttr(semantic::tensorName(tensor)),
        TypeAttr::get(type ? type : tensor.getType()),
        partial ? builder.getUnitAttr() : UnitAttr(),
        exec::isParameter(role) ? drawn : FloatAttr(),
        isInput ? inputAttribute<RangeAttr>(tensor, semantic::rangeAttr)
                : RangeAttr(),
        isInput
            ? inputAttribute<PartRangesAttr>(tensor, semantic::partRangesAttr)
            : PartRangesAttr(),
        isInput ? semantic::recipeOf(tensor) : RecipeAttr(), of,
        DenseI64ArrayAttr(),
        exec::SpaceAttr::get(builder.getContext(), exec::Space::Device),
        DenseI64ArrayAttr(), Value());
  }

  void makeHome(Value value, Role role) {
    homes[value] = makeBuffer(value.getLoc(), role, value, homeOf(value),
                              isInTerms(value));
  }

  /// The buffer that an operand is read from: where it is owned if that is
  /// enough, else a fetched region, fetched no earlier than its first reader:
  /// exec-overlap-transfers moves it up where that is better.
  Value operandBuffer(ApplyOp apply, Value operand, const Need &need) {
    BufferOp home = homes.at(operand);
    if (contains(homeBoxes(operand), *need.boxes))
      return home;
    for (Fetch &fetch : fetches[operand]) {
      if (!contains(fetch.need, need))
        continue;
      if (!fetch.buffer) {
        fetch.buffer = makeBuffer(apply.getLoc(), Role::Temporary, operand,
                                  fetch.need.of, isInTerms(operand));
        makeFetch(apply, home, fetch.buffer,
                  fetch.need.rows ? exec::RowsAttr::get(builder.getContext(),
                                                        *fetch.need.rows)
                                  : exec::RowsAttr());
      }
      return fetch.buffer;
    }
    return home; // not reached: collectReads saw every read
  }

  /// Divisions say who has what of the source.
  void makeFetch(ApplyOp apply, BufferOp from, BufferOp to,
                 exec::RowsAttr rows = {}) {
    exec::FetchOp::create(builder, apply.getLoc(), from, to, exec::PiecesAttr(),
                          rows, apply.getNodeAttr(), exec::WaitsAttr(),
                          IntegerAttr());
  }

  void lower(ApplyOp apply) {
    const tdl::Lambda &lambda = lambdas[apply.getLambdaAttr().getAttr()];
    const Work work = workOf(apply);
    SmallVector<Value> operands;
    for (auto [i, operand] : llvm::enumerate(apply.getInputs()))
      operands.push_back(operandBuffer(apply, operand, needOf(apply, work, i)));

    const DivisionAttr home = homeOf(apply.getResult());
    const bool direct =
        work.partial == isInTerms(apply.getResult()) &&
        boxesOf(apply.getResult(), work.result) == homeBoxes(apply.getResult());
    FlatSymbolRefAttr computed = apply.getLambdaAttr();
    auto type = cast<RankedTensorType>(apply.getResult().getType());
    // Sums that are not whole yet are not rounded yet.
    const DType partial = tdl::partialType(lambda.reducer, lambda.result);
    if (work.partial && partial != lambda.result) {
      computed = symbols().symbolOf(tdl::accumulated(lambda));
      type = type.clone(tdl::toMlirType(partial, builder.getContext()));
    }
    BufferOp result =
        makeBuffer(apply.getLoc(), Role::Temporary, apply.getResult(),
                   direct ? home : work.result, work.partial, type);
    auto compute = exec::ComputeOp::create(
        builder, apply.getLoc(), computed, operands, result,
        apply.getExtentsAttr(), work.indices, apply.getNodeAttr(),
        exec::WaitsAttr(), IntegerAttr());
    if (Attribute copied = apply->getDiscardableAttr(semantic::copiedAttr))
      compute->setDiscardableAttr(semantic::copiedAttr, copied);
    if (direct) {
      homes[apply.getResult()] = result;
      return;
    }
    makeHome(apply.getResult(), Role::Temporary);
    BufferOp owned = homes.at(apply.getResult());
    if (work.partial)
      exec::ReduceOp::create(
          builder, apply.getLoc(),
          exec::ReducerAttr::get(builder.getContext(),
                                 lambda.reducer == tdl::Reducer::None
                                     ? exec::Reducer::Sum // of terms of sums
                                     : exec::toReducer(lambda.reducer)),
          result, owned, exec::PiecesAttr(), apply.getNodeAttr(),
          exec::WaitsAttr(), IntegerAttr());
    else
      makeFetch(apply, result, owned);
  }

  /// For new lambdas; few modules need any.
  tdl::LambdaSymbols &symbols() {
    if (!newLambdas)
      newLambdas.emplace(cast<ModuleOp>(main->getParentOp()), "partial");
    return *newLambdas;
  }

  /// What several readers may share.
  struct Fetch {
    Need need;
    BufferOp buffer; // null until the first reader is lowered
  };

  func::FuncOp main;
  exec::ProgramOp program;
  const Ways ways;
  const analysis::NamedLists &known;
  tdl::LambdaTable lambdas;
  std::optional<tdl::LambdaSymbols> newLambdas;
  exec::Regions regions;
  analysis::RowReadsTable rowReads;
  OpBuilder builder;
  llvm::DenseMap<Value, BufferOp> homes; // where a tensor is owned
  llvm::DenseMap<Value, std::vector<Fetch>> fetches;
};

struct LowerToExec : lowering::impl::LowerToExecBase<LowerToExec> {
  using Base::Base;
  analysis::NamedLists known;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp main = semantic::mainFunction(module);
    if (!main)
      return signalPassFailure();
    const auto ways = verifiedWays(module);
    if (failed(ways) || failed(verifyDecisions(main, *ways)))
      return signalPassFailure();
    if (module.lookupSymbol(program)) {
      module.emitError("there is a @")
          << program << " already; the option `program` gives another name";
      return signalPassFailure();
    }
    OpBuilder builder(module.getBodyRegion());
    builder.setInsertionPoint(main);
    auto op = exec::ProgramOp::create(
        builder, main.getLoc(), StringRef(program), *ways, nullptr, nullptr,
        main->getAttrOfType<ArrayAttr>(semantic::graphsAttr), nullptr, nullptr,
        nullptr, nullptr);
    op.getBody().emplaceBlock();
    Lowering(main, op, *ways, known).run();
    main.erase();
  }
};

} // namespace

std::unique_ptr<Pass>
lowering::createLowerToExecBy(analysis::NamedLists known) {
  auto pass = std::make_unique<LowerToExec>();
  pass->known = std::move(known);
  return pass;
}
