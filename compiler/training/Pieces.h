// A tensor that is taken apart: rows of timesteps, of levels. The gradient of
// each piece is zero outside of it, and to add them all up would take time in
// the square of their number; where they cover the tensor, they are put side by
// side instead.
#ifndef SMEX_COMPILER_TRAINING_PIECES_H
#define SMEX_COMPILER_TRAINING_PIECES_H

#include "compiler/training/Tape.h"

namespace smex::training {

/// So many elements of one dimension, the others whole.
struct Piece {
  int axis = 0;
  int64_t first = 0, count = 0;
  bool drops = false; // the dimension, of which it takes one element
};

/// What the application takes of its only operand, of this shape, where it does
/// nothing else.
std::optional<Piece> pieceOf(const frontend::Application &application,
                             const std::vector<int64_t> &shape);

/// Whether they are many, and cover `extent` elements of one dimension, each
/// once, in this order.
bool coverAll(const std::vector<Piece> &pieces,
              const std::vector<int64_t> &shape);

/// Parts for such pieces of one axis, in this order, as one tensor: of the
/// shape, but only as long along the axis as they are together. An operator
/// with an operand for each.
tdl::Instance sideBySide(const std::vector<Piece> &pieces, DType type,
                         std::vector<int64_t> shape);

} // namespace smex::training

#endif
