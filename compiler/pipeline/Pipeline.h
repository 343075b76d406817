// The whole compilation, from a front-end's model to a plan: the stages of
// DESIGN.md's "the way data flows", strung together. Each stage is a pass, or a
// few, that smex-opt runs alone; each can be printed.
#ifndef SMEX_COMPILER_PIPELINE_PIPELINE_H
#define SMEX_COMPILER_PIPELINE_PIPELINE_H

#include "compiler/codegen/cpu/Codegen.h"
#include "compiler/emit/Weights.h"
#include "compiler/frontend/Model.h"
#include "compiler/graphpartition/VertexSides.h"
#include "compiler/machine/Machine.h"
#include "compiler/machine/Profile.h"
#include "compiler/partition/Alternatives.h"
#include "compiler/partition/ir/Passes.h"
#include "compiler/pipeline/Choice.h"
#include "compiler/pipeline/OnMachine.h"
#include "compiler/placement/ir/Passes.h"
#include "compiler/training/TrainingGraph.h"
#include "runtime/plan/Plan.h"

#include "mlir/Pass/PassManager.h"

#include <functional>
#include <optional>
#include <string>

namespace smex::pipeline {

/// What can be printed: the model as lambdas, the same with decisions, the
/// search's problems (Cfn.h; of placements the task graph, which `smexc place`
/// reads), and the program of all workers.
enum class Stage { Semantic, Decisions, Problem, Exec };
std::optional<Stage> parseStage(const std::string &name);

struct CompileOptions {
  int64_t gpus = 1;
  /// The step that is added to the model; none to a model that brings its own
  /// algorithm.
  std::optional<training::TrainingOptions> training;
  /// Without one, `recursive`, and others if memory must be less. "auto", with
  /// a machine: partitions, placements, placements on groups of GPUs within
  /// which tensors are cut, and within replicas; the fastest is taken.
  std::optional<partition::Search> search;
  bool isAuto() const { return search && search->algorithm == "auto"; }
  /// What the plan is for. Several searches are tried, and of the plans that
  /// fit the one taken that is fastest there; without one, all links and
  /// devices are alike, and the first plan that fits is taken.
  std::optional<machines::Machine> machine;
  /// What operators took on a machine, for placements: else what the machine's
  /// description, or that of an H100, says of them.
  std::optional<machines::Profile> profile;
  /// Where a known graph's vertices are divided, by partitions alone; null:
  /// evenly.
  std::shared_ptr<const graphpartition::BalancedGraph> graph;
  /// None: the machine's, if there is one.
  MemoryLimit memory;
  /// What share of it placements keep free; 0 to less than 1.
  double spare = 0;
  /// Where the limit is not kept otherwise, buffers wait on the host or are
  /// computed again (compiler/offload): "moves", "recompute" or "both"; empty:
  /// neither. Of both, plans of one alone are made, too, where a machine says
  /// which is fastest: the search does not know what of its moves is hidden.
  std::string offload;
  /// What code is generated for, each beside the others (plan::Artifact).
  std::vector<std::string> targets = {codegen::CodegenOptions().cpuArch};
  /// The same bits for any number of workers: no sum is split, and all kernels
  /// are generated, whose terms have one order
  /// (compiler/codegen/cpu/Reduction). The same for any room of a graph, too:
  /// what is rounded, and when, does not depend on sizes.
  bool reproducible = false;
  /// Without fusion each operator of the model, of its gradients and of the
  /// optimizer is one of the plan, too, as frameworks place and run them.
  bool fuse = true;
  /// Where operators are composed: whether those that read what edges make of
  /// their nodes, such as an attention's coefficients, compute it themselves
  /// (compiler/messagepassing), and it is never stored: where it is "large" for
  /// what it is made of, "always", or "never".
  std::string recomputeMessages = "large";
  /// Whose rows are padded of 16-bit floats' products, where maps are fused and
  /// libraries compute products: of "large" ones (compiler/fusion), "all" or
  /// "none".
  std::string padding = "large";
  bool verifyEach = true; // the IR, after each pass
  /// Where the code of kernels is kept from one compilation to the next; null:
  /// nowhere.
  codegen::SharedCache kernelCache = {};
};

/// Seconds and counts of one compilation, for --stats.
struct CompileStats {
  int64_t operators = 0; // applications after fusion
  int64_t lambdas = 0;   // distinct
  int64_t measured = 0;  // operators that the profile has
  double searchSeconds = 0;
  double codegenSeconds = 0;
  /// Where several were tried, because of the memory limit or for a machine:
  /// how many plans, how many of them keep the limit, the search whose plan is
  /// taken, and what a step of it takes on the machine.
  int64_t plansTried = 1, plansThatFit = 1;
  std::string taken;
  std::optional<double> stepSeconds;
  std::vector<Compared> compared; // all of them, in order
};

struct Compiled {
  plan::Plan plan;
  /// Parameters of the plan that are none of the model.
  std::vector<emit::DerivedParameter> derived;
  CompileStats stats;
};

/// Errors are diagnostics of the passes, in one message with a line for each,
/// naming the model's nodes.
Result<Compiled> compile(const frontend::Model &model,
                         const CompileOptions &options);

/// The IR after a stage, as text.
Result<std::string> emitStage(const frontend::Model &model,
                              const CompileOptions &options, Stage stage);

/// The kernels of a plan for one of its targets, generated again from its
/// lambdas: `smexc check` compares them with the ones in it. What this compiler
/// made earlier, and kept in `cache`, counts as generated.
Result<plan::Artifact>
regenerateKernels(const plan::Plan &plan, const std::string &target,
                  const codegen::SharedCache &cache = {});
/// The same for all targets of one plan, one after the other: the texts of GPUs
/// are generated together, and kept until they are asked for.
using Regenerate = std::function<Result<plan::Artifact>(
    const plan::Plan &, const std::string &target)>;
Regenerate regenerateTogether(const codegen::SharedCache &cache = {});

/// The passes by stage, for smex-opt and the functions above.
void addTrainingPasses(mlir::OpPassManager &manager,
                       const training::TrainingOptions &options);
/// Of the options: fuse, gpus, padding, recomputeMessages, reproducible.
void addSemanticPasses(mlir::OpPassManager &manager,
                       const CompileOptions &options = {});
/// `placedBytes`: what a placement may count on of a GPU's memory, if anything
/// limits it; `memory`: how that will be planned. `known`: what says which rows
/// are read of others.
void addDecisionPasses(mlir::OpPassManager &manager,
                       const CompileOptions &options,
                       const partition::Search &search,
                       std::optional<int64_t> placedBytes = std::nullopt,
                       const analysis::NamedLists &known = {},
                       const memory::PlanMemoryOptions &memory = {});
void addExecPasses(mlir::OpPassManager &manager,
                   const ExecOptions &options = {});
/// What placements go by: the options' machine, or one that many have.
std::shared_ptr<const placement::Site>
placementSite(const CompileOptions &options);

/// What the partition of a graph goes by beside bytes: of the options' machine,
/// or, without it, of one that many have. Null where no graph is partitioned.
std::shared_ptr<const partition::Rates> ratesOf(const CompileOptions &options,
                                                bool withoutMachine);

/// Passes and dialects by name, for smex-opt.
void registerAllPasses();
void registerAllDialects(mlir::DialectRegistry &registry);

} // namespace smex::pipeline

#endif
