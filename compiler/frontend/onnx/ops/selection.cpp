// Operators that give as many elements as values say: described where these are
// known at compile time, as the edges of a graph are that --constant binds.
#include "compiler/frontend/onnx/Table.h"
#include "dialects/tdl/lambda/OpaqueUnique.h"

#include <algorithm>

using namespace smex;
using namespace smex::frontend;

/// The operand's elements, or a refusal that says what to do.
static std::shared_ptr<const Tensor> knownOrRefused(Node &n, size_t i) {
  if (auto known = n.builder.known(n.in(i)))
    return known;
  n.refuse("the shape of its result depends on values, and a plan is static: ",
           "operand ", i,
           " must be known when compiling; bind the inputs that ",
           "it is made of with --constant NAME=FILE");
}

/// For each element, in row-major order, whether it is not 0.
static std::vector<bool> nonZeroOf(const Tensor &tensor) {
  std::vector<bool> flags;
  if (isFloat(tensor.type.dtype))
    for (double value : asReals(tensor))
      flags.push_back(value != 0);
  else
    for (int64_t value : asInts(tensor))
      flags.push_back(value != 0);
  return flags;
}

/// Coordinates of the elements that are not 0, [rank, elements].
static void convertNonZero(Node &n) {
  const auto known = knownOrRefused(n, 0);
  const std::vector<int64_t> &shape = known->type.shape;
  const std::vector<bool> flags = nonZeroOf(*known);
  const int64_t count = std::count(flags.begin(), flags.end(), true);
  const int64_t rank = int64_t(shape.size());
  Tensor places = makeTensor({DType::I64, {rank, count}});
  int64_t column = 0;
  for (size_t i = 0; i < flags.size(); ++i) {
    if (!flags[i])
      continue;
    int64_t rest = int64_t(i);
    for (int64_t d = rank; d-- > 0; rest /= shape[size_t(d)])
      places.data<int64_t>()[d * count + column] = rest % shape[size_t(d)];
    ++column;
  }
  n.out(0, n.addConstant(std::move(places)));
}

/// What is chosen from: the first operand's slices along the axis or, where no
/// axis is given, its elements.
struct Slices {
  explicit Slices(Node &n) : of(n.in(0)) {
    if (n.hasAttribute("axis"))
      axis = n.axis(n.integer("axis"), n.rank(0));
    else
      of = n.reshape(of, {elementCount(n.shape(0)).value_or(0)});
  }

  ValueId gathered(Node &n, const std::vector<int64_t> &chosen) const {
    return n.apply("gather_forward", {of, n.addInts(chosen)}, {{"axis", axis}});
  }

  ValueId of;
  int64_t axis = 0;
};

/// The slices whose condition holds.
static void convertCompress(Node &n) {
  const Slices slices(n);
  const std::vector<bool> flags = nonZeroOf(*knownOrRefused(n, 1));
  n.require(int64_t(flags.size()) <=
                n.type(slices.of).shape[size_t(slices.axis)],
            "its condition is longer than what it chooses from");
  std::vector<int64_t> chosen;
  for (size_t i = 0; i < flags.size(); ++i)
    if (flags[i])
      chosen.push_back(int64_t(i));
  n.out(0, slices.gathered(n, chosen));
}

/// The slices, each once: in ascending order, or in that
/// of their first time; where that was, which one each is, and how often.
static void convertUnique(Node &n) {
  const auto known = knownOrRefused(n, 0);
  const bool isSorted = n.integer("sorted", 1) != 0;
  const Slices slices(n);
  const std::vector<int64_t> shape = n.type(slices.of).shape;
  // Its slices as rows.
  const int64_t extent = shape[size_t(slices.axis)];
  const int64_t elements = elementCount(shape).value_or(0);
  const int64_t width = extent > 0 ? elements / extent : 0;
  int64_t inner = 1; // elements of one slice that lie together
  for (size_t d = size_t(slices.axis) + 1; d < shape.size(); ++d)
    inner *= shape[d];
  const DType type = known->type.dtype;
  const int64_t size = byteSize(type);
  Tensor rows = makeTensor({type, {extent, width}});
  for (int64_t e = 0; e < elements; ++e) {
    const int64_t row = e / inner % extent;
    const int64_t column = e / inner / extent * inner + e % inner;
    std::copy_n(known->bytes.data() + e * size, size,
                rows.bytes.data() + (row * width + column) * size);
  }
  const auto numbers = tdl::uniqueNumbers({rows}, {double(isSorted)});
  if (!numbers)
    n.refuse(numbers.error().message);

  std::vector<int64_t> first, inverse = asInts(*numbers), counts;
  for (int64_t i = 0; i < extent; ++i) {
    const size_t number = size_t(inverse[size_t(i)]);
    if (number >= counts.size()) {
      first.resize(number + 1, -1);
      counts.resize(number + 1, 0);
    }
    if (counts[number]++ == 0)
      first[number] = i;
  }
  n.out(0, slices.gathered(n, first));
  const std::vector<int64_t> *lists[] = {&first, &inverse, &counts};
  for (size_t i = 0; i < 3; ++i)
    if (n.wants(i + 1))
      n.out(i + 1, n.addInts(*lists[i]));
}

std::vector<Row> smex::frontend::selectionRows() {
  return {{"NonZero", 1, convertNonZero},
          {"Compress", 1, convertCompress},
          {"Unique", 11, convertUnique}};
}
