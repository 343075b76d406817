// Prints a kernel with an instruction of each form that the interpreter has for
// an architecture, for ptxas to assemble: list_forms 80.
#include "test/emulated/ptx/FormKernel.h"

#include <cstdio>
#include <cstdlib>

int main(int count, char **arguments) {
  if (count != 2)
    return 2;
  const unsigned architecture = std::strtoul(arguments[1], nullptr, 10);
  std::fputs(smex::ptx::kernelOfForms(architecture).c_str(), stdout);
  return 0;
}
