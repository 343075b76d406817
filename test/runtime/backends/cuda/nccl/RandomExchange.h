// Fetches and reductions between workers, drawn at random.
#ifndef SMEX_TEST_RUNTIME_BACKENDS_CUDA_NCCL_RANDOMEXCHANGE_H
#define SMEX_TEST_RUNTIME_BACKENDS_CUDA_NCCL_RANDOMEXCHANGE_H

#include "test/runtime/executor/Programs.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace smex::test {

class RandomExchange {
public:
  /// A program of 2 to 5 workers, without instructions.
  explicit RandomExchange(uint64_t seed)
      : engine(seed), workers(int(draw(2, 5))), builder(workers) {}

  /// Adds a fetch from slices of a tensor of f32, uneven or none, or a
  /// reduction of any parts of it, whose terms come in any order. Who wants
  /// what: slices, too, or, unless they are to be `disjoint`, anything. Some
  /// are collectives, where all want all of equal shares, or of whole terms, or
  /// equal shares of these.
  void add(bool disjoint) {
    std::vector<int64_t> shape(size_t(draw(1, 3)));
    for (int64_t &size : shape)
      size = draw(1, 6);
    const bool isReduction = draw(0, 1), isCollective = draw(0, 3) == 0;
    const size_t side = size_t(draw(0, int64_t(shape.size()) - 1));
    if (isCollective)
      shape[side] = workers * draw(1, 2);
    const Box whole = wholeBox(shape);
    if (isCollective) {
      std::vector<Box> from(size_t(workers), whole);
      std::vector<Box> shares = from;
      for (int64_t w = 0; w < workers; ++w)
        shares[size_t(w)][side] = cut(whole[side], workers, w);
      if (!isReduction)
        return add(shape, shares, from, false,
                   Collective{CollectiveKind::AllGather, 1});
      const bool isScattered = draw(0, 1);
      return add(shape, from, isScattered ? shares : from, true,
                 Collective{isScattered ? CollectiveKind::ReduceScatter
                                        : CollectiveKind::AllReduce,
                            1});
    }
    std::vector<Box> from = slices(whole), to = slices(whole);
    for (Box &each : from)
      if (isReduction)
        each = part(whole);
    for (Box &each : to)
      if (!disjoint)
        each = draw(0, 4) ? part(whole) : Box::absent(shape.size());
    add(shape, from, to, isReduction, std::nullopt);
  }

  int64_t draw(int64_t low, int64_t high) {
    return low + int64_t(engine() % uint64_t(high - low + 1));
  }

  plan::Partitioned &partitioned() { return builder.result; }

private:
  void add(const std::vector<int64_t> &shape, const std::vector<Box> &from,
           const std::vector<Box> &to, bool isReduction,
           std::optional<Collective> collective) {
    std::vector<int> owners(static_cast<size_t>(workers));
    std::iota(owners.begin(), owners.end(), 0);
    std::shuffle(owners.begin(), owners.end(), engine);
    std::vector<std::vector<Piece>> pieces(static_cast<size_t>(workers));
    for (size_t w = 0; w < pieces.size(); ++w) {
      for (int owner : owners)
        if (Box box = intersect(from[size_t(owner)], to[w]); !isEmpty(box))
          pieces[w].push_back({owner, std::move(box)});
      if (!collective)
        std::shuffle(pieces[w].begin(), pieces[w].end(), engine);
    }
    const std::string name = "x" + std::to_string(tensors++);
    const int x = builder.tensor(name, shape);
    const int source = builder.buffer(x, from, isReduction);
    const int number = builder.move(
        name, isReduction ? plan::Opcode::Reduce : plan::Opcode::Fetch, source,
        builder.buffer(x, to), pieces, {});
    partitioned().program.instructions[size_t(number)].collective = collective;
  }

  std::vector<Box> slices(const Box &whole) {
    std::vector<Box> all;
    const size_t d = size_t(draw(0, int64_t(whole.size()) - 1));
    for (int64_t w = 0, begin = 0; w < workers; ++w) {
      const int64_t end =
          w + 1 == workers ? whole[d].hi : draw(begin, whole[d].hi);
      all.push_back(whole);
      all.back()[d] = {begin, end};
      begin = end;
    }
    return all;
  }

  Box part(const Box &whole) {
    Box box = whole;
    for (Interval &side : box)
      if (draw(0, 1)) {
        side.lo = draw(0, side.hi - 1);
        side.hi = draw(side.lo, side.hi);
      }
    return box;
  }

  std::mt19937_64 engine;
  int tensors = 0;

public:
  const int workers;

private:
  runtime::ProgramBuilder builder;
};

/// All elements of a box, in their order.
inline std::vector<std::vector<int64_t>> elementsOf(const Box &box) {
  std::vector<std::vector<int64_t>> all;
  if (isEmpty(box))
    return all;
  all.emplace_back();
  for (const Interval &side : box) {
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t> &begin : all)
      for (int64_t i = side.lo; i < side.hi; ++i) {
        longer.push_back(begin);
        longer.back().push_back(i);
      }
    all = std::move(longer);
  }
  return all;
}

inline bool holds(const Box &box, const std::vector<int64_t> &at) {
  for (size_t d = 0; d < at.size(); ++d)
    if (at[d] < box[d].lo || at[d] >= box[d].hi)
      return false;
  return !box.isAbsent();
}

} // namespace smex::test

#endif
