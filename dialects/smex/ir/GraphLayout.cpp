#include "dialects/smex/ir/GraphLayout.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace smex;
using namespace smex::semantic;

DictionaryAttr semantic::toAttribute(const GraphLayout &layout,
                                     MLIRContext *context) {
  Builder b(context);
  SmallVector<int64_t> buckets;
  for (const auto &[width, nodes] : layout.rooms.buckets)
    buckets.append({width, nodes});
  SmallVector<Attribute> levels, lists;
  for (const graph::LevelRoom &level : layout.rooms.levels) {
    SmallVector<int64_t> numbers = {level.nodes};
    for (const auto &[from, edges] : level.from)
      numbers.append({from, edges});
    levels.push_back(b.getDenseI64ArrayAttr(numbers));
  }
  for (const auto &[input, list] : layout.lists)
    lists.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("input", b.getStringAttr(input)),
         b.getNamedAttr("list", b.getStringAttr(graph::name(list.kind))),
         b.getNamedAttr("at", b.getDenseI64ArrayAttr({list.at, list.from}))}));
  return b.getDictionaryAttr(
      {b.getNamedAttr("edges", b.getI64IntegerAttr(layout.rooms.edges)),
       b.getNamedAttr("buckets", b.getDenseI64ArrayAttr(buckets)),
       b.getNamedAttr("levels", b.getArrayAttr(levels)),
       b.getNamedAttr("lists", b.getArrayAttr(lists))});
}

static std::optional<graph::LevelRoom> levelOf(Attribute attribute) {
  const auto numbers = dyn_cast<DenseI64ArrayAttr>(attribute);
  if (!numbers || numbers.size() % 2 == 0)
    return std::nullopt;
  graph::LevelRoom level = {numbers[0], {}};
  for (int64_t i = 1; i < numbers.size(); i += 2)
    level.from.push_back({numbers[i], numbers[i + 1]});
  return level;
}

static std::optional<std::pair<std::string, graph::GraphList>>
listOf(Attribute attribute) {
  const auto list = dyn_cast<DictionaryAttr>(attribute);
  const auto input = list ? list.getAs<StringAttr>("input") : StringAttr();
  const auto kind = list ? list.getAs<StringAttr>("list") : StringAttr();
  const auto at = list ? list.getAs<DenseI64ArrayAttr>("at") : nullptr;
  const auto parsed =
      kind ? graph::parseListKind(kind.getValue()) : std::nullopt;
  if (!input || !parsed || !at || at.size() != 2)
    return std::nullopt;
  return std::pair(input.str(), graph::GraphList{*parsed, at[0], at[1]});
}

std::optional<GraphLayout> semantic::layoutOf(DictionaryAttr attribute,
                                              int64_t nodes) {
  const auto edges = attribute.getAs<IntegerAttr>("edges");
  const auto buckets = attribute.getAs<DenseI64ArrayAttr>("buckets");
  const auto levels = attribute.getAs<ArrayAttr>("levels");
  const auto lists = attribute.getAs<ArrayAttr>("lists");
  if (!edges || !buckets || buckets.size() % 2 || !levels || !lists)
    return std::nullopt;
  GraphLayout layout;
  layout.rooms.nodes = nodes;
  layout.rooms.edges = edges.getInt();
  for (int64_t i = 0; i < buckets.size(); i += 2)
    layout.rooms.buckets.push_back({buckets[i], buckets[i + 1]});
  for (Attribute each : levels) {
    auto level = levelOf(each);
    if (!level)
      return std::nullopt;
    layout.rooms.levels.push_back(std::move(*level));
  }
  if (!graph::check(layout.rooms))
    return std::nullopt;
  for (Attribute each : lists) {
    auto list = listOf(each);
    if (!list || !graph::typeOf(list->second, layout.rooms))
      return std::nullopt;
    layout.lists.push_back(std::move(*list));
  }
  return layout;
}
