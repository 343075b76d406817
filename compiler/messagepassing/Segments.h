// Reductions by condition as reductions over segments. A list of integers, the
// key, says to which result each term belongs: the destination of an edge. With
// the terms in the order of their keys, those of one result lie together, from
// offsets[v] up to offsets[v + 1] (compressed sparse rows, or columns):
//
//     Sum(lambda e: x[src[e], f] where dst[e] == v)
//     Sum(lambda k: x[gathered[k], f] where offsets[v] <= k and k < offsets[v +
//     1])
//
// where gathered is src in that order. All results can then be computed at the
// same time, each from its own terms (thesis section 4.3.2), and each in the
// terms' own order: the bits are those of the loop over all edges.
#ifndef SMEX_COMPILER_MESSAGEPASSING_SEGMENTS_H
#define SMEX_COMPILER_MESSAGEPASSING_SEGMENTS_H

#include "compiler/messagepassing/Lists.h"

namespace smex::messagepassing {

/// A lambda whose terms have a key: `where key[r] == i`.
struct Segmentation {
  int key;      // operand
  int64_t row;  // of it
  int variable; // the output i
  int term;     // the reduction variable r
  int64_t wrap; // of the key's element (Lists.h)
};

/// Nothing if no known operand is a key.
std::optional<Segmentation> segmentation(const tdl::Lambda &lambda,
                                         const Known &known);

/// An operand of the rewritten lambda.
struct Source {
  enum class Kind {
    Same,     // operand `of`
    Offsets,  // terms with a smaller key, for each result and one more
    Order,    // the terms' numbers, in order of their keys, stable
    Gathered, // a list, of the known operand `of`, in that order
  } kind;
  int of = -1;
  int64_t row = 0;  // Gathered: of the operand
  int64_t wrap = 0; // Gathered: of the list's elements
};

struct Segmented {
  tdl::Lambda lambda; // canonical
  std::vector<Source> operands;
  /// Nothing depends on which terms a result has, only on their number: the
  /// lambda is a map, without a reduction.
  bool counts = false;
};

/// The lambda over segments. `numbers` is the type of offsets and order, and of
/// gathered lists where it holds their numbers, else they are i64; with
/// `ascending`, the key is in order as it is, and so are the terms. Nothing if
/// the lambda would be too large.
std::optional<Segmented> segmented(const tdl::Lambda &lambda,
                                   const Segmentation &by, const Known &known,
                                   bool ascending, DType numbers);

} // namespace smex::messagepassing

#endif
