#include "test/emulated/ptx/Lexer.h"

#include "test/emulated/ptx/Error.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string>

namespace smex::ptx {
namespace {

bool startsWord(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%';
}
bool inWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

class Lexer {
public:
  explicit Lexer(std::string_view source) : source(source) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    for (;;) {
      skipBlanks();
      Token token;
      token.line = line;
      size_t start = at;
      if (at < source.size())
        read(token);
      if (token.kind != Token::Dotted && token.kind != Token::String)
        token.text = source.substr(start, at - start);
      tokens.push_back(token);
      if (token.kind == Token::End)
        return tokens;
    }
  }

private:
  char peek(size_t ahead = 0) const {
    return at + ahead < source.size() ? source[at + ahead] : '\0';
  }

  void skipBlanks() {
    while (at < source.size()) {
      char c = source[at];
      if (c == '\n') {
        ++line;
        ++at;
      } else if (std::isspace(static_cast<unsigned char>(c)) || c == '\0') {
        ++at; // a PTX image ends with a zero byte
      } else if (c == '/' && peek(1) == '/') {
        while (at < source.size() && source[at] != '\n')
          ++at;
      } else if (c == '/' && peek(1) == '*') {
        int first = line;
        for (at += 2; !(peek() == '*' && peek(1) == '/'); ++at) {
          if (at >= source.size())
            throw ParseError(first, "a comment that does not end");
          if (source[at] == '\n')
            ++line;
        }
        at += 2;
      } else {
        return;
      }
    }
  }

  void read(Token &token) {
    char c = peek();
    if (startsWord(c)) {
      token.kind = Token::Word;
      ++at;
      while (inWord(peek()))
        ++at;
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      readNumber(token);
    } else if (c == '.' && inWord(peek(1))) {
      token.kind = Token::Dotted;
      size_t start = ++at;
      while (inWord(peek()) ||
             (peek() == ':' && peek(1) == ':' && inWord(peek(2))))
        at += peek() == ':' ? 2 : 1;
      token.text = source.substr(start, at - start);
    } else if (c == '"') {
      token.kind = Token::String;
      size_t start = ++at;
      while (peek() != '"') {
        if (at >= source.size() || peek() == '\n')
          throw ParseError(line, "a string that does not end");
        ++at;
      }
      token.text = source.substr(start, at - start);
      ++at;
    } else {
      token.kind = Token::Punctuation;
      ++at;
    }
  }

  void readNumber(Token &token) {
    size_t start = at;
    char second = peek(1);
    if (peek() == '0' && std::strchr("fFdD", second) && second) {
      unsigned digits = std::tolower(second) == 'f' ? 8 : 16;
      at += 2;
      size_t first = at;
      while (std::isxdigit(static_cast<unsigned char>(peek())))
        ++at;
      if (at - first != digits)
        throw ParseError(line, "a floating-point constant needs " +
                                   std::to_string(digits) + " hex digits");
      token.kind = digits == 8 ? Token::Float32 : Token::Float64;
      token.bits = number(first, 16);
      return;
    }
    token.kind = Token::Integer;
    if (peek() == '0' && (second == 'x' || second == 'X')) {
      at += 2;
      size_t first = at;
      while (std::isxdigit(static_cast<unsigned char>(peek())))
        ++at;
      token.bits = number(first, 16);
    } else if (peek() == '0' && (second == 'b' || second == 'B')) {
      at += 2;
      size_t first = at;
      while (peek() == '0' || peek() == '1')
        ++at;
      token.bits = number(first, 2);
    } else {
      while (std::isdigit(static_cast<unsigned char>(peek())))
        ++at;
      if (peek() == '.' && std::isdigit(static_cast<unsigned char>(peek(1)))) {
        ++at;
        while (std::isdigit(static_cast<unsigned char>(peek())))
          ++at;
        if (peek() == 'e' || peek() == 'E') {
          ++at;
          if (peek() == '+' || peek() == '-')
            ++at;
          while (std::isdigit(static_cast<unsigned char>(peek())))
            ++at;
        }
        std::string text(source.substr(start, at - start));
        double value = std::strtod(text.c_str(), nullptr);
        std::memcpy(&token.bits, &value, 8);
        token.kind = Token::Float64;
        return;
      }
      token.bits = number(start, source[start] == '0' ? 8 : 10);
    }
    if (peek() == 'U')
      ++at;
    if (inWord(peek()))
      throw ParseError(line, "a number followed by a letter");
  }

  uint64_t number(size_t first, int base) const {
    std::string digits(source.substr(first, at - first));
    return std::strtoull(digits.c_str(), nullptr, base);
  }

  std::string_view source;
  size_t at = 0;
  int line = 1;
};

} // namespace

std::vector<Token> lex(std::string_view source) { return Lexer(source).run(); }

} // namespace smex::ptx
