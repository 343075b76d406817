#ifndef SMEX_TEST_EMULATED_PTX_BLOCK_H
#define SMEX_TEST_EMULATED_PTX_BLOCK_H

#include "test/emulated/ptx/Launch.h"
#include "test/emulated/ptx/Shadow.h"
#include "test/emulated/ptx/Thread.h"

namespace smex::ptx {

/// What all blocks of a launch share.
class LaunchState {
public:
  LaunchState(const Program &program, const LaunchOptions &options,
              const std::vector<uint8_t> &parameters, Memory &memory)
      : program(program), options(options), parameters(parameters),
        memory(memory) {}

  const Program &program;
  const LaunchOptions &options;
  const std::vector<uint8_t> &parameters;
  Memory &memory;
  /// For each of the program's origins: the ranges that an access may lie in.
  /// Empty: whatever buffer holds the address.
  std::vector<std::vector<Range>> ranges;
  std::unordered_map<const Allocation *, Shadow> shadows;
  uint64_t instructions = 0;

  /// The allocations of the last accesses, with their shadows.
  struct Recent {
    Allocation *allocation = nullptr;
    Shadow *shadow = nullptr;
  };
  const Recent *recentFor(uint64_t address) const {
    for (const Recent &each : recent)
      if (each.allocation &&
          address - each.allocation->base < each.allocation->size)
        return &each;
    return nullptr;
  }
  const Recent *remember(Allocation *allocation) {
    if (options.watched.address && !shadows.count(allocation))
      kept.push_back({allocation,
                      {allocation->bytes, allocation->bytes + allocation->size},
                      {allocation->initialized,
                       allocation->initialized + allocation->size}});
    Recent &place = recent[oldest++ % 4];
    place = {allocation, &shadows[allocation]};
    if (program.keepsAllReads)
      place.shadow->keepAllReads();
    return &place;
  }

  /// As memory was before the launch, where it only looks for an access.
  struct Kept {
    Allocation *allocation;
    std::vector<uint8_t> bytes, initialized;
  };
  std::vector<Kept> kept;

private:
  Recent recent[4];
  unsigned oldest = 0;
};

/// One block at a time: its threads, its shared memory, its barriers.
class Block {
public:
  explicit Block(LaunchState &launch);
  /// Runs a block to its end. Throws Fault.
  void run(uint32_t number, Dim3 position);

  LaunchState &launch;
  Dim3 position{};
  uint32_t number = 0;
  std::vector<Thread> threads;
  Clocks clocks;

  Stamp stamp(const Thread &thread, bool isAtomic) const {
    return Stamp(number, thread.index, clocks.time(), isAtomic);
  }
  /// The thread of an access, and its block where that is another one.
  std::string nameOf(Stamp stamp) const;
  /// The same, and why the access races with one of this block.
  std::string describe(Stamp stamp) const;
  /// A value that the launch gives to a thread.
  uint64_t special(const Thread &thread, Special which) const;

  // Barriers. A count of 0 means all threads.
  enum class Reduction { None, Count, And, Or };
  void arrive(Thread &thread, uint32_t barrier, uint32_t count, bool waits,
              bool aligned, Reduction reduction, bool predicate,
              uint32_t resultCell);
  /// The thread waits until the other members of the mask come to the same
  /// instruction with the same mask; then the instruction's `collective` runs.
  void join(Thread &thread, uint32_t mask);
  /// Members of a warp synchronize their memory.
  void synchronize(uint32_t warp, uint32_t members);

  uint8_t *sharedAccess(Thread &thread, const Instruction &instruction,
                        uint64_t offset, unsigned size, AccessKind kind);

private:
  struct Barrier {
    uint32_t expected = 0;
    std::vector<uint32_t> arrived; // threads, those that wait and others
    std::vector<uint32_t> waiting;
    std::vector<uint32_t> results; // cells of those that wait
    Reduction reduction = Reduction::None;
    uint32_t count = 0; // predicates that hold
    bool aligned = false;
  };
  bool runWarp(uint32_t warp);
  bool completeCollectives(uint32_t warp);
  void complete(Thread &last, Barrier &barrier);
  [[noreturn]] void stuck();

  Barrier barriers[16];
  std::vector<uint8_t> shared, initialized;
  Shadow shadow;
};

} // namespace smex::ptx

#endif
