#include "dialects/tdl/lambda/Lexer.h"

#include "dialects/support/DType.h"

#include <algorithm>
#include <charconv>

using namespace smex;
using namespace smex::tdl;

namespace {

// Not <cctype>: that depends on the locale, and takes no negative char.
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Longer ones first: the first match is taken.
constexpr std::string_view symbols[] = {
    "...", "->", "//", "**", "==", "!=", "<=", ">=", "(", ")", "[", "]", "{",
    "}",   ",",  ";",  ":",  "+",  "-",  "*",  "/",  "%", "<", ">", "=", "@"};

class Scanner {
public:
  Scanner(std::string_view file, std::string_view text)
      : file(file), text(text) {}

  Result<std::vector<Token>> run() {
    for (;;) {
      skipBlanks();
      Token token;
      token.place = place;
      token.offset = at;
      if (at == text.size()) {
        tokens.push_back(token);
        return std::move(tokens);
      }
      if (Status read = scan(token); !read)
        return read.takeError();
      token.end = at;
      tokens.push_back(token);
    }
  }

private:
  char peek(size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  }
  void advance(size_t count) {
    for (; count > 0; --count) {
      if (text[at++] == '\n')
        place = {place.line + 1, 1};
      else
        ++place.column;
    }
  }
  void skipBlanks() {
    while (at < text.size()) {
      if (peek() == '#')
        advance(std::min(text.find('\n', at), text.size()) - at);
      else if (isSpace(peek()))
        advance(1);
      else
        return;
    }
  }
  void take(Token &token, TokenKind kind, size_t length) {
    token.kind = kind;
    token.text = text.substr(at, length);
    advance(length);
  }

  Status scan(Token &token) {
    if (isLetter(peek())) {
      size_t length = 1;
      while (isLetter(peek(length)) || isDigit(peek(length)))
        ++length;
      take(token, TokenKind::Name, length);
      return {};
    }
    if (isDigit(peek()))
      return number(token);
    if (peek() == '"')
      return string(token);
    for (std::string_view symbol : symbols)
      if (text.compare(at, symbol.size(), symbol) == 0) {
        take(token, TokenKind::Symbol, symbol.size());
        return {};
      }
    const char c = peek();
    if (c > ' ' && c < '\x7f')
      return fail(toString(file, place), "unexpected character '", c, "'");
    return fail(toString(file, place), "unexpected byte ",
                int(static_cast<unsigned char>(c)));
  }

  /// 12, 0.5, 1e-5. A point needs digits after it, so that 2... is a 2.
  Status number(Token &token) {
    size_t length = 0;
    bool isReal = false;
    const auto digits = [&] {
      while (isDigit(peek(length)))
        ++length;
    };
    digits();
    if (peek(length) == '.' && isDigit(peek(length + 1))) {
      isReal = true;
      ++length;
      digits();
    }
    if (peek(length) == 'e' || peek(length) == 'E') {
      const size_t sign = peek(length + 1) == '-' || peek(length + 1) == '+';
      if (isDigit(peek(length + 1 + sign))) {
        isReal = true;
        length += 1 + sign;
        digits();
      }
    }
    const char *begin = text.data() + at, *end = begin + length;
    const bool fits =
        isReal ? std::from_chars(begin, end, token.real).ec == std::errc()
               : std::from_chars(begin, end, token.integer).ec == std::errc();
    if (!fits)
      return fail(toString(file, place), "number ", text.substr(at, length),
                  " is out of range");
    if (isLetter(peek(length)))
      return fail(toString(file, place), "expected a number, got ",
                  text.substr(at, length + 1));
    take(token, isReal ? TokenKind::Real : TokenKind::Integer, length);
    return {};
  }

  Status string(Token &token) {
    const size_t end =
        std::min(text.find_first_of("\"\n", at + 1), text.size());
    if (end == text.size() || text[end] != '"')
      return fail(toString(file, place), "the string does not end on its line");
    take(token, TokenKind::String, end + 1 - at);
    token.text = token.text.substr(1, token.text.size() - 2);
    return {};
  }

  std::string_view file, text;
  size_t at = 0;
  Place place;
  std::vector<Token> tokens;
};

} // namespace

std::string tdl::toString(std::string_view file, Place place) {
  return std::string(file) + ":" + std::to_string(place.line) + ":" +
         std::to_string(place.column) + ": ";
}

Result<std::vector<Token>> tdl::tokenize(std::string_view file,
                                         std::string_view text) {
  return Scanner(file, text).run();
}

bool tdl::isReserved(std::string_view name) {
  static constexpr std::string_view words[] = {
      "lambda", "if",  "else", "and", "or",   "not",   "where", "return", "Sum",
      "Max",    "Min", "Prod", "inf", "true", "false", "nan",   "pi"};
  return parseDType(name) ||
         std::find(std::begin(words), std::end(words), name) != std::end(words);
}

bool tdl::isName(std::string_view name) {
  return !name.empty() && name != "_" && !isDigit(name[0]) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return isLetter(c) || isDigit(c); });
}
