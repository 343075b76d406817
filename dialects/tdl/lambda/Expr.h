// Expressions of the tensor description language (thesis section 3.4.1): what a
// lambda computes at one coordinate. Immutable, shared trees without MLIR, so
// that analyses, the reference interpreter and gradients are plain functions
// over them.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_EXPR_H
#define SMEX_DIALECTS_TDL_LAMBDA_EXPR_H

#include "dialects/support/DType.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace smex::tdl {

class Expr;
using ExprRef = std::shared_ptr<const Expr>;

/// What a node of an expression is.
enum class ExprKind : uint8_t {
  Index,  // an index variable of the lambda: i64
  Extent, // the full extent of dimension `dim` of operand `operand`: i64
  Int,    // a constant of integer type or bool
  Float,  // a constant of float type
  Read,   // operand[index...]; out of range: `otherwise`, where given
  Unary,
  Binary,
  Select, // condition, then, else
  Cast,
  Opaque, // element [index...] of an opaque function of slices of operands
};

enum class UnaryOp : uint8_t {
  Neg,
  Not,
  BitNot,
  Abs,
  Sign,
  Floor,
  Ceil,
  Round /* half to even */,
  Trunc,
  Exp,
  Log,
  Sqrt,
  Erf,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
  IsNan,
  IsInf,
};

enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,      // value division; integers truncate toward zero
  FloorDiv, // rounds toward negative infinity, at any type
  Mod,      // the rest of FloorDiv: the sign of the divisor
  Rem,      // the rest of truncating division (fmod): the sign of the dividend
  Pow,
  Min,
  Max /* both: NaN if either is */,
  Atan2,
  And,
  Or,
  Xor, // bool: logical; integers: bitwise
  Shl,
  Shr,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
};

/// One node. Build with the functions below: they fold constants and apply
/// x+0, x*1, x*0 (index only), x//1, x%1, and keep index sums flat enough to
/// compare as text.
class Expr {
public:
  ExprKind kind;
  DType type;

  int index = -1;   // Index: number among the lambda's variables, outputs first
  int operand = -1; // Read, Extent
  int dim = -1;     // Extent
  int64_t integer = 0;
  double real = 0;
  UnaryOp unary{};
  BinaryOp binary{};
  /// Read: one per dimension of the operand. Unary 1, Binary 2, Select 3
  /// (condition, then, else), Cast 1. Opaque: the result indices.
  std::vector<ExprRef> children;
  ExprRef otherwise; // Read: value out of range; null: reads are in range

  /// Opaque: the function's name, its constant arguments, and per operand
  /// slice the operand and, per dimension, an index expression (batch
  /// dimension) or null (the whole dimension, a `:`).
  struct Slice {
    int operand;
    std::vector<ExprRef> index;
  };
  std::string function;
  std::vector<double> arguments;
  std::vector<Slice> slices;

  /// Longest path to a leaf, and nodes counted as a tree (up to 2^40): what
  /// keeps recursion and the walks below bounded. See verify.
  int depth = 1;
  int64_t size = 1;
};

/// Expressions deeper or larger than this are refused by verify and by the
/// parsers, so that every recursive function over them is safe.
inline constexpr int maxDepth = 200;
inline constexpr int64_t maxSize = 1 << 14;

ExprRef indexVar(int index);
ExprRef extentOf(int operand, int dim);
ExprRef constant(int64_t value, DType type = DType::I64);
ExprRef constant(double value, DType type);
inline ExprRef constant(int value, DType type = DType::I64) {
  return constant(int64_t(value), type);
}
ExprRef read(int operand, DType type, std::vector<ExprRef> index,
             ExprRef otherwise = nullptr);
ExprRef unary(UnaryOp op, ExprRef a);
/// Operands have the same type; comparisons give bool.
ExprRef binary(BinaryOp op, ExprRef a, ExprRef b);
ExprRef select(ExprRef condition, ExprRef a, ExprRef b);
ExprRef cast(DType type, ExprRef a);
ExprRef opaque(std::string function, DType type, std::vector<double> arguments,
               std::vector<Expr::Slice> slices, std::vector<ExprRef> index);

bool isComparison(BinaryOp op);
/// True if the operation is defined for operands of this type.
bool accepts(UnaryOp op, DType type);
bool accepts(BinaryOp op, DType type);
/// Spelling in text: "-" or "exp"; "+" or "min" (bool: "and", integers
/// "bitand").
std::string_view spelling(UnaryOp op);
std::string_view spelling(BinaryOp op, DType type);
inline bool isConstant(const ExprRef &e) {
  return e->kind == ExprKind::Int || e->kind == ExprKind::Float;
}
bool equal(const ExprRef &a, const ExprRef &b);
/// True if the expression reads any operand (then an index made of it is
/// data-dependent).
bool readsData(const ExprRef &e);
/// True if index variable `index` occurs.
bool uses(const ExprRef &e, int index);

/// Rebuilds an expression bottom-up; `rewrite` gets each rebuilt node and
/// returns its replacement or null to keep it.
template <typename F> ExprRef transform(const ExprRef &e, F &&rewrite);
/// The node with new children (and otherwise, slices kept in shape), folded.
ExprRef withChildren(const Expr &e, std::vector<ExprRef> children,
                     ExprRef otherwise, std::vector<Expr::Slice> slices);

template <typename F> ExprRef transform(const ExprRef &e, F &&rewrite) {
  if (!e)
    return e;
  std::vector<ExprRef> children;
  for (const ExprRef &child : e->children)
    children.push_back(transform(child, rewrite));
  std::vector<Expr::Slice> slices = e->slices;
  for (Expr::Slice &slice : slices)
    for (ExprRef &child : slice.index)
      child = transform(child, rewrite);
  ExprRef rebuilt =
      withChildren(*e, std::move(children), transform(e->otherwise, rewrite),
                   std::move(slices));
  ExprRef replaced = rewrite(rebuilt);
  return replaced ? replaced : rebuilt;
}

/// Rebuilds an expression from the leaves up; `make` gets each original node
/// with its new children. (transform hands out the rebuilt node: where that
/// folds to something already replaced, it would be replaced twice.)
template <typename F> ExprRef rebuild(const ExprRef &e, F &&make) {
  if (!e)
    return e;
  std::vector<ExprRef> children;
  for (const ExprRef &child : e->children)
    children.push_back(rebuild(child, make));
  std::vector<Expr::Slice> slices = e->slices;
  for (Expr::Slice &slice : slices)
    for (ExprRef &child : slice.index)
      child = rebuild(child, make);
  ExprRef otherwise = rebuild(e->otherwise, make);
  return make(*e, std::move(children), std::move(otherwise), std::move(slices));
}

/// The expression with each index variable replaced by its value, all at once;
/// a null value leaves the variable.
ExprRef substitute(const ExprRef &e, const std::vector<ExprRef> &values);

/// Calls `visit` on every node, parents first.
template <typename F> void walk(const ExprRef &e, F &&visit) {
  if (!e)
    return;
  visit(e);
  for (const ExprRef &child : e->children)
    walk(child, visit);
  for (const Expr::Slice &slice : e->slices)
    for (const ExprRef &child : slice.index)
      walk(child, visit);
  walk(e->otherwise, visit);
}

} // namespace smex::tdl

#endif
