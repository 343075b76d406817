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

/// null where it is absent.
Json boxToJson(const Box &box);
Json pieceToJson(const Piece &piece);
Json programToJson(const Program &program);
Json workerToJson(const Partitioned &partitioned, int worker);
/// plan.json without its own hash.
Json summaryToJson(const Plan &plan, const FileHashes &files);

/// What is listed per worker has the right number of entries, which are empty;
/// an absent box does not know its rank.
Program programFromJson(const Cursor &at, size_t workers);
/// One GPU's file: what is said of it alone, and its entry of each list that
/// the program has per worker, in the order of the program.
struct WorkerFile {
  Worker worker;
  std::vector<Box> boxes;                 // of regions that are listed
  std::vector<int64_t> offsets;           // of buffers that have one per worker
  std::vector<std::vector<Piece>> pieces; // of instructions that list them
  std::vector<Runs> rows;                 // of fetches that get some
};
WorkerFile workerFromJson(const Cursor &at);
/// The file beside a GPU's code.
Json launchesToJson(const Launches &launches);
Launches launchesFromJson(const Cursor &at);
/// Sets everything but programs and kernels; the number of workers too.
void summaryFromJson(const Cursor &at, Plan &plan, FileHashes &files);

/// "generated", "contraction", ...
const char *name(KernelKind kind);
/// "fetch", "compute", "reduce"
const char *name(Opcode op);

} // namespace smex::plan

#endif
