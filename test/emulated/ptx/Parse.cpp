#include "test/emulated/ptx/Parser.h"

namespace smex::ptx {

const Function *Module::function(std::string_view name) const {
  const Function *found = nullptr; // a definition, or else a declaration
  for (const Function &each : functions)
    if (each.name == name && (!found || found->isDeclaration))
      found = &each;
  return found;
}

const Variable *Module::variable(std::string_view name) const {
  for (const Variable &each : variables)
    if (each.name == name)
      return &each;
  return nullptr;
}

Module parse(std::string_view source) { return Parser(source).run(); }

Parser::Parser(std::string_view source) : tokens(lex(source)) {
  for (size_t start = 0; start <= source.size();) {
    size_t end = source.find('\n', start);
    if (end == std::string_view::npos)
      end = source.size();
    lines.push_back(source.substr(start, end - start));
    start = end + 1;
  }
}

const Token &Parser::peek(size_t ahead) const {
  return tokens[std::min(at + ahead, tokens.size() - 1)];
}

Token Parser::next() {
  Token token = peek();
  if (token.kind != Token::End)
    ++at;
  return token;
}

bool Parser::isPunctuation(char c, size_t ahead) const {
  const Token &token = peek(ahead);
  return token.kind == Token::Punctuation && token.text[0] == c;
}

bool Parser::isDotted(std::string_view text) const {
  return peek().kind == Token::Dotted && peek().text == text;
}

bool Parser::take(char c) {
  bool is = isPunctuation(c);
  at += is;
  return is;
}

bool Parser::takeDotted(std::string_view text) {
  bool is = isDotted(text);
  at += is;
  return is;
}

void Parser::expect(char c) {
  if (!take(c))
    fail(std::string("expected '") + c + "'");
}

std::string Parser::word(const char *what) {
  if (peek().kind != Token::Word)
    fail(std::string("expected ") + what);
  return std::string(next().text);
}

int64_t Parser::integer(const char *what) {
  bool negative = take('-');
  if (peek().kind != Token::Integer)
    fail(std::string("expected ") + what);
  int64_t value = static_cast<int64_t>(next().bits);
  return negative ? -static_cast<uint64_t>(value) : value;
}

void Parser::skipLine() {
  int line = peek().line;
  while (peek().kind != Token::End && peek().line == line)
    ++at;
}

void Parser::skipBraces() {
  expect('{');
  for (int depth = 1; depth;) {
    if (peek().kind == Token::End)
      fail("a '{' that is not closed");
    depth += isPunctuation('{') - isPunctuation('}');
    ++at;
  }
}

void Parser::fail(const std::string &what) const {
  const Token &token = peek();
  std::string found = token.kind == Token::End
                          ? std::string("the end of the text")
                          : "'" + std::string(token.text) + "'";
  throw ParseError(token.line, what + ", found " + found);
}

Module Parser::run() {
  if (!takeDotted("version"))
    fail("PTX starts with .version");
  // 7.8 is read as a floating-point constant; its text is what counts.
  std::string version(next().text);
  size_t dot = version.find('.');
  if (dot == std::string::npos || version.size() != dot + 2)
    fail("expected a version such as 7.8");
  module.version = std::atoi(version.c_str()) * 10 + (version.back() - '0');
  while (peek().kind != Token::End)
    topLevel();
  return std::move(module);
}

void Parser::topLevel() {
  if (takeDotted("target")) {
    module.target = word("a target");
    while (take(','))
      word("a target's option");
    return;
  }
  if (takeDotted("address_size")) {
    if (integer("an address size") != 64)
      fail("only .address_size 64 is supported");
    return;
  }
  if (isDotted("file") || isDotted("loc"))
    return skipLine();
  if (takeDotted("section")) {
    if (peek().kind == Token::Dotted)
      ++at;
    else
      word("a section's name");
    return skipBraces();
  }
  if (take(';'))
    return;
  bool isExtern = false;
  for (;;) {
    if (takeDotted("extern"))
      isExtern = true;
    else if (!takeDotted("visible") && !takeDotted("weak") &&
             !takeDotted("common"))
      break;
  }
  if (takeDotted("entry"))
    return function(true, isExtern);
  if (takeDotted("func"))
    return function(false, isExtern);
  for (auto [name, space] : {std::pair("global", Space::Global),
                             {"const", Space::Const},
                             {"shared", Space::Shared}}) {
    if (!takeDotted(name))
      continue;
    for (Variable &each : variables(space, isExtern))
      module.variables.push_back(std::move(each));
    return;
  }
  fail("unknown directive");
}

void Parser::function(bool isEntry, bool isExtern) {
  Function result;
  result.line = peek().line;
  result.isEntry = isEntry;
  scopes.assign(1, {});
  declared.clear();
  if (takeDotted("attribute"))
    fail("function attributes are not supported");
  if (isPunctuation('('))
    parameters(result.results, result);
  result.name = word("a function's name");
  if (isPunctuation('('))
    parameters(result.parameters, result);
  functionAttributes(result);
  if (isEntry && !result.results.empty())
    fail("a kernel returns nothing");
  if (take(';'))
    result.isDeclaration = true;
  else
    body(result);
  (void)isExtern; // a declaration says the same
  module.functions.push_back(std::move(result));
}

void Parser::parameters(std::vector<Variable> &into, Function &function) {
  expect('(');
  if (take(')'))
    return;
  do {
    Variable parameter;
    parameter.line = peek().line;
    parameter.space = Space::Param;
    if (takeDotted("reg"))
      parameter.space = Space::Register;
    else if (!takeDotted("param"))
      fail("expected .param or .reg");
    uint64_t align = 0;
    if (takeDotted("align"))
      align = integer("an alignment");
    if (peek().kind != Token::Dotted || !typeNamed(peek().text))
      fail("expected a parameter's type");
    parameter.type = *typeNamed(next().text);
    if (takeDotted("ptr")) {
      for (const char *space : {"global", "shared", "local", "const"})
        takeDotted(space);
      if (takeDotted("align"))
        integer("an alignment"); // of what it points to: a mere promise
    }
    parameter.name = declare(word("a parameter's name"));
    parameter.align = align ? align : bytesOf(parameter.type);
    parameter.size = bytesOf(parameter.type);
    arraySizes(parameter);
    if (parameter.space == Space::Register)
      function.registers[parameter.name] = parameter.type;
    into.push_back(std::move(parameter));
  } while (take(','));
  expect(')');
}

Dim3 Parser::dimensions() {
  Dim3 result{1, 1, 1};
  for (unsigned axis = 0; axis < 3; ++axis) {
    result[axis] = integer("a number of threads");
    if (!take(','))
      break;
  }
  return result;
}

void Parser::functionAttributes(Function &function) {
  for (;;) {
    if (takeDotted("reqntid"))
      function.requiredThreads = dimensions();
    else if (takeDotted("maxntid"))
      function.maximalThreads = dimensions();
    else if (takeDotted("minnctapersm") || takeDotted("maxnreg"))
      integer("a number");
    else if (takeDotted("pragma")) {
      while (!take(';'))
        next();
    } else if (!takeDotted("noreturn"))
      return;
  }
}

} // namespace smex::ptx
