// The operators of graph.tdl on a graph with parallel edges, a self-loop, and
// nodes that no edge comes in to.
#include "test/dialects/tdl/library/Results.h"

#include <cmath>

using namespace smex;
using namespace smex::tdl;

namespace {

const Tensor src = i64({5}, {0, 0, 2, 1, 3});
const Tensor dst = i64({5}, {1, 1, 1, 3, 3});
const Tensor nodes = f32({4, 2}, {1, 10, 2, 20, 3, 30, 4, 40});
const Tensor messages = f32({5, 1}, {1, -2, 5, -3, -4});

Numbers result(const std::string &op, const std::vector<Tensor> &operands,
               const Attributes &attributes = {}) {
  return results(op, operands, attributes)[0];
}

} // namespace

TEST_CASE("what edges read, and what nodes make of messages") {
  CHECK(result("at_ends", {nodes, src}) ==
        Numbers{1, 10, 1, 10, 3, 30, 2, 20, 4, 40});
  CHECK(result("in_degree", {dst, nodes}) == Numbers{0, 3, 0, 2});
  CHECK(result("sum_messages", {messages, dst, nodes}) == Numbers{0, 4, 0, -7});
  CHECK(result("prod_messages", {messages, dst, nodes}) ==
        Numbers{1, -10, 1, 12});
  CHECK(result("max_messages", {messages, dst, nodes}) == Numbers{0, 5, 0, -3});
  CHECK(result("min_messages", {messages, dst, nodes}) ==
        Numbers{0, -2, 0, -4});
  const Numbers mean = result("mean_messages", {messages, dst, nodes});
  CHECK(mean[0] == 0);
  CHECK(mean[1] == Approx(4.0 / 3));
  CHECK(mean[3] == -3.5);
}

TEST_CASE("softmax over the edges that come in") {
  const Numbers p = result("softmax_of_edges", {messages, dst, nodes});
  CHECK(p[0] + p[1] + p[2] == Approx(1));
  CHECK(p[2] / p[0] == Approx(std::exp(4)));
  CHECK(p[3] == Approx(1 / (1 + std::exp(-1))));
}

TEST_CASE("graph convolution and attention") {
  // Node 1: edges from 0, 0 (degree 0, which counts as 1) and 2 (likewise).
  const Numbers y = result("graph_convolution", {nodes, src, dst});
  CHECK(y[0] == 0);
  CHECK(y[2] == Approx((1 + 1 + 3) / std::sqrt(3)));
  CHECK(y[6] == Approx((2 / std::sqrt(3) + 4 / std::sqrt(2)) / std::sqrt(2)));

  const Tensor x = f32({4, 1, 2}, {1, 0, 2, 1, 3, -1, 0, 2});
  const Tensor left = f32({1, 2}, {1, 0}), right = f32({1, 2}, {0, -1});
  const auto score = [](double l, double r) {
    const double s = l + r;
    return std::exp(s >= 0 ? s : 0.2 * s);
  };
  const Numbers z = result("graph_attention", {x, left, right, src, dst});
  CHECK(z[0] == 0);
  const double a = score(1, -1), b = score(3, -1); // into node 1
  CHECK(z[2] == Approx((2 * a * 1 + b * 3) / (2 * a + b)));
  CHECK(z[3] == Approx((b * -1) / (2 * a + b)));
  const double c = score(2, -2), d = score(0, -2); // into node 3
  CHECK(z[6] == Approx((c * 2 + d * 0) / (c + d)));
}

TEST_CASE("attention in parts is attention") {
  const Tensor x = f32({4, 2, 1}, {1, 0, 2, 1, 3, -1, 0, 2});
  const Tensor left = f32({2, 1}, {1, -2}), right = f32({2, 1}, {0.5, -1});
  const auto asTensor = [](const Numbers &numbers) {
    return f32({5, 2}, {numbers.begin(), numbers.end()});
  };
  const Tensor scores =
      asTensor(result("scores_of_edges", {x, left, right, src, dst}));
  const Tensor p = asTensor(result("softmax_of_edges", {scores, dst, x}));
  const Numbers parts = result("weighted_messages", {p, x, src, dst}),
                whole = result("graph_attention", {x, left, right, src, dst});
  REQUIRE(parts.size() == whole.size());
  for (size_t i = 0; i < whole.size(); ++i)
    CHECK(parts[i] == Approx(whole[i]).margin(1e-6));
}

TEST_CASE("the mean of others leaves the node itself out") {
  const Numbers y = result("mean_of_others", {nodes, src, dst});
  CHECK(y[0] == 0);                         // nothing comes in
  CHECK(y[2] == Approx((1 + 1 + 3) / 3.0)); // two parallel edges from 0
  CHECK(y[5] == 0);
  CHECK(y[6] == 2); // and not its self-loop
  CHECK(y[7] == 20);
}

