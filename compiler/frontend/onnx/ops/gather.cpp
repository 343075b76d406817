// Gather and scatter in all their forms.
#include "compiler/frontend/onnx/Table.h"

#include <algorithm>

using namespace smex;
using namespace smex::frontend;

/// True if the places are known and none counts from the end: then the lambda
/// reads where they say, x[src[e], f], and nothing hides that.
static bool allForward(Node &n, size_t i) {
  const auto known = n.builder.known(n.in(i));
  if (!known)
    return false;
  const auto places = asInts(*known);
  return std::all_of(places.begin(), places.end(),
                     [](int64_t p) { return p >= 0; });
}

/// Operand 1 has places in the data, operand 0: coordinates for so many of its
/// dimensions from `first` on, one after the other. Those that are known must
/// be within it; negative ones count from the end.
static void checkPlaces(Node &n, int64_t first, int64_t coordinates = 1) {
  if (isFloat(n.inType(1).dtype))
    n.refuse("operand 1 must be of integer type");
  const auto known = n.builder.known(n.in(1));
  if (!known)
    return;
  const std::vector<int64_t> places = asInts(*known);
  for (size_t p = 0; p < places.size(); ++p) {
    const int64_t dimension = first + int64_t(p) % coordinates;
    const int64_t extent = n.shape(0)[size_t(dimension)];
    if (places[p] < -extent || places[p] >= extent)
      n.refuse("place ", places[p], " is out of range for extent ", extent,
               " of dimension ", dimension);
  }
}

/// Places that depend on one dimension only, as exporters write a sum over the
/// edges of a graph: the vector they were broadcast from, or noValue.
static ValueId alongAxis(Node &n, ValueId places, int64_t axis) {
  std::vector<int> at;
  const ValueId source = n.builder.broadcastSource(places, at);
  if (source == places && at.size() != 1)
    return noValue;
  for (int d : at)
    if (d >= 0 && d != axis)
      return noValue;
  const int64_t count = n.type(places).shape[axis];
  if (elementCount(n.type(source).shape) != count)
    return noValue;
  return n.reshape(source, {count});
}

static void convertGather(Node &n) {
  const int64_t axis = n.axis(n.integer("axis", 0), n.rank(0));
  const int64_t extent = n.shape(0)[axis];
  checkPlaces(n, axis);
  // One known place is a slice.
  if (const auto known = n.builder.known(n.in(1)); known && n.rank(1) == 0) {
    const int64_t place = asInts(*known)[0];
    return n.out(0, n.take(n.in(0), axis, place < 0 ? place + extent : place));
  }
  n.out(0, n.apply(allForward(n, 1) ? "gather_forward" : "gather",
                   {n.in(0), n.in(1)}, {{"axis", axis}}));
}

static void convertGatherElements(Node &n) {
  const int64_t axis = n.axis(n.integer("axis", 0), n.rank(0));
  checkPlaces(n, axis);
  if (const ValueId at = alongAxis(n, n.in(1), axis); at != noValue) {
    std::vector<int64_t> same = n.shape(0);
    same[axis] = n.shape(1)[axis];
    if (same == n.shape(1))
      return n.out(0, n.apply("gather", {n.in(0), at}, {{"axis", axis}}));
  }
  n.out(0, n.apply("gather_elements", {n.in(0), n.in(1)}, {{"axis", axis}}));
}

/// The k-th coordinate of a place, as an index into an extent.
static std::string coordinate(const std::string &index, int64_t k) {
  const std::string number = std::to_string(k);
  const std::string read = "at[" + index + ", " + number + "]";
  return "(i64(" + read + ") + n" + number + " if " + read + " < 0 else i64(" +
         read + "))";
}

