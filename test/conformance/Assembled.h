// Every lambda as code for GPUs, which CUDA's assembler takes, where a machine
// has one.
#ifndef SMEX_TEST_CONFORMANCE_ASSEMBLED_H
#define SMEX_TEST_CONFORMANCE_ASSEMBLED_H

namespace smex::conformance {

/// Prints what is wrong, and a line at the end; whether all is well. `isAll`:
/// each lambda for each architecture that plans run on, and the text for Hopper
/// compared with that for Ampere; otherwise each is assembled for one of the
/// architectures, and a quarter of the texts are compared.
bool assembleAll(bool isAll);

} // namespace smex::conformance

#endif
