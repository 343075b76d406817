// Rows whose number values decide: for every number of them, what the operators
// would give for so many.
#include "test/compiler/frontend/evaluate.h"
#include "test/compiler/frontend/models.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

using namespace smex;
using namespace smex::test;
using Catch::Matchers::Contains;

namespace {

Tensor floats(std::vector<int64_t> shape, const std::vector<float> &values) {
  Tensor made = makeTensor({DType::F32, std::move(shape)});
  std::memcpy(made.bytes.data(), values.data(),
              std::min(made.bytes.size(), values.size() * sizeof(float)));
  return made;
}

Tensor flags(const std::string &bits) {
  Tensor made = makeTensor({DType::Bool, {int64_t(bits.size())}});
  for (size_t i = 0; i < bits.size(); ++i)
    made.bytes[i] = std::byte(bits[i] == '1');
  return made;
}

std::vector<double> numbers(const Tensor &tensor) {
  std::vector<double> list;
  for (int64_t i = 0; i < *elementCount(tensor.type.shape); ++i)
    switch (tensor.type.dtype) {
    case DType::I64:
      list.push_back(double(tensor.data<int64_t>()[i]));
      break;
    case DType::Bool:
      list.push_back(double(tensor.bytes[size_t(i)] != std::byte(0)));
      break;
    default:
      list.push_back(tensor.data<float>()[i]);
    }
  return list;
}

/// Rows of x that `keep` chooses, the model "rows" of them, and what follows.
OnnxModel chosen() {
  OnnxModel m;
  m.input("x", {"9", "2"});
  m.input("keep", {"9"}, DType::Bool);
  setInt(m.node("Compress", {"x", "keep"}, {"rows"}, "choose"), "axis", 0);
  return m;
}

const Tensor x =
    floats({9, 2}, {1, -1, 2, 5, 3, 0, 4, 2, 5, 7, 6, 3, 7, -2, 8, 1, 9, -3});

using Outputs = std::map<std::string, Tensor>;

Outputs run(const OnnxModel &m, const std::string &keep) {
  static int number = 0;
  const auto model = frontend::importModel(
      m.save(scratch("lengths" + std::to_string(++number))), {});
  if (!model)
    FAIL(model.error().message);
  auto outputs = evaluate(*model, {{"x", x}, {"keep", flags(keep)}});
  if (!outputs)
    FAIL(outputs.error().message);
  return std::move(*outputs);
}

/// The rows of x that are kept.
std::vector<std::array<double, 2>> kept(const std::string &keep) {
  std::vector<std::array<double, 2>> rows;
  for (size_t i = 0; i < keep.size(); ++i)
    if (keep[i] == '1')
      rows.push_back({x.data<float>()[2 * i], x.data<float>()[2 * i + 1]});
  return rows;
}

const std::vector<std::string> choices = {"111111111", "010110010", "000000001",
                                          "100000000", "110000000"};

} // namespace

TEST_CASE("what is chosen stands in front, behind it are zeros") {
  OnnxModel m = chosen();
  m.node("NonZero", {"rows"}, {"places"}, "where");
  m.output("rows");
  m.output("places");
  for (const std::string &keep : choices) {
    INFO(keep);
    Outputs outputs = run(m, keep);
    const auto rows = kept(keep);
    std::vector<double> expected, row, column;
    for (size_t i = 0; i < rows.size(); ++i)
      for (size_t c = 0; c < 2; ++c) {
        expected.push_back(rows[i][c]);
        if (rows[i][c] == 0)
          continue;
        row.push_back(double(i));
        column.push_back(double(c));
      }
    const size_t count = row.size();
    expected.resize(18);
    row.resize(18);
    column.resize(18);
    row.insert(row.end(), column.begin(), column.end());
    CHECK(numbers(outputs["rows"]) == expected);
    CHECK(numbers(outputs["places"]) == row);
    CHECK(numbers(outputs["choose.count"]) ==
          std::vector<double>{double(rows.size())});
    CHECK(numbers(outputs["where.count"]) ==
          std::vector<double>{double(count)});
  }
  Outputs none = run(m, "000000000");
  CHECK(numbers(none["rows"]) == std::vector<double>(18));
  CHECK(numbers(none["choose.count"]) == std::vector<double>{0});
}

