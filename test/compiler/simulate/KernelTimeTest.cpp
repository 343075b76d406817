#include "compiler/simulate/KernelTime.h"
#include "test/compiler/simulate/Plans.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::simulate;
using machines::Device;

TEST_CASE("products of 16-bit floats whose rows are not aligned are slower") {
  const auto parsed =
      tdl::parseLambda("(a: bf16[2], b: bf16[2]) -> bf16: lambda i, j: "
                       "Sum(lambda k: a[i, k] * b[j, k])");
  REQUIRE(parsed);
  const KernelTime kernel(*parsed);
  Device device = roundDevice();
  device.contraction = {0.5, 192};
  device.convolution.mostUnaligned = 0.1; // of no product
  const double aligned = kernel.seconds(device, DType::BF16, 96, 0);
  CHECK(kernel.seconds(device, DType::BF16, 96, 0, false) == Approx(aligned));
  device.contraction.mostUnaligned = 0.125;
  CHECK(kernel.seconds(device, DType::BF16, 96, 0) == Approx(aligned));
  CHECK(kernel.seconds(device, DType::BF16, 96, 0, false) ==
        Approx(4 * aligned));
  CHECK(kernel.seconds(device, DType::F32, 96, 0, false) == Approx(aligned));

  CHECK(hasAlignedRows({{0, 3}, {0, 8}}, 2));
  CHECK(hasAlignedRows({{0, 3}, {1, 9}}, 2));
  CHECK_FALSE(hasAlignedRows({{0, 8}, {0, 9}}, 2));
  CHECK(hasAlignedRows({{0, 4}}, 4));
  CHECK_FALSE(hasAlignedRows({{0, 4}}, 2));
  CHECK(hasAlignedRows({}, 2));
  CHECK(hasAlignedRows(Box::absent(2), 2));
}
