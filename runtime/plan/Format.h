// The plan's structs as JSON and back. Reading checks types, keys and single
// numbers; how the numbers go together is for validate() (Load.h).
#ifndef SMEX_RUNTIME_PLAN_FORMAT_H
#define SMEX_RUNTIME_PLAN_FORMAT_H

#include "runtime/plan/Cursor.h"
#include "runtime/plan/Plan.h"

#include <map>

namespace smex::plan {

/// Name of a file of the plan, with its folder, to its SHA-256.
using FileHashes = std::map<std::string, std::string>;

Json programToJson(const Program &program);
Json workerToJson(const Worker &worker);
/// plan.json without its own hash.
Json summaryToJson(const Plan &plan, const FileHashes &files);

Program programFromJson(const Cursor &at);
Worker workerFromJson(const Cursor &at);
/// Sets everything but programs and kernels; the number of workers too.
void summaryFromJson(const Cursor &at, Plan &plan, FileHashes &files);

/// "generated", "contraction", ...
const char *name(KernelKind kind);
/// "fetch", "compute", "reduce"
const char *name(Opcode op);

} // namespace smex::plan

#endif
