#include "compiler/partition/ReadRegions.h"

using namespace smex;
using namespace smex::partition;

const RegionsOfOperand &RegionFinder::find(int op, int operand,
                                           int operatorList) {
  const int number =
      numbers.number({costs.operatorClass(op), operand, operatorList});
  if (number < int(known.size()))
    return known[number];
  const Operator &reader = graph.operators[op];
  const Operand &read = reader.operands[operand];
  const auto &shape = graph.tensors[read.tensor].shape;
  const Candidates &candidates = costs.candidates(operatorList);
  RegionsOfOperand &found = known.emplace_back();
  std::map<std::vector<int64_t>, int> places;
  for (const History &history : candidates.histories) {
    Region region;
    for (const Box &share : sharesOf(reader.extents, history, candidates.ways))
      region.push_back(neededOf(read, share, shape));
    const auto [it, isNew] =
        places.try_emplace(wordsOf(region), int(found.distinct.size()));
    if (isNew)
      found.distinct.push_back(std::move(region));
    found.of.push_back(it->second);
  }
  return found;
}

int RegionSet::number(const Region &region) {
  const auto [it, isNew] =
      numbers.try_emplace(wordsOf(region), int(regions.size()));
  if (isNew)
    regions.push_back(&region);
  return it->second;
}

std::vector<std::vector<bool>> RegionSet::contained() const {
  std::vector<std::vector<bool>> result;
  for (const Region *outer : regions) {
    result.emplace_back();
    for (const Region *inner : regions)
      result.back().push_back(containsAll(*outer, *inner));
  }
  return result;
}

bool RegionSet::haveRows() const {
  return std::any_of(regions.begin(), regions.end(),
                     [](const Region *region) { return hasRows(*region); });
}

bool RegionSet::areOneBox(int one, int other) const {
  return partition::areOneBox(*regions[size_t(one)], *regions[size_t(other)]);
}

bool RegionSet::areFetchedTogether(int one, int other) const {
  const Region &a = *regions[size_t(one)], &b = *regions[size_t(other)];
  return hasRows(a) || hasRows(b) ? differInRowsAlone(a, b)
                                  : partition::areOneBox(a, b);
}

Shared RegionSet::shared(int one, int other) const {
  const Region &a = *regions[size_t(one)], &b = *regions[size_t(other)];
  Shared both;
  for (size_t w = 0; w < a.size(); ++w)
    both.region.push_back(common(a[w], b[w], both.storage));
  return both;
}
