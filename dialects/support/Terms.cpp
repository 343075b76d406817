#include "dialects/support/Terms.h"

using namespace smex;

template <typename IsSuch>
static StepSet stepsThat(const Divisions &divisions, IsSuch isSuch) {
  StepSet steps = 0;
  for (size_t s = 0; s < divisions.size(); ++s)
    if (isSuch(divisions[s]))
      steps |= StepSet(1) << s;
  return steps;
}

StepSet smex::termSteps(const Divisions &divisions) {
  return stepsThat(divisions,
                   [](const Division &each) { return each.isTerm(); });
}

StepSet smex::reducedSteps(const Divisions &indices, size_t rank) {
  return stepsThat(indices, [rank](const Division &each) {
    return each.isPart() && size_t(each.dimension()) >= rank;
  });
}

Divisions smex::leftInTerms(const Divisions &indices, size_t rank) {
  const StepSet reduced = reducedSteps(indices, rank);
  Divisions terms = indices;
  for (size_t s = 0; s < terms.size(); ++s)
    if (reduced >> s & 1)
      terms[s] = Division::term(Reducer::Sum);
  return terms;
}
