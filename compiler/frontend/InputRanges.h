// What the integers of an input may be where it says which element of another
// tensor to take: tokens, indices. So that a wrong one is found before it is
// used.
#ifndef SMEX_COMPILER_FRONTEND_INPUTRANGES_H
#define SMEX_COMPILER_FRONTEND_INPUTRANGES_H

#include "compiler/frontend/Model.h"

namespace smex::frontend {

/// Adds a range for each input of integers that some lambda indexes with as it
/// is, `x[i[n]]`, or counting from the end, `x[i[n] + extent if i[n] < 0 else
/// i[n]]`; through copies and casts of the input, too. Of several uses the
/// narrowest counts. Reads with an `else` take any index.
void addInputRanges(Model &model);

} // namespace smex::frontend

#endif
