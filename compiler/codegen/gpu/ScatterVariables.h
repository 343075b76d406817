// Which of the result's variables a scatter has besides those that keys name.
#ifndef SMEX_COMPILER_CODEGEN_GPU_SCATTERVARIABLES_H
#define SMEX_COMPILER_CODEGEN_GPU_SCATTERVARIABLES_H

#include "compiler/codegen/expression/Scatter.h"

namespace smex::codegen {

struct ScatterVariables {
  std::vector<int> batch; // keys depend on them
  std::vector<int> lanes; // the others, for which a term's key is the same
  /// What must hold before a key is read.
  tdl::ExprRef safe;
};

ScatterVariables scatterVariables(const tdl::Lambda &lambda,
                                  const Scatter &scatter);

} // namespace smex::codegen

#endif
