// Products of 16-bit floats whose rows are not multiples of 16 bytes, with
// their rows padded: GPUs' libraries have fast algorithms for these only. What
// it costs is reckoned as if everything that is padded or cut off were copied.
// Mostly nothing is: FuseMaps, which follows, has maps write the padded tensor
// themselves, and read of it what they need.
#include "compiler/fusion/Passes.h"
#include "dialects/smex/ir/Application.h"
#include "dialects/tdl/analysis/Contraction.h"
#include "dialects/tdl/analysis/ProductOfReads.h"
#include "dialects/tdl/analysis/Properties.h"
#include "dialects/tdl/lambda/Accumulated.h"
#include "dialects/tdl/lambda/Conjuncts.h"

#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"

#include <map>

namespace smex::fusion {
#define GEN_PASS_DEF_PADPRODUCTS
#include "compiler/fusion/Passes.h.inc"
} // namespace smex::fusion

using namespace mlir;
using namespace smex;
using semantic::ApplyOp;
using tdl::ExprRef;

namespace {

/// Elements of 2 bytes in the 16 that rows should be a multiple of.
constexpr int64_t unit = 8;
/// At most this part of a row is added.
constexpr int64_t mostAdded = 8;

int64_t bytesOf(mlir::Type type) {
  return *byteCount(semantic::tensorType(type));
}

/// x[i, j] for the element i, j.
ExprRef ownPlace(const smex::TensorType &type) {
  std::vector<ExprRef> index;
  for (int d = 0; d < type.rank(); ++d)
    index.push_back(tdl::indexVar(d));
  return tdl::read(0, type.dtype, std::move(index));
}

tdl::Lambda mapOf(const smex::TensorType &type, ExprRef body) {
  tdl::Lambda map;
  map.operands.push_back({"", type.dtype, int(type.rank())});
  map.result = type.dtype;
  map.outputs.resize(size_t(type.rank()));
  map.body = std::move(body);
  return tdl::canonicalize(std::move(map));
}

class Padding {
public:
  struct Limits {
    int64_t flops, bytes, flopsPerByte, ways;
  };

  Padding(ModuleOp module, Limits limits)
      : lambdas(module, "padded"), limits(limits) {}

  /// Whether anything is padded.
  bool run(func::FuncOp main) {
    bool any = false;
    for (auto apply : llvm::make_early_inc_range(main.getOps<ApplyOp>()))
      any |= pad(apply);
    return any;
  }

private:
  /// What a row's extent becomes; the same, if it is as it should be, or if it
  /// would be much more.
  int64_t padded(int64_t extent) const {
    if (extent % unit == 0)
      return extent;
    for (int64_t multiple : {unit * limits.ways, unit})
      if (const int64_t added = multiple - extent % multiple;
          mostAdded * added <= extent)
        return extent + added;
    return extent;
  }

  /// A tensor, and for each of its dimensions whether it is padded.
  using Padded = std::pair<mlir::Value, std::vector<bool>>;

  const tdl::Lambda &lambdaOf(ApplyOp apply) const {
    return lambdas[apply.getLambdaAttr().getAttr()];
  }

  bool pad(ApplyOp product) {
    const tdl::Lambda lambda = lambdaOf(product); // symbolOf may move others
    const auto found = analysis::matchContraction(lambda);
    if (!found || !tdl::is16Bit(found->type))
      return false;
    std::vector<int64_t> extents = product.getExtents().vec();
    if (analysis::flops(lambda, extents) < limits.flops)
      return false;

    // Which index variables its three tensors' dimensions are.
    const auto reads = *analysis::productOfReads(analysis::rounded(lambda));
    std::vector<int> variables[3];
    for (const ExprRef &index : reads.first->children)
      variables[0].push_back(index->index);
    for (const ExprRef &index : reads.second->children)
      variables[1].push_back(index->index);
    for (int v = 0; v < lambda.rank(); ++v)
      variables[2].push_back(v);
    const mlir::Value tensors[] = {product.getInputs()[0],
                                   product.getInputs()[1], product.getResult()};

    std::vector<bool> isPadded(extents.size());
    for (int t = 0; t < 3; ++t)
      if (!variables[t].empty() &&
          bytesOf(tensors[t].getType()) >= limits.bytes) {
        const int v = variables[t].back();
        if (found->roles[size_t(v)] != 'b' &&
            padded(extents[size_t(v)]) > extents[size_t(v)])
          isPadded[size_t(v)] = true;
      }
    std::vector<bool> dims[3];
    double copied = 0;
    for (int t = 0; t < 3; ++t) {
      for (int v : variables[t])
        dims[t].push_back(isPadded[size_t(v)]);
      const bool isThere = t < 2 && pads.count(keyOf(tensors[t], dims[t]));
      if (llvm::is_contained(dims[t], true) && !isThere)
        copied += double(bytesOf(tensors[t].getType()));
    }
    if (!llvm::is_contained(isPadded, true) ||
        double(analysis::flops(lambda, extents)) <
            double(limits.flopsPerByte) * copied)
      return false;

    for (size_t v = 0; v < extents.size(); ++v)
      if (isPadded[v])
        extents[v] = padded(extents[v]);
    const SmallVector<mlir::Value> operands = {
        paddedTensor(tensors[0], dims[0], product),
        paddedTensor(tensors[1], dims[1], product)};
    OpBuilder builder(product);
    const auto type = cast<RankedTensorType>(product.getResult().getType());
    ApplyOp made = semantic::applyInstead(
        builder, product,
        type.clone(ArrayRef(extents).take_front(size_t(lambda.rank()))),
        product.getLambdaAttr(), operands, extents);
    mlir::Value result = made.getResult();
    if (llvm::is_contained(dims[2], true))
      result = sliced(builder, made, type);
    product.getResult().replaceAllUsesWith(result);
    product.erase();
    return true;
  }

