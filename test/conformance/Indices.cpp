#include "test/conformance/Indices.h"

#include "dialects/tdl/lambda/Arithmetic.h"

#include <limits>

using namespace smex;
using namespace smex::conformance;

namespace {

/// On x: f32[9, 7] or f32[9], and keys K of 23 elements.
struct IndexCase {
  const char *lambda;
  std::vector<int64_t> extents;
};

const IndexCase cases[] = {
    // Reads that may be out of range.
    {"(x: f32[2], k: K[1]) -> f32: lambda i, j: x[i64(k[i]), j] else f32(-1)",
     {23, 7}},
    {"(x: f32[2], k: K[1]) -> f32: lambda j, i: x[j, i64(k[i])] else f32(-1)",
     {9, 23}},
    {"(x: f32[2], k: K[1]) -> f32: lambda i, j: x[i64(k[i]) - 3, j] else "
     "f32(-1)",
     {23, 7}},
    {"(x: f32[2], k: K[1]) -> f32: lambda i, j: x[i64(k[i]) % 9, j]", {23, 7}},
    {"(x: f32[2], k: K[1]) -> f32: lambda i, j: x[i64(k[i]) // 4, j] else "
     "f32(2)",
     {23, 7}},
    {"(x: f32[2], k: K[1]) -> f32: lambda i, j: x[min(max(i64(k[i]), 0), 8), "
     "j]",
     {23, 7}},
    {"(x: f32[2], k: K[1]) -> f32: lambda i, j: x[i64(k[i]) + 9 if i64(k[i]) < "
     "0 else i64(k[i]), j] else f32(5)",
     {23, 7}},
    {"(x: f32[2], k: K[1]) -> f32: lambda i: Sum(lambda j: x[i64(k[i]), j] "
     "else f32(1))",
     {23, 7}},
    // Scatters: terms whose key is anything.
    {"(x: f32[2], k: K[1]) -> f32: lambda v, j: Sum(lambda e: x[e % 9, j] "
     "where i64(k[e]) == v)",
     {9, 7, 23}},
    {"(x: f32[2], k: K[1]) -> f32: lambda v: Max(lambda e: x[e % 9, 0] "
     "where i64(k[e]) == v)",
     {9, 23}},
    {"(x: f32[2], k: K[1]) -> f32: lambda v, j: Sum(lambda e: x[e % 9, j] "
     "where i64(k[e]) + 1 == v)",
     {9, 7, 23}},
    // Segments whose rows say nothing sensible.
    {"(x: f32[2], k: K[1]) -> f32: lambda v, j: Sum(lambda e: x[e, j] where "
     "i64(k[v]) <= e and e < i64(k[v + 1]))",
     {22, 7, 9}},
    {"(x: f32[2], k: K[1]) -> f32: lambda v: Min(lambda e: x[e, 1] where "
     "i64(k[v]) <= e and e < i64(k[v + 1]))",
     {22, 9}},
    // Prefixes whose ends are data.
    {"(x: f32[2], k: K[1]) -> f32: lambda v, j: Sum(lambda e: x[e, j] where e "
     "<= i64(k[v]))",
     {23, 7, 9}},
};

int64_t drawn(Random &random, DType type) {
  const int64_t least = type == DType::I32 ? std::numeric_limits<int32_t>::min()
                        : type == DType::U8
                            ? 0
                            : std::numeric_limits<int64_t>::min();
  const int64_t most = type == DType::I32 ? std::numeric_limits<int32_t>::max()
                       : type == DType::U8
                           ? 255
                           : std::numeric_limits<int64_t>::max();
  const int64_t corners[] = {least,
                             least + 1,
                             -(int64_t(1) << 32),
                             -(int64_t(1) << 31) - 1,
                             -10,
                             -9,
                             -1,
                             0,
                             8,
                             9,
                             10,
                             (int64_t(1) << 31),
                             (int64_t(1) << 32) + 1,
                             (int64_t(1) << 61),
                             (int64_t(1) << 62) + 3,
                             most - 1,
                             most};
  if (random.chance(50))
    return random.between(0, 9);
  const int64_t corner = corners[random.below(std::size(corners))];
  return corner < least || corner > most ? most : corner;
}

} // namespace

void conformance::runIndices(Session &session) {
  int number = 0;
  for (const IndexCase &each : cases)
    for (DType type : {DType::I64, DType::I32, DType::U8})
      for (uint64_t seed = 0; seed < 4; ++seed) {
        const std::string name = std::to_string(number++) + " by " +
                                 std::string(smex::name(type)) + ": " +
                                 each.lambda;
        if (!session.isDealt(name))
          continue;
        std::string text = each.lambda;
        text.replace(text.find("k: K"), 4,
                     "k: " + std::string(smex::name(type)));
        auto lambda = tdl::parseLambda(text);
        if (!lambda) {
          session.fail(name, lambda.error().message);
          continue;
        }
        Random random(seed + uint64_t(number) * 64);
        Evaluated model;
        model.model.name = "indices";
        Tensor x = makeTensor({DType::F32, {9, 7}});
        for (int i = 0; i < 63; ++i)
          x.data<float>()[i] = float(random.between(-3, 3));
        Tensor keys = makeTensor({type, {23}});
        for (size_t at = 0; at < keys.bytes.size();
             at += size_t(byteSize(type))) {
          tdl::Scalar value;
          value.integer = drawn(random, type);
          tdl::store(type, value, &keys.bytes[at]);
        }
        const int a = model.add("x", std::move(x)),
                  b = model.add("k", std::move(keys));
        const auto made = model.apply(
            "y", tdl::canonicalize(std::move(*lambda)), each.extents, {a, b});
        if (!made) {
          session.fail(name, "the interpreter: " + made.error().message);
          continue;
        }
        DivideOptions how;
        how.alike = seed % 2;
        session.check(name, model, random, how, Agreement::Exact);
      }
}
