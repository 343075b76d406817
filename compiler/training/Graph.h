// A model that grows: what training adds to it. Values and applications are
// appended, those that are there stay as they are.
#ifndef SMEX_COMPILER_TRAINING_GRAPH_H
#define SMEX_COMPILER_TRAINING_GRAPH_H

#include "compiler/frontend/Model.h"
#include "dialects/tdl/library/Library.h"

#include <unordered_set>

namespace smex::training {

class Graph {
public:
  explicit Graph(frontend::Model &model);

  const frontend::Model &model() const { return given; }
  const TensorType &type(int value) const {
    return given.values[size_t(value)].type;
  }
  const std::string &name(int value) const {
    return given.values[size_t(value)].name;
  }

  int addInput(const std::string &name, TensorType type);
  /// Zero, or for integers drawn from the run's seed, when the plan runs; not
  /// a weight but part of a step's state.
  int addState(const std::string &name, TensorType type, bool drawn = false);
  void addUpdate(int parameter, int value);

  /// Applies an operator of the library; its results. `name` is what the first
  /// is called and `node` the model's node that it serves.
  Result<std::vector<int>> apply(const std::string &op,
                                 const std::vector<int> &operands,
                                 const tdl::Attributes &attributes,
                                 const std::string &name,
                                 const std::string &node);
  /// Appends applications; the values of the instance's results.
  std::vector<int> append(const tdl::Instance &instance,
                          const std::vector<int> &operands,
                          const std::string &name, const std::string &node);

private:
  int addValue(const std::string &name, TensorType type);

  frontend::Model &given;
  std::unordered_set<std::string> names;
};

} // namespace smex::training

#endif
