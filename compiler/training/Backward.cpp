#include "compiler/training/Backward.h"

#include "compiler/frontend/Simplify.h"
#include "compiler/training/Adjoint.h"
#include "compiler/training/Pieces.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace smex;
using namespace smex::training;
using frontend::Application;

namespace {

class Backward {
public:
  Backward(Tape &graph, const std::vector<int> &trained)
      : graph(graph), count(graph.applicationCount()),
        varies(graph.valueCount()), gradients(graph.valueCount(), -1) {
    for (int value : trained)
      varies[size_t(value)] = true;
    lastReader.resize(varies.size(), count);
    for (size_t i = 0; i < count; ++i)
      noteApplication(graph.application(i), i);
    for (int value : trained)
      if (lastReader[size_t(value)] < count)
        completedBy.emplace(lastReader[size_t(value)], value);
  }

  Status run(int loss, const Ready &ready) {
    auto one =
        graph.apply("seed_gradient", {loss}, {}, "gradient of loss", "", loss);
    if (!one)
      return one.takeError();
    gradients[size_t(loss)] = one->front();
    for (size_t i = count; i-- > 0;) {
      if (Status passed = pass(i); !passed)
        return passed;
      const auto [begin, end] = completedBy.equal_range(i);
      for (auto each = begin; each != end; ++each) {
        if (Status done = completePieces(each->second); !done)
          return done;
        if (const int gradient = gradients[size_t(each->second)]; gradient >= 0)
          if (Status told = ready(each->second, gradient); !told)
            return told;
      }
    }
    return {};
  }

private:
  /// In the order of the model, which is topological.
  void noteApplication(const Application &application, size_t number) {
    bool any = false;
    for (int operand : application.operands) {
      any |= varies[size_t(operand)];
      // Backward, the first reader comes last.
      lastReader[size_t(operand)] =
          std::min(lastReader[size_t(operand)], number);
    }
    if (any && !application.detached && isFloat(application.lambda.result))
      varies[size_t(application.result)] = true;
  }

  /// Hands the gradient of an application's result on to its operands.
  Status pass(size_t number) {
    const Application application = graph.application(number);
    if (Status done = completePieces(application.result); !done)
      return done;
    const int gradient = gradients[size_t(application.result)];
    if (gradient < 0 || !varies[size_t(application.result)])
      return {};
    for (size_t i = 0; i < application.operands.size(); ++i) {
      const int operand = application.operands[i];
      if (!varies[size_t(operand)])
        continue;
      if (const auto piece = pieceOf(application, graph.type(operand).shape)) {
        pieces[operand].push_back({*piece, number, gradient});
        continue;
      }
      if (Status handed = handOn(application, int(i), gradient); !handed)
        return handed;
    }
    return {};
  }

  /// By the application's lambda.
  Status handOn(const Application &application, int i, int gradient) {
    std::vector<int> values = application.operands;
    values.push_back(application.result);
    values.push_back(gradient);
    const int operand = application.operands[size_t(i)];
    const auto instance = adjointOf(application, i);
    if (!instance)
      return fail("node \"", application.node,
                  "\": cannot be trained through: ", instance.error().message);
    const std::string name = "gradient of " + graph.name(operand);
    const std::vector<int> parts =
        isCopy(*instance, values)
            ? std::vector<int>{values[size_t(
                  instance->applications[0].operands[0])]}
            : graph.append(*instance, values, name, application.node, operand);
    for (int part : parts)
      if (Status added = accumulate(operand, part, application.node); !added)
        return added;
    return {};
  }

  /// What was taken of a value as a piece, once all that reads it is done.
  Status completePieces(int value) {
    const auto found = pieces.find(value);
    if (found == pieces.end())
      return {};
    std::vector<PieceGradient> all = std::move(found->second);
    pieces.erase(found);
    std::stable_sort(all.begin(), all.end(),
                     [](const PieceGradient &a, const PieceGradient &b) {
                       return a.piece.first < b.piece.first;
                     });
    std::vector<Piece> places;
    std::vector<int> parts;
    for (const PieceGradient &each : all) {
      places.push_back(each.piece);
      parts.push_back(each.gradient);
    }
    if (coverAll(places, graph.type(value).shape)) {
      const std::string node = graph.application(all[0].reader).node;
      return accumulate(value, joined(std::move(places), parts, value), node);
    }
    for (const PieceGradient &each : all) {
      const Application reader = graph.application(each.reader);
      if (Status handed = handOn(reader, 0, each.gradient); !handed)
        return handed;
    }
    return {};
  }

