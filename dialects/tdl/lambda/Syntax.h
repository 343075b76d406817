// The text of a value or lambda as a tree, before anything is known about
// names, types and shapes. Shared by the text form of a Lambda and by operator
// templates, which add packs (`i...`) and nested reductions.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_SYNTAX_H
#define SMEX_DIALECTS_TDL_LAMBDA_SYNTAX_H

#include "dialects/tdl/lambda/Lambda.h"
#include "dialects/tdl/lambda/Lexer.h"

namespace smex::tdl {

struct Node;
using NodeRef = std::shared_ptr<const Node>;

enum class NodeKind : uint8_t {
  Integer,
  Real,
  String,
  Name,
  List,      // [children]
  Unary,     // unary(child)
  Binary,    // binary(children): And, Or are logical here
  Select,    // condition, then, else
  Call,      // text(children)
  Subscript, // children[0][the others], otherwise
  Range, // a:b in a subscript, either may be null; both null: a whole dimension
  Reduce, // reducer(lambda binders: children[0] where guard)
  Opaque, // @text(children)[result]
  Spread, // child...
};

/// `i < extent` or `i... < extents...` of a lambda.
struct Binder {
  std::string name;
  bool isPack = false;
  NodeRef extent; // null where none was written
  Place place;
};

struct Node {
  NodeKind kind;
  Place place;
  std::string text;
  int64_t integer = 0;
  double real = 0;
  UnaryOp unary{};
  BinaryOp binary{};
  std::vector<NodeRef> children;
  NodeRef otherwise;
  std::vector<NodeRef> result;
  Reducer reducer = Reducer::None;
  std::vector<Binder> binders;
  NodeRef guard;
  int depth = 1;
};

/// `lambda binders: body`
struct LambdaSyntax {
  Place place;
  std::vector<Binder> binders;
  NodeRef body;
};

} // namespace smex::tdl

#endif
