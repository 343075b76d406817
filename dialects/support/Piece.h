// What a worker gets of another one.
#ifndef SMEX_DIALECTS_SUPPORT_PIECE_H
#define SMEX_DIALECTS_SUPPORT_PIECE_H

#include "dialects/support/Box.h"

namespace smex {

/// A piece of a fetch or a reduction: `box` (coordinates of the tensor) of
/// worker `worker`'s `from` buffer. Fetch: pieces are disjoint and cover `to`'s
/// box. Reduce: each element of `to`'s box is covered once per partial result;
/// pieces are combined in the order listed, which is that of their terms.
struct Piece {
  int worker = 0;
  Box box;

  bool operator==(const Piece &other) const {
    return worker == other.worker && box == other.box;
  }
};

} // namespace smex

#endif
