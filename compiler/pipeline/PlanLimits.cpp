#include "compiler/pipeline/PlanLimits.h"

#include "runtime/plan/Load.h"

using namespace smex;
using namespace smex::pipeline;

namespace {
/// Of an error that names each.
constexpr size_t mostLines = 10;

class Lines {
public:
  template <typename... Parts> void add(Parts &&...parts) {
    if (++count <= mostLines)
      text += (text.empty() ? "" : "\n") + fail(parts...).message;
  }
  Status status() const {
    if (count == 0)
      return {};
    return fail(text,
                count > mostLines
                    ? "\nand " + std::to_string(count - mostLines) + " more"
                    : "");
  }

private:
  std::string text;
  size_t count = 0;
};
} // namespace

Status smex::pipeline::checkPlanLimits(const std::string &model,
                                       mlir::func::FuncOp main) {
  Lines lines;
  const auto check = [&](mlir::Value value) {
    const TensorType type = semantic::tensorType(value.getType());
    const auto bytes = byteCount(type);
    if (!bytes || *bytes > plan::sizeLimit)
      lines.add(model, ": \"", semantic::tensorName(value).str(), "\" is ",
                toString(type), ", more than the ", plan::sizeLimit,
                " bytes that a tensor of a plan can have");
  };
  for (mlir::BlockArgument input : main.getArguments())
    check(input);
  for (mlir::Operation &op : main.getBody().front())
    for (mlir::Value result : op.getResults())
      check(result);
  for (auto apply : main.getOps<semantic::ApplyOp>()) {
    // Of each element; how many elements there are is the result's matter.
    const auto rank =
        size_t(semantic::tensorType(apply.getResult().getType()).shape.size());
    const auto terms = elementCount(apply.getExtents().drop_front(rank).vec());
    if (!terms || *terms > plan::sizeLimit)
      lines.add(model, ": node \"", apply.getNode().value_or("").str(),
                "\": more than the ", plan::sizeLimit,
                " terms that a sum of a plan can have");
  }
  return lines.status();
}

Status smex::pipeline::checkPlanLimits(const std::string &model,
                                       const plan::Partitioned &partitioned) {
  for (size_t k = 0; k < partitioned.workers.size(); ++k)
    if (const int64_t bytes = partitioned.workers[k].arenaBytes;
        bytes > plan::sizeLimit)
      return fail(model, ": with ", partitioned.workers.size(),
                  partitioned.workers.size() == 1 ? " GPU, gpu" : " GPUs, gpu",
                  k, " would need ", bytes, " bytes, more than the ",
                  plan::sizeLimit, " that a plan can place");
  return {};
}
