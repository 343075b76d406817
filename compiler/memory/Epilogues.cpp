#include "compiler/memory/Epilogues.h"

#include "dialects/tdl/analysis/Contraction.h"
#include "dialects/tdl/analysis/Epilogue.h"

using namespace mlir;
using namespace smex;
using memory::PossibleEpilogue;

namespace {

class Search {
public:
  Search(exec::Regions &regions, const tdl::LambdaTable &lambdas)
      : regions(regions), lambdas(lambdas) {}

  std::optional<PossibleEpilogue> of(exec::ComputeOp map) {
    auto operands = exec::read(map);
    for (size_t k = 0; k < operands.size(); ++k) {
      exec::ComputeOp product = exec::makerOf(operands[k]);
      if (!product || operands[k].getPartial() || !isOnlyUser(map, operands[k]))
        continue;
      const auto epilogue = analysis::matchEpilogue(lambdaOf(map), int(k));
      if (!epilogue || !isProduct(product) ||
          !doTheSame(product, map, operands[k]))
        continue;
      exec::BufferOp bias;
      if (epilogue->bias >= 0)
        bias = operands[size_t(epilogue->bias)];
      return PossibleEpilogue{product, map, int64_t(k), bias};
    }
    return std::nullopt;
  }

private:
  const tdl::Lambda &lambdaOf(exec::ComputeOp compute) const {
    return lambdas[compute.getLambdaAttr().getAttr()];
  }

  /// Besides the instruction that makes it.
  static bool isOnlyUser(exec::ComputeOp map, exec::BufferOp buffer) {
    return range_size(buffer->getUsers()) == 2 &&
           llvm::is_contained(buffer->getUsers(), map.getOperation());
  }

  bool isProduct(exec::ComputeOp compute) const {
    const tdl::Lambda &lambda = lambdaOf(compute);
    return analysis::matchContraction(lambda) &&
           !analysis::matchConvolution(lambda, compute.getExtents().vec());
  }

  /// The same elements, all that there are of the buffer, on every worker.
  bool doTheSame(exec::ComputeOp product, exec::ComputeOp map,
                 exec::BufferOp made) {
    exec::BufferOp to = exec::written(map);
    const std::vector<bool> doers = regions.doers(map);
    if (exec::makerOf(to) != map || regions.of(to) != regions.of(made) ||
        regions.doers(product) != doers)
      return false;
    const std::vector<Box> &boxes = regions.of(made);
    for (size_t w = 0; w < boxes.size(); ++w) {
      const Box &indices = regions.indices(product)[w];
      if (doers[w] &&
          (regions.indices(map)[w] != boxes[w] ||
           Box(indices.begin(), indices.begin() + boxes[w].size()) != boxes[w]))
        return false;
    }
    return true;
  }

  exec::Regions &regions;
  const tdl::LambdaTable &lambdas;
};

} // namespace

std::vector<PossibleEpilogue>
memory::possibleEpilogues(exec::ProgramOp program, exec::Regions &regions,
                          const tdl::LambdaTable &lambdas) {
  Search search(regions, lambdas);
  std::vector<PossibleEpilogue> found;
  for (auto map : program.getOps<exec::ComputeOp>())
    if (const auto epilogue = search.of(map))
      found.push_back(*epilogue);
  return found;
}

bool memory::isWrittenBefore(exec::BufferOp buffer, Operation *instruction) {
  return llvm::all_of(buffer->getUsers(), [&](Operation *user) {
    return isa<exec::OutputOp, exec::UpdateOp>(user) ||
           exec::written(user) != buffer || user->isBeforeInBlock(instruction);
  });
}
