// What comes from the memory of other workers by way of the transport.
#ifndef SMEX_RUNTIME_BACKENDS_HOST_BRING_H
#define SMEX_RUNTIME_BACKENDS_HOST_BRING_H

#include "runtime/plan/Plan.h"
#include "runtime/transports/Transport.h"

#include <optional>

namespace smex::runtime {

/// What a worker does together with others in a fetch or a reduction: that
/// which the plan has a name for, where each member wants something and the
/// memory of one is out of reach. All members come to the same answer, once
/// every worker has offered its memory. Nothing: the worker brings its pieces
/// by itself.
std::optional<Exchange> exchangeOf(const plan::Partitioned &partitioned,
                                   int worker, int instruction,
                                   const Transport &transport);

} // namespace smex::runtime

#endif
