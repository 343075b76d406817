// A model that grows: what training adds to it. Values and applications are
// appended, those that are there stay as they are.
#ifndef SMEX_COMPILER_TRAINING_MODELTAPE_H
#define SMEX_COMPILER_TRAINING_MODELTAPE_H

#include "compiler/training/Tape.h"

#include <unordered_map>

namespace smex::training {

/// Of an input with a row per edge, node or graph, which rows may be of none:
/// those of edges that are added as self-loops, or that a plan has room for;
/// those of nodes, or graphs of a batch, that it has room for.
enum class Spare { None, Edges, Nodes };

class ModelTape : public Tape {
public:
  explicit ModelTape(frontend::Model &model);

  const frontend::Model &model() const { return given; }
  size_t valueCount() const override { return given.values.size(); }
  const TensorType &type(int value) const override {
    return given.values[size_t(value)].type;
  }
  const std::string &name(int value) const override {
    return given.values[size_t(value)].name;
  }
  size_t applicationCount() const override { return given.applications.size(); }
  const frontend::Application &application(size_t number) const override {
    return given.applications[number];
  }
  std::vector<int> append(const tdl::Instance &instance,
                          const std::vector<int> &operands,
                          const std::string &name, const std::string &node,
                          int gradientOf) override;

  int addInput(const std::string &name, TensorType type);
  void setRange(int input, frontend::InputRange range) {
    given.inputRanges[input] = range;
  }
  /// Where the model works on graphs: an input that goes with this output has a
  /// row per edge if the output is declared to have one. Else, of graphs that
  /// are given when the plan runs, an input with as many rows as there are
  /// nodes of one type, or graphs of a batch, has one for each; and one with as
  /// many rows as there are edges, and of nothing else.
  Spare setRows(int input, const std::string &output);
  /// Zero when training begins; not a weight but part of a step's state.
  int addState(const std::string &name, TensorType type);
  void addUpdate(int parameter, int value);

private:
  int addValue(const std::string &name, TensorType type);

  frontend::Model &given;
  /// Of all names of values: with smaller suffixes than this they are taken.
  std::unordered_map<std::string, int> suffixes;
};

} // namespace smex::training

#endif
