#include "dialects/tdl/lambda/Lambda.h"
#include "dialects/tdl/lambda/Lexer.h"
#include "dialects/tdl/lambda/Opaque.h"

#include <algorithm>
#include <set>

using namespace smex;
using namespace smex::tdl;

namespace {

class Verifier {
public:
  explicit Verifier(const Lambda &lambda) : lambda(lambda) {}

  Status run() {
    if (Status names = verifyNames(); !names)
      return names;
    const bool reduces = lambda.reducer != Reducer::None;
    if (reduces != !lambda.reductions.empty())
      return fail(reduces ? "a reduction needs index variables of its own"
                          : "index variables of a reduction, but no reducer");
    if (lambda.guard && !reduces)
      return fail("a guard ('where') needs a reducer");
    if (!lambda.body)
      return fail("the lambda has no body");
    if ((lambda.reducer == Reducer::Sum || lambda.reducer == Reducer::Prod) &&
        lambda.result == DType::Bool)
      return fail(name(lambda.reducer), " is not defined for bool");
    if (lambda.body->type != lambda.result)
      return fail("the body has type ", name(lambda.body->type),
                  ", the result ", name(lambda.result));
    if (lambda.guard && lambda.guard->type != DType::Bool)
      return fail("the guard has type ", name(lambda.guard->type),
                  ", not bool");
    for (const ExprRef &e : {lambda.body, lambda.guard})
      if (e && (e->depth > maxDepth || e->size > maxSize))
        return fail("the expression is too large");
    if (lambda.body->kind == ExprKind::Opaque) {
      if (reduces)
        return fail("an opaque function can't be reduced in the same lambda");
      return verifyOpaque(*lambda.body);
    }
    if (Status body = verifyExpr(*lambda.body); !body || !lambda.guard)
      return body;
    return verifyExpr(*lambda.guard);
  }

private:
  Status verifyNames() {
    std::set<std::string_view> seen;
    const auto add = [&](const std::string &text) -> Status {
      if (!isName(text) || isReserved(text))
        return fail("'", text, "' can't be a name");
      if (!seen.insert(text).second)
        return fail("the name '", text, "' is given twice");
      return {};
    };
    for (const Operand &operand : lambda.operands) {
      if (Status fits = add(operand.name); !fits)
        return fits;
      if (operand.rank < 0)
        return fail("operand '", operand.name, "' has a negative rank");
    }
    for (int i = 0; i < lambda.indexCount(); ++i)
      if (Status fits = add(lambda.indexName(i)); !fits)
        return fits;
    return {};
  }

  Status verifyIndices(const std::vector<ExprRef> &index) {
    for (const ExprRef &e : index) {
      if (!e)
        continue;
      if (e->type != DType::I64)
        return fail("an index has type ", name(e->type), ", not i64");
      if (Status fits = verifyExpr(*e); !fits)
        return fits;
    }
    return {};
  }

  Status verifyOperand(int number, int dim) {
    if (number < 0 || number >= int(lambda.operands.size()))
      return fail("there is no operand ", number);
    const Operand &operand = lambda.operands[size_t(number)];
    if (dim < 0 || dim >= operand.rank)
      return fail("operand '", operand.name, "' has no dimension ", dim);
    return {};
  }

  Status verifyArity(int number, size_t count) {
    if (number < 0 || number >= int(lambda.operands.size()))
      return fail("there is no operand ", number);
    const Operand &operand = lambda.operands[size_t(number)];
    if (count != size_t(operand.rank))
      return fail("operand '", operand.name, "' has rank ", operand.rank,
                  ", read with ", count, " indices");
    return {};
  }

  Status verifyRead(const Expr &e) {
    if (Status arity = verifyArity(e.operand, e.children.size()); !arity)
      return arity;
    const Operand &operand = lambda.operands[size_t(e.operand)];
    if (e.type != operand.type)
      return fail("operand '", operand.name, "' is read as ", name(e.type));
    if (std::count(e.children.begin(), e.children.end(), nullptr))
      return fail("an index of '", operand.name, "' is missing");
    if (Status index = verifyIndices(e.children); !index || !e.otherwise)
      return index;
    if (e.otherwise->type != e.type)
      return fail("'else' of operand '", operand.name, "' has type ",
                  name(e.otherwise->type));
    return verifyExpr(*e.otherwise);
  }

