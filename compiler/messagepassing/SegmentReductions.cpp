// What is sound is said by Segments.h; here only: which tensors are there
// before the model runs, and where the lists derived from them come from.
#include "compiler/messagepassing/Passes.h"
#include "compiler/messagepassing/Segments.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace smex::messagepassing {
#define GEN_PASS_DEF_SEGMENTREDUCTIONS
#include "compiler/messagepassing/Passes.h.inc"
} // namespace smex::messagepassing

using namespace mlir;
using namespace smex;
using namespace smex::messagepassing;
using semantic::ApplyOp;
using semantic::ParameterOp;
using semantic::RecipeAttr;

namespace {

/// A list of integers that is there before any kernel runs; or several of the
/// same length, the rows of a matrix; or one of these.
struct List {
  mlir::Value value; // an input, or a constant
  bool isInput;
  bool ascending = false;
  tdl::Range range;
  int64_t row = 0; // that is meant, or the first of all

  int64_t length() const {
    return semantic::tensorType(value.getType()).shape.back();
  }
  int64_t rows() const {
    const smex::TensorType type = semantic::tensorType(value.getType());
    return type.rank() == 1 ? 1 : type.shape[0];
  }
};

/// Numbers that no element of the input is below or above. One that counts for
/// nothing is an element like others.
tdl::Range rangeOf(func::FuncOp main, BlockArgument input) {
  const smex::TensorType type = semantic::tensorType(input.getType());
  auto range = main.getArgAttrOfType<semantic::RangeAttr>(input.getArgNumber(),
                                                          semantic::rangeAttr);
  if (!range && type.dtype == DType::I32)
    return {std::numeric_limits<int32_t>::min(),
            std::numeric_limits<int32_t>::max()};
  if (!range)
    return {std::numeric_limits<int64_t>::min(),
            std::numeric_limits<int64_t>::max()};
  const int64_t beside = range.getIgnore().value_or(range.getLow());
  return {std::min(range.getLow(), beside), std::max(range.getHigh(), beside)};
}

/// A parameter that never changes, and of which something is known; or an input
/// that does not follow from others.
std::optional<List> listOf(func::FuncOp main, mlir::Value value) {
  const smex::TensorType type = semantic::tensorType(value.getType());
  if (type.rank() < 1 || type.rank() > 2 ||
      (type.dtype != DType::I32 && type.dtype != DType::I64))
    return std::nullopt;
  if (auto input = dyn_cast<BlockArgument>(value)) {
    if (semantic::recipeOf(input))
      return std::nullopt;
    return List{value, true, false, rangeOf(main, input)};
  }
  auto parameter = value.getDefiningOp<ParameterOp>();
  const auto range = parameter ? parameter.getRangeAttr() : nullptr;
  if (!range || !parameter.getConstant())
    return std::nullopt;
  return List{value,
              false,
              parameter.getAscending(),
              {range.getLow(), range.getHigh()}};
}

/// The row of its only operand that the lambda is, as it stands there.
std::optional<int64_t> rowReadBy(const tdl::Lambda &lambda) {
  const tdl::ExprRef &body = lambda.body;
  if (lambda.rank() != 1 || !lambda.reductions.empty() || lambda.guard ||
      lambda.operands.size() != 1 || body->kind != tdl::ExprKind::Read ||
      body->otherwise || body->type != lambda.result ||
      body->children.size() != 2)
    return std::nullopt;
  const tdl::Expr &row = *body->children[0], &column = *body->children[1];
  if (row.kind != tdl::ExprKind::Int || column.kind != tdl::ExprKind::Index ||
      column.index != 0)
    return std::nullopt;
  return row.integer;
}

class Rewriting {
public:
  Rewriting(ModuleOp module, func::FuncOp main)
      : main(main), lambdas(module, "segment"), module(module) {
    for (BlockArgument input : main.getArguments())
      names.insert(semantic::tensorName(input));
    for (Operation &op : main.getBody().front())
      if (isa<ParameterOp, ApplyOp>(op))
        names.insert(semantic::tensorName(op.getResult(0)));
  }

  void run() {
    for (Operation &op : llvm::make_early_inc_range(main.getBody().front()))
      if (auto apply = dyn_cast<ApplyOp>(op))
        rewrite(apply);
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(main.getBody().front())))
      if (isa<ParameterOp, ApplyOp>(op) && op.use_empty() &&
          listAt(op.getResult(0)))
        op.erase();
    semantic::eraseUnusedLambdas(module);
  }

