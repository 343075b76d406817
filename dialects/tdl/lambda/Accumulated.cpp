#include "dialects/tdl/lambda/Accumulated.h"

using namespace smex;
using namespace smex::tdl;

namespace {

/// The value of a 16-bit float expression, its operations in f32. What the
/// expression itself converts to 16 bits stays converted.
ExprRef inF32(const ExprRef &e) {
  if (!is16Bit(e->type))
    return e;
  const auto child = [&](size_t i) { return inF32(e->children[i]); };
  switch (e->kind) {
  case ExprKind::Float:
    return constant(e->real, DType::F32);
  case ExprKind::Unary:
    return unary(e->unary, child(0));
  case ExprKind::Binary:
    return binary(e->binary, child(0), child(1));
  case ExprKind::Select:
    return select(e->children[0], child(1), child(2));
  default:
    return cast(DType::F32, e);
  }
}

} // namespace

DType tdl::partialType(Reducer reducer, DType result) {
  const bool rounds = reducer == Reducer::Sum || reducer == Reducer::Prod;
  return rounds && is16Bit(result) ? DType::F32 : result;
}

Lambda tdl::accumulated(const Lambda &lambda) {
  Lambda made = lambda;
  made.result = partialType(lambda.reducer, lambda.result);
  if (made.result == lambda.result)
    return made;
  made.body = inF32(lambda.body);
  if (made.body->depth > maxDepth || made.body->size > maxSize)
    made.body = cast(made.result, lambda.body);
  return made;
}
