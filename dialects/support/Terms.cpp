#include "dialects/support/Terms.h"

using namespace smex;

StepSet smex::termSteps(const Divisions &divisions) {
  StepSet steps = 0;
  for (size_t s = 0; s < divisions.size(); ++s)
    if (divisions[s].isTerm())
      steps |= StepSet(1) << s;
  return steps;
}

Divisions smex::leftInTerms(const Divisions &indices, size_t rank) {
  Divisions terms = indices;
  for (Division &division : terms)
    if (division.isPart() && size_t(division.dimension()) >= rank)
      division = Division::term(Reducer::Sum);
  return terms;
}
