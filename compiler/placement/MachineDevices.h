// A machine as placement sees it: equal devices, one rate between any two.
#ifndef SMEX_COMPILER_PLACEMENT_MACHINEDEVICES_H
#define SMEX_COMPILER_PLACEMENT_MACHINEDEVICES_H

#include "compiler/machine/Machine.h"
#include "compiler/placement/Devices.h"

namespace smex::placement {

/// The first `count` GPUs of a machine. Where links, or memories, are not
/// alike, the slowest and the smallest stand for all: a placement holds
/// whichever GPUs its devices become. A machine without hosts brings data to
/// its GPUs as these do from each other.
///
/// An error if there are too few GPUs, or no way between two of them.
Result<Devices> devicesOf(const machines::Machine &machine, int count);

} // namespace smex::placement

#endif
