// Searches to choose from, where one plan is not enough: another one may have
// less memory, or be faster on the machine that it is for.
#ifndef SMEX_COMPILER_PARTITION_ALTERNATIVES_H
#define SMEX_COMPILER_PARTITION_ALTERNATIVES_H

#include "compiler/machine/Levels.h"

#include <cstdint>
#include <string>
#include <vector>

namespace smex::partition {

/// What a user or a pass asks for.
struct Search {
  std::string algorithm = "recursive";
  /// Of placements: on so many groups of GPUs, within which tensors are cut; 0:
  /// on as many as there are GPUs.
  int64_t groups = 0;
  /// Of placements: so many groups of GPUs have all operators each, and a part
  /// of the samples.
  int64_t replicas = 1;
  /// With groups: how often all is placed (placement/ir/Passes.td).
  int64_t rounds = 1;
  /// As in Params; algorithms of their own rules have no use for them.
  std::vector<int64_t> ways;
  bool alwaysCut = false, alongSides = false;
  /// Whatever computing costs (Params::work).
  bool bytesAlone = false;
  std::vector<int64_t> linkCosts;
  std::vector<std::vector<int64_t>> weights;
  std::string weightsOf; // for people: "flops"
  /// All of the plan is made as if no machine was known, so that one that is
  /// made for a machine is never slower there than this one.
  bool withoutMachine = false;
};

/// "tofu"; "heft, in 2 replicas"; "recursive, steps of 2 x 4, by links, parts
/// by flops, all cut"; "recursive, along vertices"
std::string toString(const Search &search);

/// Other searches than the default one: other sequences of steps, everything
/// cut, and the algorithms that take no longer.
std::vector<Search> alternatives(int64_t workers);

/// What a search may know of the machine: the first devices of it, and the
/// levels of their links.
struct Site {
  std::vector<machines::Device> devices; // one per worker
  std::vector<machines::Level> levels;
};

Result<Site> siteOf(const machines::Machine &machine, int64_t workers);

/// The search for a machine, and others, those first that are likely to be
/// faster. Their first steps part what the slowest links join, and bytes cost
/// what their links are slower than the fastest; where devices are unlike, each
/// gets its part of the flops, or of what else devices differ in. `hasSides`:
/// where Params::sides are known, the first search is there once more along
/// these, among the first `searchesOfSides`, and by bytes alone.
std::vector<Search> searchesFor(const Site &site, bool hasSides = false);
constexpr int64_t searchesOfSides = 3;

} // namespace smex::partition

#endif
