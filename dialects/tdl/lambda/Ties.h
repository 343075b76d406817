// What a lambda with a maximum or minimum leaves open, and its gradient needs.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_TIES_H
#define SMEX_DIALECTS_TDL_LAMBDA_TIES_H

#include <cstdint>

namespace smex::tdl {

/// Where the gradient of a maximum or minimum goes if several terms attain it:
/// an equal share to each, as PyTorch has it for amax and maximum, or all to
/// the first one, as for pooling.
enum class Ties : uint8_t { Shared, First };

} // namespace smex::tdl

#endif
