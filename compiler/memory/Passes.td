#ifndef SMEX_MEMORY_PASSES_TD
#define SMEX_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanMemory : Pass<"exec-plan-memory", "::smex::exec::ProgramOp"> {
  let summary = "gives every buffer its place in each worker's arena";
  let description = [{
    Statically (thesis section 3.6): a buffer lives from the instruction that
    writes it to the last that reads it, on whichever worker. Since every worker
    runs its instructions in order, a buffer's bytes can be used again at once.
  }];
  let options = [
    Option<"workspaceBytes", "workspace-bytes", "int64_t", /*default=*/"-1",
           "scratch of library kernels, kept through the whole run; -1: by what "
           "the program computes">,
  ];
}

def InsertWaits : Pass<"exec-insert-waits", "::smex::exec::ProgramOp"> {
  let summary = "says which instructions of other workers must have completed";
  let description = [{
    Before a piece is read, its writer must have completed; before bytes are used
    again, the other workers that read them must have. A wait always names an
    earlier instruction of the common list, so that none can deadlock.
  }];
}

#endif
