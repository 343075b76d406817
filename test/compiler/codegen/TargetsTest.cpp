#include "compiler/codegen/expression/Targets.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"

#include <catch2/catch.hpp>

// Where code for processors and for GPUs is generated at once, neither may add
// its target while the other one looks for its own.
TEST_CASE("the first call registers all targets") {
  REQUIRE(smex::codegen::findTarget(llvm::Triple("x86_64-unknown-linux-gnu")));
  std::string error;
  const llvm::Target *gpu = llvm::TargetRegistry::lookupTarget(
      llvm::Triple("nvptx64-nvidia-cuda"), error);
  REQUIRE(gpu);
  CHECK(gpu == smex::codegen::findTarget(llvm::Triple("nvptx64-nvidia-cuda")));
  CHECK_FALSE(smex::codegen::findTarget(llvm::Triple("riscv64")));
}
