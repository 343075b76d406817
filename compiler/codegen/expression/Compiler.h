// Which compiler this is.
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_COMPILER_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_COMPILER_H

#include <string>

namespace smex::codegen {

/// This program and the libraries that it runs with, LLVM's among them: two
/// compilers that may make different code of a kernel differ in this. Each by
/// its build id, where it has one, else by its bytes.
std::string compilerIdentity();

} // namespace smex::codegen

#endif
