#include "compiler/frontend/onnx/Elements.h"

#include <algorithm>
#include <tuple>

using namespace smex;
using namespace smex::frontend;

namespace {
/// As many places are taken directly.
constexpr int64_t kMost = 16;
} // namespace

Elements::Elements(Node &node, ValueId value, int64_t axis)
    : node(node), value(value), axis(axis) {}

ValueId Elements::at(int64_t place) {
  ValueId from = value;
  int64_t begin = 0, extent = node.type(value).shape[axis];
  for (size_t level = 0; extent > kMost; ++level) {
    int64_t size = kMost;
    while (size * kMost < extent)
      size *= kMost;
    const int64_t first = (place - begin) / size * size;
    if (level == groups.size() || groups[level].first != begin + first) {
      groups.resize(level);
      groups.push_back(
          {begin + first,
           node.slice(from, axis, first, std::min(size, extent - first))});
    }
    std::tie(begin, from) = groups[level];
    extent = node.type(from).shape[axis];
  }
  return node.take(from, axis, place - begin);
}