TEST_CASE("edges of several types") {
  // Of type 0: both from 0 to 1, and the self-loop; of type 1: the others.
  const Tensor types = i64({5}, {0, 0, 1, 1, 0});
  const Tensor x = f32({2, 4, 1}, {1, 2, 3, 4, 10, 20, 30, 40});
  CHECK(result("sum_of_relations", {x, types, src, dst}) ==
        Numbers{0, 1 + 30, 0, 4 + 20});
}

TEST_CASE("readouts of a batch of graphs") {
  const Tensor of = i64({4}, {0, 0, -1, 2}); // graph 1 has no nodes
  const Attributes graphs = {{"graphs", int64_t(3)}};
  CHECK(result("sum_of_nodes", {nodes, of}, graphs) ==
        Numbers{3, 30, 0, 0, 4, 40});
  CHECK(result("mean_of_nodes", {nodes, of}, graphs) ==
        Numbers{1.5, 15, 0, 0, 4, 40});
  const Tensor below = f32({4, 1}, {-2, -1, 9, -3});
  CHECK(result("max_of_nodes", {below, of}, graphs) == Numbers{-1, 0, -3});
}

TEST_CASE("reducers of mailboxes leave empty places out") {
  // Three, two and no messages of two features.
  const Tensor m = f32({3, 3, 2}, {5, -1, 1, -3, 3, -2, 2, 4, 8, 6, 99, 99, 99,
                                   99, 99, 99, 99, 99});
  const Tensor lengths = tensor(DType::I32, {3}, {3, 2, 0});
  CHECK(result("median_of_mailbox", {m, lengths}) ==
        Numbers{3, -2, 2, 4, 0, 0});
  const Tensor keys = f32({3, 3}, {1, 2, 2, 0, 7, 9, 9, 9, 9});
  CHECK(result("top_of_mailbox", {m, keys, lengths}, {{"k", int64_t(2)}}) ==
        Numbers{1, -3, 3, -2, 8, 6, 2, 4, 0, 0, 0, 0});
  CHECK(result("top_of_mailbox", {m, keys, lengths}, {{"k", int64_t(4)}}) ==
        Numbers{1, -3, 3, -2, 5, -1, 0, 0, 8, 6, 2, 4,
                0, 0,  0, 0,  0, 0,  0, 0, 0, 0, 0, 0});
  const Numbers p = result("softmax_of_mailbox", {keys, lengths});
  CHECK(p[0] + p[1] + p[2] == Approx(1));
  CHECK(p[1] / p[0] == Approx(std::exp(1)));
  CHECK(p[4] / p[3] == Approx(std::exp(7)));
  CHECK(p[3] + p[4] == Approx(1));
  CHECK(p[5] + p[6] + p[7] + p[8] == 0);
  const Tensor none = f32({3, 0, 2}, {});
  CHECK(result("median_of_mailbox", {none, lengths}) == Numbers(6));
}

TEST_CASE("edges that lead to a node still, in each mailbox") {
  // Edges 1 and 4 lead nowhere; edge 3 leads elsewhere than in the graph.
  const Tensor ends = i64({6}, {0, -1, 0, 2, -1, 1});
  const Tensor edges = i64({3, 3}, {0, 1, 2, 3, 4, -1, 4, 1, -1});
  const auto all =
      results("edges_that_lead", {edges, ends}, {{"width", int64_t(3)}});
  CHECK(all[0] == Numbers{0, 2, -1, 3, -1, -1, -1, -1, -1});
  CHECK(all[1] == Numbers{2, 1, 0});
  const auto one =
      results("edges_that_lead", {edges, ends}, {{"width", int64_t(1)}});
  CHECK(one[0] == Numbers{0, 3, -1});
  CHECK(one[1] == Numbers{1, 1, 0});
}

TEST_CASE("mailboxes of nodes by their degree") {
  // Beyond the last node is no node.
  const Tensor ends = i64({8}, {3, 1, -1, 3, 1, 0, 9, 3});
  const auto rows = results("rows_by_degree", {ends, nodes});
  CHECK(rows[0] == Numbers{3, 1, 0, 2});
  CHECK(rows[1] == Numbers{2, 1, 3, 0});
  CHECK(rows[2] == Numbers{0, 3, 7, 1, 4, 5, 2, 6});
  CHECK(rows[3] == Numbers{0, 3, 5, 6});
  CHECK(rows[4] == Numbers{3, 2, 1, 0});
  const auto asLists = [&](size_t from, std::vector<double> numbers) {
    return i64({int64_t(numbers.size() - from)},
               {numbers.begin() + int64_t(from), numbers.end()});
  };
  const auto edges =
      results("edges_of_rows",
              {asLists(0, rows[2]), asLists(1, rows[3]), asLists(1, rows[4])},
              {{"width", int64_t(2)}});
  CHECK(edges[0] == Numbers{1, 4, 5, -1, -1, -1});
  CHECK(edges[1] == Numbers{2, 1, 0});
}