  Status verifyOpaque(const Expr &e) {
    const OpaqueFunction *function = findOpaque(e.function);
    if (!function)
      return fail("there is no opaque function '", e.function, "'");
    if (e.slices.size() != function->slices.size() ||
        e.arguments.size() != function->arguments.size() ||
        int(e.children.size()) != function->resultRank)
      return fail("wrong number of arguments of '", e.function, "'");
    for (size_t i = 0; i < e.slices.size(); ++i) {
      const Expr::Slice &slice = e.slices[i];
      if (Status arity = verifyArity(slice.operand, slice.index.size()); !arity)
        return arity;
      if (std::count(slice.index.begin(), slice.index.end(), nullptr) !=
          function->slices[i])
        return fail("wrong rank of a slice of '", e.function, "'");
      if (Status index = verifyIndices(slice.index); !index)
        return index;
    }
    if (!e.slices.empty() &&
        function->resultType(
            lambda.operands[size_t(e.slices[0].operand)].type) != e.type)
      return fail("wrong type of '", e.function, "'");
    if (std::count(e.children.begin(), e.children.end(), nullptr))
      return fail("a result index of '", e.function, "' is missing");
    return verifyIndices(e.children);
  }

  Status verifyChildren(const Expr &e, size_t count) {
    if (e.children.size() != count ||
        std::count(e.children.begin(), e.children.end(), nullptr))
      return fail("an operation lacks operands");
    for (const ExprRef &child : e.children)
      if (Status fits = verifyExpr(*child); !fits)
        return fits;
    return {};
  }

  Status verifyExpr(const Expr &e) {
    switch (e.kind) {
    case ExprKind::Index:
      if (e.type != DType::I64 || e.index < 0 || e.index >= lambda.indexCount())
        return fail("there is no index variable ", e.index);
      return {};
    case ExprKind::Extent:
      if (e.type != DType::I64)
        return fail("an extent is not i64");
      return verifyOperand(e.operand, e.dim);
    case ExprKind::Int:
    case ExprKind::Float:
      if (isFloat(e.type) != (e.kind == ExprKind::Float))
        return fail("a constant has the wrong type ", name(e.type));
      return {};
    case ExprKind::Read:
      return verifyRead(e);
    case ExprKind::Opaque:
      return fail("'@", e.function, "' must be the whole body");
    case ExprKind::Cast:
      return verifyChildren(e, 1);
    case ExprKind::Unary: {
      if (Status child = verifyChildren(e, 1); !child)
        return child;
      const DType type = e.children[0]->type;
      const bool tests = e.unary == UnaryOp::IsNan || e.unary == UnaryOp::IsInf;
      if (!accepts(e.unary, type) || e.type != (tests ? DType::Bool : type))
        return fail("'", spelling(e.unary), "' is not defined for ",
                    name(type));
      return {};
    }
    case ExprKind::Binary: {
      if (Status children = verifyChildren(e, 2); !children)
        return children;
      const DType type = e.children[0]->type;
      if (type != e.children[1]->type || !accepts(e.binary, type) ||
          e.type != (isComparison(e.binary) ? DType::Bool : type))
        return fail("'", spelling(e.binary, type), "' is not defined for ",
                    name(type), " and ", name(e.children[1]->type));
      return {};
    }
    case ExprKind::Select:
      if (Status children = verifyChildren(e, 3); !children)
        return children;
      if (e.children[0]->type != DType::Bool || e.children[1]->type != e.type ||
          e.children[2]->type != e.type)
        return fail("'if' chooses between different types");
      return {};
    }
    return fail("an expression of unknown kind");
  }

  const Lambda &lambda;
};

} // namespace

Status tdl::verify(const Lambda &lambda) { return Verifier(lambda).run(); }
