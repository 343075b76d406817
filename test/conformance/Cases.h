// The cases of the matrix: groups, each of which runs those of its cases that
// the session has chosen. One more group is one more line in cases().
#ifndef SMEX_TEST_CONFORMANCE_CASES_H
#define SMEX_TEST_CONFORMANCE_CASES_H

#include "test/conformance/Session.h"

namespace smex::conformance {

struct Group {
  const char *name;
  const char *what;
  void (*run)(Session &);
};

const std::vector<Group> &groups();

} // namespace smex::conformance

#endif
