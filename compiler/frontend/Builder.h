// Collects a model while a front-end reads it: applies operator templates,
// folds small constant expressions with the reference interpreter, names what
// has no name, and drops what no output needs.
#ifndef SMEX_COMPILER_FRONTEND_BUILDER_H
#define SMEX_COMPILER_FRONTEND_BUILDER_H

#include "compiler/frontend/Model.h"
#include "dialects/tdl/library/Library.h"

#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>

namespace smex::frontend {

/// Number of a value in the builder.
using ValueId = int;

/// Values of this number and up are sequences of values (see addSequence),
/// which nothing but the bookkeeping of a front-end understands.
constexpr ValueId firstSequence = 1 << 29;
inline bool isSequence(ValueId v) { return v >= firstSequence; }

/// Values of this number and up, below sequences, are elements of a type that
/// is only stored (see addStored): bookkeeping of a front-end, too.
constexpr ValueId firstStored = 1 << 28;
inline bool isStored(ValueId v) {
  return v >= firstStored && v < firstSequence;
}

class Builder {
public:
  /// Larger arrays are never computed at compile time, nor looked into; of
  /// integers more, since edges of a graph can say what shapes are.
  static constexpr int64_t foldedElements = 64 * 1024;
  static constexpr int64_t foldedIntegers = 4 * 1024 * 1024;
  static constexpr int64_t foldedWork = 4 * 1024 * 1024;
  static int64_t foldedElementsOf(DType type) {
    return isFloat(type) ? foldedElements : foldedIntegers;
  }

  ValueId addInput(std::string name, TensorType type);
  /// Inputs added so far: the next one's number among the model's.
  size_t inputCount() const { return inputs; }
  ValueId addParameter(std::string name, TensorType type, ParameterData data);
  /// A value that is not a weight: its name is made where none is given.
  ValueId addConstant(Tensor tensor, std::string name);
  ValueId addConstant(std::shared_ptr<const Tensor> tensor, std::string name);

  /// A constant whose bytes stay where they are.
  ValueId addConstant(std::string name, TensorType type, ParameterData data);
  /// A scalar that random numbers depend on, drawn from the run's seed; it
  /// counts up with training's steps. One for the whole model.
  ValueId randomSeed();
  /// After each step of training, the parameter becomes the value, and is no
  /// weight. False where `parameter` is none, or of another type.
  bool addUpdate(ValueId parameter, ValueId value);
  /// The parameter as one that training leaves alone, apart from itself: some
  /// exporters store equal tensors once, and what is a weight elsewhere stays
  /// one. Other values as they are.
  ValueId untrained(ValueId v);
  ValueId addSequence(std::vector<ValueId> elements);
  const std::vector<ValueId> &sequence(ValueId v) const {
    return sequences[v - firstSequence];
  }

  /// Elements of a type that nothing computes with: a value of the type that
  /// they are stored as, and the front-end's number of what they stand for.
  struct Stored {
    ValueId elements;
    int type;
  };
  ValueId addStored(ValueId elements, int type);
  const Stored &stored(ValueId v) const {
    return storedValues[v - firstStored];
  }
  /// Any value like that; type 0: it is what it is.
  Stored asStored(ValueId v) const {
    return isStored(v) ? stored(v) : Stored{v, 0};
  }
  /// A parameter that is kept as it is, unless it is tiny: what is made of it
  /// at compile time would be larger than it.
  void keepPacked(ValueId parameter) { values[parameter].packed = true; }

  /// More operators, from --ops or made for one node; looked up first.
  Status addTemplates(std::string_view file, std::string_view text);
  const tdl::Library *libraryOf(std::string_view op) const;

  /// Applies a template; `node` names its intermediate values.
  Result<std::vector<ValueId>> apply(std::string_view op,
                                     const std::vector<ValueId> &operands,
                                     const tdl::Attributes &attributes,
                                     const std::string &node);

  /// The same for applications that are ready; `gradientOf`: see Application.
  std::vector<ValueId> append(const tdl::Instance &instance,
                              const std::vector<ValueId> &operands,
                              const std::string &node, ValueId gradientOf = -1);

  /// From now on, applications are of a branch that may not be taken; returns
  /// what was so before.
  bool setConditional(bool is) { return std::exchange(conditional, is); }

  size_t valueCount() const { return values.size(); }
  size_t applicationCount() const { return applications.size(); }
  /// Its operands and result are ValueIds.
  const Application &application(size_t number) const {
    return applications[number];
  }

  /// What computes a value, or null.
  const Application *applicationOf(ValueId v) const {
    return values[v].application < 0 ? nullptr
                                     : &applications[values[v].application];
  }

  const TensorType &type(ValueId v) const { return values[v].type; }
  const std::string &name(ValueId v) const { return values[v].name; }
  /// The value's elements where they are known at compile time and few.
  std::shared_ptr<const Tensor> known(ValueId v);

  /// Follows broadcasts and dimensions of extent 1 back to where the value
  /// comes from. Dimension d of that is the value's dimension `at[d]`, or read
  /// at 0.
  ValueId broadcastSource(ValueId v, std::vector<int> &at) const;

  /// Gives a computed value a name of the model's. Inside functions and loops
  /// (depth > 0) names are made longer: one from further out is better.
  void setName(ValueId v, const std::string &name, int depth = 0);

  /// The finished model: what the outputs need, and for training the updates,
  /// in topological order.
  Model finish(const std::vector<std::pair<std::string, ValueId>> &outputs,
               bool training);

private:
  static constexpr int unnamed = 1 << 30;
  struct Entry {
    enum class Kind { Input, Parameter, Constant, Computed } kind;
    std::string name;
    TensorType type;
    ParameterData data = {};
    std::shared_ptr<const Tensor> tensor = nullptr; // if known
    int application = -1;
    /// Made of a weight: training may change it, so folding keeps the
    /// application too.
    bool weight = false;
    bool constant = false; // stored, but no weight
    bool state = false;    // of the step, not of the model
    bool packed = false;   // see keepPacked
    /// How far inside its name is from; a made name is the innermost.
    int depth = unnamed;
    bool named() const { return depth != unnamed; }
  };
  bool stays(const Entry &e) const {
    return e.kind == Entry::Kind::Computed && (!e.tensor || e.weight);
  }
  void setConstant(ValueId v);
  ValueId add(Entry entry);
  ValueId apply(tdl::Application application, std::vector<ValueId> operands,
                const std::string &node, ValueId gradientOf);
  void fold(const Application &application);

  size_t inputs = 0;
  bool conditional = false;    // see setConditional
  std::optional<ValueId> seed; // see randomSeed
  std::vector<std::pair<ValueId, ValueId>> updates;
  std::unordered_map<ValueId, ValueId> twins; // see untrained
  std::deque<std::vector<ValueId>> sequences;
  std::deque<Stored> storedValues;
  std::deque<Entry> values;              // types are handed out by reference
  std::vector<Application> applications; // operands, result: ValueIds
  std::unordered_map<std::string, int> intermediates; // per node
  tdl::Library extra;
  /// Operators as they have been applied before. A large model has few that
  /// differ, and nodes by the ten thousand.
  using Types = std::vector<std::pair<DType, std::vector<int64_t>>>;
  using Use = std::tuple<std::string, Types, tdl::Attributes>;
  std::map<Use, tdl::Instance> instances;
};

} // namespace smex::frontend

#endif
