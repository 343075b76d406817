// Streams that are captured, and the graphs that come of it. What is illegal
// then is refused as "Prohibited and Unhandled Operations" of the CUDA
// programming guide and cuda.h say.
#ifndef SMEX_TEST_EMULATED_CUDA_CAPTURE_H
#define SMEX_TEST_EMULATED_CUDA_CAPTURE_H

#include "test/emulated/cuda/Work.h"

#include <set>
#include <thread>

namespace smex::emulated {

struct Stream;

/// What is done at each launch, in an order that edges give.
struct Graph {
  struct Node {
    WorkPointer work; // what to do, never done itself; null: nothing
    std::vector<size_t> after;
    size_t lane; // nodes of one are each after the one before
  };
  std::vector<Node> nodes;
  size_t lanes = 0;
};

/// A sequence of capture: from cuStreamBeginCapture to cuStreamEndCapture.
struct Capture {
  Stream *origin;
  int mode; // CUstreamCaptureMode
  std::thread::id thread;
  bool isInvalid = false;
  bool isOver = false;
  std::set<Stream *> streams; // origin and those that joined
  Graph graph;
};

/// Where a stream, or an event, is in a capture: the nodes that what comes next
/// is after.
struct CapturePlace {
  std::shared_ptr<Capture> capture; // null: none
  std::vector<size_t> after;
  size_t lane = 0; // of a stream
  bool isActive() const { return capture && !capture->isOver; }
};

/// A graph that can be launched.
struct GraphExec {
  Graph graph;
  std::vector<uint64_t> lanes; // streams of their own, for vector clocks
  std::vector<uint64_t> counts;
  WorkPointer last; // the end of the last launch
  bool wasLaunched = false;
};

} // namespace smex::emulated

#endif
