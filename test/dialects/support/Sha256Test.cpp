#include "dialects/support/Sha256.h"

#include <catch2/catch.hpp>

using namespace smex;

TEST_CASE("the examples of FIPS 180") {
  CHECK(sha256("") ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
               "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu") ==
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(sha256(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("pieces make no difference") {
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += char(i * 37);
  const std::string whole = sha256(text);
  for (size_t first = 0; first <= text.size(); first += 7)
    for (size_t second = first; second <= text.size(); second += 11) {
      Sha256 hash;
      hash.update(std::string_view(text).substr(0, first));
      hash.update(std::string_view(text).substr(first, second - first));
      hash.update(std::string_view(text).substr(second));
      REQUIRE(hash.finish() == whole);
    }
}

TEST_CASE("padding fits around a block's end") {
  // The length field fits in the last block up to 55 bytes.
  CHECK(sha256(std::string(55, 'a')) ==
        "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  CHECK(sha256(std::string(56, 'a')) ==
        "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  CHECK(sha256(std::string(64, 'a')) ==
        "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}
