#include "compiler/frontend/onnx/Narrow.h"

#include <cmath>

using namespace smex;
using namespace smex::frontend;

static ElementType elementTypeOf(const Node &n, int64_t number) {
  const int type = number < 0 || number > 1000 ? 0 : int(number);
  if (const NarrowType *narrow = narrowType(type))
    return {narrow->storage, narrow};
  const auto dtype = dtypeOf(type);
  if (!dtype)
    n.refuse("elements of type ", onnxTypeName(type), " are not supported");
  return {*dtype, nullptr};
}

ElementType smex::frontend::elementType(Node &n, const char *name) {
  return elementTypeOf(n, n.elementNumber(name));
}

ElementType smex::frontend::elementType(Node &n, const char *name,
                                        ElementType otherwise) {
  const int64_t number = n.elementNumber(name, 0);
  return number == 0 ? otherwise : elementTypeOf(n, number);
}

ElementType smex::frontend::operandType(const Node &n, size_t i) {
  if (n.has(i) && isStored(n.inputs[i])) {
    const NarrowType *narrow = narrowType(n.builder.stored(n.inputs[i]).type);
    return {narrow->storage, narrow};
  }
  return {n.inType(i).dtype, nullptr};
}

ValueId smex::frontend::storedOperand(const Node &n, size_t i) {
  return n.has(i) && isStored(n.inputs[i])
             ? n.builder.stored(n.inputs[i]).elements
             : n.in(i);
}

ValueId smex::frontend::asType(Node &n, ValueId stored, ElementType type) {
  return type.narrow ? n.builder.addStored(stored, type.narrow->number)
                     : stored;
}

Rounding smex::frontend::roundingOf(Node &n) {
  Rounding rounding;
  rounding.saturate = n.integer("saturate", 1) != 0;
  const std::string mode = n.text("round_mode", "up");
  n.require(mode == "up" || mode == "down" || mode == "nearest",
            "round_mode is not known");
  rounding.mode = mode == "up"     ? RoundMode::Up
                  : mode == "down" ? RoundMode::Down
                                   : RoundMode::Nearest;
  return rounding;
}

ValueId smex::frontend::widen(Node &n, ValueId stored, ElementType from,
                              DType to) {
  if (!from.narrow || !from.narrow->isFloat())
    return n.cast(stored, to);
  std::vector<double> numbers;
  for (int code = 0; code < 256; ++code)
    numbers.push_back(numberOf(*from.narrow, code));
  const DType type = to == DType::F64 ? DType::F64 : DType::F32;
  const ValueId table = n.addReals(numbers, {256}, type);
  return n.cast(n.apply("look_up", {stored, table}), to);
}

/// From these numbers on, in steps of the type that is rounded, a magnitude
/// gets code 1, 2, .. and, last, what is beyond all numbers: its code is how
/// many of them it reaches.
static std::vector<double> codeBounds(const NarrowType &type, RoundMode mode,
                                      DType from) {
  const auto above = [&](double number) {
    constexpr float most = std::numeric_limits<float>::infinity();
    return from == DType::F64 ? std::nextafter(number, double(most))
                              : double(std::nextafter(float(number), most));
  };
  // The next power of two after the largest is no number of the type.
  const auto number = [&](int code) {
    return code <= type.most
               ? numberOf(type, code)
               : 2 * numberOf(type, type.most) - numberOf(type, type.most - 1);
  };
  std::vector<double> bounds;
  for (int code = 1; code <= type.most + 1; ++code) {
    const double low = number(code - 1);
    if (type.isPower()) {
      const double high = 2 * low;
      bounds.push_back(mode == RoundMode::Up     ? above(low)
                       : mode == RoundMode::Down ? high
                                                 : low * 1.5);
      continue;
    }
    const double middle = (low + number(code)) / 2; // to the even code
    bounds.push_back(code % 2 == 0 ? middle : above(middle));
  }
  return bounds;
}

ValueId smex::frontend::castTo(Node &n, ValueId x, ElementType to,
                               Rounding rounding) {
  if (!to.narrow)
    return n.cast(x, to.dtype);
  const NarrowType &type = *to.narrow;
  if (!type.isFloat()) {
    const int64_t half = type.storage == DType::I8 ? 1 << (type.bits - 1) : 0;
    return n.apply("wrap", {n.cast(x, DType::I64)},
                   {{"half", half},
                    {"mask", int64_t((1 << type.bits) - 1)},
                    {"to", type.storage}});
  }
  const DType from = n.type(x).dtype == DType::F64 || !isFloat(n.type(x).dtype)
                         ? DType::F64
                         : DType::F32;
  x = n.cast(x, from);
  const auto bounds = codeBounds(type, rounding.mode, from);
  const ValueId table = n.addReals(bounds, {int64_t(bounds.size())}, from);
  const ValueId codes = n.apply("codes", {x, table});
  // Below the smallest power of two there is only what is no number.
  const double least =
      type.isPower() && !rounding.saturate ? numberOf(type, 0) : 0.0;
  return n.apply(
      "narrow_float", {x, codes},
      {{"most", int64_t(type.most)},
       {"beyond", int64_t(rounding.saturate ? type.most : type.beyond)},
       {"none", int64_t(type.nan)},
       {"least", least},
       {"sign", int64_t(type.isPower() ? 0 : 1 << (type.bits - 1))},
       {"zeros", int64_t(type.hasNegativeZero())}});
}

Result<ValueId> smex::frontend::addStoredTensor(Builder &builder,
                                                const std::string &name,
                                                StoredTensor stored,
                                                bool isWeight) {
  const ValueId v =
      isWeight ? builder.addParameter(name, stored.type, std::move(stored.data))
               : builder.addConstant(name, stored.type, std::move(stored.data));
  if (!stored.narrow)
    return v;
  const NarrowType &type = *stored.narrow;
  if (type.bits == 8)
    return builder.addStored(v, type.number);
  builder.keepPacked(v);
  // Whole bytes in rows, or all elements in one.
  const std::vector<int64_t> &shape = stored.shape;
  const bool rows = stored.type.shape.size() == shape.size();
  const int64_t half = type.storage == DType::I8 ? 1 << (type.bits - 1) : 0;
  auto elements =
      builder.apply("unpack", {v},
                    {{"n", rows ? shape.back() : *elementCount(shape)},
                     {"bits", int64_t(type.bits)},
                     {"mask", int64_t((1 << type.bits) - 1)},
                     {"half", half},
                     {"to", type.storage}},
                    name);
  if (elements && !rows)
    elements = builder.apply("reshape", *elements, {{"out", shape}}, name);
  if (!elements)
    return elements.takeError();
  return builder.addStored(elements->at(0), type.number);
}

void smex::frontend::convertMoving(Node &n,
                                   const std::function<void(Node &)> &convert) {
  const NarrowType *type = nullptr;
  for (size_t i = 0; i < n.inputs.size(); ++i)
    if (n.has(i) && isStored(n.inputs[i])) {
      const NarrowType *narrow = operandType(n, i).narrow;
      n.require(!type || type == narrow, "its operands' types differ");
      type = narrow;
      n.inputs[i] = storedOperand(n, i);
    }
  convert(n);
  if (!type)
    return;
  for (ValueId &v : n.outputs)
    if (v >= 0 && !isSequence(v) && !isStored(v) &&
        n.type(v).dtype == type->storage)
      v = n.builder.addStored(v, type->number);
}
