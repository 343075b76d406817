// The operators that are compiled in.
#include "dialects/tdl/library/Library.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::tdl;

TEST_CASE("the standard library loads, and says what it holds") {
  const Library &library = standardLibrary();
  for (const char *op : {"relu", "matmul", "conv", "softmax", "reshape"})
    CHECK(library.contains(op));
  for (const std::string &op : library.names())
    CHECK(library.source(op).find(op + "(") != std::string::npos);
}
