#include "dialects/tdl/analysis/ConvolutionGradient.h"

#include "dialects/tdl/analysis/ProductOfReads.h"
#include "dialects/tdl/lambda/Conjuncts.h"

#include <algorithm>

using namespace smex;
using namespace smex::analysis;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

/// Points that are looked at along one dimension, at most.
constexpr int64_t pointLimit = int64_t(1) << 22;

/// Conditions count as 0 or 1. Nothing for what index expressions of gradients
/// do not have.
std::optional<int64_t> valueOf(const ExprRef &e,
                               const std::vector<int64_t> &variables) {
  if (e->kind == ExprKind::Int)
    return e->integer;
  if (e->kind == ExprKind::Index)
    return variables[size_t(e->index)];
  if (e->kind == ExprKind::Unary && e->unary == tdl::UnaryOp::Neg) {
    const auto value = valueOf(e->children[0], variables);
    return value ? std::optional(-*value) : std::nullopt;
  }
  if (e->kind != ExprKind::Binary)
    return std::nullopt;
  const auto left = valueOf(e->children[0], variables);
  const auto right = valueOf(e->children[1], variables);
  if (!left || !right)
    return std::nullopt;
  const int64_t a = *left, b = *right;
  constexpr int64_t most = int64_t(1) << 31; // products stay in 64 bits
  if (std::max(std::abs(a), std::abs(b)) > most)
    return std::nullopt;
  const auto quotient = [&] { return a / b - (a % b < 0); };
  switch (e->binary) {
  case BinaryOp::Add:
    return a + b;
  case BinaryOp::Sub:
    return a - b;
  case BinaryOp::Mul:
    return a * b;
  case BinaryOp::FloorDiv:
    return b > 0 ? std::optional(quotient()) : std::nullopt;
  case BinaryOp::Mod:
    return b > 0 ? std::optional(a - quotient() * b) : std::nullopt;
  case BinaryOp::Eq:
    return a == b;
  case BinaryOp::Lt:
    return a < b;
  case BinaryOp::Le:
    return a <= b;
  case BinaryOp::Gt:
    return a > b;
  case BinaryOp::Ge:
    return a >= b;
  default:
    return std::nullopt;
  }
}