static void convertGatherNd(Node &n) {
  const int64_t batch = n.integer("batch_dims", 0);
  n.require(n.rank(1) >= 1 && batch >= 0 && batch < n.rank(1),
            "batch_dims is out of range");
  const int64_t places = n.shape(1).back();
  n.require(places >= 1 && batch + places <= n.rank(0),
            "places have the wrong number of coordinates");
  checkPlaces(n, batch, places);
  // One text for each number of batch dimensions and coordinates.
  std::string batches, loops, outer, leading, coordinates;
  for (int64_t b = 0; b < batch; ++b) {
    const std::string number = std::to_string(b);
    batches += "p" + number + ", ";
    loops += "i" + number + " < p" + number + ", ";
    outer += "i" + number + ", ";
  }
  for (int64_t k = 0; k < places; ++k) {
    leading += "n" + std::to_string(k) + ", ";
    coordinates += coordinate(outer + "j...", k) + ", ";
  }
  n.out(0, n.applyText("(x[" + batches + leading + "b...], at[" + batches +
                           "q..., " + std::to_string(places) + "]): lambda " +
                           loops + "j... < q..., k... < b...: x[" + outer +
                           coordinates + "k...]",
                       {n.in(0), n.in(1)})[0]);
}

static std::string reductionOf(Node &n) {
  const std::string reduction = n.text("reduction", "none");
  for (const char *known : {"none", "add", "mul", "max", "min"})
    if (reduction == known)
      return reduction == "none" ? "" : "_" + reduction;
  n.refuse("reduction \"", reduction, "\" is not known");
}

static void convertScatterElements(Node &n) {
  const int64_t axis = n.axis(n.integer("axis", 0), n.rank(0));
  const auto &shape = n.shape(0), &updates = n.shape(1);
  const int64_t extent = shape[axis];
  checkPlaces(n, axis);
  n.require(updates.size() == shape.size() && updates == n.shape(2),
            "data, places and updates do not go together");
  std::vector<int64_t> full = shape, none(shape.size(), 0);
  full[axis] = updates[axis];
  ValueId at = n.in(1), u = n.in(2);
  if (const ValueId places = alongAxis(n, at, axis);
      places != noValue && updates == full)
    return n.out(0, n.apply("scatter_slices" + reductionOf(n),
                            {n.in(0), places, u}, {{"axis", axis}}));
  if (updates != full) {
    // Elements beside the updates get one that is meant for no place.
    for (size_t d = 0; d < full.size(); ++d)
      n.require(updates[d] <= full[d], "there are more updates than elements");
    Tensor nowhere = makeTensor({n.inType(1).dtype, {}});
    if (byteSize(nowhere.type.dtype) == 8)
      *nowhere.data<int64_t>() = extent;
    else
      *nowhere.data<int32_t>() = int32_t(extent);
    const tdl::Attributes margin = {{"before", none}, {"out", full}};
    at = n.apply("pad", {at, n.addConstant(std::move(nowhere))}, margin);
    u = n.apply("pad", {u, n.addReals({0}, {}, n.type(u).dtype)}, margin);
  }
  n.out(0, n.apply("scatter_elements" + reductionOf(n), {n.in(0), at, u},
                   {{"axis", axis}}));
}

