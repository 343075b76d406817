// What the processes of one run must have alike, before any of them works.
#ifndef SMEX_TOOLS_SMEX_RUN_IDENTITY_H
#define SMEX_TOOLS_SMEX_RUN_IDENTITY_H

#include "runtime/executor/Sampler.h"
#include "runtime/plan/Plan.h"
#include "runtime/transports/mpi/World.h"
#include "tools/smex-run/Run.h"

#include <string>
#include <utility>
#include <vector>

namespace smex::tools {

/// Each thing, in words, and what it is: itself, or a hash of it.
class Identity {
public:
  void add(std::string what, std::string value) {
    items.emplace_back(std::move(what), std::move(value));
  }
  void add(const RunArguments &arguments);
  /// Values as the run has them, wherever they come from: files, the seed.
  void add(const plan::Program &program,
           const std::vector<runtime::Feed> &feeds);
  /// The plan's graphs as they are given, under whatever names of files.
  void add(const plan::Program &program,
           const std::vector<runtime::RunGraph> &graphs);
  /// The nodes that are given.
  void add(const runtime::Sampling &sampling);

  /// By every process of the world, each with what it has: an error, the same
  /// for all, that says which ranks have something else than rank 0, and what.
  Status compare(mpi::World &world) const;

private:
  std::vector<std::pair<std::string, std::string>> items;
};

} // namespace smex::tools

#endif
