// Gradients of tensors that are taken apart: in pieces that cover them, or
// overlap, or leave something out.
#include "compiler/training/Pieces.h"
#include "test/compiler/training/Trainer.h"
#include "test/compiler/training/WrittenModel.h"

#include <algorithm>

using namespace smex;
using namespace smex::training;
using test::floats;
using test::Trainer;

namespace {

struct Taken {
  int64_t first, count;
  bool drops = false; // by Gather with a scalar; brought back by Unsqueeze
};

std::string listOf(const std::vector<std::string> &texts) {
  std::string list;
  for (const std::string &text : texts)
    list += (list.empty() ? "" : ", ") + text;
  return "[" + list + "]";
}

/// y: rows of w, those of piece p times p + 1.
Result<frontend::Model> modelOf(const std::vector<Taken> &pieces,
                                int64_t rows) {
  std::vector<std::string> values;
  for (int64_t i = 0; i < 2 * rows; ++i)
    values.push_back(std::to_string(i - 3));
  std::vector<std::string> parameters = {
      R"({"name": "w", "type": "f32", "shape": [)" + std::to_string(rows) +
      R"(, 2], "values": )" + listOf(values) + "}"};
  parameters.push_back(
      R"({"name": "first", "type": "i64", "shape": [1], "values": 0})");
  std::vector<std::string> nodes, parts;
  for (size_t p = 0; p < pieces.size(); ++p) {
    const std::string n = std::to_string(p);
    const auto integer = [&](const std::string &name, int64_t value) {
      parameters.push_back(R"({"name": ")" + name + n +
                           R"(", "type": "i64", "shape": [1], "values": )" +
                           std::to_string(value) + "}");
    };
    integer("from", pieces[p].first);
    integer("to", pieces[p].first + pieces[p].count);
    parameters.push_back(R"({"name": "scale)" + n +
                         R"(", "type": "f32", "shape": [1], "values": )" +
                         std::to_string(p + 1) + "}");
    const std::string scaled = pieces[p].drops ? "scaled" : "part";
    if (pieces[p].drops) {
      parameters.push_back(R"({"name": "at)" + n +
                           R"(", "type": "i64", "shape": [], "values": )" +
                           std::to_string(pieces[p].first) + "}");
      nodes.push_back(R"({"op": "Gather", "inputs": ["w", "at)" + n +
                      R"("], "outputs": ["piece)" + n + R"("]})");
      nodes.push_back(R"({"op": "Unsqueeze", "inputs": ["scaled)" + n +
                      R"(", "first"], "outputs": ["part)" + n + R"("]})");
    } else {
      nodes.push_back(R"({"op": "Slice", "inputs": ["w", "from)" + n +
                      R"(", "to)" + n + R"("], "outputs": ["piece)" + n +
                      R"("]})");
    }
    nodes.push_back(R"({"op": "Mul", "inputs": ["piece)" + n + R"(", "scale)" +
                    n + R"("], "outputs": [")" + scaled + n + R"("]})");
    parts.push_back("\"part" + n + "\"");
  }
  nodes.push_back(R"({"op": "Concat", "inputs": )" + listOf(parts) +
                  R"(, "outputs": ["all"], "attributes": {"axis": 0}})");
  nodes.push_back(R"({"op": "Add", "inputs": ["all", "x"], "outputs": ["y"]})");
  TrainingOptions options;
  options.loss = "mse";
  options.optimizer = "sgd";
  options.learningRate = 0.5;
  for (size_t p = 0; p < pieces.size(); ++p)
    options.freeze.push_back("scale" + std::to_string(p));
  return test::trainingStepOf(
      R"("opset": 17, "inputs": [{"name": "x", "type": "f32", "shape": [1]}], "parameters": )" +
          listOf(parameters) + R"(, "nodes": )" + listOf(nodes) +
          R"(, "outputs": ["y"])",
      options);
}

/// One step of the training graph against the formula: with labels of 0,
/// dw = 2 / n * sum over pieces of scale^2 w. The number of applications.
size_t checkStep(const std::vector<Taken> &pieces, int64_t rows) {
  auto model = modelOf(pieces, rows);
  if (!model)
    FAIL(model.error().message);
  const size_t applications = model->applications.size();
  Trainer trainer(std::move(*model));
  const std::vector<float> before = trainer.parameter("w");
  int64_t count = 0;
  std::vector<double> factor(size_t(rows), 0);
  for (size_t p = 0; p < pieces.size(); ++p) {
    count += pieces[p].count * 2;
    for (int64_t r = 0; r < pieces[p].count; ++r)
      factor[size_t(pieces[p].first + r)] += double(p + 1) * double(p + 1);
  }
  trainer.step({{"x", floats({1}, {0})},
                {"labels", floats({count / 2, 2},
                                  std::vector<float>(size_t(count), 0))}});
  const std::vector<float> after = trainer.parameter("w");
  REQUIRE(before.size() == after.size());
  for (size_t i = 0; i < after.size(); ++i)
    CHECK(after[i] ==
          Approx(before[i] * (1 - 0.5 * 2 / double(count) * factor[i / 2]))
              .epsilon(1e-4)
              .margin(1e-5));
  return applications;
}

} // namespace

