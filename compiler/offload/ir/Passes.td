#ifndef SMEX_OFFLOAD_PASSES_TD
#define SMEX_OFFLOAD_PASSES_TD

include "mlir/Pass/PassBase.td"

def MoveToHost : Pass<"exec-move-to-host", "::smex::exec::ProgramOp"> {
  let summary = "moves buffers to the host, or computes them again, where memory is short";
  let description = [{
    So that on every worker no more bytes are alive at once than its capacity,
    with the least bytes that cross (compiler/offload): a temporary that is read
    again much later is copied to the host behind its last use before then, and
    comes back, into a buffer of its own, before it is read. What comes back a
    second time is not copied to the host again. Or its compute is repeated
    before it is read, and fills a buffer of its own, where that takes less time,
    by the machine's description, than moving: what it reads then may have come
    back so, too. Instructions that communicate are not repeated. An input, a parameter or
    optimizer state may be on the host from the start, and comes for each time
    that it is needed; its next value is copied to the host, then. Partial
    results stay where they are, and what several instructions fill.

    Each worker has a schedule of its own, unless there would be too many: then
    those that are most alike in what they lack have one together. A buffer that
    only some of them move, or compute again, is kept by the others: it is for
    them the one before.

    Where one instruction alone takes more than the capacity, what that takes is
    the capacity. The list keeps its order: exec-overlap-transfers lets
    moves go on beside computing. A plan's arena can take more than what is alive
    at once: whoever plans memory finds out, and asks for less here.
  }];
  let options = [
    ListOption<"capacities", "capacities", "int64_t",
               "bytes that may be alive at once, of all workers alike, or of each; "
               "none: nothing is moved">,
    Option<"mostStates", "most-states", "int", /*default=*/"64",
           "so many states are kept after each instruction">,
    Option<"mostWays", "most-ways", "int", /*default=*/"64",
           "so many ways to make room are looked at for an instruction">,
    Option<"mostSchedules", "most-schedules", "int", /*default=*/"16",
           "no more different schedules than this; 1: all workers have one">,
    Option<"choices", "choices", "std::string", /*default=*/"\"both\"",
           "what may become of a buffer: moves, recompute, or both">,
    Option<"machineName", "machine", "std::string", /*default=*/"\"dgx-h100\"",
           "a machine's name or file: what moving and computing again take there">,
  ];
}

#endif
