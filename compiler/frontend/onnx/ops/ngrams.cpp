// n-grams of integers.
#include "compiler/frontend/onnx/Table.h"

#include <algorithm>

using namespace smex;
using namespace smex::frontend;

/// How often each n-gram of the pool is in a sequence, at the place of the
/// result that it has, and weighted.
static void convertTfIdf(Node &n) {
  n.require(!n.hasAttribute("pool_strings") && isInteger(n.inType(0).dtype),
            "strings are not supported");
  const auto pool = n.integers("pool_int64s"),
             starts = n.integers("ngram_counts"),
             places = n.integers("ngram_indexes");
  auto weights = n.reals("weights");
  const std::string mode = n.text("mode");
  n.require(mode == "TF" || mode == "IDF" || mode == "TFIDF",
            "mode is not known");
  const int64_t shortest = n.integer("min_gram_length"),
                longest = n.integer("max_gram_length"),
                skips = n.integer("max_skip_count");
  n.require(shortest >= 1 && longest >= shortest &&
                longest <= int64_t(starts.size()) && longest <= 64 &&
                skips >= 0 && skips < 100000 && !places.empty() &&
                (n.rank(0) == 1 || n.rank(0) == 2),
            "an attribute or its operand is out of range");
  const int64_t batch = n.rank(0) == 2 ? n.shape(0)[0] : 1;
  const ValueId x =
      n.cast(n.reshape(n.in(0), {batch, n.shape(0).back()}), DType::I64);

  // For each length the n-grams of the pool; one column more, of zeros, for
  // places of the result that no n-gram has.
  std::vector<ValueId> columns;
  const int64_t width = *std::max_element(places.begin(), places.end()) + 1;
  n.require(*std::min_element(places.begin(), places.end()) >= 0 &&
                width <= (int64_t(1) << 24),
            "ngram_indexes is out of range");
  std::vector<int64_t> from(size_t(width), -1);
  std::vector<double> scale(size_t(width), 1.0);
  size_t number = 0; // of the n-gram among all
  int64_t column = 0;
  for (int64_t length = 1; length <= int64_t(starts.size()); ++length) {
    const int64_t first = starts[size_t(length - 1)];
    const int64_t last = length < int64_t(starts.size())
                             ? starts[size_t(length)]
                             : int64_t(pool.size());
    n.require(first >= 0 && first <= last && last <= int64_t(pool.size()) &&
                  (last - first) % length == 0,
              "ngram_counts does not fit the pool");
    const int64_t count = (last - first) / length;
    n.require(number + size_t(count) <= places.size() &&
                  (weights.empty() || number + size_t(count) <= weights.size()),
              "ngram_indexes and weights must have an element per n-gram");
    const bool counted = length >= shortest && length <= longest && count > 0;
    for (int64_t i = 0; i < count; ++i, ++number) {
      if (!counted)
        continue;
      const size_t place = size_t(places[number]);
      n.require(from[place] < 0, "two n-grams have the same place");
      from[place] = column++;
      if (!weights.empty())
        scale[place] = weights[number];
    }
    if (counted)
      columns.push_back(n.apply(
          "count_ngrams",
          {x, n.reshape(n.addInts({pool.begin() + first, pool.begin() + last}),
                        {count, length})},
          {{"skips", length == 1 ? int64_t(1) : skips + 1}}));
  }
  columns.push_back(n.expand(n.addReals({0}, {}), {batch, 1}));
  std::replace(from.begin(), from.end(), int64_t(-1), column);
  ValueId y = n.apply("gather_forward", {n.concat(columns, 1), n.addInts(from)},
                      {{"axis", int64_t(1)}});
  if (mode == "IDF") // whether, not how often
    y = n.apply("clip", {y}, {{"low", 0.0}, {"high", 1.0}});
  if (mode != "TF")
    y = n.apply("mul", {y, n.addReals(scale, {width})});
  n.out(0, n.rank(0) == 1 ? n.reshape(y, {width}) : y);
}

std::vector<Row> smex::frontend::ngramRows() {
  return {{"TfIdfVectorizer", 9, convertTfIdf}};
}
