// What a plan's layers took on each worker, fitted to Roc's cost model step by
// step, and where the model says that ranges should lie (MLSys'20, section 4).
#ifndef SMEX_RUNTIME_BALANCE_LAYERTIMES_H
#define SMEX_RUNTIME_BALANCE_LAYERTIMES_H

#include "runtime/balance/PlanLayers.h"
#include "runtime/executor/Executor.h"
#include "runtime/graphpartition/ModelFile.h"
#include "runtime/graphpartition/Ranges.h"

#include <functional>
#include <memory>

namespace smex::balance {

/// What moving the ranges of vertices would bring, in seconds of the slowest
/// worker, per step, as the model predicts them.
struct Gain {
  double now = 0, then = 0;
  /// How far the model was off, of workers' seconds, on average: a gain below
  /// that is none.
  double error = 0;
  int64_t movedVertices = 0; // that would have another worker

  double seconds() const { return now - then; }
};

/// All of one run of one plan.
class LayerTimes {
public:
  /// A list of integers of the program, whole, by its tensor.
  using Lists = std::function<Result<graph::Numbers>(int tensor)>;

  /// `partitioned` stays with the caller. `model`: the network's name. Errors:
  /// a program that passes no messages, or on more than one graph; lists that
  /// are no graph.
  static Result<std::unique_ptr<LayerTimes>>
  open(const plan::Partitioned &partitioned, const std::string &model,
       const Lists &lists);

  /// Goes on with a fit of the same layers. Errors: of others; names `file`.
  Status resume(const graphpartition::ModelFile &fitted,
                const std::string &file);

  /// What ran in a step, of all workers. A layer's seconds on a worker are
  /// those of its computes. Where the worker has not all of an index space's
  /// other sides, they are put up to what all would take; so are a member's
  /// that is divided otherwise than its layer, per vertex or edge. Seconds that
  /// are not positive and finite are left out, and counted.
  void add(const std::vector<runtime::TraceEvent> &step);

  /// So far.
  int64_t timings() const { return added; }
  int64_t leftOut() const { return skipped; }
  graphpartition::ModelFile model() const;
  /// The slowest worker over the mean one, of all that they computed in the
  /// steps that were added; and of the layers alone, as the model has it.
  double imbalance() const;
  double predictedImbalance() const;
  /// Nothing: no step was added, or ranges would stay where they are.
  std::optional<Gain> gain() const;

private:
  LayerTimes(const plan::Partitioned &partitioned, PlanLayers layers,
             std::string model, graphpartition::InNeighbours graph);
  double rowsOf(const Member &member, Interval vertices) const;
  Interval verticesOf(int worker, const MessageLayer &layer) const;
  Interval endsOf(Interval edges, const MessageLayer &layer) const;
  /// Seconds of each worker, of layers, where ranges are divided at these.
  std::vector<double> predicted(
      const graphpartition::CostModel &weights,
      const std::function<Interval(int worker, size_t layer)> &vertices) const;

  const plan::Partitioned &partitioned;
  const PlanLayers plan;
  const std::string name;
  const graphpartition::InNeighbours graph;
  std::unique_ptr<graphpartition::LayerFeatures> features;
  std::vector<graphpartition::LayerFit> fits; // per layer
  std::vector<double> busy;   // per worker: all computes, of all steps
  std::vector<double> layers; // of these, what belongs to layers
  int64_t steps = 0, added = 0, skipped = 0;
};

} // namespace smex::balance

#endif