TEST_CASE("a bound makes room for fewer rows, and their number an output") {
  OnnxModel m = chosen();
  m.node("Relu", {"x"}, {"other"});
  m.output("other");
  frontend::ImportOptions options;
  options.bounds = {{"rows", 5}};
  const auto model = frontend::importModel(m.save(scratch("bounded")), options);
  REQUIRE(model);
  CHECK(model->outputNames ==
        std::vector<std::string>{"other", "choose.count"});
  CHECK(model->mostRows == std::map<int, int64_t>{{model->outputs[1], 5}});
  m.output("rows");
  const std::string path = m.save(scratch("bounded_rows"));
  const auto shown = frontend::importModel(path, options);
  REQUIRE(shown);
  const int rows = shown->outputs[1];
  CHECK(shown->values[size_t(rows)].type.shape == std::vector<int64_t>{5, 2});
  options.bounds = {{"choose", 50}};
  const auto wide = frontend::importModel(path, options);
  REQUIRE(wide);
  CHECK(wide->mostRows.begin()->second == 9);
}

TEST_CASE("what is reduced over rows is over those that there are") {
  OnnxModel m = chosen();
  m.ints("zero", {0});
  m.ints("last", {-1});
  const auto reduce = [&](const std::string &op) {
    auto &node = m.node(op, {"rows"}, {op});
    auto *axes = node.add_attribute();
    axes->set_name("axes");
    axes->set_type(onnx::AttributeProto::INTS);
    axes->add_ints(0);
    m.output(op);
  };
  reduce("ReduceMean");
  reduce("ReduceMax");
  reduce("ReduceProd");
  m.node("Gather", {"rows", "last"}, {"end"});
  m.output("end");
  setInt(m.node("Softmax", {"rows"}, {"soft"}), "axis", 0);
  m.output("soft");
  setInt(m.node("Concat", {"rows", "x"}, {"both"}), "axis", 0);
  m.output("both");
  for (const std::string &keep : choices) {
    INFO(keep);
    Outputs outputs = run(m, keep);
    const auto rows = kept(keep);
    const double n = double(rows.size());
    double sum[2] = {}, most[2] = {-1e30, -1e30}, product[2] = {1, 1},
           whole[2] = {};
    for (const auto &row : rows)
      for (int c = 0; c < 2; ++c) {
        sum[c] += row[size_t(c)];
        most[c] = std::max(most[c], row[size_t(c)]);
        product[c] *= row[size_t(c)];
        whole[c] += std::exp(row[size_t(c)]);
      }
    const auto close = [](const Tensor &got, std::vector<double> expected) {
      const std::vector<double> values = numbers(got);
      REQUIRE(values.size() >= expected.size());
      for (size_t i = 0; i < values.size(); ++i)
        CHECK(values[i] ==
              Approx(i < expected.size() ? expected[i] : 0).epsilon(1e-5));
    };
    close(outputs["ReduceMean"], {sum[0] / n, sum[1] / n});
    close(outputs["ReduceMax"], {most[0], most[1]});
    close(outputs["ReduceProd"], {product[0], product[1]});
    close(outputs["end"], {rows.back()[0], rows.back()[1]});
    std::vector<double> soft, both;
    for (const auto &row : rows)
      for (int c = 0; c < 2; ++c) {
        soft.push_back(std::exp(row[size_t(c)]) / whole[c]);
        both.push_back(row[size_t(c)]);
      }
    const std::vector<double> all = numbers(x);
    both.insert(both.end(), all.begin(), all.end());
    close(outputs["soft"], soft);
    close(outputs["both"], both);
  }
}

TEST_CASE("what is not known to be right for every number of rows is refused") {
  const auto error = [](const OnnxModel &m) {
    return errorOf(m.save(scratch("unclear")));
  };
  SECTION("functions of whole slices") {
    OnnxModel m = chosen();
    m.ints("two", {2});
    setInt(m.node("TopK", {"rows", "two"}, {"best", "which"}, "top"), "axis",
           0);
    m.output("best");
    CHECK_THAT(error(m), Contains("node \"top\": @topk_indices of rows whose "
                                  "number is not known"));
  }
  SECTION("as many as there are, but no more than some") {
    OnnxModel m = chosen();
    m.ints("from", {0});
    m.ints("to", {5});
    m.node("Slice", {"rows", "from", "to", "from"}, {"some"}, "cut");
    m.output("some");
    CHECK_THAT(error(m), Contains("the number of rows of \"choose\" depends on "
                                  "values, and a plan is static"));
  }
  SECTION("the first two of perhaps one") {
    OnnxModel m = chosen();
    m.ints("from", {0});
    m.ints("to", {2});
    m.node("Slice", {"rows", "from", "to", "from"}, {"some"}, "cut");
    m.output("some");
    CHECK_THAT(error(m),
               Contains("\"some\" is another one where there is 1 row"));
  }
  SECTION("a number that is no multiple") {
    OnnxModel m = chosen();
    m.node("Shape", {"rows"}, {"shape"});
    setInt(m.node("Cast", {"shape"}, {"size"}), "to", onnx::TensorProto::FLOAT);
    m.node("Sqrt", {"size"}, {"root"});
    m.node("Mul", {"x", "root"}, {"y"}, "scale");
    m.output("y");
    CHECK_THAT(error(m), Contains("depends on the rows"));
  }
}

