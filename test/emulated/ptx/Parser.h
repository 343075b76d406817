#ifndef SMEX_TEST_EMULATED_PTX_PARSER_H
#define SMEX_TEST_EMULATED_PTX_PARSER_H

#include "test/emulated/ptx/Lexer.h"
#include "test/emulated/ptx/Module.h"

#include <set>

namespace smex::ptx {

/// A recursive-descent parser. Parse.cpp has what stands at the module's level,
/// ParseVariable.cpp the variables, ParseBody.cpp what stands in a function.
class Parser {
public:
  explicit Parser(std::string_view source);
  Module run();

private:
  // The cursor.
  const Token &peek(size_t ahead = 0) const;
  Token next();
  bool isPunctuation(char c, size_t ahead = 0) const;
  bool isDotted(std::string_view text) const;
  bool take(char c);
  bool takeDotted(std::string_view text);
  void expect(char c);
  std::string word(const char *what);
  int64_t integer(const char *what);
  void skipLine();
  void skipBraces();
  [[noreturn]] void fail(const std::string &what) const;

  // The module's level.
  void topLevel();
  void function(bool isEntry, bool isExtern);
  void parameters(std::vector<Variable> &into, Function &function);
  void functionAttributes(Function &function);
  Dim3 dimensions();

  // Variables.
  std::vector<Variable> variables(Space space, bool isExtern);
  void arraySizes(Variable &variable);
  void initialValue(Variable &variable);
  void initialElements(Variable &variable, uint64_t &offset);
  void initialElement(Variable &variable, uint64_t &offset);

  // Functions.
  void body(Function &function);
  void registers(Function &function);
  void scopedDirective(Function &function);
  void statement(Function &function);
  Operand operand();
  Operand addressOperand();
  Operand listOperand(char close, Operand::Kind kind);
  std::string declare(const std::string &name);
  std::string resolve(const std::string &name) const;
  std::string lineText(int line) const;

  std::vector<std::string_view> lines;
  std::vector<Token> tokens;
  size_t at = 0;
  Module module;
  // Innermost last: names of this scope that were renamed to be unique.
  std::vector<std::unordered_map<std::string, std::string>> scopes;
  std::set<std::string> declared; // in this function
};

} // namespace smex::ptx

#endif