TEST_CASE("pieces that cover a tensor are put side by side") {
  std::vector<Taken> pieces;
  for (int64_t p = 0, at = 0; p < 20; at += 1 + p % 3, ++p)
    pieces.push_back({at, 1 + p % 3});
  const int64_t rows = pieces.back().first + pieces.back().count;
  const size_t covered = checkStep(pieces, rows);
  std::reverse(pieces.begin(), pieces.end()); // in any order
  CHECK(checkStep(pieces, rows) == covered);
  // With a row that no piece has, each gradient is added to the others.
  CHECK(checkStep(pieces, rows + 1) > covered + 15);
}

TEST_CASE("pieces may be single elements of a dimension, without it") {
  std::vector<Taken> pieces;
  for (int64_t p = 0; p < 20; ++p)
    pieces.push_back({p, 1, true});
  const size_t covered = checkStep(pieces, 20);
  CHECK(checkStep(pieces, 21) > covered + 15);
  // Some with it, among others.
  pieces.resize(6);
  pieces.insert(pieces.begin() + 3, {{6, 3}, {9, 1}});
  checkStep(pieces, 10);
}

TEST_CASE("pieces that do not cover it, or twice, are added up") {
  checkStep({{0, 2}, {2, 3}, {5, 1}}, 6); // few
  checkStep({{0, 2}, {2, 3}, {4, 2}, {6, 2}, {8, 1}}, 9);
  checkStep({{0, 2}, {3, 3}, {6, 1}, {7, 2}}, 9);
  checkStep({{1, 2}, {3, 3}, {6, 1}, {7, 2}}, 9);
  checkStep({{0, 4}, {4, 4}, {0, 4}, {4, 4}, {0, 8}}, 8);
}

TEST_CASE("only what takes a range of one dimension is a piece") {
  const auto piece = [](const char *lambda, std::vector<int64_t> extents) {
    frontend::Application application;
    application.lambda = *tdl::parseLambda(lambda);
    application.extents = std::move(extents);
    return pieceOf(application, {6, 4});
  };
  const auto rows =
      piece("(x0: f32[2]) -> f32: lambda i0, i1: x0[i0 + 2, i1]", {3, 4});
  REQUIRE(rows);
  CHECK(rows->axis == 0);
  CHECK(rows->first == 2);
  CHECK(rows->count == 3);
  const auto columns =
      piece("(x0: f32[2]) -> f32: lambda i0, i1: x0[i0, i1]", {6, 3});
  REQUIRE(columns);
  CHECK(columns->axis == 1);
  CHECK(columns->first == 0);
  for (const char *other :
       {"(x0: f32[2]) -> f32: lambda i0, i1: x0[i0 + 1, i1 + 1]",
        "(x0: f32[2]) -> f32: lambda i0, i1: x0[i0 * 2, i1]",
        "(x0: f32[2]) -> f32: lambda i0, i1: x0[i1, i0]",
        "(x0: f32[2]) -> f32: lambda i0, i1: (x0[i0 + 2, i1] else 0)",
        "(x0: f32[2]) -> f32: lambda i0, i1: -x0[i0, i1]"})
    CHECK_FALSE(piece(other, {3, 3}));
  CHECK_FALSE(piece("(x0: f32[2]) -> f32: lambda i0, i1: x0[i0, i1]", {6, 4}));
  // One element of a dimension, which goes away.
  const auto one = piece("(x0: f32[2]) -> f32: lambda i0: x0[i0, 3]", {6});
  REQUIRE(one);
  CHECK(one->axis == 1);
  CHECK(one->first == 3);
  CHECK(one->count == 1);
  CHECK(one->drops);
  CHECK_FALSE(piece("(x0: f32[2]) -> f32: lambda i0: x0[i0, 3]", {5}));
  CHECK_FALSE(piece("(x0: f32[2]) -> f32: lambda i0: x0[i0, i0]", {4}));
  CHECK_FALSE(piece("(x0: f32[2]) -> f32: lambda: x0[0, 3]", {}));
}
