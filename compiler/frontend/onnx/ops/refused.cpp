// Operators that cannot be lambdas, each with the reason.
#include "compiler/frontend/onnx/Table.h"

using namespace smex;
using namespace smex::frontend;

std::vector<Row> smex::frontend::refusedRows() {
  constexpr const char *shape =
      "the shape of its result depends on values, and a plan is static";
  constexpr const char *string = "strings are not supported";
  std::vector<Row> rows;
  rows.push_back({"NonMaxSuppression", 1, refused(shape)});
  for (const char *op :
       {"StringNormalizer", "StringConcat", "StringSplit", "RegexFullMatch"})
    rows.push_back({op, 1, refused(string)});
  rows.push_back(
      {"ImageDecoder", 1, refused("files are not decoded in a plan")});
  return rows;
}
