// Text of the language as tokens with their places.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_LEXER_H
#define SMEX_DIALECTS_TDL_LAMBDA_LEXER_H

#include "dialects/support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace smex::tdl {

/// Where in a text something stands, counted from 1.
struct Place {
  int line = 1;
  int column = 1;
};

/// "conv.tdl:3:10: "
std::string toString(std::string_view file, Place place);

enum class TokenKind : uint8_t { End, Name, Integer, Real, String, Symbol };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text; // of a string: without its quotes
  size_t offset = 0;     // of its first character
  size_t end = 0;        // behind its last
  Place place;
  int64_t integer = 0;
  double real = 0;
};

/// The tokens of a text, an End last. Comments run from # to the end of the
/// line. `text` must outlive the tokens.
Result<std::vector<Token>> tokenize(std::string_view file,
                                    std::string_view text);

/// Names that mean something of their own and can't be given to anything:
/// keywords, reducers, types, inf, nan, true, false, pi.
bool isReserved(std::string_view name);
/// A letter or underscore, then letters, digits, underscores; not just "_".
bool isName(std::string_view name);

} // namespace smex::tdl

#endif
