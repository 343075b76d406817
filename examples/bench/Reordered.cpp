#include "examples/bench/Reordered.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace smex;
using namespace smex::bench;

void SumList::push(int32_t result, const int32_t *begin, const int32_t *end) {
  results.push_back(result);
  sources.insert(sources.end(), begin, end);
  offsets.push_back(int32_t(sources.size()));
}

SumList bench::byDestination(const DrawnGraph &graph) {
  const auto nodes = size_t(graph.nodes());
  std::vector<Numbers> terms(nodes);
  std::vector<bool> loops(nodes);
  for (size_t source = 0; source < nodes; ++source)
    for (int64_t e = graph.starts[source]; e < graph.starts[source + 1]; ++e) {
      const auto to = size_t(graph.ends[size_t(e)]);
      terms[to].push_back(int32_t(source));
      loops[to] = loops[to] || to == source;
    }
  SumList list;
  for (size_t node = 0; node < nodes; ++node) {
    if (!loops[node])
      terms[node].push_back(int32_t(node));
    list.push(int32_t(node), terms[node].data(),
              terms[node].data() + terms[node].size());
  }
  return list;
}

SumList bench::inOrder(const SumList &list, const Numbers &order) {
  SumList made;
  made.sources.reserve(list.sources.size());
  const int32_t *terms = list.sources.data();
  for (int32_t i : order)
    made.push(list.results[size_t(i)], terms + list.offsets[size_t(i)],
              terms + list.offsets[size_t(i) + 1]);
  return made;
}

SumList bench::termsInOrder(const SumList &list, const Numbers &key) {
  SumList made = list;
  for (size_t i = 0; i < list.results.size(); ++i)
    std::stable_sort(
        made.sources.begin() + list.offsets[i],
        made.sources.begin() + list.offsets[i + 1],
        [&](int32_t a, int32_t b) { return key[size_t(a)] < key[size_t(b)]; });
  return made;
}

SumList bench::ofRows(const SumList &list, const Numbers &places) {
  SumList made = list;
  for (int32_t &source : made.sources)
    source = places[size_t(source)];
  return made;
}

SumList bench::toRows(const SumList &list, const Numbers &places) {
  SumList made = list;
  for (int32_t &result : made.results)
    result = places[size_t(result)];
  return made;
}

std::vector<SumList> bench::inBlocks(const SumList &list, int64_t rows,
                                     int64_t perBlock) {
  const auto count = size_t((rows + perBlock - 1) / perBlock);
  std::vector<SumList> blocks(count);
  std::vector<Numbers> terms(count);
  for (size_t k = 1; k < count; ++k)
    blocks[k].adds = true;
  for (size_t i = 0; i < list.results.size(); ++i) {
    for (Numbers &each : terms)
      each.clear();
    for (int32_t k = list.offsets[i]; k < list.offsets[i + 1]; ++k) {
      const int32_t source = list.sources[size_t(k)];
      terms[size_t(source / perBlock)].push_back(source);
    }
    for (size_t k = 0; k < count; ++k)
      if (k == 0 || !terms[k].empty())
        blocks[k].push(list.results[i], terms[k].data(),
                       terms[k].data() + terms[k].size());
  }
  return blocks;
}

Numbers bench::placesIn(const Numbers &order) {
  Numbers places(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    places[size_t(order[i])] = int32_t(i);
  return places;
}

/// Numbers below the count of keys, those of the largest first.
static Numbers descending(const Numbers &keys) {
  Numbers order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return keys[size_t(a)] > keys[size_t(b)];
  });
  return order;
}

Numbers bench::byReads(const SumList &list) {
  Numbers reads(list.results.size(), 0);
  for (int32_t source : list.sources)
    ++reads[size_t(source)];
  return descending(reads);
}

Numbers bench::byTerms(const SumList &list) {
  Numbers terms;
  for (size_t i = 0; i < list.results.size(); ++i)
    terms.push_back(list.offsets[i + 1] - list.offsets[i]);
  return descending(terms);
}

