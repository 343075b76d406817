// Any pass on IR text, as mlir-opt does.
#include "compiler/pipeline/Pipeline.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  smex::pipeline::registerAllPasses();
  mlir::DialectRegistry registry;
  smex::pipeline::registerAllDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "smex pass driver\n", registry));
}
