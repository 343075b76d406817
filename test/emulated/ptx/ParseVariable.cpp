#include "test/emulated/ptx/Float.h"
#include "test/emulated/ptx/Parser.h"

#include <cstring>

namespace smex::ptx {

/// What one variable may have in bytes; more is a mistake in the text.
static constexpr uint64_t sizeLimit = uint64_t(1) << 32;

std::vector<Variable> Parser::variables(Space space, bool isExtern) {
  std::vector<Variable> result;
  Variable common;
  common.space = space;
  common.isExtern = isExtern;
  common.line = peek().line;
  uint64_t align = 0, lanes = 1;
  for (;;) {
    if (takeDotted("align"))
      align = integer("an alignment");
    else if (takeDotted("v2"))
      lanes = 2;
    else if (takeDotted("v4"))
      lanes = 4;
    else
      break;
  }
  if (align & (align - 1))
    fail("an alignment is a power of two");
  if (peek().kind != Token::Dotted || !typeNamed(peek().text) ||
      peek().text == "pred")
    fail("expected a variable's type");
  common.type = *typeNamed(next().text);
  common.size = bytesOf(common.type) * lanes;
  common.align = align ? align : common.size;
  do {
    Variable variable = common;
    variable.name = word("a variable's name");
    if (!scopes.empty())
      variable.name = declare(variable.name);
    arraySizes(variable);
    if (take('='))
      initialValue(variable);
    if (variable.unsized && !(isExtern && space == Space::Shared))
      fail("only .extern .shared variables have no size");
    result.push_back(std::move(variable));
  } while (take(','));
  expect(';');
  return result;
}

void Parser::arraySizes(Variable &variable) {
  bool first = true, open = false;
  while (take('[')) {
    if (first && isPunctuation(']')) {
      open = true;
    } else {
      uint64_t count = integer("an array's size");
      if (count > sizeLimit || variable.size * count > sizeLimit)
        fail("a variable of more than 4 GiB");
      variable.size *= count;
    }
    expect(']');
    first = false;
  }
  if (open)
    variable.unsized = true; // until an initializer says its size
}

void Parser::initialValue(Variable &variable) {
  uint64_t size = variable.size, offset = 0;
  if (isPunctuation('{'))
    initialElements(variable, offset);
  else
    initialElement(variable, offset);
  if (variable.unsized) {
    variable.unsized = false;
    variable.size = offset;
  } else if (offset > size) {
    fail("more initial values than the variable has room for");
  }
  variable.initial.resize(variable.size);
}

void Parser::initialElements(Variable &variable, uint64_t &offset) {
  expect('{');
  if (take('}'))
    return;
  do {
    if (isPunctuation('{'))
      initialElements(variable, offset);
    else
      initialElement(variable, offset);
  } while (take(','));
  expect('}');
}

void Parser::initialElement(Variable &variable, uint64_t &offset) {
  unsigned bytes = bytesOf(variable.type);
  uint64_t bits = 0;
  if (peek().kind == Token::Word) {
    Variable::Relocation relocation{offset, word("a symbol"), 0, false,
                                    peek().line};
    if (relocation.symbol == "generic") {
      expect('(');
      relocation.symbol = word("a symbol");
      relocation.generic = true;
      expect(')');
    }
    if (isPunctuation('+') || isPunctuation('-')) {
      take('+');
      relocation.addend = integer("an offset");
    }
    if (bytes != 8)
      fail("an address is stored in a variable of 64-bit elements");
    variable.relocations.push_back(relocation);
  } else {
    bool negative = take('-');
    Token token = next();
    bits = token.bits;
    if (token.kind == Token::Integer) {
      if (negative)
        bits = -bits;
    } else if (token.kind == Token::Float32 || token.kind == Token::Float64) {
      bits = constantOfType(bits, token.kind == Token::Float32, variable.type);
      if (negative)
        bits ^= uint64_t(1) << (8 * bytes - 1);
    } else {
      fail("expected an initial value");
    }
  }
  if (variable.initial.size() < offset + bytes)
    variable.initial.resize(offset + bytes);
  std::memcpy(&variable.initial[offset], &bits, std::min(bytes, 8u));
  offset += bytes;
}

} // namespace smex::ptx
