#ifndef SMEX_LOWERING_PASSES_TD
#define SMEX_LOWERING_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerToExec : Pass<"smex-lower-to-exec", "mlir::ModuleOp"> {
  let summary = "semantic graph with decisions -> execution graph";
  let description = [{
    One program for all workers (thesis section 3.6): what a worker lacks of an
    operand is assembled by one fused fetch, each worker computes its share, and
    partial results are reduced where they are owned, spread over all workers.
    Replaces `@main` by an `exec.program`.
  }];
  let dependentDialects = ["::smex::exec::ExecDialect",
                           "::smex::semantic::SmexDialect"];
  let options = [
    Option<"program", "program", "std::string", /*default=*/"\"partitioned\"",
           "symbol of the program">,
  ];
}

#endif
