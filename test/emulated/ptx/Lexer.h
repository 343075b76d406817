#ifndef SMEX_TEST_EMULATED_PTX_LEXER_H
#define SMEX_TEST_EMULATED_PTX_LEXER_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace smex::ptx {

struct Token {
  enum Kind {
    End,
    Word,    // add, %r1, $L__BB0_2
    Dotted,  // .reg, .L1::evict_last; the text is without the first dot
    Integer, // bits holds the value
    Float32, // 0f3F800000; bits holds the 32 bits
    Float64, // 0d..., 1.5; bits holds the 64 bits
    String,
    Punctuation
  };
  Kind kind = End;
  std::string_view text;
  int line = 0;
  uint64_t bits = 0;
};

/// The tokens of a PTX text; they point into it. Throws ParseError.
std::vector<Token> lex(std::string_view source);

} // namespace smex::ptx

#endif
