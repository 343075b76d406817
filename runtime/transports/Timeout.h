// How long is waited for others, as variables of the environment say.
#ifndef SMEX_RUNTIME_TRANSPORTS_TIMEOUT_H
#define SMEX_RUNTIME_TRANSPORTS_TIMEOUT_H

#include "dialects/support/Result.h"

namespace smex::runtime {

/// The seconds that the variable says, or so many where it is not set. Zero,
/// less, and what is no number, is an error that names the variable.
Result<double> secondsIn(const char *variable, double otherwise);

} // namespace smex::runtime

#endif
