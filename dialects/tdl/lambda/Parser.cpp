#include "dialects/tdl/lambda/Parser.h"

#include "dialects/tdl/lambda/Scoped.h"

using namespace smex;
using namespace smex::tdl;

namespace {

constexpr int notPrecedence = 2, comparisonPrecedence = 3;

struct Operator {
  std::string_view spelling;
  BinaryOp op;
  int precedence;
};
constexpr Operator operators[] = {
    {"or", BinaryOp::Or, 0},       {"and", BinaryOp::And, 1},
    {"==", BinaryOp::Eq, 3},       {"!=", BinaryOp::Ne, 3},
    {"<", BinaryOp::Lt, 3},        {"<=", BinaryOp::Le, 3},
    {">", BinaryOp::Gt, 3},        {">=", BinaryOp::Ge, 3},
    {"+", BinaryOp::Add, 4},       {"-", BinaryOp::Sub, 4},
    {"*", BinaryOp::Mul, 5},       {"/", BinaryOp::Div, 5},
    {"//", BinaryOp::FloorDiv, 5}, {"%", BinaryOp::Mod, 5},
};

std::string described(const Token &token) {
  if (token.kind == TokenKind::End)
    return token.text.empty() ? "the end" : "the next operator";
  return "'" + std::string(token.text) + "'";
}

} // namespace

bool Parser::fail(Place place, std::string message) {
  if (!problem)
    problem = smex::fail(toString(file, place), message);
  return false;
}

bool Parser::failExpected(std::string_view what) {
  return fail(peek().place,
              "expected " + std::string(what) + ", got " + described(peek()));
}

Token Parser::next() {
  const Token token = peek();
  if (at + 1 < tokens.size())
    ++at;
  return token;
}

bool Parser::isAt(std::string_view text, size_t ahead) const {
  const Token &token = peek(ahead);
  return (token.kind == TokenKind::Symbol || token.kind == TokenKind::Name) &&
         token.text == text;
}

bool Parser::accept(std::string_view text) {
  if (failed() || !isAt(text))
    return false;
  next();
  return true;
}

bool Parser::expect(std::string_view text) {
  return accept(text) || failExpected("'" + std::string(text) + "'");
}

std::optional<Token> Parser::name(std::string_view what) {
  if (peek().kind != TokenKind::Name) {
    failExpected(what);
    return std::nullopt;
  }
  if (isReserved(peek().text) || !isName(peek().text)) {
    fail(peek().place, "'" + std::string(peek().text) +
                           "' can't be the name of " + std::string(what));
    return std::nullopt;
  }
  return next();
}

/// Every recursion counts its nesting; brackets around each level of a value
/// double it.
bool Parser::tooDeep() {
  if (nesting <= 2 * maxDepth + 8)
    return false;
  fail(peek().place, "nesting deeper than " + std::to_string(maxDepth));
  return true;
}

NodeRef Parser::make(Node node) {
  const auto count = [&](const NodeRef &child) {
    if (child)
      node.depth = std::max(node.depth, child->depth + 1);
  };
  for (const NodeRef &child : node.children)
    count(child);
  for (const NodeRef &child : node.result)
    count(child);
  for (const Binder &binder : node.binders)
    count(binder.extent);
  count(node.otherwise);
  count(node.guard);
  // A little more than an expression may have: f32(1) and -x are printed for
  // single constants.
  if (node.depth > maxDepth + 4) {
    fail(node.place, "nesting deeper than " + std::to_string(maxDepth));
    return nullptr;
  }
  return std::make_shared<const Node>(std::move(node));
}

NodeRef Parser::make(NodeKind kind, Place place,
                     std::vector<NodeRef> children) {
  Node node;
  node.kind = kind;
  node.place = place;
  node.children = std::move(children);
  return make(std::move(node));
}

NodeRef Parser::value() {
  const Place place = peek().place;
  NodeRef then = operation(0);
  if (!then || !accept("if"))
    return then;
  NodeRef condition;
  {
    Scoped<bool> scope(inCondition, true);
    condition = operation(0);
  }
  if (!condition || !expect("else"))
    return nullptr;
  Scoped<int> scope(nesting, nesting + 1);
  if (tooDeep())
    return nullptr;
  NodeRef otherwise = value();
  if (!otherwise)
    return nullptr;
  return make(NodeKind::Select, place, {condition, then, otherwise});
}

NodeRef Parser::sum() { return operation(4); }

