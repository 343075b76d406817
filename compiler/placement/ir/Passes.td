#ifndef SMEX_PLACEMENT_PASSES_TD
#define SMEX_PLACEMENT_PASSES_TD

include "mlir/Pass/PassBase.td"

def Place : Pass<"smex-place", "mlir::ModuleOp"> {
  let summary = "decides which GPU does which operator";
  let description = [{
    Hands the graph to a placement algorithm (compiler/placement, ParDNN's
    thesis) as plain structs, and writes what it decides as the partition search
    does: a division per tensor and per application, in one step, in which all
    is placed on one GPU. With `replicas`, a step of data parallelism comes
    before that. `peak_bytes` of the search is what a plan of it takes
    of each GPU, if exec-fetch-made is run on it and its list stays so.
  }];
  let dependentDialects = ["::smex::semantic::SmexDialect"];
  let options = [
    Option<"gpus", "gpus", "int64_t", /*default=*/"1", "number of workers">,
    Option<"algorithm", "algorithm", "std::string", /*default=*/"\"pardnn\"",
           "name of the placement algorithm">,
    Option<"groups", "groups", "int64_t", /*default=*/"0",
           "place on so many groups of GPUs, and cut within them; 0: as many as "
           "GPUs">,
    Option<"replicas", "replicas", "int64_t", /*default=*/"1",
           "so many groups of GPUs have all operators each, and a part of the "
           "samples; places on the GPUs of each, not on groups">,
    Option<"rounds", "rounds", "int64_t", /*default=*/"1",
           "with groups: how often all is placed, each time by what operators "
           "take as they were cut the last time">,
    Option<"machine", "machine", "std::string", /*default=*/"\"dgx-h100\"",
           "whose times and links count: a preset or a file">,
    Option<"profile", "profile", "std::string", /*default=*/"\"\"",
           "a file of what operators took, instead of the machine's times">,
    Option<"memoryBytes", "memory-bytes", "int64_t", /*default=*/"-1",
           "what a GPU may need; negative: no limit">,
    Option<"spare", "spare", "double", /*default=*/"0",
           "the share of memory-bytes that is kept free">,
    Option<"outputReduction", "output-reduction", "bool", /*default=*/"true",
           "with groups: whether sums may be split within one">,
    Option<"workspaceBytes", "workspace-bytes", "int64_t", /*default=*/"-1",
           "as exec-plan-memory will be given it">,
    Option<"onGpus", "on-gpus", "bool", /*default=*/"false",
           "as exec-plan-memory will be given it">,
    Option<"kernelsOnGpus", "kernels-on-gpus", "bool", /*default=*/"false",
           "as exec-plan-memory will be given it">,
    Option<"exchanges", "exchanges", "bool", /*default=*/"false",
           "as exec-plan-memory will be given it">,
  ];
}

#endif
