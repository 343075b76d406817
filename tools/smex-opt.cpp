// Any pass on IR text, as mlir-opt does.
#include "compiler/pipeline/Pipeline.h"
#include "dialects/support/Version.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

int main(int argc, char **argv) {
  llvm::cl::AddExtraVersionPrinter(
      [](llvm::raw_ostream &out) { out << smex::versionText << "\n"; });
  smex::pipeline::registerAllPasses();
  mlir::DialectRegistry registry;
  smex::pipeline::registerAllDialects(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "smex pass driver\n", registry));
}
