#ifndef SMEX_TEST_EMULATED_PTX_FORMKERNEL_H
#define SMEX_TEST_EMULATED_PTX_FORMKERNEL_H

#include <string>

namespace smex::ptx {

/// The text of a kernel `k` with an instruction of each of forms() that an
/// architecture has, 80 for sm_80. It is to be decoded or assembled, not to
/// run.
std::string kernelOfForms(unsigned architecture);

} // namespace smex::ptx

#endif