Numbers bench::cuthillMcKee(const SumList &list) {
  const size_t nodes = list.results.size();
  std::vector<Numbers> near(nodes);
  for (size_t i = 0; i < nodes; ++i)
    for (int32_t k = list.offsets[i]; k < list.offsets[i + 1]; ++k) {
      near[i].push_back(list.sources[size_t(k)]);
      near[size_t(list.sources[size_t(k)])].push_back(int32_t(i));
    }
  Numbers degrees;
  for (Numbers &each : near) {
    std::sort(each.begin(), each.end());
    each.erase(std::unique(each.begin(), each.end()), each.end());
    degrees.push_back(int32_t(each.size()));
  }
  const auto byDegree = [&](int32_t a, int32_t b) {
    return degrees[size_t(a)] < degrees[size_t(b)];
  };
  for (Numbers &each : near)
    std::stable_sort(each.begin(), each.end(), byDegree);
  Numbers starts(nodes), order;
  std::iota(starts.begin(), starts.end(), 0);
  std::stable_sort(starts.begin(), starts.end(), byDegree);
  std::vector<bool> seen(nodes);
  const auto visit = [&](int32_t node) {
    if (!seen[size_t(node)])
      order.push_back(node);
    seen[size_t(node)] = true;
  };
  for (int32_t start : starts) {
    const size_t before = order.size();
    visit(start);
    for (size_t next = before; next < order.size(); ++next)
      for (int32_t other : near[size_t(order[next])])
        visit(other);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

Numbers bench::byLabels(const SumList &list, int rounds) {
  const size_t nodes = list.results.size();
  Numbers labels(nodes), counts(nodes, 0), order(nodes);
  std::iota(labels.begin(), labels.end(), 0);
  for (int round = 0; round < rounds; ++round)
    for (size_t i = 0; i < nodes; ++i) {
      const auto *begin = list.sources.data() + list.offsets[i],
                 *end = list.sources.data() + list.offsets[i + 1];
      int32_t best = labels[i], most = 0;
      for (const auto *source = begin; source != end; ++source) {
        const int32_t label = labels[size_t(*source)];
        if (size_t(*source) != i && ++counts[size_t(label)] > most) {
          most = counts[size_t(label)];
          best = label;
        }
      }
      for (const auto *source = begin; source != end; ++source)
        counts[size_t(labels[size_t(*source)])] = 0;
      labels[i] = best;
    }
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return labels[size_t(a)] < labels[size_t(b)];
  });
  return order;
}

namespace {
typedef float Vector
    __attribute__((vector_size(32), aligned(4), may_alias)); // of floats
constexpr int perVector = 8, perLine = 16;

/// A tile of `vectors` sums stays in registers, as in the generated kernel.
template <int vectors, bool asks>
void addUp(const SumList &list, RowsAt rows, RowsAt results, int32_t ahead) {
  const int32_t *sources = list.sources.data();
  const int32_t last = list.offsets.back() - 1;
  for (size_t i = 0; i < list.results.size(); ++i) {
    float *result = results.data + list.results[i] * results.stride;
    Vector sums[vectors] = {};
    if (list.adds)
      std::memcpy(sums, result, sizeof(sums));
    const int32_t end = list.offsets[i + 1];
    for (int32_t k = list.offsets[i]; k < end; ++k) {
      if (asks) {
        const float *next =
            rows.data + sources[std::min(k + ahead, last)] * rows.stride;
        for (int line = 0; line < vectors * perVector; line += perLine)
          __builtin_prefetch(next + line);
      }
      const auto *row = reinterpret_cast<const Vector *>(
          rows.data + sources[k] * rows.stride);
      for (int v = 0; v < vectors; ++v)
        sums[v] += row[v];
    }
    std::memcpy(result, sums, sizeof(sums));
  }
}

template <int vectors>
void choose(const SumList &list, RowsAt rows, RowsAt results, int32_t ahead) {
  ahead > 0 ? addUp<vectors, true>(list, rows, results, ahead)
            : addUp<vectors, false>(list, rows, results, ahead);
}
} // namespace

void bench::sum(const SumList &list, int64_t features, RowsAt rows,
                RowsAt results, int32_t ahead) {
  switch (features) {
  case 16:
    return choose<2>(list, rows, results, ahead);
  case 32:
    return choose<4>(list, rows, results, ahead);
  default:
    return choose<8>(list, rows, results, ahead);
  }
}
