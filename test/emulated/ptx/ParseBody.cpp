#include "test/emulated/ptx/Parser.h"

namespace smex::ptx {

std::string Parser::declare(const std::string &name) {
  std::string unique = name;
  for (int number = 2; !declared.insert(unique).second; ++number)
    unique = name + "#" + std::to_string(number);
  if (!scopes.back().emplace(name, unique).second)
    fail("'" + name + "' is declared twice");
  return unique;
}

std::string Parser::resolve(const std::string &name) const {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (auto found = scope->find(name); found != scope->end())
      return found->second;
  // A name of a scope that has ended is no name any more.
  return declared.count(name) ? name + "#ended" : name;
}

std::string Parser::lineText(int line) const {
  std::string_view text = lines[line - 1];
  text = text.substr(0, text.find("//"));
  std::string result;
  for (char c : text) {
    bool blank = c == ' ' || c == '\t' || c == '\r';
    if (!blank)
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  }
  while (!result.empty() && result.back() == ' ')
    result.pop_back();
  return result;
}

void Parser::body(Function &function) {
  expect('{');
  for (size_t depth = scopes.size();;) {
    if (take('{')) {
      scopes.emplace_back();
    } else if (take('}')) {
      if (scopes.size() == depth)
        break;
      scopes.pop_back();
    } else if (peek().kind == Token::End) {
      fail("a function that does not end");
    } else if (peek().kind == Token::Dotted) {
      scopedDirective(function);
    } else if (peek().kind == Token::Word && isPunctuation(':', 1)) {
      std::string label = word("a label");
      take(':');
      if (takeDotted("branchtargets")) {
        std::vector<std::string> &targets = function.branchTargets[label];
        do
          targets.push_back(word("a label"));
        while (take(','));
        expect(';');
      } else if (isDotted("calltargets") || isDotted("callprototype")) {
        fail("calls through pointers are not supported");
      } else if (!function.labels.emplace(label, function.body.size()).second) {
        fail("the label '" + label + "' stands twice");
      }
    } else if (!take(';')) {
      statement(function);
    }
  }
  scopes.clear();
}

void Parser::scopedDirective(Function &function) {
  if (isDotted("loc") || isDotted("file"))
    return skipLine();
  if (takeDotted("pragma")) {
    while (!take(';'))
      if (next().kind == Token::End)
        fail("a .pragma that does not end");
    return;
  }
  if (takeDotted("reg"))
    return registers(function);
  for (auto [name, space] : {std::pair("local", Space::Local),
                             {"shared", Space::Shared},
                             {"param", Space::Param},
                             {"global", Space::Global},
                             {"const", Space::Const}}) {
    if (!takeDotted(name))
      continue;
    for (Variable &each : variables(space, false))
      function.variables.push_back(std::move(each));
    return;
  }
  fail("unknown directive in a function");
}

void Parser::registers(Function &function) {
  if (peek().kind != Token::Dotted || !typeNamed(peek().text))
    fail("expected the type of registers");
  Type type = *typeNamed(next().text);
  do {
    std::string name = word("a register's name");
    if (!take('<')) {
      function.registers[declare(name)] = type;
      continue;
    }
    int64_t count = integer("a number of registers");
    if (count < 0 || count > 1000000)
      fail("an unlikely number of registers");
    expect('>');
    for (int64_t i = 0; i < count; ++i)
      function.registers[declare(name + std::to_string(i))] = type;
  } while (take(','));
  expect(';');
}

void Parser::statement(Function &function) {
  Statement result;
  result.line = peek().line;
  result.text = lineText(result.line);
  if (take('@')) {
    result.guardNegated = take('!');
    result.guard = resolve(word("a predicate"));
  }
  result.opcode = word("an instruction");
  while (peek().kind == Token::Dotted)
    result.modifiers.emplace_back(next().text);
  if (!isPunctuation(';')) {
    do
      result.operands.push_back(operand());
    while (take(','));
  }
  expect(';');
  function.body.push_back(std::move(result));
}

Operand Parser::operand() {
  Operand result;
  if (take('['))
    return addressOperand();
  if (take('{'))
    return listOperand('}', Operand::Vector);
  if (take('('))
    return listOperand(')', Operand::List);
  result.negated = take('!');
  bool minus = take('-');
  const Token token = next();
  result.bits = token.bits;
  switch (token.kind) {
  case Token::Integer:
    if (minus)
      result.bits = -result.bits;
    result.kind = Operand::Integer;
    return result;
  case Token::Float32:
  case Token::Float64:
    result.kind =
        token.kind == Token::Float32 ? Operand::Float32 : Operand::Float64;
    if (minus)
      result.bits ^= uint64_t(1) << (token.kind == Token::Float32 ? 31 : 63);
    return result;
  case Token::Word:
    break;
  default:
    --at;
    fail("expected an operand");
  }
  if (token.text == "_") {
    result.kind = Operand::Underscore;
  } else {
    result.name = resolve(std::string(token.text));
    // %tid.x; a vector's element v.x is not in use.
    if (peek().kind == Token::Dotted && token.text[0] == '%')
      result.name += "." + std::string(next().text);
    if (isPunctuation('+') || isPunctuation('-')) {
      take('+');
      result.bits = integer("an offset"); // mov.u64 %rd1, table+8
    }
  }
  if (take('|'))
    result.other = resolve(word("a predicate"));
  return result;
}

Operand Parser::addressOperand() {
  Operand result;
  result.kind = Operand::Address;
  if (peek().kind == Token::Word) {
    result.name = resolve(word("an address"));
    if (isPunctuation('+') || isPunctuation('-')) {
      take('+');
      result.bits = integer("an offset");
    }
  } else {
    result.bits = integer("an address");
  }
  expect(']');
  return result;
}

Operand Parser::listOperand(char close, Operand::Kind kind) {
  Operand result;
  result.kind = kind;
  if (take(close))
    return result;
  do
    result.list.push_back(operand());
  while (take(','));
  expect(close);
  return result;
}

} // namespace smex::ptx
