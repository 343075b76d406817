// Task graphs of several classes, drawn at random, for measurements of
// placement: the same on every machine for the same seed.
#ifndef SMEX_EXAMPLES_BENCH_TASKGRAPHS_H
#define SMEX_EXAMPLES_BENCH_TASKGRAPHS_H

#include "compiler/placement/Devices.h"
#include "compiler/placement/TaskGraph.h"

namespace smex::bench {

/// Of about how many tasks a graph is, how long its transfers take, in the mean
/// and without latency, against its tasks (CCR), and what is drawn.
struct GraphSize {
  int tasks = 1000;
  double ccr = 1;
  uint64_t seed = 0;
};

struct GraphClass {
  const char *name, *description;
  placement::TaskGraph (*draw)(const GraphSize &size);
};

/// Tasks take 1 to 100 microseconds. Parameters are residual tasks; operators
/// of a model read them, and those with a gradient read what the forward
/// operators made.
const std::vector<GraphClass> &graphClasses();

/// What the transfers of all these graphs are reckoned with: 25 GB/s, and a
/// latency of 2 microseconds.
placement::Devices devicesOf(int count);

} // namespace smex::bench

#endif
