#include "runtime/plan/Format.h"
#include "runtime/plan/FormatRead.h"
#include "runtime/plan/Load.h"

using namespace smex;
using namespace smex::plan;

namespace {

/// What the hardware takes.
constexpr int64_t mostThreads = 1024;

/// Which variables a lambda has, validate() knows.
std::vector<int> variablesOf(const Cursor &at, const char *key) {
  return at.list(key, [](const Cursor &variable) {
    return int(variable.integer(0, countLimit));
  });
}

Launch::Scratch scratchOf(const Cursor &at) {
  Launch::Scratch scratch;
  at.object({"bytes", "extents"});
  scratch.bytes = at.integer("bytes", 1, countLimit);
  scratch.extents = at.list("extents", [](const Cursor &extent) {
    extent.object({"dimension", "operand"});
    return Launch::Scratch::Extent{
        int(extent.integer("operand", 0, countLimit)),
        int(extent.integer("dimension", 0, countLimit))};
  });
  return scratch;
}

Launch::Parts partsOf(const Cursor &at) {
  Launch::Parts parts;
  at.object({"along", "columns", "least", "size"});
  parts.along = int(at.integer("along", 0, countLimit));
  parts.columns = variablesOf(at, "columns");
  parts.least = at.integer("least", 1, sizeLimit);
  parts.size = at.integer("size", 1, sizeLimit);
  return parts;
}

Launch launchOf(const Cursor &at) {
  Launch launch;
  at.object({"item", "per_block", "symbol", "threads"},
            {"in_memory", "many", "parts", "persistent", "scratch", "terms"});
  launch.threads = at.integer("threads", 1, mostThreads);
  launch.perBlock = at.integer("per_block", 1, countLimit);
  launch.item = at.list("item", [](const Cursor &tile) {
    tile.object({"along", "size"});
    return Launch::Tile{variablesOf(tile, "along"),
                        tile.integer("size", 1, countLimit)};
  });
  if (at.has("many"))
    launch.many = at.integer("many", 1, sizeLimit);
  if (at.has("terms"))
    launch.terms = variablesOf(at, "terms");
  if (at.has("persistent"))
    launch.persistent = at.boolean("persistent");
  if (at.has("in_memory"))
    launch.inMemory = at.boolean("in_memory");
  if (at.has("parts"))
    at.with("parts",
            [&](const Cursor &parts) { launch.parts = partsOf(parts); });
  if (at.has("scratch"))
    at.with("scratch", [&](const Cursor &scratch) {
      launch.scratch = scratchOf(scratch);
    });
  return launch;
}

Json scratchToJson(const Launch::Scratch &scratch) {
  Json extents = Json::array();
  for (const Launch::Scratch::Extent &extent : scratch.extents)
    extents.push_back(
        {{"dimension", extent.dimension}, {"operand", extent.operand}});
  return {{"bytes", scratch.bytes}, {"extents", std::move(extents)}};
}

} // namespace

Json plan::launchesToJson(const Launches &launches) {
  Json list = Json::array();
  for (const auto &[symbol, launch] : launches) {
    Json json = {{"symbol", symbol},
                 {"threads", launch.threads},
                 {"per_block", launch.perBlock},
                 {"item", Json::array()}};
    for (const Launch::Tile &tile : launch.item)
      json["item"].push_back({{"along", tile.along}, {"size", tile.size}});
    if (launch.many > 0)
      json["many"] = launch.many;
    if (!launch.terms.empty())
      json["terms"] = launch.terms;
    if (launch.persistent)
      json["persistent"] = true;
    if (launch.inMemory)
      json["in_memory"] = true;
    if (launch.parts.along >= 0)
      json["parts"] = {{"along", launch.parts.along},
                       {"columns", launch.parts.columns},
                       {"least", launch.parts.least},
                       {"size", launch.parts.size}};
    if (launch.scratch.bytes > 0)
      json["scratch"] = scratchToJson(launch.scratch);
    list.push_back(std::move(json));
  }
  return {{"launches", std::move(list)}};
}

Launches plan::launchesFromJson(const Cursor &at) {
  Launches launches;
  at.object({"launches"});
  at.list("launches", [&](const Cursor &each) {
    const std::string symbol = each.string("symbol");
    if (!launches.emplace(symbol, launchOf(each)).second)
      each.refuse("symbol: \"" + symbol + "\" is there twice");
    return 0;
  });
  return launches;
}
