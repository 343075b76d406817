// What stands between brackets: lambdas of reductions, arguments, subscripts.
#include "dialects/tdl/lambda/Parser.h"
#include "dialects/tdl/lambda/Scoped.h"

using namespace smex;
using namespace smex::tdl;

NodeRef Parser::reduction() {
  Node node;
  node.kind = NodeKind::Reduce;
  node.place = peek().place;
  node.reducer = *parseReducer(next().text);
  if (!expect("("))
    return nullptr;
  auto terms = lambda();
  if (!terms)
    return nullptr;
  node.binders = std::move(terms->binders);
  node.children = {terms->body};
  if (accept("where")) {
    node.guard = value();
    if (!node.guard)
      return nullptr;
  }
  return expect(")") ? make(std::move(node)) : nullptr;
}

NodeRef Parser::opaque() {
  Node node;
  node.kind = NodeKind::Opaque;
  node.place = next().place;
  const auto function = name("an opaque function");
  if (!function)
    return nullptr;
  node.text = std::string(function->text);
  if (!expect("(") || !list(")", node.children))
    return nullptr;
  if (!isAt("[")) {
    failExpected("'['");
    return nullptr;
  }
  return subscript(node.result) ? make(std::move(node)) : nullptr;
}

bool Parser::list(std::string_view close, std::vector<NodeRef> &items) {
  if (accept(close))
    return true;
  do {
    NodeRef item = value();
    if (!item)
      return false;
    items.push_back(std::move(item));
  } while (accept(","));
  return accept(close) || failExpected("',' or '" + std::string(close) + "'");
}

bool Parser::subscript(std::vector<NodeRef> &items) {
  Scoped<bool> scope(inCondition, false);
  if (!expect("["))
    return false;
  if (accept("]"))
    return true;
  do {
    const Place place = peek().place;
    NodeRef from, to;
    if (!isAt(":") && !(from = value()))
      return false;
    if (accept(":")) {
      if (!isAt(",") && !isAt("]") && !(to = value()))
        return false;
      from = make(NodeKind::Range, place, {from, to});
    }
    items.push_back(std::move(from));
  } while (!failed() && accept(","));
  return accept("]") || failExpected("',' or ']'");
}

std::optional<LambdaSyntax> Parser::lambda() {
  LambdaSyntax result;
  result.place = peek().place;
  if (!expect("lambda"))
    return std::nullopt;
  if (!isAt(":"))
    do {
      const auto index = name("an index variable");
      if (!index)
        return std::nullopt;
      Binder binder;
      binder.name = std::string(index->text);
      binder.place = index->place;
      binder.isPack = accept("...");
      if (accept("<") && !(binder.extent = sum()))
        return std::nullopt;
      result.binders.push_back(std::move(binder));
    } while (accept(","));
  if (!accept(":")) {
    failExpected(result.binders.empty() || result.binders.back().extent
                     ? "',' or ':'"
                     : "'<', ',' or ':'");
    return std::nullopt;
  }
  result.body = value();
  if (!result.body)
    return std::nullopt;
  return result;
}
