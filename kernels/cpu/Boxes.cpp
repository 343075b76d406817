#include "kernels/cpu/Boxes.h"

#include "kernels/cpu/Element.h"
#include "kernels/cpu/Nest.h"

#include <cstring>

using namespace smex;
using namespace smex::cpu;

namespace {
/// Takes the innermost loop off the nest: the run that is worth a tight loop.
template <size_t N> Loop<N> takeInner(Nest<N> &nest) {
  Loop<N> inner;
  if (!nest.empty()) {
    inner = nest.back();
    nest.pop_back();
  } else {
    inner.strides.fill(1);
  }
  return inner;
}

template <typename T>
void copyStrided(std::byte *to, const std::byte *from, const Loop<2> &run) {
  for (int64_t i = 0; i < run.extent; ++i)
    std::memcpy(to + i * run.strides[0] * int64_t(sizeof(T)),
                from + i * run.strides[1] * int64_t(sizeof(T)), sizeof(T));
}

template <Reduction R, typename T> T combineTwo(T a, T b) {
  if constexpr (R == Reduction::Sum) {
    return store<T>(load(a) + load(b));
  } else if constexpr (R == Reduction::Prod) {
    return store<T>(load(a) * load(b));
  } else {
    constexpr bool max = R == Reduction::Max;
    if constexpr (std::is_arithmetic_v<T>) {
      return (max ? a > b : a < b) || a != a ? a : b;
    } else {
      const auto x = load(a), y = load(b);
      return (max ? x > y : x < y) || x != x ? a : b;
    }
  }
}

template <Reduction R, typename T>
void combineRun(T *__restrict to, const T *__restrict from,
                const Loop<2> &run) {
  const int64_t s = run.strides[0], t = run.strides[1];
  if (s == 1 && t == 1) // so that the compiler vectorizes it
    for (int64_t i = 0; i < run.extent; ++i)
      to[i] = combineTwo<R>(to[i], from[i]);
  else
    for (int64_t i = 0; i < run.extent; ++i)
      to[i * s] = combineTwo<R>(to[i * s], from[i * t]);
}

template <Reduction R>
void combineAs(DType type, std::byte *to, const std::byte *from,
               const Nest<2> &outer, const Loop<2> &run, Offsets<2> start) {
  withElement(type, [&](auto element) {
    using T = decltype(element);
    forEach(outer, start, [&](const Offsets<2> &at) {
      combineRun<R>(reinterpret_cast<T *>(to) + at[0],
                    reinterpret_cast<const T *>(from) + at[1], run);
    });
  });
}
} // namespace

std::optional<Reduction> cpu::parseReduction(std::string_view name) {
  if (name == "Sum")
    return Reduction::Sum;
  if (name == "Max")
    return Reduction::Max;
  if (name == "Min")
    return Reduction::Min;
  if (name == "Prod")
    return Reduction::Prod;
  return std::nullopt;
}

void cpu::copyBox(std::byte *to, const Box &toBox, const std::byte *from,
                  const Box &fromBox, const Box &box, int64_t elementBytes) {
  if (isEmpty(box))
    return;
  Offsets<2> start;
  Nest<2> nest = nestOf<2>(box, {&toBox, &fromBox}, start);
  const Loop<2> run = takeInner(nest);
  const bool dense = run.strides[0] == 1 && run.strides[1] == 1;
  forEach(nest, start, [&](const Offsets<2> &at) {
    std::byte *target = to + at[0] * elementBytes;
    const std::byte *source = from + at[1] * elementBytes;
    if (dense)
      std::memcpy(target, source, size_t(run.extent * elementBytes));
    else if (elementBytes == 4)
      copyStrided<uint32_t>(target, source, run);
    else if (elementBytes == 8)
      copyStrided<uint64_t>(target, source, run);
    else if (elementBytes == 2)
      copyStrided<uint16_t>(target, source, run);
    else
      copyStrided<uint8_t>(target, source, run);
  });
}

void cpu::combineBox(Reduction reduction, DType type, std::byte *to,
                     const Box &toBox, const std::byte *from,
                     const Box &fromBox, const Box &box) {
  if (isEmpty(box))
    return;
  Offsets<2> start;
  Nest<2> nest = nestOf<2>(box, {&toBox, &fromBox}, start);
  const Loop<2> run = takeInner(nest);
  switch (reduction) {
  case Reduction::Sum:
    return combineAs<Reduction::Sum>(type, to, from, nest, run, start);
  case Reduction::Max:
    return combineAs<Reduction::Max>(type, to, from, nest, run, start);
  case Reduction::Min:
    return combineAs<Reduction::Min>(type, to, from, nest, run, start);
  case Reduction::Prod:
    return combineAs<Reduction::Prod>(type, to, from, nest, run, start);
  }
}

void cpu::roundBox(DType type, std::byte *to, const Box &toBox,
                   const float *from, const Box &box) {
  if (isEmpty(box))
    return;
  Offsets<2> start;
  Nest<2> nest = nestOf<2>(box, {&toBox, &box}, start);
  const Loop<2> run = takeInner(nest);
  const int64_t s = run.strides[0], t = run.strides[1];
  withElement(type, [&](auto element) {
    using T = decltype(element);
    forEach(nest, start, [&](const Offsets<2> &at) {
      T *target = reinterpret_cast<T *>(to) + at[0];
      for (int64_t i = 0; i < run.extent; ++i)
        target[i * s] = store<T>(Accumulator<T>(from[at[1] + i * t]));
    });
  });
}

std::vector<Box> cpu::tiles(const Box &box, int64_t elements) {
  std::vector<Box> pieces = slabs(box, elements);
  if (pieces.size() == 1)
    return pieces;
  std::vector<Box> smaller;
  for (const Box &piece : pieces)
    for (Box &tile : tiles(piece, elements))
      smaller.push_back(std::move(tile));
  return smaller;
}

std::vector<Box> cpu::slabs(const Box &box, int64_t elements) {
  const int64_t total = volume(box);
  if (total <= elements || elements <= 0)
    return {box};
  size_t d = 0;
  while (d + 1 < box.size() && box[d].size() == 1)
    ++d;
  const int64_t parts =
      std::min(box[d].size(), (total + elements - 1) / elements);
  std::vector<Box> pieces;
  for (int64_t part = 0; part < parts; ++part) {
    pieces.push_back(box);
    pieces.back()[d] = cut(box[d], parts, part);
  }
  return pieces;
}
