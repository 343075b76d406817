#include "test/emulated/nccl/Reduction.h"

#include <cstring>

namespace smex::emulated {
namespace {

template <class T>
void add(size_t count, const std::string &term, size_t from, char *result) {
  for (size_t i = 0; i < count; ++i) {
    T sum, next;
    std::memcpy(&sum, result + i * sizeof(T), sizeof(T));
    std::memcpy(&next, term.data() + from + i * sizeof(T), sizeof(T));
    sum = T(sum + next);
    std::memcpy(result + i * sizeof(T), &sum, sizeof(T));
  }
}

/// Of ncclInt8 to ncclFloat64; null: sums of such numbers are not emulated.
/// Integers are added without a sign, which is the same but never overflows.
auto additionOf(int type)
    -> void (*)(size_t, const std::string &, size_t, char *) {
  switch (type) {
  case 0:
  case 1:
    return add<uint8_t>;
  case 2:
  case 3:
    return add<uint32_t>;
  case 4:
  case 5:
    return add<uint64_t>;
  case 7:
    return add<float>;
  case 8:
    return add<double>;
  }
  return nullptr;
}

} // namespace

bool isReduction(Kind kind) {
  return kind == Kind::AllReduce || kind == Kind::ReduceScatter;
}

bool isAdded(int type) { return additionOf(type) != nullptr; }

void reduce(const Operation &what, const std::vector<std::string> &terms,
            char *result) {
  const size_t ranks = terms.size(), element = elementBytes(what.type);
  const bool isScattered = what.kind == Kind::ReduceScatter;
  const size_t own = size_t(what.communicator->rank);
  const size_t shares = isScattered ? 1 : ranks;
  const auto addition = additionOf(what.type);
  for (size_t s = 0; s < shares; ++s) {
    const size_t owner = isScattered ? own : s;
    const size_t begin = isScattered ? 0 : what.count * s / ranks;
    const size_t end = isScattered ? what.count : what.count * (s + 1) / ranks;
    const size_t from =
        (begin + (isScattered ? own * what.count : 0)) * element;
    char *to = result + begin * element;
    std::memcpy(to, terms[(owner + 1) % ranks].data() + from,
                (end - begin) * element);
    for (size_t r = 2; r <= ranks; ++r)
      addition(end - begin, terms[(owner + r) % ranks], from, to);
  }
}

} // namespace smex::emulated