TEST_CASE("slices between places that are computed") {
  OnnxModel m;
  m.input("x", {"9", "2"});
  m.input("from", {"1"}, DType::I64);
  m.input("to", {"1"}, DType::I64);
  m.ints("axis", {0});
  m.node("Slice", {"x", "from", "to", "axis"}, {"part"}, "cut");
  m.node("ReduceMean", {"part"}, {"mean"});
  auto *axes = m.graph.mutable_node(1)->add_attribute();
  axes->set_name("axes");
  axes->set_type(onnx::AttributeProto::INTS);
  axes->add_ints(0);
  m.output("part");
  m.output("mean");
  const auto model = frontend::importModel(m.save(scratch("slice")), {});
  if (!model)
    FAIL(model.error().message);
  const auto place = [](int64_t at) {
    Tensor made = makeTensor({DType::I64, {1}});
    *made.data<int64_t>() = at;
    return made;
  };
  for (int64_t from : {0, 3, -2, 8, -100, 5})
    for (int64_t to : {9, 4, -1, 100, 2}) {
      INFO(from << " to " << to);
      const auto clamp = [](int64_t at) {
        return std::max<int64_t>(0, std::min<int64_t>(at < 0 ? at + 9 : at, 9));
      };
      const int64_t first = clamp(from);
      const int64_t count = std::max<int64_t>(clamp(to) - first, 0);
      const auto outputs = evaluate(
          *model, {{"x", x}, {"from", place(from)}, {"to", place(to)}});
      if (!outputs)
        FAIL(outputs.error().message);
      std::vector<double> expected;
      double sum = 0;
      for (int64_t i = 0; i < 2 * count; ++i) {
        expected.push_back(x.data<float>()[2 * first + i]);
        sum += i % 2 ? 0 : expected.back();
      }
      expected.resize(18);
      CHECK(numbers(outputs->at("part")) == expected);
      CHECK(numbers(outputs->at("cut.count"))[0] == double(count));
      if (count > 0)
        CHECK(numbers(outputs->at("mean"))[0] ==
              Approx(sum / double(count)).epsilon(1e-5));
    }
}

TEST_CASE("slices, each once") {
  for (const bool sorted : {true, false}) {
    OnnxModel m;
    m.input("x", {"9", "2"});
    auto &node =
        m.node("Unique", {"x"}, {"once", "first", "which", "often"}, "unique");
    setInt(node, "axis", 0);
    setInt(node, "sorted", sorted);
    for (const char *name : {"once", "first", "which", "often"})
      m.output(name);
    const auto model = frontend::importModel(
        m.save(scratch(sorted ? "unique_sorted" : "unique")), {});
    if (!model)
      FAIL(model.error().message);
    unsigned state = 5;
    const auto die = [&](unsigned sides) {
      state = state * 1664525 + 1013904223;
      return (state >> 16) % sides;
    };
    for (int trial = 0; trial < 30; ++trial) {
      INFO("sorted " << sorted << ", trial " << trial);
      std::vector<float> values;
      for (int i = 0; i < 18; ++i)
        values.push_back(float(die(1 + unsigned(trial) % 4)) - 1);
      const auto outputs = evaluate(*model, {{"x", floats({9, 2}, values)}});
      if (!outputs)
        FAIL(outputs.error().message);
      // The rows in order, by a list that is searched.
      using Row = std::array<double, 2>;
      std::vector<Row> rows;
      const auto rowAt = [&](size_t i) {
        return Row{values[2 * i], values[2 * i + 1]};
      };
      for (size_t i = 0; i < 9; ++i)
        if (std::find(rows.begin(), rows.end(), rowAt(i)) == rows.end())
          rows.push_back(rowAt(i));
      if (sorted)
        std::sort(rows.begin(), rows.end());
      std::vector<double> once, first, which, often(9);
      for (size_t i = 0; i < 9; ++i) {
        const auto at = std::find(rows.begin(), rows.end(), rowAt(i));
        which.push_back(double(at - rows.begin()));
        often[size_t(at - rows.begin())] += 1;
      }
      for (size_t k = 0; k < rows.size(); ++k) {
        once.insert(once.end(), rows[k].begin(), rows[k].end());
        first.push_back(double(
            std::find(which.begin(), which.end(), double(k)) - which.begin()));
      }
      once.resize(18);
      first.resize(9);
      CHECK(numbers(outputs->at("once")) == once);
      CHECK(numbers(outputs->at("first")) == first);
      CHECK(numbers(outputs->at("which")) == which);
      CHECK(numbers(outputs->at("often")) == often);
      CHECK(numbers(outputs->at("unique.count"))[0] == double(rows.size()));
    }
  }
}
