#include "tools/smex-run/Identity.h"

#include "dialects/support/Sha256.h"
#include "runtime/transports/mpi/Parcel.h"

#include <algorithm>
#include <map>

using namespace smex;
using namespace smex::runtime;
using tools::Identity;

namespace {
using Items = std::vector<std::pair<std::string, std::string>>;

template <typename T> void update(Sha256 &hash, const std::vector<T> &values) {
  hash.update({reinterpret_cast<const char *>(values.data()),
               values.size() * sizeof(T)});
}

template <typename T> std::string listOf(const std::vector<T> &values) {
  std::string text;
  for (const T &value : values) {
    text += text.empty() ? "" : ",";
    if constexpr (std::is_arithmetic_v<T>)
      text += std::to_string(value);
    else
      text += value;
  }
  return text;
}

void put(mpi::Parcel &parcel, const std::string &text) {
  parcel.put(int64_t(text.size()));
  parcel.put(text.data(), text.size());
}
std::string takeText(mpi::Unpacking &parcel) {
  const auto length = size_t(parcel.number());
  const std::byte *from = parcel.bytes(length);
  return from ? std::string(reinterpret_cast<const char *>(from), length)
              : std::string();
}

Items itemsOf(const mpi::Bytes &bytes) {
  Items items;
  for (mpi::Unpacking parcel(bytes); parcel.left() > 0;) {
    std::string what = takeText(parcel);
    std::string value = takeText(parcel);
    items.emplace_back(std::move(what), std::move(value));
  }
  return items;
}

/// The value of something; "": there is none.
std::string valueOf(const Items &items, const std::string &what) {
  for (const auto &[name, value] : items)
    if (name == what)
      return value;
  return "";
}
/// Short enough for a message.
std::string shown(const std::string &value) {
  return value.empty()       ? "nothing"
         : value.size() > 40 ? value.substr(0, 12) + ".."
                             : value;
}

/// The first thing that is not in both, or not the same.
std::string difference(const Items &some, const Items &others) {
  for (const auto *pair : {&some, &others})
    for (const auto &[what, value] : *pair)
      if (valueOf(some, what) != valueOf(others, what))
        return what;
  return "";
}
} // namespace

void Identity::add(const RunArguments &arguments) {
  const RunOptions &run = arguments.run;
  add("--steps", std::to_string(run.steps));
  add("--seed", std::to_string(arguments.seed));
  add("--feed", listOf(arguments.feeds));
  add("--sample", listOf(arguments.sample));
  add("--sample-layers", listOf(arguments.sampleLayers));
  add("--importance", arguments.importance ? "given" : "");
  add("--nodes", arguments.nodes.empty() ? "" : "given");
  add("--walk", std::to_string(arguments.walk));
  add("--batch", std::to_string(arguments.batch));
  add("--parts", std::to_string(arguments.parts));
  add("--checkpoint-dir", arguments.checkpoints.empty() ? "" : "given");
  add("--checkpoint-every", std::to_string(arguments.checkpointEvery));
  add("--resume", arguments.resume ? "given" : "");
  add("--verify", arguments.verify ? "given" : "");
  add("--output-dir", arguments.outputDirectory.empty() ? "" : "given");
  add("--metrics", arguments.metrics.empty() ? "" : "given");
  add("--save-parameters", arguments.saveParameters.empty() ? "" : "given");
  add("--trace", arguments.trace.empty() ? "" : "given");
  add("--profile", arguments.profile.empty() ? "" : "given");
  add("--cost-model", arguments.costModel.empty() ? "" : "given");
  add("--skip-copies", run.skipCopies ? "given" : "");
  add("--reproducible", run.device.reproducible ? "given" : "");
  add("--allow-nonfinite-loss", run.allowNonfiniteLoss ? "given" : "");
}

void Identity::add(const plan::Program &program,
                   const std::vector<Feed> &feeds) {
  for (size_t i = 0; i < feeds.size(); ++i) {
    Sha256 hash;
    const std::string kind =
        toString(feeds[i].value.type) + (feeds[i].perStep ? " per step" : "");
    hash.update(kind);
    update(hash, feeds[i].value.bytes);
    add("input \"" + program.inputs[i].name + "\"", hash.finish());
  }
}

void Identity::add(const plan::Program &program,
                   const std::vector<RunGraph> &graphs) {
  if (graphs.empty())
    return;
  for (size_t g : relationsOf(program)) {
    const RunGraph &graph = graphs[g];
    const std::string &name = program.graphs[g].name;
    const graph::Relation &relation = graph.relation;
    Sha256 hash;
    hash.update(std::to_string(relation.sourceNodes) + " " +
                std::to_string(relation.destinationNodes) + " " +
                std::to_string(graph.graphs) + " ");
    update(hash, relation.graph.sources());
    update(hash, relation.graph.destinations());
    update(hash, relation.types);
    update(hash, relation.sizes);
    update(hash, relation.values);
    add(name.empty() ? "--graph" : "--graph " + name + "=", hash.finish());
  }
}

void Identity::add(const Sampling &sampling) {
  if (!sampling.nodes)
    return;
  Sha256 hash;
  update(hash, *sampling.nodes);
  add("the nodes of --nodes", hash.finish());
}

Status Identity::compare(mpi::World &world) const {
  mpi::Parcel parcel;
  for (const auto &[what, value] : items) {
    put(parcel, what);
    put(parcel, value);
  }
  const auto all = world.gather(parcel.take());
  if (!all)
    return all.error();
  const Items first = itemsOf((*all)[0]);
  std::string text;
  for (size_t rank = 1; rank < all->size(); ++rank) {
    const Items other = itemsOf((*all)[rank]);
    if (const std::string what = difference(first, other); !what.empty())
      text += (text.empty() ? "" : "; ") +
              fail("rank ", rank, " and rank 0 differ in ", what, " (",
                   shown(valueOf(other, what)), " and ",
                   shown(valueOf(first, what)), ")")
                  .message;
  }
  if (text.empty())
    return {};
  return fail("the processes would not make the same run: ", text);
}
