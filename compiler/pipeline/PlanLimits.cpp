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

Status smex::pipeline::checkPlanLimits(const frontend::Model &model) {
  Lines lines;
  for (const frontend::Value &value : model.values) {
    const auto bytes = byteCount(value.type);
    if (!bytes || *bytes > plan::sizeLimit)
      lines.add(model.name, ": \"", value.name, "\" is ", toString(value.type),
                ", more than the ", plan::sizeLimit,
                " bytes that a tensor of a plan can have");
  }
  for (const frontend::Application &application : model.applications) {
    // Of each element; how many elements there are is the result's matter.
    const auto first = application.extents.begin();
    const auto terms = elementCount(
        {first + application.lambda.rank(), application.extents.end()});
    if (!terms || *terms > plan::sizeLimit)
      lines.add(model.name, ": node \"", application.node, "\": more than the ",
                plan::sizeLimit, " terms that a sum of a plan can have");
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
