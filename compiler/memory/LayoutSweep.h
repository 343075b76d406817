// Packings that leave next to nothing free, found by a walk through time.
//
// Where every byte is taken at every time, what starts must fill the holes of
// what ends exactly. So a walk through time need not know where buffers lie,
// only which orders of those alive are left (Layouts.h): at each time the holes
// become neighbours, and the starting buffers take their place. With one hole
// at a time that is all, and no choice was made. Where several holes may be
// filled in several ways (Refills.h), a beam of the likeliest states goes on:
// those that leave more orders, and needed fewer coincidences. If all fail, it
// goes back, and on with more of them. Bytes that are not taken are holes that
// stay.
//
// Time grows with the buffers times those alive at once, memory with the
// buffers. At the end some order is chosen, and those before follow backwards.
#ifndef SMEX_COMPILER_MEMORY_LAYOUTSWEEP_H
#define SMEX_COMPILER_MEMORY_LAYOUTSWEEP_H

#include "compiler/memory/Layouts.h"
#include "compiler/memory/Planner.h"

#include <optional>

namespace smex::memory {

class LayoutSweep {
public:
  LayoutSweep(const std::vector<Allocation> &buffers, int64_t alignment = 64);

  /// Offsets in bytes within the capacity, 0 for buffers without size or life.
  /// Nothing if none were found in so many steps: there may be some. A step is
  /// some nanoseconds.
  std::optional<std::vector<int64_t>> fit(int64_t capacity, int64_t steps);

  /// Steps of all calls so far.
  int64_t steps() const { return taken; }

private:
  /// A refill, after those of its parent. States share their pasts.
  struct Past {
    Layouts::Replaced replaced;
    int parent, users;
  };
  struct State {
    Layouts layouts;
    int past;          // -1: none
    double likelihood; // of its refills
    double score = 0;  // with the freedom that is left
  };
  using Beam = std::vector<State>;
  struct Start {
    int64_t time;
    std::vector<int> buffers; // larger ones first
  };

  bool isHole(int id) const;
  uint64_t hashOf(const Layouts &layouts, int node) const;
  /// Adds what may follow when the rest of the buffers are placed.
  void extend(const State &state, const std::vector<int> &rest, int branches,
              Beam &next);
  /// Replaces it by what may follow, at most so many states.
  void advance(Beam &beam, const Start &start, size_t width);
  std::vector<int64_t> goBack(const State &last);

  int remember(Layouts::Replaced replaced, int parent);
  void use(const Beam &beam);
  void forget(const Beam &beam);
  void forget(int past);

  const std::vector<Allocation> &buffers;
  int64_t alignment;
  std::vector<int64_t> sizes; // in units of the alignment; 0 without life
  std::vector<Start> starts;
  double edges = 1; // that are likely at a time
  int64_t now = 0;
  int holes = 0; // so far; their ids follow those of buffers
  std::vector<Past> pasts;
  std::vector<int> unusedPasts;
  int64_t taken = 0, limit = 0;
};

} // namespace smex::memory

#endif
