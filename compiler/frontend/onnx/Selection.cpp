// Nodes that give as many rows as values say, where these are not known at
// compile time: there is room for as many as there can be, and how many there
// are is a value of the plan (Lengths.h).
#include "compiler/frontend/onnx/Importer.h"

#include <algorithm>

using namespace smex;
using namespace smex::frontend;

/// So many rows are there at least: models of three rows, and of half of them,
/// are compared with the one that is compiled.
constexpr int64_t fewestRows = 4;
/// The model is imported three times for each.
constexpr size_t mostNodes = 100;

bool Importer::choosesRows(const Node &node, const std::string &op) {
  const auto isUnknown = [&](size_t i) {
    return node.has(i) && !isSequence(node.inputs[i]) &&
           !builder.known(node.inputs[i]);
  };
  if (op == "NonMaxSuppression")
    return node.has(0) && node.has(1);
  if (op == "Slice")
    return node.opset >= 10 && node.has(0) && !isSequence(node.inputs[0]) &&
           (isUnknown(1) || isUnknown(2));
  return ((op == "NonZero" || op == "Unique") && isUnknown(0)) ||
         (op == "Compress" && isUnknown(1));
}

/// The names in --bound that the node goes by.
std::vector<std::string> Importer::boundsOf(const Node &node) const {
  std::vector<std::string> names;
  for (const std::string &name : {node.name, node.firstOutput})
    if (options.bounds.count(name) && (names.empty() || names[0] != name))
      names.push_back(name);
  return names;
}

/// Each bound is one of a node that chooses rows.
void Importer::checkBounds() {
  std::string nodes;
  for (const CountedRows &rows : chosen)
    nodes += (nodes.empty() ? "\"" : ", \"") + rows.node + "\"";
  for (const auto &[name, most] : options.bounds)
    if (!usedBounds.count(name))
      error("--bound \"" + name + "\": " +
            (seenBounds.count(name)
                 ? "how many rows this node gives is known at compile time"
                 : "no node, and no node's first output, has this name") +
            (nodes.empty() ? "; values decide that of no node"
                           : "; values decide that of " + nodes));
}

/// So many rows as the model is imported for, of `extent` at the most.
int64_t Importer::addRows(Node &node, int64_t extent, ValueId count) {
  if (chosen.size() == mostNodes)
    node.refuse("more than ", mostNodes,
                " nodes give as many rows as values say");
  CountedRows rows = {node.name, extent, count, {}};
  for (const std::string &name : boundsOf(node)) {
    rows.bound = std::min(rows.bound.value_or(extent), options.bounds.at(name));
    rows.room = *rows.bound;
    usedBounds.insert(name);
  }
  rows.room = std::max(rows.room, fewestRows);
  const int64_t room = rows.room;
  chosen.push_back(std::move(rows));
  const auto sampled = rowsAsIf.find(node.name);
  return sampled == rowsAsIf.end() ? room : sampled->second;
}

/// Where the elements of a list of bools hold, in order; then the last of these
/// places again. (That must not be the list itself where there are as many rows
/// as elements: models of fewer rows would be others.)
ValueId Importer::placesOf(Node &node, ValueId flags) {
  const int64_t extent = node.type(flags).shape[0];
  node.require(extent > 0, "it chooses from nothing");
  const ValueId count = node.apply("count_nonzero", {flags});
  const int64_t rows = addRows(node, extent, count);
  return node.apply("leading", {node.apply("nonzero_places", {flags}), count},
                    {{"count", rows}});
}

/// Coordinates of the elements that are not 0, [rank, rows].
void Importer::importNonZero(Node &node) {
  const std::vector<int64_t> shape = node.shape(0);
  node.require(!shape.empty(), "its operand is one number");
  const auto elements = elementCount(shape);
  node.require(elements.has_value(), "its operand is too large");
  const ValueId flags =
      node.reshape(node.cast(node.in(0), DType::Bool), {*elements});
  const ValueId places = placesOf(node, flags);
  const int64_t rows = node.type(places).shape[0];
  std::vector<ValueId> coordinates;
  int64_t stride = *elements;
  for (int64_t extent : shape) {
    stride = extent > 0 ? stride / extent : 1;
    const ValueId one =
        shape.size() == 1
            ? places
            : node.apply("coordinate", {places},
                         {{"stride", std::max<int64_t>(stride, 1)},
                          {"size", std::max<int64_t>(extent, 1)}});
    coordinates.push_back(node.reshape(one, {1, rows}));
  }
  node.out(0, node.concat(coordinates, 0));
}

/// What is chosen from, and along which dimension: the first operand's slices
/// or, where no axis is given, its elements.
static std::pair<ValueId, int64_t> slicesOf(Node &node) {
  if (node.hasAttribute("axis"))
    return {node.in(0), node.axis(node.integer("axis"), node.rank(0))};
  return {node.reshape(node.in(0), {elementCount(node.shape(0)).value_or(0)}),
          0};
}

