// Ensembles of decision trees (ai.onnx.ml): as many steps down from all roots
// at once as the deepest leaf needs. Leaves are nodes that lead to themselves.
#include "compiler/frontend/onnx/Table.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace smex;
using namespace smex::frontend;

namespace {

constexpr int64_t Member = 6; // the last of the modes
enum Aggregate { Average, Sum, Least, Most };
enum Transform { None, Softmax, Logistic };

/// Inner nodes first, then the leaves.
struct Trees {
  std::vector<int64_t> roots, feature, mode, onNan, yes, no;
  std::vector<double> split;
  std::vector<int64_t> target; // of inner nodes -1
  std::vector<double> weight;
  int64_t inner = 0;
};

std::vector<int64_t> numbers(Node &n, const char *name, size_t size,
                             int64_t end) {
  std::vector<int64_t> list = n.integers(name);
  if (list.size() != size)
    n.refuse("attribute \"", name, "\" has ", list.size(), " entries, not ",
             size);
  for (int64_t entry : list)
    if (entry < 0 || entry >= end)
      n.refuse("attribute \"", name, "\" has the entry ", entry,
               ", which is out of range");
  return list;
}

Trees readTrees(Node &n, int64_t features, int64_t targets) {
  Trees trees;
  trees.split = asReals(n.tensor("nodes_splits"));
  trees.weight = asReals(n.tensor("leaf_weights"));
  const size_t inner = trees.split.size(), leaves = trees.weight.size();
  trees.inner = int64_t(inner);
  trees.feature = numbers(n, "nodes_featureids", inner, features);
  trees.mode = asInts(n.tensor("nodes_modes"));
  n.require(trees.mode.size() == inner, "nodes_modes has the wrong size");
  for (int64_t mode : trees.mode)
    n.require(mode >= 0 && mode <= Member, "a mode is not known");
  trees.onNan = std::vector<int64_t>(inner, 0);
  if (n.hasAttribute("nodes_missing_value_tracks_true"))
    trees.onNan = numbers(n, "nodes_missing_value_tracks_true", inner, 2);
  n.ignore("nodes_hitrates"); // says how to compute, not what
  const auto next = [&](const char *ids, const char *isLeaf) {
    const auto leaf = numbers(n, isLeaf, inner, 2);
    auto list = numbers(n, ids, inner, int64_t(std::max(inner, leaves)));
    for (size_t i = 0; i < inner; ++i) {
      n.require(list[i] < int64_t(leaf[i] ? leaves : inner),
                "a branch leads nowhere");
      list[i] += leaf[i] ? trees.inner : 0;
    }
    return list;
  };
  trees.yes = next("nodes_truenodeids", "nodes_trueleafs");
  trees.no = next("nodes_falsenodeids", "nodes_falseleafs");
  trees.roots = n.integers("tree_roots");
  n.require(!trees.roots.empty(), "it has no trees");
  for (int64_t root : trees.roots)
    n.require(root >= 0 && root < trees.inner, "a root is no node");
  trees.target = numbers(n, "leaf_targetids", leaves, targets);
  for (size_t i = 0; i < leaves; ++i) {
    trees.yes.push_back(int64_t(inner + i));
    trees.no.push_back(int64_t(inner + i));
  }
  const size_t all = inner + leaves;
  for (auto *list : {&trees.feature, &trees.mode, &trees.onNan})
    list->resize(all, 0);
  trees.split.resize(all, 0);
  trees.target.insert(trees.target.begin(), inner, -1);
  trees.weight.insert(trees.weight.begin(), inner, 0);
  return trees;
}

/// Steps from the roots until only leaves are left.
int64_t depthOf(const Node &n, const Trees &trees) {
  constexpr int64_t deepest = 1000;
  std::vector<int64_t> level = trees.roots;
  for (int64_t depth = 0;; ++depth) {
    std::sort(level.begin(), level.end());
    level.erase(std::unique(level.begin(), level.end()), level.end());
    level.erase(std::lower_bound(level.begin(), level.end(), trees.inner),
                level.end());
    if (level.empty())
      return depth;
    if (depth == deepest)
      n.refuse("its trees are deeper than ", deepest, ", or go in a circle");
    std::vector<int64_t> below;
    for (int64_t node : level) {
      below.push_back(trees.yes[size_t(node)]);
      below.push_back(trees.no[size_t(node)]);
    }
    level = std::move(below);
  }
}

/// The sets of nodes that ask for a member: each node's, and the sets as rows
/// that are filled up with what equals nothing.
struct Sets {
  std::vector<int64_t> ofNode;
  std::vector<double> members;
  int64_t count = 0, largest = 1;
};

Sets readSets(Node &n, const Trees &trees) {
  Sets sets;
  std::vector<std::vector<double>> lists;
  if (n.hasAttribute("membership_values")) {
    lists.emplace_back();
    for (double member : asReals(n.tensor("membership_values")))
      if (std::isnan(member))
        lists.emplace_back();
      else
        lists.back().push_back(member);
    n.require(lists.back().empty(), "membership_values has no NaN at its end");
    lists.pop_back();
  }
  for (int64_t mode : trees.mode) {
    sets.ofNode.push_back(mode == Member ? sets.count : 0);
    sets.count += mode == Member;
  }
  n.require(sets.count == int64_t(lists.size()),
            "membership_values has not a set for each node that asks for one");
  for (const auto &list : lists)
    sets.largest = std::max(sets.largest, int64_t(list.size()));
  for (auto &list : lists) {
    list.resize(size_t(sets.largest), std::numeric_limits<double>::quiet_NaN());
    sets.members.insert(sets.members.end(), list.begin(), list.end());
  }
  return sets;
}

void convertTrees(Node &n) {
  n.require(n.rank(0) == 2, "its operand must have rank 2");
  const DType type = n.inType(0).dtype;
  n.require(isFloat(type), "its operand must be floats");
  const int64_t targets = n.integer("n_targets");
  n.require(targets > 0, "it has no targets");
  const Trees trees = readTrees(n, n.shape(0)[1], targets);
  const Sets sets = readSets(n, trees);
  const int64_t depth = depthOf(n, trees), count = int64_t(trees.roots.size());
  const int64_t aggregate = n.integer("aggregate_function", Sum),
                transform = n.integer("post_transform", None);
  n.require(aggregate >= Average && aggregate <= Most,
            "aggregate_function is not known");
  n.require(transform >= None && transform <= Logistic,
            "its post_transform is not supported: only none, softmax and "
            "logistic are");
  const int64_t all = int64_t(trees.yes.size());
  const ValueId feature = n.addInts(trees.feature);
  std::vector<ValueId> tables = {feature,
                                 n.addInts(trees.mode),
                                 n.addReals(trees.split, {all}, type),
                                 n.addInts(trees.onNan),
                                 n.addInts(trees.yes),
                                 n.addInts(trees.no)};
  const ValueId ofNode = sets.count ? n.addInts(sets.ofNode) : noValue;
  const ValueId members =
      sets.count ? n.addReals(sets.members, {sets.count, sets.largest}, type)
                 : noValue;
  const ValueId none = n.expand(n.addInts({0}), {n.shape(0)[0], count});
  ValueId at = n.expand(n.addInts(trees.roots), {n.shape(0)[0], count});
  for (int64_t step = 0; step < depth; ++step) {
    std::vector<ValueId> operands = {n.in(0), at};
    operands.insert(operands.end(), tables.begin(), tables.end());
    operands.push_back(
        sets.count
            ? n.apply("tree_members", {n.in(0), at, feature, ofNode, members})
            : none);
    at = n.apply("tree_step", operands);
  }
  const char *templates[] = {"tree_sum", "tree_sum", "tree_min", "tree_max"};
  ValueId y = n.apply(
      templates[aggregate],
      {at, n.addReals(trees.weight, {all}, type), n.addInts(trees.target)},
      {{"targets", targets}});
  if (aggregate == Average)
    y = n.apply("divide", {y}, {{"by", double(count)}});
  if (transform == Softmax)
    y = n.apply("softmax", {y}, {{"axis", int64_t(1)}});
  if (transform == Logistic)
    y = n.apply("sigmoid", {y});
  n.out(0, y);
}

} // namespace

std::vector<Row> smex::frontend::treeRows() {
  return {{"TreeEnsemble", 5, convertTrees, "ai.onnx.ml"}};
}
