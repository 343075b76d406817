#include "compiler/frontend/onnx/Lengths.h"

#include "compiler/frontend/onnx/LengthBinder.h"

#include <algorithm>

using namespace smex;
using namespace smex::frontend;

namespace {

Result<Model> bindRows(SampledModel base, const ImportWithRows &import,
                       bool training) {
  const std::vector<CountedRows> nodes = base.rows;
  Numbers room;
  for (const CountedRows &node : nodes)
    room.push_back(node.room);
  std::vector<SampledModel> models;
  std::vector<Numbers> rows = {room};
  models.push_back(std::move(base));
  const auto with = [&](const Numbers &n) {
    std::map<std::string, int64_t> numbers;
    for (size_t k = 0; k < nodes.size(); ++k)
      numbers[nodes[k].node] = n[k];
    return import(numbers);
  };
  const auto add = [&](const Numbers &n) {
    auto model = with(n);
    if (!model)
      refuseLengths(model.error().message);
    if (model->rows.size() != nodes.size())
      refuseLengths("what is computed depends on the rows");
    models.push_back(std::move(*model));
    rows.push_back(n);
  };
  // Few rows, half of them, and all but one: what bends in between shows, and
  // what goes in steps.
  Numbers half = room;
  for (size_t k = 0; k < nodes.size(); ++k) {
    Numbers n = room;
    n[k] = 3;
    add(n);
    n[k] = half[k] = room[k] >= 7 ? (3 + room[k]) / 2 : 2 * room[k] + 1;
    add(n);
    n[k] = room[k] >= 7 ? room[k] - 1 : 2 * room[k] + 2;
    add(n);
  }
  if (nodes.size() > 1)
    add(half);
  LengthBinder binder(std::move(models), rows);
  Model model = binder.run();
  // Lambdas of one row, or none, may differ from others, but not the extents of
  // what they give. What cannot be imported so has no such rows.
  for (size_t k = 0; k < nodes.size(); ++k)
    for (int64_t few : {1, 0}) {
      Numbers n = room;
      n[k] = few;
      const auto sample = with(n);
      if (!sample)
        continue;
      if (const std::string name = binder.differsFrom(*sample, n);
          !name.empty())
        refuseLengths("\"", name, "\" is another one where there ",
                      few ? "is" : "are", " ", few, few ? " row" : " rows");
    }
  if (training && binder.firstHasRows())
    refuseLengths(
        "a loss of output \"", model.outputNames.front(),
        "\" would count rows that are not there: let the model compute its "
        "loss, and give that as its first output");
  dropUnused(model);
  return std::move(model);
}

} // namespace

Result<Model> smex::frontend::withLengths(SampledModel base,
                                          const ImportWithRows &import,
                                          bool training) {
  if (base.rows.empty())
    return std::move(base.model);
  std::string nodes;
  for (const CountedRows &node : base.rows)
    nodes += (nodes.empty() ? "\"" : ", \"") + node.node + "\"";
  try {
    return bindRows(std::move(base), import, training);
  } catch (const Unclear &unclear) {
    return fail("the number of rows of ", nodes,
                " depends on values, and a plan is static: ", unclear.reason,
                "; bind the inputs that they are made of with --constant "
                "NAME=FILE");
  }
}
