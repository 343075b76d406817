// Recursive descent over the tokens of values and lambdas. The first error
// stops everything: functions then return null or false, and `error` says why.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_PARSER_H
#define SMEX_DIALECTS_TDL_LAMBDA_PARSER_H

#include "dialects/tdl/lambda/Syntax.h"

#include <optional>

namespace smex::tdl {

class Parser {
public:
  /// `tokens` end with an End.
  Parser(std::string_view file, std::vector<Token> tokens)
      : file(file), tokens(std::move(tokens)) {}

  /// a if c else b, and everything that binds tighter.
  NodeRef value();
  /// A sum: what an extent may be without parentheses.
  NodeRef sum();
  std::optional<LambdaSyntax> lambda();
  /// value, value, ... up to and including the closing symbol.
  bool list(std::string_view close, std::vector<NodeRef> &items);

  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  /// The token that was taken last.
  const Token &previous() const { return tokens[at > 0 ? at - 1 : 0]; }
  Token next();
  bool isAt(std::string_view symbolOrWord, size_t ahead = 0) const;
  bool accept(std::string_view symbolOrWord);
  bool expect(std::string_view symbolOrWord);
  /// A name that may be given to something, or an error that says what for.
  std::optional<Token> name(std::string_view what);

  bool failed() const { return problem.has_value(); }
  Error takeError() { return std::move(*problem); }
  /// Records the first error; false, for `return fail(...)`.
  bool fail(Place place, std::string message);
  /// "expected X, got Y" at the next token.
  bool failExpected(std::string_view what);

private:
  /// Operators of at least this precedence, 0 (or) to 5 (* / // %).
  NodeRef operation(int precedence);
  NodeRef unary();
  NodeRef postfix();
  NodeRef primary();
  NodeRef nameOrCall();
  NodeRef reduction();
  NodeRef opaque();
  bool subscript(std::vector<NodeRef> &items);
  bool tooDeep();
  NodeRef make(Node node);
  NodeRef make(NodeKind kind, Place place, std::vector<NodeRef> children);

  std::string_view file;
  std::vector<Token> tokens;
  size_t at = 0;
  int nesting = 0;
  /// In the condition of `a if c else b`, outside brackets: an `else` there is
  /// not that of a read.
  bool inCondition = false;
  std::optional<Error> problem;
};

} // namespace smex::tdl

#endif
