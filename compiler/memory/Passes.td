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
  let summary = "says which instructions of other queues must have completed";
  let description = [{
    Every worker has two queues, one for computing and one for transfers; each
    keeps the order of the list. Before something is read, its writer must have
    completed; before bytes are used again, all that read or wrote them must
    have, on the worker's other queue and on other workers. A wait always names
    an earlier instruction of the common list, so that none can deadlock, even
    where a worker has but one queue. Waits that others imply are left out.
  }];
}

#endif
