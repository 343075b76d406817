// Where NVIDIA says that NCCL refuses a call, or that it does not.
#ifndef SMEX_TEST_EMULATED_NCCL_CITATIONS_H
#define SMEX_TEST_EMULATED_NCCL_CITATIONS_H

#include "test/emulated/Citation.h"

namespace smex::emulated::nccl::cites {

constexpr auto header = Document::NcclHeader, guide = Document::NcclGuide;
constexpr const char *library = "NCCL 2.28.9";

// X(name, citation)
#define SMEX_NCCL_CITATIONS(X)                                                 \
  X(otherDriver, notEmulated("it works over the emulated driver only"))        \
  X(nullArgument,                                                              \
    seen(library, "an argument that is NULL gives ncclInvalidArgument"))       \
  /* Communicators. */                                                         \
  X(deviceFirst, quotes(header, "ncclCommInitRank",                            \
                        "Each rank is associated to a CUDA device, which has " \
                        "to be set before calling ncclCommInitRank."))         \
  X(rank, quotes(header, "ncclCommInitRank",                                   \
                 "rank must be between 0 and nranks-1 and unique within a "    \
                 "communicator clique."))                                      \
  X(uniqueId, quotes(header, "ncclGetUniqueId",                                \
                     "Generates an Id to be used in ncclCommInitRank."))       \
  X(oneGpu,                                                                    \
    quotes(                                                                    \
        guide, "Creating a Communicator",                                      \
        "Using the same CUDA device multiple times as different ranks of the " \
        "same NCCL communicator is not supported and may lead to hangs."))     \
  X(otherNumber, unsaid("ranks that make a communicator of different sizes "   \
                        "get ncclInvalidArgument"))                            \
  X(patience, stricter("its library waits for other ranks for ever"))          \
  X(color, tells(guide, "ncclCommSplit",                                       \
                 "a color is not negative, or NCCL_SPLIT_NOCOLOR"))            \
  X(destroyed,                                                                 \
    quotes(header, "ncclCommDestroy",                                          \
           "Frees local resources associated with communicator object."))      \
  /* Groups. */                                                                \
  X(noGroup,                                                                   \
    seen(library,                                                              \
         "\"ncclGroupEnd: not in a group call.\" is ncclInvalidUsage"))        \
  X(groupError,                                                                \
    seen(library, "ncclGroupEnd gives the error of a call in the group"))      \
  X(together,                                                                  \
    quotes(                                                                    \
        header, "Group semantics",                                             \
        "Both collective communication and ncclCommInitRank can be used in "   \
        "conjunction of ncclGroupStart/ncclGroupEnd, but not together."))      \
  X(groupOpen, stricter("nothing is said of a communicator's end in a group, " \
                        "whose operations are never started then"))            \
  X(groupNotEnded,                                                             \
    quotes(header, "Group Start",                                              \
           "Nothing will be started on the CUDA stream until ncclGroupEnd."))  \
  X(independent,                                                               \
    quotes(guide, "Point-to-point communication",                              \
           "calls within a group can be seen as progressing independently"))   \
  X(inOrder,                                                                   \
    stricter("calls of a group with one peer are in order since NCCL 2.29"))   \
  /* Operations. */                                                            \
  X(dataType, quotes(header, "ncclDataType_t", "ncclNumTypes = 12"))           \
  X(peer, quotes(header, "ncclSend", "Send data from sendbuff to rank peer.")) \
  X(streamDevice, quotes(header, "ncclCommInitRank",                           \
                         "Each rank is associated to a CUDA device"))          \
  X(pointers,                                                                  \
    quotes(guide, "Data Pointers",                                             \
           "NCCL will accept any CUDA pointers that are accessible from the "  \
           "CUDA device associated to the communicator object."))              \
  X(otherDevice, quotes(guide, "Data Pointers",                                \
                        "device memory located on another device but "         \
                        "accessible from the current device using peer "       \
                        "access. NCCL will return an error in that case"))     \
  X(hostMemory, notEmulated("buffers in memory of the host, which NVIDIA's "   \
                            "takes if it is registered"))                      \
  X(inPlace, quotes(header, "ncclAllGather",                                   \
                    "In-place operations will happen if sendbuff == recvbuff " \
                    "+ rank * sendcount."))                                    \
  X(inPlaceReduce, quotes(header, "ncclAllReduce",                             \
                          "In-place operation will happen if sendbuff == "     \
                          "recvbuff."))                                        \
  X(inPlaceScatter, quotes(header, "ncclReduceScatter",                        \
                           "In-place operations will happen if recvbuff == "   \
                           "sendbuff + rank * recvcount."))                    \
  X(reduction, quotes(header, "ncclRedOp_t", "ncclNumOps = 5"))                \
  X(otherReduction,                                                            \
    notEmulated("reductions but sums of floats of 32 and 64 bits and of "      \
                "integers, as smex-run asks for no others"))                   \
  X(twoCalls, quotes(guide, "Point-to-point communication",                    \
                     "Any point-to-point communication needs two NCCL calls")) \
  X(sameSend, quotes(header, "ncclSend",                                       \
                     "Rank peer needs to call ncclRecv with the same "         \
                     "datatype and the same count"))                           \
  X(sameCollective, quotes(guide, "Collective Operations",                     \
                           "using the same count and the same datatype, to "   \
                           "form a complete collective operation"))            \
  X(deadlock, quotes(guide, "Point-to-point communication",                    \
                     "It is therefore important to merge calls that need to "  \
                     "progress concurrently to avoid deadlocks."))             \
  X(cudaError, quotes(guide, "ncclUnhandledCudaError",                         \
                      "A call to a CUDA function failed."))

#define SMEX_NCCL_CITATION(name, citation) constexpr Citation name = citation;
SMEX_NCCL_CITATIONS(SMEX_NCCL_CITATION)
#undef SMEX_NCCL_CITATION

} // namespace smex::emulated::nccl::cites

#endif
