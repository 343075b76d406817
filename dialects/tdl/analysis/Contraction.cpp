#include "dialects/tdl/analysis/Contraction.h"

#include "dialects/tdl/analysis/Affine.h"
#include "dialects/tdl/analysis/ProductOfReads.h"

using namespace smex;
using namespace smex::analysis;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

/// Per index variable, whether the read takes it; nothing if an index is not
/// just a variable, or occurs twice (a diagonal).
std::optional<std::vector<bool>> projection(const ExprRef &read,
                                            int indexCount) {
  std::vector<bool> taken(indexCount);
  for (const ExprRef &e : read->children) {
    if (e->kind != ExprKind::Index || taken[e->index])
      return std::nullopt;
    taken[e->index] = true;
  }
  if (read->otherwise)
    return std::nullopt;
  return taken;
}

} // namespace

int64_t analysis::groupsOf(const ExprRef &channel, int m, int c,
                           const std::vector<int64_t> &extents) {
  const int64_t filters = extents[m], perGroup = extents[c];
  std::optional<Affine> rest = affine(channel, nullptr);
  if (!rest || rest->factor(c) != 1 || rest->constant != 0)
    return 0;
  rest = subtract(*rest, Affine{{{tdl::indexVar(c), 1}}, 0});
  if (!rest || rest->terms.size() > 1)
    return 0;
  if (rest->isConstant())
    return 1;
  // factor * (m // size), where m // 1 has been folded to m.
  const Affine::Term &group = rest->terms.front();
  int64_t size = 0;
  if (isIndex(group.atom, m))
    size = 1;
  else if (group.atom->kind == ExprKind::Binary &&
           group.atom->binary == BinaryOp::FloorDiv &&
           isIndex(group.atom->children[0], m) &&
           group.atom->children[1]->kind == ExprKind::Int)
    size = group.atom->children[1]->integer;
  if (size <= 0)
    return 0;
  if (filters <= size) // m // size is always 0
    return 1;
  return filters % size == 0 && group.factor == perGroup ? filters / size : 0;
}

std::optional<Contraction>
analysis::matchContraction(const tdl::Lambda &given) {
  const tdl::Lambda lambda = rounded(given);
  const auto reads = productOfReads(lambda);
  if (!reads || lambda.guard)
    return std::nullopt;
  const auto a = projection(reads->first, lambda.indexCount());
  const auto b = projection(reads->second, lambda.indexCount());
  if (!a || !b)
    return std::nullopt;
  Contraction found = {"", lambda.result};
  for (int v = 0; v < lambda.indexCount(); ++v) {
    const bool left = (*a)[v], right = (*b)[v];
    if (v < lambda.rank() ? !left && !right : !left || !right)
      return std::nullopt; // a broadcast result, or a sum of one operand
    found.roles += v >= lambda.rank() ? 'k'
                   : left && right    ? 'b'
                   : left             ? 'm'
                                      : 'n';
  }
  // Dot products, one per element of the batch: nothing that a library tiles.
  if (found.roles.find_first_of("mn") == std::string::npos && lambda.rank() > 0)
    return std::nullopt;
  return found;
}

std::optional<Convolution>
analysis::matchConvolution(const tdl::Lambda &given,
                           const std::vector<int64_t> &extents) {
  const tdl::Lambda lambda = rounded(given);
  const auto reads = productOfReads(lambda);
  const int spatial = lambda.rank() - 2;
  if (!reads || lambda.guard || spatial < 1 ||
      int(lambda.reductions.size()) != spatial + 1)
    return std::nullopt;
  const auto &[data, filter] = *reads;
  const int m = 1, c = lambda.rank();
  if (int(data->children.size()) != spatial + 2 ||
      int(filter->children.size()) != spatial + 2 || filter->otherwise ||
      (data->otherwise && !isZero(data->otherwise)) ||
      !isIndex(data->children[0], 0) || !isIndex(filter->children[0], m) ||
      !isIndex(filter->children[1], c))
    return std::nullopt;
  Convolution found;
  found.type = lambda.result;
  found.groups = groupsOf(data->children[1], m, c, extents);
  if (found.groups == 0)
    return std::nullopt;
  for (int s = 0; s < spatial; ++s) {
    const int o = 2 + s, k = c + 1 + s;
    const auto x = affine(data->children[2 + s], nullptr);
    if (!isIndex(filter->children[2 + s], k) || !x || x->terms.size() != 2 ||
        x->factor(o) < 1 || x->factor(k) < 1)
      return std::nullopt;
    found.strides.push_back(x->factor(o));
    found.dilations.push_back(x->factor(k));
    found.pads.push_back(-x->constant);
  }
  return found;
}
