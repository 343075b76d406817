#ifndef SMEX_MEMORY_PASSES_TD
#define SMEX_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def FetchBiases : Pass<"exec-fetch-biases", "::smex::exec::ProgramOp"> {
  let summary = "fetches biases before the matrix products that they are added to";
  let description = [{
    So that a library can add them as it writes the product (see
    exec-mark-epilogues). Such a bias is there for one more computation: where
    some worker's arena grows by more than packing leaves to chance, all stay
    where they were. exec-overlap-transfers keeps the order.
  }];
}

def FetchMade : Pass<"exec-fetch-made", "::smex::exec::ProgramOp"> {
  let summary = "fetches what is computed when it is finished";
  let description = [{
    As placements have it (compiler/placement/Memory.h, equation 4.3 of ParDNN's
    thesis): a copy on another worker is there from when its original is
    finished, which so takes memory for its own worker's readers alone. That is
    behind so many more computations as `smex.copied` of the one that makes it
    says; the attribute is removed. Parameters, whose originals stay, are fetched
    where they were, before their first reader.
  }];
}

def OverlapTransfers : Pass<"exec-overlap-transfers", "::smex::exec::ProgramOp"> {
  let summary = "reorders the list so that transfers go on beside computing";
  let description = [{
    A transfer, or a move between device and host, moves up to where its data is
    there, and a computation that would wait for one lets others go first, as
    far as no worker has more bytes alive at once than the one that had most, in
    neither space, nor more than its capacity, unless it had as many before.
    `beside` then says how far a transfer is expected to last, for
    exec-plan-memory to leave what it reads alone meanwhile.
  }];
  let options = [
    ListOption<"capacities", "capacities", "int64_t",
               "bytes that each worker has room for; none: what the one needs "
               "that takes most">,
    Option<"lookAhead", "look-ahead", "int", /*default=*/"128",
           "how many instructions one may move up past">,
    Option<"memoryRate", "memory-rate", "double", /*default=*/"16",
           "bytes of a GPU's memory that it moves while a byte crosses the "
           "fastest link">,
    ListOption<"linkGroups", "link-groups", "int64_t",
               "levels of links: groups of so many consecutive GPUs; none: all "
               "links are alike">,
    ListOption<"linkCosts", "link-costs", "int64_t",
               "how much slower links are within each of these than the fastest">,
    Option<"hostCost", "host-cost", "int64_t", /*default=*/"8",
           "how much slower the link to the host is than the fastest link">,
    Option<"flopsRate", "flops-rate", "double", /*default=*/"256",
           "flops that a GPU does meanwhile">,
    Option<"launch", "launch", "double", /*default=*/"65536",
           "bytes that cross while a kernel or a copy is launched">,
  ];
}

def PlanMemory : Pass<"exec-plan-memory", "::smex::exec::ProgramOp"> {
  let summary = "gives every buffer its place in each worker's arena";
  let description = [{
    Statically (thesis section 3.6): a buffer lives from the instruction that
    writes it to the last that reads it, on whichever worker. Its bytes can then
    be used again at once; where that costs nothing, not before a transfer that
    reads them is expected to have ended. Buffers on the host have an arena of
    their own.
  }];
  let options = [
    Option<"workspaceBytes", "workspace-bytes", "int64_t", /*default=*/"-1",
           "scratch of library kernels, kept through the whole run; -1: by what "
           "the program computes">,
    Option<"onGpus", "on-gpus", "bool", /*default=*/"false",
           "libraries of GPUs compute, too">,
    Option<"kernelsOnGpus", "kernels-on-gpus", "bool", /*default=*/"false",
           "generated kernels of GPUs compute, too; what scratch they take is "
           "the workspace's least">,
    Option<"exchanges", "exchanges", "bool", /*default=*/"false",
           "workers may be on GPUs that do not reach each other's memory: "
           "staging is kept for what they exchange">,
    Option<"packingSteps", "packing-steps", "int64_t",
           /*default=*/"::smex::memory::kPackingSteps",
           "for a packing of buffers near its bound: some nanoseconds each; 0: "
           "packed greedily">,
  ];
}

def MarkEpilogues : Pass<"exec-mark-epilogues", "::smex::exec::ProgramOp"> {
  let summary = "marks maps that can be done at the place of a matrix product";
  let description = [{
    A library of GPUs adds a bias and activates as it writes the result of a
    product. It may where the map's lambda says so, where nothing else reads the
    product, all of whose terms are there, where the map's result lies in the
    product's place, and where its bias is there when the product starts. So no
    memory is needed for longer. After exec-plan-memory, which puts most such
    results in place, and before exec-insert-waits: the product waits for the
    bias.
  }];
}

def InsertWaits : Pass<"exec-insert-waits", "::smex::exec::ProgramOp"> {
  let summary = "says which instructions of other queues must have completed";
  let description = [{
    Every worker has four queues: for computing, for transfers, for moves to the
    host, and for moves from there; each keeps the order of the list. Before
    something is read, its writer must have completed; before bytes are used
    again, all that read or wrote them must have, on the worker's other queues
    and on other workers. A wait always names
    an earlier instruction of the common list, so that none can deadlock, even
    where a worker has but one queue. Waits that others imply are left out.
  }];
}

#endif
