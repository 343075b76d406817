#include "dialects/tdl/lambda/Lambda.h"

#include <limits>

using namespace smex;
using namespace smex::tdl;

namespace {

/// The least or greatest value of a type; floats have infinities.
ExprRef bound(DType type, bool greatest) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (isFloat(type))
    return constant(greatest ? infinity : -infinity, type);
  if (type == DType::Bool)
    return constant(int64_t(greatest), type);
  const int bits = int(byteSize(type)) * 8;
  if (isUnsigned(type)) // -1 wraps to all ones
    return constant(int64_t(greatest ? -1 : 0), type);
  const int64_t top = int64_t(~uint64_t(0) >> (65 - bits));
  return constant(greatest ? top : -top - 1, type);
}

} // namespace

ExprRef tdl::identity(Reducer reducer, DType type) {
  switch (reducer) {
  case Reducer::Max:
    return bound(type, false);
  case Reducer::Min:
    return bound(type, true);
  case Reducer::Prod:
    return constant(1, type);
  default:
    return constant(0, type);
  }
}

Lambda tdl::canonicalize(Lambda lambda) {
  const auto rename = [](auto &items, char prefix, auto nameOf) {
    for (size_t i = 0; i < items.size(); ++i)
      nameOf(items[i]) = prefix + std::to_string(i);
  };
  const auto self = [](std::string &name) -> std::string & { return name; };
  rename(lambda.operands, 'x',
         [](Operand &o) -> std::string & { return o.name; });
  rename(lambda.outputs, 'i', self);
  rename(lambda.reductions, 'r', self);
  return lambda;
}