std::string numbered(char what, int number) {
  return std::string(1, what) + std::to_string(number);
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

/// The gradient by the data, with one of the operands as the result's gradient.
class DataGradient {
public:
  DataGradient(const tdl::Lambda &lambda, const std::vector<int64_t> &extents,
               const ExprRef &gradient, const ExprRef &filter,
               const Shapes &shapes)
      : lambda(lambda), extents(extents), gradient(gradient), filter(filter),
        result(shapes[size_t(gradient->operand)]),
        window(shapes[size_t(filter->operand)]), variables(extents.size()),
        roles(extents.size()) {}

  std::optional<ConvolutionGradient> match() {
    const int spatial = lambda.rank() - 2;
    if (spatial < 1 || int(gradient->children.size()) != lambda.rank() ||
        int(filter->children.size()) != lambda.rank() ||
        (gradient->otherwise && !isZero(gradient->otherwise)) ||
        (filter->otherwise && !isZero(filter->otherwise)) ||
        !isIndex(gradient->children[0], 0) ||
        std::count(extents.begin(), extents.end(), 0))
      return std::nullopt;
    conditions = tdl::conjuncts(lambda.guard);
    roles[0] = "n";
    if (!channels())
      return std::nullopt;
    for (int d = 0; d < spatial; ++d)
      if (!dimension(d))
        return std::nullopt;
    // A condition or a variable that no dimension has met: something else.
    if (!conditions.empty() || std::count(roles.begin(), roles.end(), ""))
      return std::nullopt;
    found.convolution.type = lambda.result;
    found.gradient = gradient->operand;
    found.roles = joined(roles);
    return found;
  }

private:
  struct Pair {
    int64_t x, o, k;
  };

  /// The reduction variable in the two expressions, or -1 if there is none;
  /// false if there are several, or one that has a role already.
  bool freeVariable(const ExprRef &a, const ExprRef &b, int own, int &free) {
    free = -1;
    for (int v = 0; v < lambda.indexCount(); ++v)
      if (v != own && (tdl::uses(a, v) || tdl::uses(b, v))) {
        if (v < lambda.rank() || free >= 0 || !roles[size_t(v)].empty())
          return false;
        free = v;
      }
    return true;
  }

  /// Takes out the conditions on these two variables, or on none.
  std::vector<ExprRef> conditionsOn(int own, int free) {
    std::vector<ExprRef> taken, rest;
    for (const ExprRef &condition : conditions) {
      bool others = false;
      for (int v = 0; v < lambda.indexCount(); ++v)
        others |= v != own && v != free && tdl::uses(condition, v);
      (others ? rest : taken).push_back(condition);
    }
    conditions = std::move(rest);
    return taken;
  }

  /// Calls `visit` for all values of the two variables where the conditions
  /// hold; false if something is unknown or `visit` is not content.
  template <typename F>
  bool forEachPoint(int own, int free, const std::vector<ExprRef> &when,
                    F &&visit) {
    const int64_t number = free < 0 ? 1 : extents[size_t(free)];
    if (extents[size_t(own)] > pointLimit / number)
      return false;
    for (int64_t at = 0; at < extents[size_t(own)]; ++at)
      for (int64_t j = 0; j < number; ++j) {
        variables[size_t(own)] = at;
        if (free >= 0)
          variables[size_t(free)] = j;
        bool holds = true;
        for (const ExprRef &condition : when) {
          const auto value = valueOf(condition, variables);
          if (!value)
            return false;
          holds &= *value != 0;
        }
        if (holds && !visit(at, j))
          return false;
        if (!holds && own == 1) // channels are never left out
          return false;
      }
    return true;
  }

  bool channels() {
    const ExprRef &m = filter->children[0], &c = filter->children[1];
    const int64_t all = extents[1], perGroup = window[1];
    int free;
    if (!tdl::equal(gradient->children[1], m) || !freeVariable(m, c, 1, free) ||
        perGroup == 0 || all % perGroup != 0)
      return false;
    const int64_t groups = all / perGroup;
    const int64_t filters = free < 0 ? 1 : extents[size_t(free)];
    if (window[0] != groups * filters || result[1] != window[0])
      return false;
    found.convolution.groups = groups;
    roles[1] = "c";
    if (free >= 0)
      roles[size_t(free)] = "m";
    if (groups == 1 && free >= 0 && isIndex(m, free) && isIndex(c, 1))
      return true; // no need to look at each
    return forEachPoint(
        1, free, conditionsOn(1, free), [&](int64_t channel, int64_t t) {
          return valueOf(m, variables) == channel / perGroup * filters + t &&
                 valueOf(c, variables) == channel % perGroup;
        });
  }

  bool dimension(int d) {
    const int own = 2 + d;
    const ExprRef &o = gradient->children[size_t(own)];
    const ExprRef &k = filter->children[size_t(own)];
    int free;
    if (!freeVariable(o, k, own, free))
      return false;
    roles[size_t(own)] = numbered('x', d);
    if (free >= 0 && !isIndex(k, free) && !isIndex(o, free))
      return false;
    if (free >= 0)
      roles[size_t(free)] = numbered(isIndex(k, free) ? 'k' : 'o', d);
    const int64_t outs = result[size_t(own)], points = window[size_t(own)];
    if (points > 0 && outs > pointLimit / points)
      return false;
    std::vector<Pair> pairs;
    const bool known = forEachPoint(
        own, free, conditionsOn(own, free), [&](int64_t x, int64_t) {
          const auto atO = valueOf(o, variables), atK = valueOf(k, variables);
          if (!atO || !atK)
            return false;
          const bool inO = *atO >= 0 && *atO < outs;
          const bool inK = *atK >= 0 && *atK < points;
          if ((!inO && !gradient->otherwise) || (!inK && !filter->otherwise))
            return false; // not a lambda that is ever run
          if (inO && inK)
            pairs.push_back({x, *atO, *atK});
          return true;
        });
    return known && fit(pairs, outs, points, extents[size_t(own)]);
  }

  /// Stride, dilation and pad under which exactly these pairs meet in the data.
  bool fit(const std::vector<Pair> &pairs, int64_t outs, int64_t points,
           int64_t size) {
    if (pairs.empty())
      return false;
    // The first pair, and for each o and k the others with the same.
    int64_t stride = 0, dilation = 0;
    std::vector<const Pair *> ofO(size_t(outs), nullptr),
        ofK(size_t(points), nullptr);
    for (const Pair &pair : pairs) {
      const Pair *&sameK = ofK[size_t(pair.k)], *&sameO = ofO[size_t(pair.o)];
      if (!sameK)
        sameK = &pair;
      else if (pair.o != sameK->o)
        stride = (pair.x - sameK->x) / (pair.o - sameK->o);
      if (!sameO)
        sameO = &pair;
      else if (pair.k != sameO->k)
        dilation = (pair.x - sameO->x) / (pair.k - sameO->k);
    }
    // Where the pairs do not tell, they may at least tell what is not so.
    constexpr int64_t tries = 8;
    for (int64_t s = std::max<int64_t>(stride, 1);
         s <= (stride ? stride : tries); ++s)
      for (int64_t k = std::max<int64_t>(dilation, 1);
           k <= (dilation ? dilation : tries); ++k)
        if (fits(pairs, outs, points, size, s, k))
          return true;
    return false;
  }

  bool fits(const std::vector<Pair> &pairs, int64_t outs, int64_t points,
            int64_t size, int64_t stride, int64_t dilation) {
    const Pair &first = pairs.front();
    const int64_t pad = first.o * stride + first.k * dilation - first.x;
    for (const Pair &pair : pairs)
      if (pair.x != pair.o * stride + pair.k * dilation - pad)
        return false;
    int64_t meetings = 0;
    for (int64_t o = 0; o < outs; ++o)
      for (int64_t k = 0; k < points; ++k) {
        const int64_t x = o * stride + k * dilation - pad;
        meetings += x >= 0 && x < size;
      }
    if (meetings != int64_t(pairs.size()))
      return false;
    found.convolution.strides.push_back(stride);
    found.convolution.dilations.push_back(dilation);
    found.convolution.pads.push_back(pad);
    return true;
  }

  const tdl::Lambda &lambda;
  const std::vector<int64_t> &extents;
  const ExprRef &gradient, &filter;
  const std::vector<int64_t> &result, &window; // the operands' shapes
  std::vector<int64_t> variables;              // values, while looking
  std::vector<std::string> roles;              // per index variable
  std::vector<ExprRef> conditions;             // not yet looked at
  ConvolutionGradient found;
};

/// The gradient by the filter, with one of the operands as the result's
/// gradient and the other as the data.
std::optional<ConvolutionGradient>
filterGradient(const tdl::Lambda &lambda, const std::vector<int64_t> &extents,
               const ExprRef &gradient, const ExprRef &data) {
  const int rank = lambda.rank(), spatial = rank - 2;
  if (lambda.guard || spatial < 1 ||
      lambda.indexCount() != rank + 1 + spatial ||
      int(gradient->children.size()) != rank ||
      int(data->children.size()) != rank || gradient->otherwise ||
      (data->otherwise && !isZero(data->otherwise)) ||
      !isIndex(gradient->children[1], 0))
    return std::nullopt;
  ConvolutionGradient found;
  found.of = ConvolutionGradient::Of::Filter;
  found.gradient = gradient->operand;
  found.convolution.type = lambda.result;
  std::vector<std::string> roles(size_t(lambda.indexCount()));
  roles[0] = "m";
  roles[1] = "c";
  // A reduction variable without a role yet, or -1.
  const auto fresh = [&](const ExprRef &e) {
    return e->kind == ExprKind::Index && e->index >= rank &&
                   roles[size_t(e->index)].empty()
               ? e->index
               : -1;
  };
  const int n = fresh(gradient->children[0]);
  if (n < 0 || !isIndex(data->children[0], n))
    return std::nullopt;
  roles[size_t(n)] = "n";
  found.convolution.groups = groupsOf(data->children[1], 0, 1, extents);
  if (found.convolution.groups == 0)
    return std::nullopt;
  for (int d = 0; d < spatial; ++d) {
    const int k = 2 + d, o = fresh(gradient->children[size_t(k)]);
    const auto x = affine(data->children[size_t(k)], nullptr);
    if (o < 0 || !x || x->terms.size() != 2 || x->factor(o) < 1 ||
        x->factor(k) < 1)
      return std::nullopt;
    roles[size_t(k)] = numbered('k', d);
    roles[size_t(o)] = numbered('o', d);
    found.convolution.strides.push_back(x->factor(o));
    found.convolution.dilations.push_back(x->factor(k));
    found.convolution.pads.push_back(-x->constant);
  }
  found.roles = joined(roles);
  return found;
}

} // namespace

std::optional<ConvolutionGradient>
analysis::matchConvolutionGradient(const tdl::Lambda &given,
                                   const std::vector<int64_t> &extents,
                                   const Shapes &shapes) {
  const tdl::Lambda lambda = rounded(given);
  const auto reads = productOfReads(lambda);
  if (!reads)
    return std::nullopt;
  const auto &[a, b] = *reads;
  for (const auto &[gradient, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (auto found = filterGradient(lambda, extents, gradient, other))
      return found;
    if (auto found =
            DataGradient(lambda, extents, gradient, other, shapes).match())
      return found;
  }
  return std::nullopt;
}
