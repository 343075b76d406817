#include "compiler/frontend/onnx/Table.h"

#include <unordered_map>
#include <unordered_set>

using namespace smex;
using namespace smex::frontend;

const std::vector<Row> &smex::frontend::allRows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all;
    for (auto topic :
         {elementwiseRows, activationRows,  castRows,          shapeRows,
          sliceRows,       reductionRows,   normalizationRows, linearRows,
          einsumRows,      convolutionRows, poolingRows,       gatherRows,
          selectionRows,   resizeRows,      lossRows,          quantizationRows,
          recurrentRows,   randomRows,      signalRows,        visionRows,
          optimizerRows,   attentionRows,   sequenceRows,      ngramRows,
          mlRows,          treeRows,        legacyRows,        refusedRows}) {
      auto rows = topic();
      all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
  }();
  return rows;
}

const Row *smex::frontend::findRow(const std::string &domain,
                                   const std::string &op, int64_t opset,
                                   bool &known) {
  static const std::unordered_multimap<std::string, const Row *> index = [] {
    std::unordered_multimap<std::string, const Row *> index;
    for (const Row &row : allRows())
      index.emplace(row.op, &row);
    return index;
  }();
  const Row *best = nullptr;
  known = false;
  const auto [from, to] = index.equal_range(op);
  for (auto i = from; i != to; ++i) {
    const Row *row = i->second;
    if (row->domain != domain)
      continue;
    known = true;
    if (row->since <= opset && (!best || row->since > best->since))
      best = row;
  }
  return best;
}

bool smex::frontend::movesElements(const std::string &op) {
  static const std::unordered_set<std::string> moving = {
      "Concat",         "DepthToSpace", "Expand",       "Flatten", "Gather",
      "GatherElements", "GatherND",     "Pad",          "Reshape", "Shape",
      "Size",           "Slice",        "SpaceToDepth", "Split",   "Squeeze",
      "Tile",           "Transpose",    "Unsqueeze"};
  return moving.count(op) != 0;
}

static std::vector<ValueId> operandsOf(Node &n) {
  std::vector<ValueId> operands;
  size_t count = n.inputs.size();
  while (count && !n.has(count - 1))
    --count;
  for (size_t i = 0; i < count; ++i)
    operands.push_back(n.in(i));
  return operands;
}

static void outAll(Node &n, const std::vector<ValueId> &results) {
  for (size_t i = 0; i < results.size(); ++i)
    n.out(i, results[i]);
}

Convert smex::frontend::direct(const char *op) {
  return [op](Node &n) {
    // The template's own names: a missing one is its error, another one ours.
    const tdl::Library *library = n.builder.libraryOf(op);
    n.require(library, "the operator has no description");
    tdl::Attributes attributes = n.allAttributes();
    const auto names = library->attributeNames(op);
    for (const auto &attribute : attributes) {
      bool found = false;
      for (const std::string &name : names)
        found |= name.substr(0, name.find_first_of(". =")) == attribute.first;
      if (!found)
        n.refuse("attribute \"", attribute.first, "\" is not known");
    }
    outAll(n, n.applyAll(op, operandsOf(n), attributes));
  };
}

Convert smex::frontend::plain(const char *op) {
  return [op](Node &n) { outAll(n, n.applyAll(op, operandsOf(n))); };
}

Convert smex::frontend::chained(const char *op) {
  return [op](Node &n) {
    ValueId result = n.in(0);
    for (size_t i = 1; i < n.inputs.size(); ++i)
      result = n.apply(op, {result, n.in(i)});
    n.out(0, result);
  };
}

Convert smex::frontend::refused(const char *reason) {
  return [reason](Node &) { throw Refusal{reason}; };
}
