#include "runtime/backends/Backend.h"

#include "runtime/backends/cpu/CpuBackend.h"

using namespace smex;
using namespace smex::runtime;

Result<std::unique_ptr<Backend>> runtime::makeBackend(const std::string &name) {
  if (name == "auto" || name == "cpu")
    return makeCpuBackend();
  Error error;
  if (name == "cuda") {
    error = fail("this smex-run was built without the cuda backend; use "
                 "--backend cpu");
    error.fault = Fault::Environment;
  } else {
    error = fail("there is no backend \"", name, "\": auto, cpu or cuda");
    error.fault = Fault::Usage;
  }
  return error;
}
