// Generates the execution graph (thesis section 3.6). For every operator of the
// semantic graph: fetch what a worker lacks of the operands, compute its share,
// and bring the result to where it is owned.
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/Shares.h"
#include "dialects/tdl/analysis/Access.h"
#include "dialects/tdl/lambda/Accumulated.h"

#include "mlir/IR/Builders.h"

#include <map>
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
using semantic::ParameterOp;

namespace {

/// A box per worker.
using Regions = std::vector<Box>;

bool contains(const Regions &outer, const Regions &inner) {
  for (size_t w = 0; w < inner.size(); ++w)
    if (!smex::contains(outer[w], inner[w]))
      return false;
  return true;
}

bool isOpaque(const tdl::Lambda &lambda) {
  return lambda.body->kind == tdl::ExprKind::Opaque;
}

/// What each worker computes of one application.
struct Work {
  Regions indices;         // its part of every index variable
  std::vector<int> groups; // which share of the reduction; -1: none
  bool partial = false;    // to be reduced, or handed to those without a share
  bool several = false;    // there is more than one partial result
};

class Lowering {
public:
  Lowering(func::FuncOp main, exec::ProgramOp program, ArrayRef<int64_t> ways)
      : main(main), program(program), ways(ways.begin(), ways.end()),
        workers(program.getWorkers()), lambdas(main->getParentOp()),
        builder(program.getContext()) {
    builder.setInsertionPointToEnd(&program.getBody().front());
  }

  LogicalResult run() {
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
        if (failed(lower(apply)))
          return failure();
      }
    }
    auto names = main->getAttrOfType<ArrayAttr>(semantic::outputsAttr);
    auto results = main.getBody().front().getTerminator()->getOperands();
    for (auto [i, name, value] :
         llvm::enumerate(names.getAsRange<StringAttr>(), results))
      exec::OutputOp::create(
          builder, value.getLoc(), name, homes.at(value),
          main.getResultAttrOfType<DenseI64ArrayAttr>(unsigned(i),
                                                      semantic::rangeAttr),
          main.getResultAttrOfType<UnitAttr>(unsigned(i), semantic::lossAttr));
    for (auto update : main.getOps<semantic::UpdateOp>())
      exec::UpdateOp::create(builder, update.getLoc(),
                             homes.at(update.getParameter()),
                             homes.at(update.getValue()));
    return success();
  }

