#ifndef SMEX_TEST_EMULATED_NCCL_COMMUNICATOR_H
#define SMEX_TEST_EMULATED_NCCL_COMMUNICATOR_H

#include "test/emulated/cuda/LibraryWork.h"
#include "test/emulated/nccl/Citations.h"
#include "test/emulated/nccl/Meeting.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace smex::emulated {

namespace cites = nccl::cites;

// ncclResult_t
enum {
  NCCL_SUCCESS = 0,
  NCCL_UNHANDLED_CUDA_ERROR = 1,
  NCCL_SYSTEM_ERROR = 2,
  NCCL_INTERNAL_ERROR = 3,
  NCCL_INVALID_ARGUMENT = 4,
  NCCL_INVALID_USAGE = 5,
};

/// A refusal of a call, with what ncclGetLastError says of it and where NVIDIA
/// says that it is wrong.
struct Refusal {
  int result;
  std::string text;
};
[[noreturn]] inline void refuse(int result, const std::string &why,
                                const Citation &citation) {
  throw Refusal{result, cited(why, citation)};
}

/// Seconds that a rank waits for others before it calls it a deadlock:
/// SMEX_EMULATED_NCCL_TIMEOUT, or 30.
double patience();
double now();

/// One rank of a communicator.
struct Communicator {
  std::string name; // of its meeting
  Meeting meeting;
  int ranks, rank, device;
  std::atomic<bool> isAborted{false};
  std::atomic<int> asyncError{NCCL_SUCCESS};
  std::atomic<int64_t> unfinished{0}; // works
  int splits = 0;
  int64_t collectives = 0;
  /// How many messages have been sent to, and received from, each rank.
  std::vector<int64_t> sent, received;

  Communicator(const std::string &name, int ranks, int rank, int device)
      : name(name), meeting(name), ranks(ranks), rank(rank), device(device),
        sent(size_t(ranks)), received(size_t(ranks)) {}
};

enum class Kind { Send, Receive, AllGather, AllReduce, ReduceScatter };
/// Whether all ranks of the communicator do it.
constexpr bool isCollective(Kind kind) { return kind > Kind::Receive; }

/// A call that puts something on a stream.
struct Operation {
  Kind kind;
  uint64_t from, to; // device addresses
  size_t count;
  int type;
  int peer; // of a send or a receive
  std::shared_ptr<Communicator> communicator;
  void *stream;
  int reduction = 0; // ncclRedOp_t
};

/// Bytes of an element of an ncclDataType_t; 0: there is none.
size_t elementBytes(int type);
/// "ncclSend of 12 elements of type 0 to rank 1, by rank 0"
std::string describe(const Operation &operation);

/// What is wrong with an operation by itself.
void check(const Operation &operation, const DriverCalls &driver);
/// Puts what is of one communicator and one stream there, as one: nothing of it
/// is over before all of it is.
void submit(const std::vector<Operation> &operations,
            const DriverCalls &driver);

/// All ranks of a new communicator find each other. `begin` before `end`; with
/// several ranks in one thread, all of them begin first.
void beginInit(Communicator &made, const std::string &identity);
void endInit(Communicator &made);

/// A new communicator of those that say the same color, in the order of their
/// keys; null for a negative color.
void beginSplit(Communicator &of, int color, int key);
std::shared_ptr<Communicator> endSplit(Communicator &of, int color);

/// Nobody may use it any more; the last rank removes what is left of it.
void leave(Communicator &communicator);

} // namespace smex::emulated

#endif
