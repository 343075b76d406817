// The levels of a machine's links: GPUs under one switch, in one host, in one
// cluster. What the search weighs bytes by, and what a plan counts bytes by.
#ifndef SMEX_COMPILER_MACHINE_LEVELS_H
#define SMEX_COMPILER_MACHINE_LEVELS_H

#include "compiler/machine/Machine.h"

namespace smex::machines {

/// Groups of so many GPUs, one after the other in the machine's list. A pair of
/// GPUs belongs to the smallest group that has both.
struct Level {
  int64_t gpus = 1;
  /// What a GPU gets from another one of its group, at least, while all send to
  /// one and receive from one: a link that many use leaves each a share.
  double bytesPerSecond = 0;
};

/// An error if the machine has fewer GPUs than these.
Status hasGpus(const Machine &machine, int64_t gpus);
/// That nothing leads from the GPU of one worker to that of another.
Error noWay(const Machine &machine, int from, int to);

/// The levels among the first `gpus` GPUs of a machine, the innermost first, of
/// which each holds a whole number of the level below; the last one holds all
/// GPUs. None for one GPU.
///
/// A level ends where two GPUs of a larger group get less from each other. GPUs
/// whose order does not follow the links have few levels.
///
/// An error if the machine has too few GPUs, or no way between two of them.
Result<std::vector<Level>> levelsOf(const Machine &machine, int64_t gpus);

/// The level, by its place in the list, of pairs whose smallest group of
/// consecutive GPUs has `gpus`: the first that holds as many.
size_t levelOf(const std::vector<Level> &levels, int64_t gpus);

} // namespace smex::machines

#endif
