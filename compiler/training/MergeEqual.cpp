#include "compiler/training/MergeEqual.h"

#include <map>
#include <tuple>

using namespace smex;
using namespace smex::training;
using frontend::Application;

void training::mergeEqual(frontend::Model &model, size_t first) {
  std::vector<int> now(model.values.size());
  for (size_t v = 0; v < now.size(); ++v)
    now[v] = int(v);
  std::map<std::tuple<std::string, std::vector<int64_t>, std::vector<int>>, int>
      known;
  std::vector<Application> kept;
  for (size_t i = 0; i < model.applications.size(); ++i) {
    Application &application = model.applications[i];
    for (int &operand : application.operands)
      operand = now[size_t(operand)];
    if (application.gradientOf >= 0)
      application.gradientOf = now[size_t(application.gradientOf)];
    // An opaque function may draw numbers, and differently each time.
    if (application.lambda.body->kind != tdl::ExprKind::Opaque) {
      const auto [entry, isNew] = known.try_emplace(
          std::tuple(tdl::toString(application.lambda), application.extents,
                     application.operands),
          application.result);
      if (!isNew && i >= first) {
        now[size_t(application.result)] = entry->second;
        continue;
      }
    }
    kept.push_back(std::move(application));
  }
  model.applications = std::move(kept);
  for (int &output : model.outputs)
    output = now[size_t(output)];
  for (frontend::Update &update : model.updates)
    update.value = now[size_t(update.value)];
}
