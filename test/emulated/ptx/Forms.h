#ifndef SMEX_TEST_EMULATED_PTX_FORMS_H
#define SMEX_TEST_EMULATED_PTX_FORMS_H

#include <map>
#include <string>

namespace smex::ptx {

/// The forms that instructions have, as "add.rn.ftz.f32": which modifiers go
/// with which types, in which order, and the first architecture that has it (80
/// for sm_80 and all before it). Only of arithmetic, conversions,
/// approximations and atomic operations, where most combinations do not exist
/// (PTX ISA 8.8, chapter 9.7); others are checked by their decoders. What is
/// not one of these does not come to its decoder, which need not look again.
/// `assemble_test` has ptxas assemble each.
const std::map<std::string, unsigned> &forms();

/// Whether instructions of this opcode have to be one of forms().
bool hasForms(const std::string &opcode);

} // namespace smex::ptx

#endif