  /// Of a tensor that is cut out of a padded one with the same dimensions, that
  /// one.
  Padded keyOf(mlir::Value tensor, const std::vector<bool> &dims) const {
    const auto whole = cutOut.find(tensor);
    return {whole == cutOut.end() ? tensor : whole->second, dims};
  }

  mlir::Value paddedTensor(mlir::Value tensor, const std::vector<bool> &dims,
                           ApplyOp product) {
    if (!llvm::is_contained(dims, true))
      return tensor;
    const auto [known, isNew] = pads.try_emplace(keyOf(tensor, dims));
    if (!isNew)
      return known->second;
    const auto type = cast<RankedTensorType>(tensor.getType());
    const smex::TensorType element = semantic::tensorType(type);
    SmallVector<int64_t> shape(type.getShape());
    ExprRef within;
    for (size_t d = 0; d < dims.size(); ++d)
      if (dims[d]) {
        within = tdl::both(within,
                           tdl::binary(tdl::BinaryOp::Lt, tdl::indexVar(int(d)),
                                       tdl::constant(shape[d])));
        shape[d] = padded(shape[d]);
      }
    const tdl::Lambda map =
        mapOf(element, tdl::select(within, ownPlace(element),
                                   tdl::constant(0.0, element.dtype)));
    // What is computed is padded there, and is of the same node.
    auto producer = tensor.getDefiningOp<ApplyOp>();
    OpBuilder builder(product);
    if (producer)
      builder.setInsertionPointAfter(producer);
    ApplyOp made = create(builder, producer ? producer : product,
                          semantic::tensorName(tensor), ".padded",
                          type.clone(shape), map, tensor);
    if (!producer)
      made.removeGradientOfAttr();
    if (producer && analysis::isMap(lambdaOf(producer)))
      readPadded(tensor, made, builder);
    return known->second = made.getResult();
  }

  /// Whatever else reads the tensor reads the padded one instead, so that the
  /// map which computes it may write that one alone.
  void readPadded(mlir::Value tensor, ApplyOp pad, OpBuilder &builder) {
    SmallVector<OpOperand *> others;
    for (OpOperand &use : tensor.getUses()) {
      auto reader = dyn_cast<ApplyOp>(use.getOwner());
      if (reader && reader != pad &&
          !semantic::hasLibraryKernel(
              lambdaOf(reader), reader.getExtents().vec(), reader.getInputs()))
        others.push_back(&use);
    }
    if (others.empty())
      return;
    const mlir::Value cut =
        sliced(builder, pad, cast<RankedTensorType>(tensor.getType()));
    cutOut[cut] = tensor;
    for (OpOperand *use : others)
      use->set(cut);
  }

  /// The first elements of the result in each dimension.
  mlir::Value sliced(OpBuilder &builder, ApplyOp of, RankedTensorType type) {
    const smex::TensorType element = semantic::tensorType(type);
    return create(builder, of, of.getName(), ".cut", type,
                  mapOf(element, ownPlace(element)), of.getResult())
        .getResult();
  }

  ApplyOp create(OpBuilder &builder, ApplyOp like, StringRef name,
                 StringRef suffix, RankedTensorType type,
                 const tdl::Lambda &map, mlir::Value operand) {
    ApplyOp made = semantic::applyInstead(
        builder, like, type, lambdas.symbolOf(map), operand, type.getShape());
    made.setName((name + suffix).str());
    made.setFirst(false);
    return made;
  }

  tdl::LambdaSymbols lambdas;
  const Limits limits;
  struct Less {
    bool operator()(const Padded &a, const Padded &b) const {
      return std::pair(a.first.getAsOpaquePointer(), a.second) <
             std::pair(b.first.getAsOpaquePointer(), b.second);
    }
  };
  std::map<Padded, mlir::Value, Less> pads; // only looked up
  llvm::DenseMap<mlir::Value, mlir::Value> cutOut;
};

struct PadProducts : fusion::impl::PadProductsBase<PadProducts> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp main = semantic::mainFunction(getOperation());
    if (!main)
      return signalPassFailure();
    if (!Padding(getOperation(), {minFlops, minBytes, flopsPerByte, ways})
             .run(main))
      return;
    semantic::eraseUnusedLambdas(getOperation());
    OpPassManager again(ModuleOp::getOperationName());
    fusion::FuseMapsOptions options;
    options.sumsApart = sumsApart;
    again.addPass(fusion::createFuseMaps(options));
    if (fuse && failed(runPipeline(again, getOperation())))
      signalPassFailure();
  }
};

} // namespace
