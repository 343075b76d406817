#include "dialects/support/Division.h"

#include <tuple>

using namespace smex;

Division Division::part(int dimension) { return {Kind::Part, dimension}; }

Division Division::weighted(int dimension, std::vector<int64_t> weights) {
  if (weights.empty())
    return part(dimension);
  return {Kind::Part, dimension,
          std::make_shared<const Sizes>(Sizes{std::move(weights), {}})};
}

Division Division::bounded(int dimension, Bounds bounds) {
  if (bounds.empty())
    return part(dimension);
  return {Kind::Part, dimension,
          std::make_shared<const Sizes>(Sizes{{}, std::move(bounds)})};
}

Division Division::term(Reducer reducer) {
  return {Kind::Term, int64_t(reducer)};
}

Division Division::placed(int64_t group) { return {Kind::Placed, group}; }

const std::vector<int64_t> &Division::weights() const {
  static const std::vector<int64_t> none;
  return sizes ? sizes->weights : none;
}

const Division::Bounds &Division::bounds() const {
  static const Bounds none;
  return sizes ? sizes->bounds : none;
}

Interval Division::partOf(Interval side, int64_t ways, int64_t group,
                          int64_t before) const {
  if (!sizes)
    return cut(side, ways, group);
  if (!sizes->bounds.empty()) {
    const std::vector<int64_t> &bounds = sizes->bounds[size_t(before)];
    const auto at = [&](int64_t g) {
      if (g == 0)
        return side.lo;
      return g == ways ? side.hi
                       : std::clamp(bounds[size_t(g - 1)], side.lo, side.hi);
    };
    return {at(group), at(group + 1)};
  }
  __int128 sum = 0, first = 0;
  for (size_t g = 0; g < sizes->weights.size(); ++g) {
    first += int64_t(g) < group ? sizes->weights[g] : 0;
    sum += sizes->weights[g];
  }
  const auto at = [&](__int128 weight) {
    // size * weight may need more than 127 bits; quotient and rest do not.
    const __int128 size = side.size();
    return side.lo + int64_t(size / sum * weight + size % sum * weight / sum);
  };
  return {at(first), at(first + sizes->weights[size_t(group)])};
}

void Division::take(Box &box, int64_t ways, int64_t group,
                    int64_t before) const {
  if (isPart())
    box[size_t(number)] = partOf(box[size_t(number)], ways, group, before);
  else if (isPlaced() && number != group)
    box = Box::absent(box.size());
}

bool Division::operator<(const Division &other) const {
  if (is != other.is || number != other.number)
    return std::tie(is, number) < std::tie(other.is, other.number);
  const auto key = [](const Division &division) {
    return std::tie(division.weights(), division.bounds());
  };
  return !sameSizes(other) && key(*this) < key(other);
}

namespace {
std::string toText(const std::vector<int64_t> &numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + "]";
}
} // namespace

std::string smex::toString(const Division &division) {
  switch (division.kind()) {
  case Division::Kind::Whole:
    return "whole";
  case Division::Kind::Term:
    return "term " + std::string(name(division.reducer()));
  case Division::Kind::Placed:
    return "placed " + std::to_string(division.group());
  case Division::Kind::Part:
    break;
  }
  std::string text = "part " + std::to_string(division.dimension());
  if (!division.weights().empty())
    text += " by weights " + toText(division.weights());
  if (!division.bounds().empty()) {
    text += " at bounds [";
    for (size_t i = 0; i < division.bounds().size(); ++i)
      text += (i ? ", " : "") + toText(division.bounds()[i]);
    text += "]";
  }
  return text;
}