private:
  using Lists = std::vector<std::optional<List>>;

  static Known knownOf(const Lists &lists) {
    Known known;
    for (const auto &list : lists)
      known.push_back(list ? std::optional(list->range) : std::nullopt);
    return known;
  }

  /// Also of what is computed, where it is a row as it stands in its matrix.
  std::optional<List> listAt(mlir::Value value) const {
    auto apply = value.getDefiningOp<ApplyOp>();
    if (!apply)
      return listOf(main, value);
    const auto row = rowReadBy(lambdas[apply.getLambdaAttr().getAttr()]);
    if (!row)
      return std::nullopt;
    auto list = listOf(main, apply.getInputs()[0]);
    if (!list || *row < 0 || *row >= list->rows() ||
        semantic::tensorType(value.getType()).shape[0] != list->length())
      return std::nullopt;
    list->row = *row;
    return list;
  }

  void rewrite(ApplyOp apply) {
    Lists lists;
    for (mlir::Value operand : apply.getInputs())
      lists.push_back(listAt(operand));
    if (llvm::none_of(lists, [](const auto &list) { return bool(list); }))
      return;
    const tdl::Lambda lambda = withoutCertain(
        lambdas[apply.getLambdaAttr().getAttr()], knownOf(lists));
    apply.setLambdaAttr(lambdas.symbolOf(lambda));
    if (!segment(apply, lambda, lists))
      narrow(apply, lambda, lists);
  }

  bool segment(ApplyOp apply, const tdl::Lambda &lambda, Lists lists) {
    const auto by = segmentation(lambda, knownOf(lists));
    if (!by)
      return false;
    const int64_t results = apply.getExtents()[size_t(by->variable)];
    const int64_t terms = apply.getExtents()[size_t(by->term)];
    const List key = *lists[size_t(by->key)];
    if (key.length() != terms || by->row < 0 || key.row + by->row >= key.rows())
      return false; // the loop does not go over the whole list
    // What is put in the key's order is there when the key is.
    for (auto &list : lists)
      if (list && (list->isInput != key.isInput || list->length() != terms))
        list.reset();
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    const DType numbers =
        std::max(results, terms) < most ? DType::I32 : DType::I64;
    // Where numbers are counted from the end, places are in another order.
    const bool ascending =
        key.ascending && (by->wrap == 0 || key.range.lo >= 0);
    const auto made =
        segmented(lambda, *by, knownOf(lists), ascending, numbers);
    if (!made || llvm::any_of(made->operands, [&](const Source &source) {
          return source.kind == Source::Kind::Gathered &&
                 (source.row < 0 ||
                  source.row >= lists[size_t(source.of)]->rows());
        }))
      return false;
    SmallVector<mlir::Value> operands;
    for (auto [source, operand] :
         llvm::zip(made->operands, made->lambda.operands))
      operands.push_back(operandFor(apply, lists, *by, source, operand.type));
    SmallVector<int64_t> extents(apply.getExtents());
    if (made->counts)
      extents.resize(size_t(made->lambda.rank()));
    replace(apply, made->lambda, operands, extents);
    return true;
  }

  void replace(ApplyOp apply, const tdl::Lambda &lambda,
               ArrayRef<mlir::Value> operands, ArrayRef<int64_t> extents) {
    OpBuilder builder(apply);
    auto result =
        semantic::applyInstead(builder, apply, apply.getResult().getType(),
                               lambdas.symbolOf(lambda), operands, extents);
    apply.getResult().replaceAllUsesWith(result.getResult());
    apply.erase();
  }

  /// What reads lists in their own order gets them with 32 bits, too, where
  /// they are constants: gathered by a key that is in order as it is. The lists
  /// that segments are gathered from are then stored once.
  void narrow(ApplyOp apply, const tdl::Lambda &lambda, const Lists &lists) {
    std::vector<bool> chosen;
    Lists keys;
    for (const auto &list : lists) {
      keys.push_back(list && !list->isInput ? orderedLike(apply, *list, lists)
                                            : std::nullopt);
      chosen.push_back(bool(keys.back()));
    }
    const auto made = narrowed(lambda, knownOf(lists), chosen);
    if (!made)
      return;
    SmallVector<mlir::Value> operands(apply.getInputs());
    for (size_t i = 0; i < operands.size(); ++i)
      if (made->operands[i].type != lambda.operands[i].type)
        operands[i] =
            derived(graph::Derivation::Gathered, {*lists[i], *keys[i]},
                    {DType::I32, {lists[i]->length()}});
    replace(apply, *made, operands, SmallVector<int64_t>(apply.getExtents()));
  }

  /// A constant in ascending order, as long as the list: one that is read with
  /// it, if there is.
  std::optional<List> orderedLike(ApplyOp apply, const List &list,
                                  const Lists &beside) {
    const auto isOrdered = [&](const std::optional<List> &other) {
      return other && !other->isInput && other->ascending &&
             other->length() == list.length();
    };
    for (const auto &other : beside)
      if (isOrdered(other))
        return other;
    for (Operation &op : main.getBody().front()) {
      if (&op == apply)
        break;
      if (isa<ParameterOp>(op))
        if (const auto other = listOf(main, op.getResult(0)); isOrdered(other))
          return other;
    }
    return std::nullopt;
  }

  /// What a list is derived of: a row of a tensor, numbers below 0 counted from
  /// the end.
  struct Row {
    Row(const List &list, int64_t row = 0, int64_t wrap = 0)
        : of(list.value), row(list.row + row), wrap(wrap) {}
    mlir::Value of;
    int64_t row, wrap;

    /// The tensor's name, with the row where it has several.
    std::string name() const {
      const std::string tensor = semantic::tensorName(of).str();
      return cast<RankedTensorType>(of.getType()).getRank() == 1
                 ? tensor
                 : tensor + "." + std::to_string(row);
    }
  };

  mlir::Value operandFor(ApplyOp apply, const Lists &lists,
                         const Segmentation &by, const Source &source,
                         DType type) {
    using graph::Derivation;
    const List &list = *lists[size_t(by.key)];
    const Row key(list, by.row, by.wrap);
    switch (source.kind) {
    case Source::Kind::Same:
      break;
    case Source::Kind::Offsets: {
      const int64_t results = apply.getExtents()[size_t(by.variable)];
      return derived(Derivation::Offsets, {key}, {type, {results + 1}});
    }
    case Source::Kind::Order:
      return derived(Derivation::Order, {key}, {type, {list.length()}});
    case Source::Kind::Gathered:
      return derived(
          Derivation::Gathered,
          {Row(*lists[size_t(source.of)], source.row, source.wrap), key},
          {type, {list.length()}});
    }
    return apply.getInputs()[size_t(source.of)];
  }

  /// One list per distinct recipe and type: one key may be that of different
  /// numbers of results.
  mlir::Value derived(graph::Derivation derivation, ArrayRef<Row> of,
                      const smex::TensorType &type) {
    graph::Recipe how;
    how.derivation = derivation;
    for (const Row &list : of) {
      how.of.push_back(semantic::tensorName(list.of).str());
      how.rows.push_back(list.row);
      how.wraps.push_back(list.wrap);
    }
    const auto recipe = RecipeAttr::get(module.getContext(),
                                        graph::withoutZeros(std::move(how)));
    const auto mlirType = semantic::toMlirType(type, module.getContext());
    mlir::Value &found = made[{recipe, mlirType}];
    if (found)
      return found;
    const StringAttr name =
        newName(of[0].name() +
                (of.size() > 1 ? ".by." + of[1].name()
                               : "." + std::string(graph::name(derivation))));
    return found = isa<BlockArgument>(of[0].of)
                       ? derivedInput(name, mlirType, recipe)
                       : derivedParameter(name, mlirType, recipe, of);
  }

  StringAttr newName(const Twine &wanted) {
    const std::string base = wanted.str();
    std::string name = base;
    for (int i = 2; !names.insert(name).second; ++i)
      name = base + "." + std::to_string(i);
    return StringAttr::get(module.getContext(), name);
  }

  mlir::Value derivedInput(StringAttr name, RankedTensorType type,
                           RecipeAttr recipe) {
    const unsigned number = main.getNumArguments();
    // An argument more can always be inserted: there are no results to go with.
    (void)main.insertArgument(number, type, DictionaryAttr(),
                              NameLoc::get(name));
    main.setArgAttr(number, semantic::nameAttr, name);
    main.setArgAttr(number, semantic::recipeAttr, recipe);
    return main.getArgument(number);
  }

  /// Right behind what it is made of.
  mlir::Value derivedParameter(StringAttr name, RankedTensorType type,
                               RecipeAttr recipe, ArrayRef<Row> of) {
    Operation *last = of[0].of.getDefiningOp();
    for (const Row &list : of)
      if (last->isBeforeInBlock(list.of.getDefiningOp()))
        last = list.of.getDefiningOp();
    OpBuilder builder(module.getContext());
    builder.setInsertionPointAfter(last);
    auto parameter = ParameterOp::create(builder, last->getLoc(), type, name);
    parameter.setConstant(true);
    parameter.setRecipeAttr(recipe);
    return parameter.getResult();
  }

  func::FuncOp main;
  tdl::LambdaSymbols lambdas;
  ModuleOp module;
  llvm::StringSet<> names; // of all tensors
  llvm::DenseMap<std::pair<Attribute, Type>, mlir::Value> made;
};

struct SegmentReductions
    : messagepassing::impl::SegmentReductionsBase<SegmentReductions> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp main = semantic::mainFunction(getOperation());
    if (!main)
      return signalPassFailure();
    Rewriting(getOperation(), main).run();
  }
};

} // namespace
