// Compares Functions.h, and what smex-run declares of NCCL, with NVIDIA's
// nccl.h: abi_test compiles this where that is found. It has no other use.
#include <nccl.h>

#include "runtime/backends/cuda/nccl/Api.h"
#include "test/emulated/Signature.h"
#include "test/emulated/nccl/Functions.h"

namespace {

using smex::emulated::Same;

#define SMEX_COMPARE(name, result, parameters)                                 \
  static_assert(Same<result parameters, decltype(::name)>::value,              \
                #name " differs from nccl.h");
SMEX_NCCL_FUNCTIONS(SMEX_COMPARE)

using smex::nccl::Code;
using smex::nccl::Communicator;
using smex::nccl::Stream;
using smex::nccl::UniqueId;
#define SMEX_COMPARE_ENTRY(member, entry, result, parameters)                  \
  static_assert(Same<result parameters, decltype(::entry)>::value,             \
                #entry " of Api.h differs from nccl.h");
SMEX_NCCL_ENTRIES(SMEX_COMPARE_ENTRY)

static_assert(smex::nccl::success == ncclSuccess &&
              smex::nccl::inProgress == ncclInProgress);
static_assert(smex::nccl::typeInt8 == ncclInt8 &&
              smex::nccl::typeUint8 == ncclUint8 &&
              smex::nccl::typeInt32 == ncclInt32 &&
              smex::nccl::typeUint32 == ncclUint32 &&
              smex::nccl::typeInt64 == ncclInt64 &&
              smex::nccl::typeUint64 == ncclUint64 &&
              smex::nccl::typeFloat32 == ncclFloat32 &&
              smex::nccl::typeFloat64 == ncclFloat64);
static_assert(smex::nccl::operationSum == ncclSum);
static_assert(smex::nccl::splitNoColor == NCCL_SPLIT_NOCOLOR);
static_assert(sizeof(smex::nccl::UniqueId) == sizeof(ncclUniqueId) &&
              sizeof(EmulatedNcclId) == sizeof(ncclUniqueId));
static_assert(ncclUnhandledCudaError == 1 && ncclSystemError == 2 &&
              ncclInternalError == 3 && ncclInvalidArgument == 4 &&
              ncclInvalidUsage == 5 && ncclRemoteError == 6);
static_assert(ncclInt8 == 0 && ncclUint8 == 1 && ncclInt32 == 2 &&
              ncclUint32 == 3 && ncclInt64 == 4 && ncclUint64 == 5 &&
              ncclFloat16 == 6 && ncclFloat32 == 7 && ncclFloat64 == 8 &&
              ncclBfloat16 == 9);
static_assert(ncclSum == 0 && ncclNumOps == 5);

} // namespace
