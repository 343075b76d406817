#include "runtime/backends/Backend.h"

#include "runtime/backends/cpu/CpuBackend.h"
#include "runtime/backends/reference/ReferenceBackend.h"

using namespace smex;
using namespace smex::runtime;

Result<std::unique_ptr<Backend>> runtime::makeBackend(const std::string &name) {
  if (name == "auto" || name == "cpu")
    return makeCpuBackend();
  if (name == "reference")
    return makeReferenceBackend();
  Error error;
  if (name == "cuda") {
    error = fail("this smex-run was built without the cuda backend; use "
                 "--backend cpu");
    error.fault = Fault::Environment;
  } else {
    error = fail("there is no backend \"", name,
                 "\": auto, cpu, cuda or reference");
    error.fault = Fault::Usage;
  }
  return error;
}
