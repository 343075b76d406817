// Divisions into terms: of what is a sum, each group of a step has a term of
// all its elements, in place of some of the elements.
#ifndef SMEX_DIALECTS_SUPPORT_TERMS_H
#define SMEX_DIALECTS_SUPPORT_TERMS_H

#include "dialects/support/Shares.h"

namespace smex {

/// The steps that divide into terms.
StepSet termSteps(const Divisions &divisions);

/// How the result of a sum with such an index space is divided, as long as
/// nobody adds its terms up: what cuts it along what is reduced makes terms.
/// Its first `rank` dimensions are those of the result.
Divisions leftInTerms(const Divisions &indices, size_t rank);

} // namespace smex

#endif
