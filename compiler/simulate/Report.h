// A simulation as people and programs read it.
#ifndef SMEX_COMPILER_SIMULATE_REPORT_H
#define SMEX_COMPILER_SIMULATE_REPORT_H

#include "compiler/simulate/Simulate.h"

namespace smex::simulate {

/// GPUs whose peak is larger than the device's memory.
std::vector<int> outOfMemory(const Simulation &simulation,
                             const Machine &machine);

/// A table.
std::string text(const Simulation &simulation, const Machine &machine,
                 const Options &options);

/// schema/simulation.schema.json
std::string json(const Simulation &simulation, const Machine &machine,
                 const Options &options);

/// Chrome trace events, as smex-run --trace writes them: a row per worker,
/// named after the nodes.
std::string trace(const Simulation &simulation, const plan::Program &program);

} // namespace smex::simulate

#endif
