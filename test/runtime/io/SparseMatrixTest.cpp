#include "runtime/io/SparseMatrix.h"

#include "dialects/support/File.h"
#include "runtime/io/Npy.h"
#include "runtime/io/Npz.h"
#include "runtime/io/ReadTensor.h"

#include <catch2/catch.hpp>

#include <random>

using namespace smex;

namespace {
// Written by scipy and NumPy: the matrix below, and other arrays.
const std::string folder = "test/runtime/io/data/";
const std::vector<float> dense = {0, 1.5, 0, 2, 0, 0, 0, 0, 0, 0, -3, 4};

void checkDense(const Result<Tensor> &tensor) {
  if (!tensor)
    FAIL(tensor.error().message);
  CHECK(tensor->type == TensorType{DType::F32, {4, 3}});
  const float *values = tensor->data<float>();
  CHECK(std::vector<float>(values, values + 12) == dense);
}

Result<Tensor> fromText(const std::string &text) {
  const auto matrix = io::parseSparseMatrix(text, "m");
  return matrix ? io::toDense(*matrix, "m") : matrix.error();
}

std::string wrong(const std::string &text) {
  const auto matrix = io::parseSparseMatrix(text, "m");
  return matrix ? "read" : matrix.error().message;
}

std::string read(const std::string &file) {
  auto bytes = readFile(folder + file);
  REQUIRE(bytes);
  return std::move(*bytes);
}
} // namespace

TEST_CASE("scipy's matrices, as arrays") {
  for (const char *file : {"csr.npz", "csc.npz", "coo_stored.npz"})
    checkDense(io::readTensor(folder + file));
}

TEST_CASE("an .npz of one array, or of several") {
  const auto one = io::readTensor(folder + "one.npz");
  REQUIRE(one);
  CHECK(one->type == TensorType{DType::I64, {2, 3}});
  CHECK(one->data<int64_t>()[5] == 5);
  const auto two = io::readTensor(folder + "two.npz");
  REQUIRE_FALSE(two);
  CHECK(two.error().message ==
        folder + "two.npz: has several arrays, a and b; save one, as .npy");
  const auto bsr = io::readTensor(folder + "bsr.npz");
  REQUIRE_FALSE(bsr);
  CHECK(bsr.error().message ==
        folder + "bsr.npz: is a sparse matrix of format \"bsr\"; save it as "
                 "CSR, CSC or COO");
}

TEST_CASE("texts") {
  checkDense(fromText("%%MatrixMarket matrix coordinate real general\n"
                      "% a remark\n4 3 4\n1 2 1.5\n2 1 2\n4 2 -3\n4 3 4\n"));
  const auto symmetric = fromText(
      "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n");
  REQUIRE(symmetric);
  CHECK(symmetric->data<float>()[1] == 1);
  CHECK(symmetric->data<float>()[2] == 1);
  CHECK(symmetric->data<float>()[3] == 0);
  // Edges: square, as large as the largest number.
  const auto edges = io::parseSparseMatrix("# from to\n0 3\r\n2,1\n0\t3", "m");
  REQUIRE(edges);
  CHECK(edges->rows == 4);
  CHECK(edges->columns == 4);
  CHECK(edges->row == std::vector<int64_t>{0, 2, 0});
  CHECK(edges->column == std::vector<int64_t>{3, 1, 3});
  CHECK(edges->values.bytes.empty());
  const auto weighted = fromText("0 1 0.5\n0 1 0.25\n");
  REQUIRE(weighted);
  CHECK(weighted->data<float>()[1] == 0.75f);
  const auto none = io::parseSparseMatrix("", "m");
  REQUIRE(none);
  CHECK(none->rows == 0);
}

TEST_CASE("what is wrong with a text") {
  CHECK(wrong("0 1\n0 x\n") == "m:2: must be a row and a column");
  CHECK(wrong("0 1 2 3\n") ==
        "m:1: after row and column comes one number, or none");
  CHECK(wrong("0 1\n0 1 2\n") ==
        "m:2: some entries have a value, and some have none");
  CHECK(wrong("-1 1\n") == "m:1: row -1, column 1: outside of the matrix");
  CHECK(wrong("0 9999999999999\n") == "m:1: more than 2^40 rows or columns");
  const std::string market = "%%MatrixMarket matrix coordinate real general\n";
  CHECK(wrong(market) == "m: has no size");
  CHECK(wrong(market + "2 2 1\n3 1 1\n") ==
        "m:3: row 3, column 1: outside of the matrix");
  CHECK(wrong(market + "2 2 2\n1 1 1\n") == "m: has 1 entries, and says 2");
  CHECK(wrong(market + "2 2 1\n1 1\n") == "m:3: the entry has no value");
  CHECK(wrong("%%MatrixMarket matrix array real general\n1 1\n1\n") ==
        "m: only a \"matrix coordinate\" of real numbers, integers or a "
        "pattern can be read");
}

TEST_CASE("any bytes are a safe input") {
  std::mt19937 random(3);
  for (const char *file :
       {"csr.npz", "csc.npz", "coo_stored.npz", "one.npz", "two.npz"}) {
    const std::string whole = read(file);
    // An archive ends with 22 bytes that say where its directory is.
    for (size_t size = 0; size + 22 < whole.size(); ++size)
      CHECK_FALSE(io::Npz::open(whole.substr(0, size), "m"));
    for (int round = 0; round < 3000; ++round) {
      std::string changed = whole;
      for (int k = 0; k <= round % 3; ++k)
        changed[random() % changed.size()] = char(random());
      const auto matrix = io::parseSparseMatrix(changed, "m.npz");
      if (matrix && matrix->rows * matrix->columns < 1000)
        (void)io::toDense(*matrix, "m");
    }
  }
}

TEST_CASE("an archive that was written") {
  Tensor numbers = makeTensor({DType::I64, {2}});
  numbers.data<int64_t>()[1] = 7;
  const std::string bytes = io::formatNpz({{"numbers", io::formatNpy(numbers)},
                                           {"word", io::formatNpyText("csr")}});
  const auto npz = io::Npz::open(bytes, "m");
  REQUIRE(npz);
  CHECK(npz->names() == "numbers and word");
  const auto read = npz->read("numbers");
  REQUIRE(read);
  CHECK(read->type == numbers.type);
  CHECK(read->bytes == numbers.bytes);
  const auto word = npz->readBytes("word");
  REQUIRE(word);
  CHECK(word->size() == 128 + 3); // header in steps of 64
  CHECK(word->find("'|S3'") != std::string::npos);
  CHECK(word->substr(word->size() - 3) == "csr");
}
