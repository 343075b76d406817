#include "dialects/tdl/lambda/Parser.h"
#include "dialects/tdl/library/Template.h"

#include <algorithm>

using namespace smex;
using namespace smex::tdl;

namespace {

/// One operator: its tokens, an End last.
class TemplateParser {
public:
  TemplateParser(std::string_view file, std::string_view text,
                 std::vector<Token> tokens)
      : file(file), text(text), parser(file, std::move(tokens)) {}

  Result<Template> run() {
    Template op;
    if (operatorText(op) && parser.peek().kind != TokenKind::End)
      parser.failExpected("the end of the operator");
    if (parser.failed())
      return parser.takeError();
    return op;
  }

private:
  bool operatorText(Template &op) {
    const size_t begin = commentAbove(parser.peek().offset);
    op.file = std::string(file);
    op.place = parser.peek().place;
    // Any word will do, also one like `and`: operators are named nowhere else.
    op.name = std::string(parser.next().text);
    if (!parser.expect("("))
      return false;
    if (!operands(op) || !attributes(op) || !parser.expect(")") ||
        !parser.expect(":") || !body(op))
      return false;
    op.source = std::string(text.substr(begin, lastEnd() - begin));
    return true;
  }

  /// Start of the comment lines right above the line that holds `offset`.
  size_t commentAbove(size_t offset) const {
    const auto lineStart = [&](size_t at) {
      const size_t newline =
          at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
      return newline == std::string_view::npos ? 0 : newline + 1;
    };
    size_t start = lineStart(offset);
    while (start > 0) {
      const size_t above = lineStart(start - 1);
      const size_t first = text.find_first_not_of(" \t", above);
      if (first >= start || text[first] != '#')
        break;
      start = above;
    }
    return start;
  }

  size_t lastEnd() const { return parser.previous().end; }

  bool operands(Template &op) {
    if (parser.isAt(")") || parser.isAt(";"))
      return true;
    do {
      OperandPattern operand;
      operand.place = parser.peek().place;
      const auto name = parser.name("an operand");
      if (!name || !parser.expect("["))
        return false;
      operand.name = std::string(name->text);
      if (!parser.accept("]")) {
        do {
          Pattern pattern;
          if (!dimension(pattern))
            return false;
          operand.shape.push_back(std::move(pattern));
        } while (parser.accept(","));
        if (!parser.accept("]"))
          return parser.failExpected("',' or ']'");
      }
      op.operands.push_back(std::move(operand));
    } while (parser.accept(","));
    return parser.isAt(")") || parser.isAt(";") ||
           parser.failExpected("',', ';' or ')'");
  }

  bool dimension(Pattern &pattern) {
    pattern.place = parser.peek().place;
    if (parser.peek().kind == TokenKind::Integer) {
      pattern.kind = Pattern::Number;
      pattern.number = parser.next().integer;
      return true;
    }
    const auto name = parser.name("a dimension");
    if (!name)
      return false;
    pattern.name = std::string(name->text);
    pattern.kind = parser.accept("...") ? Pattern::Pack : Pattern::Name;
    if (pattern.kind == Pattern::Pack && parser.accept("{")) {
      pattern.length = parser.value();
      return pattern.length && parser.expect("}");
    }
    return true;
  }

  bool attributes(Template &op) {
    if (!parser.accept(";"))
      return true;
    do {
      AttributeDeclaration attribute;
      attribute.place = parser.peek().place;
      const size_t begin = parser.peek().offset;
      const auto name = parser.name("an attribute");
      if (!name)
        return false;
      attribute.name = std::string(name->text);
      attribute.isPack = parser.accept("...");
      if (parser.accept("=") && !(attribute.standard = parser.value()))
        return false;
      attribute.text = std::string(text.substr(begin, lastEnd() - begin));
      op.attributes.push_back(std::move(attribute));
    } while (parser.accept(","));
    return parser.isAt(")") || parser.failExpected("',' or ')'");
  }

  bool body(Template &op) {
    while (!parser.isAt("lambda") && !parser.isAt("return")) {
      Definition definition;
      if (!definitionText(definition))
        return false;
      op.definitions.push_back(std::move(definition));
    }
    const bool chain = parser.accept("return");
    if (!chain && !op.definitions.empty())
      return parser.failExpected("'return'");
    do {
      ResultDeclaration result;
      result.place = parser.peek().place;
      if (parser.isAt("lambda")) {
        result.lambda = parser.lambda();
        if (!result.lambda)
          return false;
      } else {
        const auto name = parser.name("a result");
        if (!name)
          return false;
        result.name = std::string(name->text);
      }
      op.results.push_back(std::move(result));
    } while (chain && parser.accept(","));
    return true;
  }

  bool definitionText(Definition &definition) {
    definition.place = parser.peek().place;
    if (parser.peek().kind != TokenKind::Name)
      return parser.failExpected("'lambda', 'return' or a definition");
    const auto name = parser.name("a definition");
    if (!name)
      return false;
    definition.name = std::string(name->text);
    definition.isPack = parser.accept("...");
    if (!parser.expect("="))
      return false;
    if (!definition.isPack && parser.isAt("lambda", 1)) {
      definition.detached = parser.accept("detached");
      if (parser.accept("first"))
        definition.ties = Ties::First;
    }
    if (parser.isAt("lambda") && !definition.isPack)
      return (definition.lambda = parser.lambda()).has_value();
    return (definition.value = parser.value()) != nullptr;
  }

  std::string_view file, text;
  Parser parser;
};

} // namespace

Result<std::vector<Template>> tdl::parseTemplates(std::string_view file,
                                                  std::string_view text) {
  auto tokens = tokenize(file, text);
  if (!tokens)
    return tokens.takeError();
  // A name in the first column starts an operator; what belongs to it is
  // indented.
  const auto starts = [](const Token &token) {
    return (token.kind == TokenKind::Name && token.place.column == 1) ||
           token.kind == TokenKind::End;
  };
  if (const Token &first = tokens->front(); !starts(first))
    return fail(toString(file, first.place),
                "an operator starts in the first column");
  std::vector<Template> all;
  for (auto begin = tokens->begin(); begin->kind != TokenKind::End;) {
    const auto end = std::find_if(begin + 1, tokens->end(), starts);
    std::vector<Token> part(begin, end);
    part.push_back(*end);
    part.back().kind = TokenKind::End;
    auto op = TemplateParser(file, text, std::move(part)).run();
    if (!op)
      return op.takeError();
    all.push_back(std::move(*op));
    begin = end;
  }
  return all;
}
