// What the integers of an input may be where it says which element of another
// tensor to take: tokens, indices. So that a wrong one is found before it is
// used.
#ifndef SMEX_COMPILER_FRONTEND_INPUTRANGES_H
#define SMEX_COMPILER_FRONTEND_INPUTRANGES_H

#include "compiler/frontend/Model.h"

namespace smex::frontend {

/// Adds a range for each part of an input of integers that some lambda indexes
/// with as it is, `x[i[n]]`, or counting from the end, `x[i[n] + extent if
/// i[n] < 0 else i[n]]`; through casts, slices and other copies of the input,
/// too. A range is of the elements that are read there, and of no others
/// (ReadPart.h). Where several hold for an element, all do.
///
/// Reads with an `else` take any index. So does what may not be computed at
/// all: the branch of an If that is not taken, a read under a condition that
/// data decides.
void addInputRanges(Model &model);

} // namespace smex::frontend

#endif