/// The slices along the axis, or elements, whose condition holds.
void Importer::importCompress(Node &node) {
  const auto [of, axis] = slicesOf(node);
  node.require(node.rank(1) == 1, "its condition is no list");
  node.require(node.shape(1)[0] <= node.type(of).shape[size_t(axis)],
               "its condition is longer than what it chooses from");
  const ValueId places = placesOf(node, node.cast(node.in(1), DType::Bool));
  node.out(0, node.apply("gather_forward", {of, places}, {{"axis", axis}}));
}

/// The slices, or elements, each once; where it is first, which one each is,
/// and how often it is there.
void Importer::importUnique(Node &node) {
  const auto [of, axis] = slicesOf(node);
  const std::vector<int64_t> shape = node.type(of).shape;
  const int64_t extent = shape[size_t(axis)];
  const int64_t elements = elementCount(shape).value_or(0);
  node.require(elements > 0, "its operand has no elements");
  std::vector<int64_t> order = {axis};
  for (int64_t d = 0; d < int64_t(shape.size()); ++d)
    if (d != axis)
      order.push_back(d);
  const ValueId slices =
      node.reshape(node.transpose(of, order), {extent, elements / extent});
  const ValueId numbers =
      node.apply("unique_numbers", {slices},
                 {{"ascending", int64_t(node.integer("sorted", 1) != 0)}});
  const int64_t rows =
      addRows(node, extent, node.apply("count_numbers", {numbers}));
  const ValueId first =
      node.apply("first_of_number", {numbers}, {{"count", rows}});
  node.out(0, node.apply("gather_forward", {of, first}, {{"axis", axis}}));
  if (node.wants(1))
    node.out(1, first);
  if (node.wants(2))
    node.out(2, numbers);
  if (node.wants(3))
    node.out(3, node.apply("count_of_number", {numbers}, {{"count", rows}}));
}

/// Part of one dimension, between places that are not known.
void Importer::importSlice(Node &node) {
  const auto isOne = [&](size_t i) {
    return node.rank(i) == 1 && node.shape(i)[0] == 1 &&
           isInteger(node.inType(i).dtype);
  };
  node.require(node.has(1) && node.has(2) && isOne(1) && isOne(2) &&
                   (!node.has(3) || isOne(3)) &&
                   (!node.has(4) || (isOne(4) && node.constantInt(4) == 1)),
               "where it begins and ends must be known at compile time, unless "
               "it takes a part of one dimension, in steps of 1");
  const int64_t axis =
      node.axis(node.has(3) ? node.constantInt(3) : 0, node.rank(0));
  const int64_t extent = node.shape(0)[size_t(axis)];
  const auto place = [&](size_t i) {
    return node.apply("slice_place", {node.in(i)}, {{"size", extent}});
  };
  const ValueId first = place(1);
  const int64_t rows =
      addRows(node, extent, node.apply("slice_count", {first, place(2)}));
  node.out(0, node.apply("slice_from", {node.in(0), first},
                         {{"axis", axis}, {"count", rows}}));
}

/// Of each class the boxes that overlap no better one: [rows, 3], numbers of
/// batch, class and box.
void Importer::importBoxes(Node &node) {
  const bool isCentred = node.integer("center_point_box", 0) != 0;
  const std::vector<int64_t> &boxes = node.shape(0), &scores = node.shape(1);
  node.require(boxes.size() == 3 && scores.size() == 3 && boxes[2] == 4 &&
                   boxes[0] == scores[0] && boxes[1] == scores[2] &&
                   isFloat(node.inType(0).dtype) &&
                   isFloat(node.inType(1).dtype),
               "boxes and scores do not go together");
  const int64_t n = scores[0], classes = scores[1];
  const int64_t asked = node.has(2) ? node.constantInt(2) : 0;
  const int64_t most = std::max<int64_t>(0, std::min(asked, boxes[1]));
  const auto all = elementCount({n, classes, most});
  node.require(all.has_value(), "there are too many boxes");
  if (*all == 0)
    return node.out(0, node.addConstant(makeTensor({DType::I64, {0, 3}})));
  const ValueId kept =
      node.apply("unsuppressed_boxes", {node.in(0), node.in(1)},
                 {{"most", most},
                  {"iou", node.has(3) ? node.constantReal(3) : 0.0},
                  {"score", node.has(4) ? node.constantReal(4) : 0.0},
                  {"bounded", int64_t(node.has(4))},
                  {"centred", int64_t(isCentred)}});
  const ValueId flat = node.reshape(node.slice(kept, 2, 0, most), {*all});
  const ValueId places = placesOf(node, node.apply("is_place", {flat}));
  const int64_t rows = node.type(places).shape[0];
  const auto column = [&](ValueId v) { return node.reshape(v, {rows, 1}); };
  const auto coordinate = [&](int64_t stride, int64_t size) {
    return column(node.apply("coordinate", {places},
                             {{"stride", stride}, {"size", size}}));
  };
  node.out(
      0, node.concat({coordinate(classes * most, n), coordinate(most, classes),
                      column(node.apply("gather_forward", {flat, places},
                                        {{"axis", int64_t(0)}}))},
                     1));
}