NodeRef Parser::operation(int precedence) {
  const Place start = peek().place;
  NodeRef left;
  if (precedence <= notPrecedence && accept("not")) {
    Scoped<int> scope(nesting, nesting + 1);
    if (tooDeep())
      return nullptr;
    NodeRef operand = operation(notPrecedence);
    if (!operand)
      return nullptr;
    Node node;
    node.kind = NodeKind::Unary;
    node.place = start;
    node.unary = UnaryOp::Not;
    node.children = {operand};
    left = make(std::move(node));
  } else {
    left = unary();
  }
  bool compared = false;
  while (left) {
    const Operator *op = nullptr;
    for (const Operator &candidate : operators)
      if (candidate.precedence >= precedence && isAt(candidate.spelling))
        op = &candidate;
    if (!op)
      return left;
    const Place place = next().place;
    const bool compares = op->precedence == comparisonPrecedence;
    if (compares && compared) {
      fail(place, "comparisons don't chain: write a < b and b < c");
      return nullptr;
    }
    compared = compares;
    NodeRef right = operation(op->precedence + 1);
    if (!right)
      return nullptr;
    Node node;
    node.kind = NodeKind::Binary;
    node.place = place;
    node.binary = op->op;
    node.children = {left, right};
    left = make(std::move(node));
  }
  return nullptr;
}

NodeRef Parser::unary() {
  Scoped<int> scope(nesting, nesting + 1);
  const Place place = peek().place;
  if (tooDeep())
    return nullptr;
  if (accept("+"))
    return unary();
  if (accept("-")) {
    const bool isNumber =
        peek().kind == TokenKind::Integer || peek().kind == TokenKind::Real;
    Node node;
    node.place = place;
    if (isNumber && !isAt("**", 1)) {
      const Token token = next();
      const bool isReal = token.kind == TokenKind::Real;
      node.kind = isReal ? NodeKind::Real : NodeKind::Integer;
      node.integer = -token.integer;
      node.real = -token.real;
      return make(std::move(node));
    }
    NodeRef operand = unary();
    if (!operand)
      return nullptr;
    node.kind = NodeKind::Unary;
    node.unary = UnaryOp::Neg;
    node.children = {operand};
    return make(std::move(node));
  }
  NodeRef base = postfix();
  const Place operatorPlace = peek().place;
  if (!base || !accept("**"))
    return base;
  NodeRef exponent = unary();
  if (!exponent)
    return nullptr;
  Node node;
  node.kind = NodeKind::Binary;
  node.place = operatorPlace;
  node.binary = BinaryOp::Pow;
  node.children = {base, exponent};
  return make(std::move(node));
}

NodeRef Parser::postfix() {
  NodeRef node = primary();
  while (node) {
    const Place place = peek().place;
    if (isAt("[")) {
      Node access;
      access.kind = NodeKind::Subscript;
      access.place = node->place;
      access.children = {node};
      if (!subscript(access.children))
        return nullptr;
      if (!inCondition && accept("else")) {
        access.otherwise = unary();
        if (!access.otherwise)
          return nullptr;
      }
      node = make(std::move(access));
    } else if (accept("...")) {
      node = make(NodeKind::Spread, place, {node});
    } else {
      return node;
    }
  }
  return nullptr;
}

NodeRef Parser::primary() {
  Scoped<bool> scope(inCondition, false);
  const Token token = peek();
  Node node;
  node.place = token.place;
  node.text = std::string(token.text);
  switch (token.kind) {
  case TokenKind::Integer:
    node.kind = NodeKind::Integer;
    node.integer = next().integer;
    return make(std::move(node));
  case TokenKind::Real:
    node.kind = NodeKind::Real;
    node.real = next().real;
    return make(std::move(node));
  case TokenKind::String:
    node.kind = NodeKind::String;
    next();
    return make(std::move(node));
  case TokenKind::Name:
    return nameOrCall();
  default:
    break;
  }
  if (accept("(")) {
    NodeRef inner = value();
    return inner && expect(")") ? inner : nullptr;
  }
  if (accept("[")) {
    node.kind = NodeKind::List;
    return list("]", node.children) ? make(std::move(node)) : nullptr;
  }
  if (isAt("@"))
    return opaque();
  failExpected("a value");
  return nullptr;
}

NodeRef Parser::nameOrCall() {
  Node node;
  node.place = peek().place;
  node.text = std::string(peek().text);
  if (parseReducer(node.text))
    return reduction();
  for (std::string_view keyword :
       {"lambda", "if", "else", "and", "or", "not", "where", "return"})
    if (node.text == keyword) {
      failExpected("a value");
      return nullptr;
    }
  next();
  node.kind = NodeKind::Name;
  if (accept("(")) {
    node.kind = NodeKind::Call;
    if (!list(")", node.children))
      return nullptr;
  }
  return make(std::move(node));
}
