#include "compiler/frontend/Model.h"

#include <algorithm>

using namespace smex;

void frontend::dropUnused(Model &model) {
  std::vector<bool> needed(model.values.size());
  for (int output : model.outputs)
    needed[size_t(output)] = true;
  for (const Update &update : model.updates)
    needed[size_t(update.parameter)] = needed[size_t(update.value)] = true;
  std::vector<Application> kept;
  for (size_t i = model.applications.size(); i-- > 0;) {
    Application &application = model.applications[i];
    if (!needed[size_t(application.result)])
      continue;
    for (int operand : application.operands)
      needed[size_t(operand)] = true;
    kept.push_back(std::move(application));
  }
  std::reverse(kept.begin(), kept.end());
  model.applications = std::move(kept);
  auto &parameters = model.parameters;
  parameters.erase(std::remove_if(parameters.begin(), parameters.end(),
                                  [&](const Parameter &parameter) {
                                    return !needed[size_t(parameter.value)];
                                  }),
                   parameters.end());
}
