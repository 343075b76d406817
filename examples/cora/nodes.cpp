// nodes: what lies between a data set of labelled nodes and the files that
// smex-run takes and writes.
//
//   nodes normalize FEATURES -o FILE.npy     rows that add up to 1
//   nodes only LABELS NODES -o FILE.npy      labels of these nodes, else -1
//   nodes score LOGITS LABELS NODES          accuracy in %, cross-entropy
#include "dialects/support/Version.h"
#include "runtime/io/Npy.h"
#include "runtime/io/ReadTensor.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace smex;

namespace {

/// A vector of i32 or i64; each in [low, end).
Result<std::vector<int64_t>> readIntegers(const std::string &file, int64_t low,
                                          int64_t end) {
  const auto tensor = io::readTensor(file);
  if (!tensor)
    return tensor.error();
  const DType type = tensor->type.dtype;
  if (tensor->type.rank() != 1 || (type != DType::I32 && type != DType::I64))
    return fail(file, ": must be a vector of i32 or i64, is ",
                toString(tensor->type));
  std::vector<int64_t> list(size_t(tensor->type.shape[0]));
  for (size_t i = 0; i < list.size(); ++i) {
    list[i] = type == DType::I64 ? tensor->data<int64_t>()[i]
                                 : tensor->data<int32_t>()[i];
    if (list[i] < low || list[i] >= end)
      return fail(file, ": element ", i, " is ", list[i], ", and must be from ",
                  low, " to ", end - 1);
  }
  return list;
}

/// A matrix of f32.
Result<Tensor> readMatrix(const std::string &file) {
  auto tensor = io::readTensor(file);
  if (tensor && (tensor->type.rank() != 2 || tensor->type.dtype != DType::F32))
    return fail(file, ": must be a matrix of f32, is ", toString(tensor->type));
  return tensor;
}

Status normalize(const std::string &features, const std::string &output) {
  auto matrix = readMatrix(features);
  if (!matrix)
    return matrix.takeError();
  const int64_t width = matrix->type.shape[1];
  for (int64_t v = 0; v < matrix->type.shape[0]; ++v) {
    float *row = matrix->data<float>() + v * width;
    double sum = 0;
    for (int64_t f = 0; f < width; ++f)
      sum += row[f];
    for (int64_t f = 0; f < width && sum != 0; ++f)
      row[f] = float(row[f] / sum);
  }
  return io::writeNpy(output, *matrix);
}

constexpr int64_t anyLabel = int64_t(1) << 31;

Status only(const std::string &labels, const std::string &nodes,
            const std::string &output) {
  const auto all = readIntegers(labels, -1, anyLabel);
  if (!all)
    return all.error();
  const auto some = readIntegers(nodes, 0, int64_t(all->size()));
  if (!some)
    return some.error();
  Tensor kept = makeTensor({DType::I64, {int64_t(all->size())}});
  std::fill_n(kept.data<int64_t>(), all->size(), -1);
  for (int64_t v : *some)
    kept.data<int64_t>()[v] = (*all)[size_t(v)];
  return io::writeNpy(output, kept);
}

Status score(const std::string &logits, const std::string &labels,
             const std::string &nodes) {
  const auto matrix = readMatrix(logits);
  if (!matrix)
    return matrix.error();
  const int64_t rows = matrix->type.shape[0], classes = matrix->type.shape[1];
  const auto all = readIntegers(labels, -1, classes);
  if (!all)
    return all.error();
  if (int64_t(all->size()) != rows)
    return fail(labels, ": has ", all->size(), " labels for ", rows,
                " rows of ", logits);
  const auto some = readIntegers(nodes, 0, rows);
  if (!some)
    return some.error();
  int64_t right = 0, count = 0;
  double loss = 0;
  for (int64_t v : *some) {
    const int64_t label = (*all)[size_t(v)];
    if (label < 0)
      continue;
    const float *row = matrix->data<float>() + v * classes;
    const float *most = std::max_element(row, row + classes);
    double sum = 0;
    for (int64_t c = 0; c < classes; ++c)
      sum += std::exp(double(row[c]) - *most);
    loss += std::log(sum) - (double(row[label]) - *most);
    right += most - row == label;
    ++count;
  }
  if (count == 0)
    return fail(nodes, ": none of its nodes has a label in ", labels);
  std::printf("%.2f %.6f\n", 100.0 * double(right) / double(count),
              loss / double(count));
  return {};
}

int report(const Error &error) {
  std::fprintf(stderr, "nodes: error: %s\n", error.message.c_str());
  return int(error.fault);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Between a data set of labelled nodes and smex-run.", "nodes");
  app.set_version_flag("--version", versionText);
  app.require_subcommand(1);
  std::string first, labels, nodes, output;
  auto *rows = app.add_subcommand("normalize", "rows that add up to 1");
  rows->add_option("FEATURES", first, "a matrix")->required();
  auto *some = app.add_subcommand("only", "labels of some nodes, else -1");
  some->add_option("LABELS", labels, "of all nodes")->required();
  some->add_option("NODES", nodes, "numbers of nodes")->required();
  for (CLI::App *each : {rows, some})
    each->add_option("-o,--output", output, "a .npy file")->required();
  auto *scored =
      app.add_subcommand("score", "prints accuracy in %, and cross-entropy");
  scored->add_option("LOGITS", first, "a row per node")->required();
  scored->add_option("LABELS", labels, "of all nodes")->required();
  scored->add_option("NODES", nodes, "numbers of those that count")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    return report({error.what(), Fault::Usage});
  }
  const Status done = rows->parsed()   ? normalize(first, output)
                      : some->parsed() ? only(labels, nodes, output)
                                       : score(first, labels, nodes);
  return done ? 0 : report(done.error());
}
