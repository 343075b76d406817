#include "dialects/tdl/lambda/Evaluator.h"
#include "dialects/tdl/lambda/Parser.h"

#include <algorithm>

using namespace smex;
using namespace smex::tdl;

namespace {

/// Ranks are small numbers; this keeps the text of a lambda from asking for
/// gigabytes.
constexpr int64_t maxRank = 1000;

constexpr std::string_view fileName = "lambda";

/// Values over the indices and operands of one lambda.
class LambdaEvaluator : public Evaluator {
public:
  explicit LambdaEvaluator(Lambda &lambda)
      : Evaluator(fileName), lambda(lambda) {}

  std::optional<ExprRef> typed(const NodeRef &node, DType type) {
    auto value = evaluate(node);
    if (!value)
      return std::nullopt;
    return at(node->place, asType(*value, type));
  }

private:
  std::optional<Value> name(const Node &node) override {
    for (int i = 0; i < lambda.indexCount(); ++i)
      if (lambda.indexName(i) == node.text)
        return Value::of(indexVar(i));
    return fail(node.place, "there is no index variable '" + node.text + "'");
  }
  std::optional<Array> array(std::string_view text) override {
    for (size_t i = 0; i < lambda.operands.size(); ++i)
      if (lambda.operands[i].name == text)
        return Array{int(i), lambda.operands[i].type, lambda.operands[i].rank};
    return std::nullopt;
  }
  std::optional<Value> reduction(const Node &node) override {
    return fail(node.place, "a reduction must be the whole value of a lambda");
  }
  std::optional<Value> call(const Node &node) override {
    if (node.text != "extent")
      return fail(node.place, "there is no function '" + node.text + "'");
    const std::string usage = "expected extent(operand, dimension)";
    if (node.children.size() != 2 || node.children[0]->kind != NodeKind::Name ||
        node.children[1]->kind != NodeKind::Integer)
      return fail(node.place, usage);
    const auto source = array(node.children[0]->text);
    const int64_t dim = node.children[1]->integer;
    if (!source)
      return fail(node.children[0]->place,
                  "there is no operand '" + node.children[0]->text + "'");
    if (dim < 0 || dim >= source->rank)
      return fail(node.children[1]->place,
                  "operand '" + node.children[0]->text + "' has no dimension " +
                      std::to_string(dim));
    return Value::of(extentOf(source->operand, int(dim)));
  }
  std::optional<Value> element(const Node &node) override {
    const Node &base = *node.children[0];
    if (base.kind == NodeKind::Name)
      return fail(node.place, "there is no operand '" + base.text + "'");
    return fail(node.place, "only operands can be read");
  }
  std::optional<Value> several(const Node &node) override {
    return fail(node.place, "packs and lists belong in templates");
  }

  Lambda &lambda;
};

class LambdaParser {
public:
  explicit LambdaParser(std::vector<Token> tokens)
      : parser(fileName, std::move(tokens)) {}

  Result<Lambda> run() {
    if (!operands() || !resultAndIndices())
      return parser.takeError();
    return build();
  }

private:
  bool operands() {
    if (!parser.expect("("))
      return false;
    if (parser.accept(")"))
      return true;
    do {
      const auto name = parser.name("an operand");
      Operand operand;
      if (!name || !unused(*name) || !parser.expect(":") ||
          !type(operand.type) || !parser.expect("[") || !rank(operand.rank) ||
          !parser.expect("]"))
        return false;
      operand.name = std::string(name->text);
      lambda.operands.push_back(std::move(operand));
    } while (parser.accept(","));
    return parser.accept(")") || parser.failExpected("',' or ')'");
  }

  bool type(DType &type) {
    const auto parsed = parseDType(parser.peek().text);
    if (!parsed)
      return parser.failExpected("a type");
    type = *parsed;
    parser.next();
    return true;
  }

  bool rank(int &rank) {
    const Token token = parser.peek();
    if (token.kind != TokenKind::Integer)
      return parser.failExpected("a rank");
    if (token.integer > maxRank)
      return parser.fail(token.place, "the rank is too large");
    rank = int(parser.next().integer);
    return true;
  }

  /// Names are given once in a lambda.
  bool unused(const Token &token) {
    return unused(std::string(token.text), token.place);
  }
  bool unused(const std::string &name, Place place) {
    if (std::find(names.begin(), names.end(), name) != names.end())
      return parser.fail(place, "the name '" + name + "' is given twice");
    names.push_back(name);
    return true;
  }

  bool indices(const std::vector<Binder> &binders,
               std::vector<std::string> &to) {
    for (const Binder &binder : binders) {
      if (binder.isPack || binder.extent)
        return parser.fail(binder.place,
                           "packs and extents belong in templates");
      if (int64_t(to.size()) >= maxRank)
        return parser.fail(binder.place, "too many index variables");
      if (!unused(binder.name, binder.place))
        return false;
      to.push_back(binder.name);
    }
    return true;
  }

  bool resultAndIndices() {
    if (!parser.expect("->") || !type(lambda.result) || !parser.expect(":"))
      return false;
    auto whole = parser.lambda();
    if (!whole || !indices(whole->binders, lambda.outputs))
      return false;
    if (parser.peek().kind != TokenKind::End)
      return parser.failExpected("the end");
    body = whole->body;
    if (body->kind != NodeKind::Reduce)
      return true;
    if (body->binders.empty())
      return parser.fail(body->place, "a reduction needs an index variable");
    lambda.reducer = body->reducer;
    guard = body->guard;
    const NodeRef reduction = body;
    body = reduction->children[0];
    return indices(reduction->binders, lambda.reductions);
  }

  Result<Lambda> build() {
    LambdaEvaluator evaluator(lambda);
    auto value = evaluator.typed(body, lambda.result);
    if (!value)
      return evaluator.takeError();
    lambda.body = *value;
    if (guard) {
      auto condition = evaluator.typed(guard, DType::Bool);
      if (!condition)
        return evaluator.takeError();
      lambda.guard = *condition;
    }
    if (Status valid = verify(lambda); !valid)
      return fail(toString(fileName, body->place), valid.error().message);
    return std::move(lambda);
  }

  Parser parser;
  Lambda lambda;
  std::vector<std::string> names;
  NodeRef body, guard;
};

} // namespace

Result<Lambda> tdl::parseLambda(std::string_view text) {
  auto tokens = tokenize(fileName, text);
  if (!tokens)
    return tokens.takeError();
  return LambdaParser(std::move(*tokens)).run();
}
