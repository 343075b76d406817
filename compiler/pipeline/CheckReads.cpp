#include "compiler/pipeline/CheckReads.h"

#include "dialects/tdl/analysis/InBounds.h"

using namespace smex;

namespace {
/// A faulty operator is often used many times.
constexpr int kErrors = 20;
} // namespace

Status smex::pipeline::checkReads(const frontend::Model &model) {
  std::string text;
  int errors = 0;
  for (const frontend::Application &application : model.applications) {
    analysis::Shapes shapes;
    std::vector<std::string> names;
    for (int operand : application.operands) {
      const frontend::Value &value = model.values[size_t(operand)];
      shapes.push_back(value.type.shape);
      names.push_back("\"" + value.name + "\"");
    }
    const auto stray = analysis::strayRead(application.lambda,
                                           application.extents, shapes, names);
    if (!stray)
      continue;
    if (++errors > kErrors)
      break;
    text += (text.empty() ? "" : "\n") + model.name + ": node \"" +
            application.node + "\": " + *stray;
  }
  if (errors > 0)
    return Error{text};
  return {};
}
