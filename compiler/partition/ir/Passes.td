#ifndef SMEX_PARTITION_PASSES_TD
#define SMEX_PARTITION_PASSES_TD

include "mlir/Pass/PassBase.td"

def Partition : Pass<"smex-partition", "mlir::ModuleOp"> {
  let summary = "decides how every tensor and operator is split";
  let description = [{
    Hands the graph to the search (compiler/partition, thesis section 3.5) as
    plain structs, and writes what it decides as attributes: `cut` on tensors,
    `split` on applications, `smex.ways` and `smex.search` on the module.
  }];
  let dependentDialects = ["::smex::semantic::SmexDialect"];
  let options = [
    Option<"gpus", "gpus", "int64_t", /*default=*/"1", "number of workers">,
    Option<"algorithm", "algorithm", "std::string", /*default=*/"\"recursive\"",
           "name of the search algorithm">,
    ListOption<"ways", "ways", "int64_t",
               "ways of the steps of `recursive`, in order; none: prime factors">,
    ListOption<"linkCosts", "link-costs", "int64_t",
               "per step: what a byte costs that crosses between its groups; "
               "none: all alike">,
    ListOption<"weights", "weights", "int64_t",
               "what part each group of a step gets, one step after the other; "
               "none: even">,
    Option<"alwaysCut", "always-cut", "bool", /*default=*/"false",
           "whatever can be cut is cut, however small">,
    Option<"alongSides", "along-sides", "bool", /*default=*/"false",
           "whatever has vertices or edges of a graph with known bounds is cut "
           "along them">,
    Option<"outputReduction", "output-reduction", "bool", /*default=*/"true",
           "whether operators may be cut along what they reduce">,
  ];
}

#endif
