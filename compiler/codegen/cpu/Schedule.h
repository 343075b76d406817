// How the CPU goes through the loops of a lambda, as data: which loops, in
// which order, what is computed side by side, and what is asked for ahead. What
// is computed at each point is no part of it (expression/), and what
// instructions come out is up to the emitters (CpuKernel.h), which decide
// nothing else.
#ifndef SMEX_COMPILER_CODEGEN_CPU_SCHEDULE_H
#define SMEX_COMPILER_CODEGEN_CPU_SCHEDULE_H

#include "dialects/tdl/lambda/Lambda.h"

#include <string>
#include <vector>

namespace smex::codegen {

/// The sizes that schedules are made for. All x86-64 levels have the same, so
/// that a sum has the same bits on each of them.
struct Processor {
  /// Elements of a vector: 256 bits of f32, twice that of f64.
  int64_t vector = 8;
  /// Partial results of a sum along neighbours: four 256-bit vectors, as many
  /// additions as are in flight at once.
  int64_t laneBytes = 128;
  /// Terms that are computed before they are added, a multiple of all lanes.
  int64_t chunk = 256;
  /// Accumulators on the stack, a few KiB that stay in the first-level cache.
  int64_t tile = 1024;
  /// Accumulators of 16-bit sums that are scattered to: as many as fit a
  /// thread's stack with ease.
  int64_t scatterTile = 8192;
  /// Bytes of a square that a transposition turns in the first-level cache.
  int64_t squareBytes = 16 * 1024;
  /// A loop along a row of fewer elements is over before it has paid for its
  /// set-up.
  int64_t shortRow = 64;
  /// Vectors that stay in registers: half of them, then fewer.
  std::vector<int64_t> blocks = {8, 4, 2, 1};
  /// Vectors of sums that are computed eight at a time.
  int64_t shortSum = 2;
  /// Terms whose coefficients are computed before they are added.
  int64_t coefficients = 64;
  /// Nodes of the expressions of coefficients that are compiled once, not for
  /// each kind of tile.
  int64_t largeCoefficients = 128;
  /// Rows and columns of a product with products inside that are computed
  /// together, and terms: as many as four vectors.
  int64_t nestedRows = 32, nestedColumns = 64, nestedTerms = 32;
  int64_t lineBytes = 64; // of the cache
  /// Passes of a loop in which a row comes from memory: one takes some 10 ns.
  int64_t ahead = 8;
  /// A loop over terms that does nothing but read rows has so many bytes of
  /// them on their way, in as many passes as that takes, but no more than
  /// these: the processor itself sees some 25 passes of narrow rows ahead.
  int64_t aheadBytes = 8192, mostAhead = 64;
  /// Where a pass reads fewer vectors, asking costs as much as it saves.
  int64_t leastAhead = 2;
};

struct Schedule {
  enum class Form {
    // Maps.
    Generic, ///< loops over the result, of which LLVM makes vectors
    Loops,   ///< the same, cut where conditions hold
    Gather,  ///< rows below tiles[0] elements as whole vectors
    Digits,  ///< `along` in blocks of tiles[0]
    Squares, ///< a transposition of the last variable and `along`, by tiles[0]
    // Reductions.
    Scatter, ///< over the terms, each added to the element that it names
    Window,  ///< the same, where it is worked out from a window's key
    Scan,    ///< along an output, adding the terms that are new
    Rows,    ///< vectors along `along`, then `across`, over the terms
    Dots,    ///< vectors along the reduction `along`
    Tile,    ///< tiles[0] accumulators along `along`, over the terms
    Lanes,   ///< one output at a time, terms dealt to `lanes`
    Nested,  ///< tiles[0] rows, and tiles[1] columns, by `lanes` terms
  };
  Form form = Form::Generic;
  /// Index variables of loops, outermost first: of maps the result's, of
  /// reductions those of the terms.
  std::vector<int> order;
  /// The index variable whose values are computed side by side, and the one
  /// that blocks go on in; -1: none.
  int along = -1, across = -1;
  /// How many side by side: the first that fits, then the next.
  std::vector<int64_t> tiles;
  int64_t vector = 0; // elements, where the emitter makes vectors itself
  int64_t lanes = 0;  // partial results of one sum
  /// What rows are multiplied by, or a whole term, is slow to compute, and is
  /// so for this many terms at once; 0: is computed with its term.
  int64_t coefficients = 0;
  /// One copy of the loops does for all rows: its vectors have masks.
  bool masked = false;
  /// Rows that data says the place of are asked for so many passes ahead, or
  /// as many more, up to `most`, as have `bytes` of them; `perLine` vectors of
  /// f32 at once, where a pass reads `least` or more.
  struct Ahead {
    int64_t passes = 0, most = 0, bytes = 0, perLine = 0, least = 0;
  } ahead;
};

/// What the shape of the lambda, which is valid and not opaque, asks for.
Schedule chooseSchedule(const tdl::Lambda &lambda,
                        const Processor &processor = {});

/// `rows along 1 across 0 order [2] tiles [8, 4, 2, 1] vector 8 ahead 8`.
std::string toString(const Schedule &schedule);

} // namespace smex::codegen

#endif