private:
  std::vector<int64_t> choice(DenseI64ArrayAttr attribute) const {
    if (!attribute) // not partitioned: one worker, no steps
      return std::vector<int64_t>(ways.size(), -1);
    return attribute.asArrayRef().vec();
  }

  Regions homeRegions(Value value) const {
    return shares(semantic::tensorType(value.getType()).shape,
                  choice(semantic::cutOf(value)), ways);
  }

  Work workOf(ApplyOp apply) const {
    const tdl::Lambda &lambda = lambdas[apply.getLambdaAttr().getAttr()];
    const size_t rank = size_t(lambda.rank());
    Work work;
    work.indices =
        shares(apply.getExtents().vec(), choice(apply.getSplitAttr()), ways);

    std::map<std::vector<std::pair<int64_t, int64_t>>, int> numbers;
    for (const Box &box : work.indices) {
      std::vector<std::pair<int64_t, int64_t>> part;
      for (size_t i = rank; i < box.size(); ++i)
        part.push_back({box[i].lo, box[i].hi});
      numbers.try_emplace(part, 0);
    }
    int next = 0; // in the order of the parts
    for (auto &[part, number] : numbers) {
      bool nothing = false;
      for (size_t i = 0; i < part.size(); ++i)
        nothing |=
            part[i].first >= part[i].second && apply.getExtents()[rank + i] > 0;
      number = nothing ? -1 : next++;
    }
    // A scalar has no empty share to say that a worker has not computed it.
    bool isMissing = false;
    for (Box &box : work.indices) {
      std::vector<std::pair<int64_t, int64_t>> part;
      for (size_t i = rank; i < box.size(); ++i)
        part.push_back({box[i].lo, box[i].hi});
      work.groups.push_back(numbers[part]);
      if (work.groups.back() < 0)
        for (Interval &side : box)
          side.hi = side.lo;
      isMissing |= work.groups.back() < 0;
    }
    work.several = next > 1;
    work.partial = work.several || (rank == 0 && isMissing);

    // Whoever computes all that it owns, and more, computes only that.
    const Regions home = homeRegions(apply.getResult());
    if (!work.partial && !isOpaque(lambda) &&
        contains(results(work, rank), home))
      for (int64_t w = 0; w < workers; ++w)
        std::copy(home[w].begin(), home[w].end(), work.indices[w].begin());
    return work;
  }

  static Regions results(const Work &work, size_t rank) {
    Regions regions;
    for (const Box &box : work.indices)
      regions.emplace_back(box.begin(), box.begin() + rank);
    return regions;
  }

  /// What each worker needs of each operand.
  std::vector<Regions> needs(ApplyOp apply, const Work &work) {
    const tdl::Lambda &lambda = lambdas[apply.getLambdaAttr().getAttr()];
    std::vector<std::vector<int64_t>> shapes;
    std::vector<const void *> key = {
        apply.getLambdaAttr().getAttr().getAsOpaquePointer()};
    for (Value operand : apply.getInputs()) {
      shapes.push_back(semantic::tensorType(operand.getType()).shape);
      key.push_back(operand.getType().getAsOpaquePointer());
    }
    const auto [known, isNew] = accesses.try_emplace(std::move(key));
    if (isNew)
      known->second = analysis::accesses(lambda, shapes);
    std::vector<Regions> regions(shapes.size());
    for (size_t i = 0; i < shapes.size(); ++i)
      for (int64_t w = 0; w < workers; ++w)
        regions[i].push_back(
            known->second[i].region(work.indices[w], shapes[i]));
    return regions;
  }

  /// All reads of each tensor that its owners cannot serve locally, less those
  /// that another one contains on every worker: readers share fetches.
  void collectReads() {
    main.walk([&](ApplyOp apply) {
      const Work work = workOf(apply);
      const auto regions = needs(apply, work);
      for (size_t i = 0; i < regions.size(); ++i) {
        Value operand = apply.getInputs()[i];
        if (contains(homeRegions(operand), regions[i]))
          continue;
        auto &wanted = fetches[operand];
        const auto covered = [&](const Fetch &other) {
          return contains(other.regions, regions[i]);
        };
        if (llvm::any_of(wanted, covered))
          continue;
        llvm::erase_if(wanted, [&](const Fetch &other) {
          return contains(regions[i], other.regions);
        });
        wanted.push_back({regions[i], nullptr});
      }
    });
  }

  /// What main says of the input.
  template <typename Attribute>
  Attribute inputAttribute(Value input, StringRef name) {
    const unsigned number = cast<BlockArgument>(input).getArgNumber();
    return main.getArgAttrOfType<Attribute>(number, name);
  }

  /// Without a type, elements are as the tensor's.
  BufferOp makeBuffer(Location loc, Role role, Value tensor,
                      const Regions &boxes, bool partial = false,
                      Type type = {}) {
    auto drawn = FloatAttr();
    if (auto parameter = tensor.getDefiningOp<ParameterOp>())
      drawn = parameter.getDrawnAttr();
    const bool isInput = role == Role::Input;
    const semantic::Recipe recipe =
        isInput ? semantic::recipeOf(tensor) : semantic::Recipe();
    return BufferOp::create(
        builder, loc, builder.getType<exec::BufferType>(),
        exec::RoleAttr::get(builder.getContext(), role),
        builder.getStringAttr(semantic::tensorName(tensor)),
        TypeAttr::get(type ? type : tensor.getType()),
        partial ? builder.getUnitAttr() : UnitAttr(),
        exec::isParameter(role) ? drawn : FloatAttr(),
        isInput ? inputAttribute<DenseI64ArrayAttr>(tensor, semantic::rangeAttr)
                : DenseI64ArrayAttr(),
        isInput ? inputAttribute<ArrayAttr>(tensor, semantic::partRangesAttr)
                : ArrayAttr(),
        recipe.derivation, recipe.of, recipe.wraps, recipe.rows,
        builder.getDenseI64ArrayAttr(exec::flatten(boxes)),
        DenseI64ArrayAttr());
  }

  void makeHome(Value value, Role role) {
    homes[value] = makeBuffer(value.getLoc(), role, value, homeRegions(value));
  }

  /// The buffer that an operand is read from: where it is owned if that is
  /// enough, else a fetched region, fetched no earlier than its first reader:
  /// exec-overlap-transfers moves it up where that is better.
  Value operandBuffer(ApplyOp apply, Value operand, const Regions &needed) {
    BufferOp home = homes.at(operand);
    const Regions owned = exec::boxesOf(home);
    if (contains(owned, needed))
      return home;
    for (Fetch &fetch : fetches[operand]) {
      if (!contains(fetch.regions, needed))
        continue;
      if (!fetch.buffer) {
        fetch.buffer =
            makeBuffer(apply.getLoc(), Role::Temporary, operand, fetch.regions);
        std::vector<std::vector<Piece>> pieces;
        for (int64_t w = 0; w < workers; ++w)
          pieces.push_back(gather(fetch.regions[w], int(w), owned));
        exec::FetchOp::create(builder, apply.getLoc(), home, fetch.buffer,
                              exec::flatten(pieces), apply.getNodeAttr(),
                              DenseI64ArrayAttr(), IntegerAttr());
      }
      return fetch.buffer;
    }
    return home; // not reached: collectReads saw every read
  }

  LogicalResult lower(ApplyOp apply) {
    const tdl::Lambda &lambda = lambdas[apply.getLambdaAttr().getAttr()];
    const Work work = workOf(apply);
    const auto regions = needs(apply, work);
    SmallVector<Value> operands;
    for (size_t i = 0; i < regions.size(); ++i)
      operands.push_back(
          operandBuffer(apply, apply.getInputs()[i], regions[i]));

    const Regions produced = results(work, size_t(lambda.rank()));
    const Regions home = homeRegions(apply.getResult());
    const bool direct = !work.partial && produced == home;
    FlatSymbolRefAttr computed = apply.getLambdaAttr();
    auto type = cast<RankedTensorType>(apply.getResult().getType());
    // Sums that are not whole yet are not rounded yet.
    const DType partial = tdl::partialType(lambda.reducer, lambda.result);
    if (work.several && partial != lambda.result) {
      computed = symbols().symbolOf(tdl::accumulated(lambda));
      type = type.clone(tdl::toMlirType(partial, builder.getContext()));
    }
    BufferOp result =
        makeBuffer(apply.getLoc(), Role::Temporary, apply.getResult(), produced,
                   work.partial, type);
    exec::ComputeOp::create(
        builder, apply.getLoc(), computed, operands, result,
        apply.getExtentsAttr(),
        builder.getDenseI64ArrayAttr(exec::flatten(work.indices)),
        apply.getNodeAttr(), DenseI64ArrayAttr());
    if (direct) {
      homes[apply.getResult()] = result;
      return success();
    }
    makeHome(apply.getResult(), Role::Temporary);
    std::vector<std::vector<Piece>> pieces;
    for (int64_t w = 0; w < workers; ++w) {
      pieces.push_back(
          work.partial ? gatherPartials(home[w], int(w), produced, work.groups)
                       : gather(home[w], int(w), produced));
      if (pieces.back().empty() && !isEmpty(home[w]))
        return apply.emitOpError("leaves a part of its result uncomputed");
    }
    BufferOp owned = homes.at(apply.getResult());
    if (work.partial)
      exec::ReduceOp::create(
          builder, apply.getLoc(),
          exec::ReducerAttr::get(builder.getContext(),
                                 exec::toReducer(lambda.reducer)),
          result, owned, builder.getDenseI64ArrayAttr(exec::flatten(pieces)),
          apply.getNodeAttr(), DenseI64ArrayAttr(), IntegerAttr());
    else
      exec::FetchOp::create(builder, apply.getLoc(), result, owned,
                            exec::flatten(pieces), apply.getNodeAttr(),
                            DenseI64ArrayAttr(), IntegerAttr());
    return success();
  }

  /// For new lambdas; few modules need any.
  tdl::LambdaSymbols &symbols() {
    if (!newLambdas)
      newLambdas.emplace(cast<ModuleOp>(main->getParentOp()), "partial");
    return *newLambdas;
  }

  /// A region per worker that several readers may share.
  struct Fetch {
    Regions regions;
    BufferOp buffer; // null until the first reader is lowered
  };

  func::FuncOp main;
  exec::ProgramOp program;
  std::vector<int64_t> ways;
  int64_t workers;
  tdl::LambdaTable lambdas;
  std::optional<tdl::LambdaSymbols> newLambdas;
  OpBuilder builder;
  /// By lambda and operand types, of which large models have few.
  std::map<std::vector<const void *>, std::vector<analysis::Access>> accesses;
  llvm::DenseMap<Value, BufferOp> homes; // where a tensor is owned
  llvm::DenseMap<Value, std::vector<Fetch>> fetches;
};

struct LowerToExec : lowering::impl::LowerToExecBase<LowerToExec> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp main = semantic::mainFunction(module);
    if (!main)
      return signalPassFailure();
    SmallVector<int64_t> ways;
    if (auto attribute =
            module->getAttrOfType<DenseI64ArrayAttr>(semantic::waysAttr))
      llvm::append_range(ways, attribute.asArrayRef());
    int64_t workers = 1;
    for (int64_t k : ways)
      workers *= k;

    OpBuilder builder(module.getBodyRegion());
    builder.setInsertionPoint(main);
    auto op = exec::ProgramOp::create(
        builder, main.getLoc(), StringRef(program), workers, nullptr, nullptr,
        main->getAttrOfType<ArrayAttr>(semantic::graphAttr));
    op.getBody().emplaceBlock();
    if (failed(Lowering(main, op, ways).run()))
      return signalPassFailure();
    main.erase();
  }
};

} // namespace