static void convertScatterNd(Node &n) {
  const std::string reduction = reductionOf(n);
  n.require(n.rank(1) >= 1, "places have no coordinates");
  const int64_t coordinates = n.shape(1).back();
  n.require(coordinates >= 1 && coordinates <= n.rank(0),
            "places have the wrong number of coordinates");
  checkPlaces(n, 0, coordinates);
  const auto &shape = n.shape(0);
  const std::vector<int64_t> places(n.shape(1).begin(), n.shape(1).end() - 1);
  std::vector<int64_t> expected = places;
  expected.insert(expected.end(), shape.begin() + coordinates, shape.end());
  n.require(n.shape(2) == expected, "updates do not fit places and data");
  const int64_t count = elementCount(places).value_or(0);
  std::vector<int64_t> slices = {count};
  slices.insert(slices.end(), shape.begin() + coordinates, shape.end());
  const ValueId u = n.reshape(n.in(2), slices);
  if (coordinates == 1)
    return n.out(0, n.apply("scatter_slices" + reduction,
                            {n.in(0), n.reshape(n.in(1), {count}), u},
                            {{"axis", int64_t(0)}}));
  const ValueId at = n.reshape(n.in(1), {count, coordinates});
  std::string leading, loops, index, match;
  for (int64_t k = 0; k < coordinates; ++k) {
    const std::string number = std::to_string(k);
    leading += "n" + number + ", ";
    loops += "j" + number + " < n" + number + ", ";
    index += (k ? ", j" : "j") + number;
    match += (k ? " and " : "") + coordinate("e", k) + " == j" + number;
  }
  const std::string head = "(x[" + leading + "b...], at[m, " +
                           std::to_string(coordinates) + "], u[m, b...]):";
  const std::string all = "lambda " + loops + "k... < b...: ";
  const std::string x = "x[" + index + ", k...]";
  const auto over = [&](const char *reducer) {
    return std::string(reducer) + "(lambda e < m: u[e, k...] where " + match +
           ")";
  };
  std::string text;
  if (reduction.empty())
    text = head + "\n    l = lambda " + loops.substr(0, loops.size() - 2) +
           ": Max(lambda e < m: e where " + match + ")\n    return " + all +
           "(u[l[" + index + "], k...] else " + x + ")";
  else if (reduction == "_add" || reduction == "_mul")
    text = head + " " + all + x + (reduction == "_add" ? " + " : " * ") +
           over(reduction == "_add" ? "Sum" : "Prod");
  else
    text = head + " " + all + reduction.substr(1) + "(" + x + ", " +
           over(reduction == "_max" ? "Max" : "Min") + ")";
  n.out(0, n.applyText(text, {n.in(0), at, u})[0]);
}

static void convertOneHot(Node &n) {
  const auto depth = n.constantReals(1);
  n.require(depth.size() == 1 && depth[0] >= 0 && depth[0] < 1e15,
            "depth must be one number");
  const int64_t axis = n.axis(n.integer("axis", -1), n.rank(0) + 1);
  n.out(0, n.apply("one_hot", {n.in(0), n.in(2)},
                   {{"axis", axis}, {"depth", int64_t(depth[0])}}));
}

/// A cache of keys or values, and what a step adds to it.
static void convertTensorScatter(Node &n) {
  const int64_t axis = n.axis(n.integer("axis", -2), n.rank(0));
  n.require(axis >= 1, "the first dimension is the batch, and not to be "
                       "scattered along");
  const std::string mode = n.text("mode", "linear");
  if (mode != "linear" && mode != "circular")
    n.refuse("mode \"", mode, "\" is not known");
  n.require(n.rank(1) == n.rank(0) && n.shape(1)[axis] <= n.shape(0)[axis],
            "the update is not a part of the cache");
  const ValueId at =
      n.has(2) ? n.in(2) : n.addInts(std::vector<int64_t>(n.shape(0)[0], 0));
  const int64_t last = n.shape(0)[axis] - n.shape(1)[axis];
  if (const auto known = n.builder.known(at); known && mode == "linear")
    for (int64_t place : asInts(*known))
      if (place < 0 || place > last)
        n.refuse("it writes from place ", place, " on, where ", last,
                 " is the last that its cache has room for");
  n.out(0, n.apply("tensor_scatter", {n.in(0), n.in(1), at},
                   {{"between", axis - 1},
                    {"circular", int64_t(mode == "circular")}}));
}

std::vector<Row> smex::frontend::gatherRows() {
  return {
      {"Gather", 1, convertGather},
      {"GatherElements", 11, convertGatherElements},
      {"GatherND", 11, convertGatherNd},
      {"Scatter", 9, convertScatterElements},
      {"ScatterElements", 11, convertScatterElements},
      {"ScatterND", 11, convertScatterNd},
      {"OneHot", 9, convertOneHot},
      {"TensorScatter", 24, convertTensorScatter},
  };
}
