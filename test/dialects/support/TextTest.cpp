#include "dialects/support/Text.h"

#include <catch2/catch.hpp>

using namespace smex;

TEST_CASE("UTF-8 of every length is text") {
  for (const char *text : {"", "conv_17/weight:0", " ~", "\xc3\xa9", "\xc2\xa0",
                           "\xe2\x82\xac", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    INFO(text);
    CHECK(isText(text));
    CHECK(isText("a" + std::string(text) + "b"));
  }
}

TEST_CASE("what is not UTF-8 is no text") {
  for (const char *text : {
           "\x80",
           "\xbf",
           "\xff",
           "\xfe", // no first byte
           "\xc3",
           "\xe2\x82",
           "\xf0\x90\x80", // cut off
           "\xc3(",
           "\xe2(\xac",
           "\xf0\x90(\x80", // not continued
           "\xc0\xaf",
           "\xc1\xbf",
           "\xe0\x9f\xbf",     // longer than need be
           "\xf0\x8f\xbf\xbf", //
           "\xed\xa0\x80",
           "\xed\xbf\xbf", // surrogates
           "\xf4\x90\x80\x80",
           "\xf8\x88\x80\x80\x80", // beyond Unicode
       }) {
    INFO(printable(text));
    CHECK_FALSE(isText(text));
    CHECK_FALSE(isText("a" + std::string(text) + "b"));
  }
}

TEST_CASE("control characters are no text") {
  for (int c = 0; c < 0x20; ++c)
    CHECK_FALSE(isText(std::string(1, char(c))));
  CHECK_FALSE(isText("\x7f"));
  CHECK_FALSE(isText(std::string("a\0b", 3)));
  // U+0080 to U+009F: some terminals obey them.
  CHECK_FALSE(isText("\xc2\x80"));
  CHECK_FALSE(isText("\xc2\x9b"
                     "2J"));
  CHECK_FALSE(isText("\xc2\x9f"));
}

TEST_CASE("what is printed is ASCII of the same length") {
  CHECK(printable("node \"a\"") == "node \"a\"");
  CHECK(printable("two\nlines\x1b[31m\x7f") == "two?lines?[31m?");
  CHECK(printable("\xc3\xa9") == "??");
  CHECK(printable(std::string("\0\xff", 2)) == "??");
}

TEST_CASE("what a terminal may be given") {
  CHECK(cleaned("two\nlines\tand a tab") == "two\nlines\tand a tab");
  CHECK(cleaned("\x1b[31mred\x1b[0m\r\b\x7f") == "?[31mred?[0m???");
  CHECK(cleaned("\xc3\xa9 \xe2\x82\xac") == "\xc3\xa9 \xe2\x82\xac");
  CHECK(cleaned("\xff\xfe \xc3( \xe2\x82") == "?? ?( ??");
  CHECK(cleaned("a\xc2\x9b"
                "b") == "a??b"); // U+009B begins a sequence as ESC [ does
  CHECK(cleaned(std::string("a\0b", 3)) == "a?b");
  CHECK(cleanedLine("two\nlines\tand a tab") == "two?lines?and a tab");
  for (int c = 0; c < 256; ++c)
    for (const std::string &text :
         {std::string(1, char(c)), std::string("\xc2") + char(c),
          std::string("\xe2\x82") + char(c)}) {
      CHECK(isText(cleanedLine(text)));
      CHECK(cleanedLine(text).size() == text.size());
      if (isText(text))
        CHECK(cleanedLine(text) == text);
    }
}
