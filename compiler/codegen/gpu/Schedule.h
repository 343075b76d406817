// How a GPU goes through the loops of a lambda, as data: what a thread, a warp
// or a block computes, and in which portions. What is computed at each point is
// no part of it (expression/); the emitters (GpuKernel.h) decide nothing else.
#ifndef SMEX_COMPILER_CODEGEN_GPU_SCHEDULE_H
#define SMEX_COMPILER_CODEGEN_GPU_SCHEDULE_H

#include "dialects/tdl/lambda/Lambda.h"
#include "runtime/plan/Launch.h"

#include <string>
#include <vector>

namespace smex::codegen {

/// The sizes that schedules are made for, the same on all architectures, so
/// that a sum has the same bits on each of them.
struct GpuProcessor {
  int64_t threads = 256; // of a block
  int64_t warp = 32;
  /// Threads of a block that sums: its many terms are dealt to all of them.
  int64_t sumThreads = 512;
  /// Neighbouring sums of many terms that a block takes: 32 bytes of f32, which
  /// memory gives at once. Few, so that there are many blocks.
  int64_t sumColumns = 8;
  /// The widest access to memory.
  int64_t accessBytes = 16;
  /// Terms from which on a sum takes a block instead of a warp.
  int64_t manyTerms = 4096;
  /// The same of a sum that is one of neighbours.
  int64_t manyInColumn = 1024;
  /// Terms from which on a segment takes a block.
  int64_t longSegment = 512;
  /// Threads of a block that takes segments: as many warps share a long one.
  int64_t segmentThreads = 1024;
  /// Terms from which on a segment is a hub's, whose parts are dealt to blocks,
  /// and those of a part. A part takes a block some 70 us where memory gives
  /// each 30 GB/s; a hub has two parts at least.
  int64_t hubSegment = 32768, partOfHub = 16384;
  /// Bytes of accumulators that a block scatters to.
  int64_t scatterBytes = 32 * 1024;
  /// A product's: (tile / part)^2 are the threads of a block, and tile * depth
  /// a multiple of them.
  int64_t tile = 64, part = 4, depth = 16;
  /// A product's with products inside: each warp has 16 rows of it.
  int64_t nestedTile = 64, rowsOfWarp = 16;
};

struct GpuSchedule {
  enum class Form {
    Map,      ///< an element of the result per thread, or `vector` neighbours
    Thread,   ///< a reduction: an element per thread, its terms one by one
    Warp,     ///< an element per warp, or per block where it has `many` terms
    Scan,     ///< a row along `along` per thread, adding the terms that are new
    Segments, ///< the same as Thread, or by a block where a segment is long
    Scatter,  ///< `tile` rows of `lanes` elements per block, to which terms go
    Opaque,   ///< what is known by name only: an algorithm of its own
    Product,  ///< tile x tile elements per block, through shared memory
    Nested,   ///< tile rows, and columns if there are, by matrix units
  };
  Form form = Form::Map;
  int64_t threads = 0; // of a block
  /// Reduction variables, outermost first.
  std::vector<int> order;
  int along = -1;
  /// Neighbouring elements that a thread computes at a time, or terms that it
  /// reads, where memory is aligned for it; 1: none.
  int64_t vector = 1;
  int64_t many = 0;
  /// Terms of a segment that is a hub's, and of a part of it.
  int64_t hub = 0, hubPart = 0;
  /// Neighbours that a block takes where there are `many` terms.
  int64_t columns = 0;
  /// Elements of the result beside each other for which keys are the same.
  int64_t lanes = 0;
  /// Rows and columns of the result that a block, and a thread, computes, and
  /// terms that a block has in shared memory at a time.
  int64_t tile = 0, part = 0, depth = 0;
};

/// What the shape of the lambda, which is valid and one of those that there is
/// code for, asks for.
GpuSchedule chooseGpuSchedule(const tdl::Lambda &lambda,
                              const GpuProcessor &processor = {});

/// The terms of the reduction are all tuples of its variables: no condition
/// shortens a loop.
bool isBox(const tdl::Lambda &lambda, const tdl::ExprRef &term);

/// How a kernel that is made by the schedule is launched.
plan::Launch launchOf(const GpuSchedule &schedule, const tdl::Lambda &lambda);

/// `warp order [1, 2] threads 256 many 4096`.
std::string toString(const GpuSchedule &schedule);

} // namespace smex::codegen

#endif
