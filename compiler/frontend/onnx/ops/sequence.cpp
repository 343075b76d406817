// Sequences of tensors whose lengths are known at compile time: lists that the
// import keeps, of which nothing is left in the model.
#include "compiler/frontend/onnx/Table.h"

using namespace smex;
using namespace smex::frontend;

/// A place in a sequence, negative from the end.
static size_t place(Node &n, size_t operand, size_t size) {
  int64_t at = n.constantInt(operand);
  at = at < 0 ? at + int64_t(size) : at;
  if (at < 0 || at >= int64_t(size))
    n.refuse("place ", at, " is out of range for ", size, " elements");
  return size_t(at);
}

static void convertEmpty(Node &n) {
  n.ignore("dtype");
  n.out(0, n.addSequence({}));
}

static void convertConstruct(Node &n) {
  std::vector<ValueId> elements;
  for (size_t i = 0; i < n.inputs.size(); ++i)
    elements.push_back(n.in(i));
  n.out(0, n.addSequence(std::move(elements)));
}

static void convertAt(Node &n) {
  const auto elements = n.sequence(0);
  n.out(0, elements[place(n, 1, elements.size())]);
}

static void convertLength(Node &n) {
  n.out(0, n.reshape(n.addInts({int64_t(n.sequence(0).size())}), {}));
}

static void convertInsert(Node &n) {
  auto elements = n.sequence(0);
  const int64_t size = int64_t(elements.size());
  int64_t at = n.has(2) ? n.constantInt(2) : size;
  at = at < 0 ? at + size : at; // -1 is before the last one
  n.require(at >= 0 && at <= size, "its place is out of range");
  elements.insert(elements.begin() + at, n.in(1));
  n.out(0, n.addSequence(std::move(elements)));
}

static void convertErase(Node &n) {
  auto elements = n.sequence(0);
  n.require(!elements.empty(), "the sequence is empty");
  elements.erase(elements.begin() + (n.has(1) ? place(n, 1, elements.size())
                                              : elements.size() - 1));
  n.out(0, n.addSequence(std::move(elements)));
}

static void convertSplit(Node &n) {
  const int64_t axis = n.axis(n.integer("axis", 0), n.rank(0));
  const bool keep = n.integer("keepdims", 1) != 0 || n.has(1);
  const int64_t size = n.shape(0)[axis];
  std::vector<int64_t> parts;
  if (n.has(1) && n.rank(1) == 1) {
    parts = n.constantInts(1);
  } else {
    const int64_t part = n.has(1) ? n.constantInt(1) : 1;
    n.require(part > 0 && size / part < 100000,
              "the number of parts is impossible");
    for (int64_t at = 0; at < size; at += part)
      parts.push_back(std::min(part, size - at));
  }
  std::vector<ValueId> elements;
  int64_t at = 0;
  for (int64_t part : parts) {
    n.require(part >= 0 && part <= size - at,
              "its parts are larger than the whole");
    elements.push_back(keep ? n.slice(n.in(0), axis, at, part)
                            : n.take(n.in(0), axis, at));
    at += part;
  }
  n.out(0, n.addSequence(std::move(elements)));
}

static void convertConcat(Node &n) {
  auto elements = n.sequence(0);
  n.require(!elements.empty(), "the sequence is empty");
  const int64_t rank = n.type(elements[0]).rank();
  const bool stack = n.integer("new_axis", 0) != 0;
  const int64_t axis = n.axis(n.integer("axis"), rank + stack);
  if (stack)
    for (ValueId &element : elements) {
      std::vector<int64_t> shape = n.type(element).shape;
      n.require(axis <= int64_t(shape.size()), "its elements differ in rank");
      shape.insert(shape.begin() + axis, 1);
      element = n.reshape(element, shape);
    }
  n.out(0, n.concat(elements, axis));
}

static void convertOptional(Node &n) {
  n.ignore("type");
  n.out(0, n.has(0) ? n.inputs[0] : absentValue);
}

static void convertGetElement(Node &n) {
  n.require(n.has(0), "its operand has no value");
  n.out(0, n.inputs[0]);
}

static void convertHasElement(Node &n) {
  Tensor has = makeTensor({DType::Bool, {}});
  has.bytes[0] = std::byte(n.has(0));
  n.out(0, n.addConstant(std::move(has)));
}

std::vector<Row> smex::frontend::sequenceRows() {
  return {
      {"SequenceEmpty", 11, convertEmpty},
      {"SequenceConstruct", 11, convertConstruct},
      {"SequenceAt", 11, convertAt},
      {"SequenceLength", 11, convertLength},
      {"SequenceInsert", 11, convertInsert},
      {"SequenceErase", 11, convertErase},
      {"SplitToSequence", 11, convertSplit},
      {"ConcatFromSequence", 11, convertConcat},
      {"Optional", 15, convertOptional},
      {"OptionalGetElement", 15, convertGetElement},
      {"OptionalHasElement", 15, convertHasElement},
  };
}