  /// Side by side, some at a time, to keep expressions shallow.
  int joined(std::vector<Piece> places, std::vector<int> parts, int value) {
    constexpr size_t most = 16;
    const TensorType type = graph.type(value);
    const std::string name = "gradient of " + graph.name(value);
    while (parts.size() > 1) {
      std::vector<Piece> wider;
      std::vector<int> groups;
      for (size_t i = 0; i < parts.size(); i += most) {
        const size_t end = std::min(i + most, parts.size());
        const std::vector<Piece> some(places.begin() + i, places.begin() + end);
        groups.push_back(graph
                             .append(sideBySide(some, type.dtype, type.shape),
                                     {parts.begin() + i, parts.begin() + end},
                                     name, graph.name(value), value)
                             .front());
        wider.push_back({some[0].axis, some[0].first, 0});
        for (const Piece &piece : some)
          wider.back().count += piece.count;
      }
      places = std::move(wider);
      parts = std::move(groups);
    }
    return parts[0];
  }

  /// A sum hands its gradient on as it is.
  bool isCopy(const tdl::Instance &instance,
              const std::vector<int> &values) const {
    if (instance.applications.size() != 1 || instance.results.size() != 1)
      return false;
    const tdl::Application &only = instance.applications[0];
    const auto at = frontend::plainRead(only.lambda);
    if (!at || only.operands.size() != 1 || only.operands[0] < 0 ||
        graph.type(values[size_t(only.operands[0])]) !=
            TensorType{only.lambda.result, only.extents})
      return false;
    for (size_t d = 0; d < at->size(); ++d)
      if ((*at)[d] != int(d))
        return false;
    return at->size() == only.extents.size();
  }

  Status accumulate(int value, int part, const std::string &node) {
    int &gradient = gradients[size_t(value)];
    if (gradient < 0) {
      gradient = part;
      return {};
    }
    auto sum = graph.apply("accumulate", {gradient, part}, {},
                           "gradient of " + graph.name(value), node, value);
    if (!sum)
      return sum.takeError();
    gradient = sum->front();
    return {};
  }

  /// Layers and timesteps repeat: each gradient is derived once.
  Result<tdl::Instance> adjointOf(const Application &application, int operand) {
    analysis::Shapes shapes;
    for (int value : application.operands)
      shapes.push_back(graph.type(value).shape);
    Derivation key(tdl::toString(application.lambda), application.extents,
                   shapes, operand, application.ties);
    const auto known = derived.find(key);
    if (known != derived.end())
      return known->second;
    auto instance = adjoint(application.lambda, application.extents, shapes,
                            operand, application.ties);
    if (instance)
      derived.emplace(std::move(key), *instance);
    return instance;
  }

  /// Lambda, extents, shapes of its operands, and by which of them.
  using Derivation = std::tuple<std::string, std::vector<int64_t>,
                                analysis::Shapes, int, tdl::Ties>;

  struct PieceGradient {
    Piece piece;
    size_t reader; // application
    int gradient;
  };

  Tape &graph;
  const size_t count;         // applications of the model, before any was added
  std::vector<bool> varies;   // with a trained parameter, smoothly
  std::vector<int> gradients; // per value of the model; -1: none yet
  std::vector<size_t> lastReader;                   // per value; count: none
  std::map<int, std::vector<PieceGradient>> pieces; // by value
  std::multimap<size_t, int> completedBy;
  std::map<Derivation, tdl::Instance> derived;
};

} // namespace

Status training::addGradients(Tape &graph, int loss,
                              const std::vector<int> &trained,
                              const Ready &ready) {
  return Backward(graph, trained).run(loss, ready);
}
