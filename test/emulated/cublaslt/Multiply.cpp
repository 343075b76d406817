#include "test/emulated/cublaslt/Multiply.h"

#include "test/emulated/ptx/Float.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace smex::emulated::cublaslt {
namespace {

double load(const std::byte *from, int type) {
  switch (type) {
  case R_64F: {
    double value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  case R_32F: {
    float value;
    std::memcpy(&value, from, sizeof value);
    return double(value);
  }
  }
  uint16_t bits;
  std::memcpy(&bits, from, sizeof bits);
  return ptx::decode(bits, type == R_16F ? ptx::formatF16 : ptx::formatBF16);
}

void store(std::byte *to, int type, double value) {
  if (type == R_64F) {
    std::memcpy(to, &value, sizeof value);
  } else if (type == R_32F) {
    const float single = float(value);
    std::memcpy(to, &single, sizeof single);
  } else {
    const auto bits = uint16_t(
        ptx::encode(value, type == R_16F ? ptx::formatF16 : ptx::formatBF16,
                    ptx::Rounding::Nearest));
    std::memcpy(to, &bits, sizeof bits);
  }
}

/// Goes over a matrix of the batch, neighbours in memory together: visit(i, j,
/// count, address), `count` elements along the dimension that has them.
template <class Visit>
void runs(const Matrix &matrix, uint64_t base, int batch, const Visit &visit) {
  const int64_t size = int64_t(sizeOf(matrix.type));
  const uint64_t start = base + uint64_t(batch * matrix.batchStride * size);
  const bool byRows = matrix.rowStride != 1 && matrix.columnStride == 1;
  const int64_t outer = byRows ? matrix.rows : matrix.columns;
  const int64_t inner = byRows ? matrix.columns : matrix.rows;
  const int64_t apart = byRows ? matrix.rowStride : matrix.columnStride;
  const int64_t next = byRows ? matrix.columnStride : matrix.rowStride;
  // A single element per run where they are not neighbours: one row whose
  // stride is that of its columns.
  const int64_t together = inner == 1 || next == 1 ? inner : 1;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; i += together)
      visit(byRows ? o : i, byRows ? i : o, together, byRows,
            start + uint64_t((o * apart + i * next) * size));
}

/// The elements, by rows.
std::vector<double> read(const Matrix &matrix, uint64_t base, int batch,
                         DeviceView &view) {
  const size_t size = sizeOf(matrix.type);
  std::vector<double> all(size_t(matrix.rows * matrix.columns));
  runs(matrix, base, batch,
       [&](int64_t i, int64_t j, int64_t count, bool alongRow,
           uint64_t address) {
         const auto *from = view.read<std::byte>(address, size_t(count) * size);
         for (int64_t e = 0; e < count; ++e) {
           const int64_t row = alongRow ? i : i + e;
           const int64_t column = alongRow ? j + e : j;
           all[size_t(row * matrix.columns + column)] =
               load(from + size_t(e) * size, matrix.type);
         }
       });
  return all;
}

void write(const Matrix &matrix, uint64_t base, int batch,
           const std::vector<double> &values, DeviceView &view) {
  const size_t size = sizeOf(matrix.type);
  runs(matrix, base, batch,
       [&](int64_t i, int64_t j, int64_t count, bool alongRow,
           uint64_t address) {
         auto *to = view.write<std::byte>(address, size_t(count) * size);
         for (int64_t e = 0; e < count; ++e) {
           const int64_t row = alongRow ? i : i + e;
           const int64_t column = alongRow ? j + e : j;
           store(to + size_t(e) * size, matrix.type,
                 values[size_t(row * matrix.columns + column)]);
         }
       });
}

/// Products of k from `begin` to `end`, added up in T.
template <class T>
std::vector<T> sums(const Problem &problem, const std::vector<double> &a,
                    const std::vector<double> &b, int64_t begin, int64_t end) {
  const int64_t n = problem.n, k = problem.k;
  std::vector<T> made(size_t(problem.m * n));
  for (int64_t i = 0; i < problem.m; ++i)
    for (int64_t l = begin; l < end; ++l) {
      const T left = T(a[size_t(i * k + l)]);
      for (int64_t j = 0; j < n; ++j)
        made[size_t(i * n + j)] += left * T(b[size_t(l * n + j)]);
    }
  return made;
}

template <class T>
std::vector<T> product(const Call &call, int batch,
                       const std::vector<double> &a,
                       const std::vector<double> &b, DeviceView &view) {
  const Problem &problem = call.problem;
  const int64_t parts = int64_t(call.algorithm.parts);
  if (parts <= 1)
    return sums<T>(problem, a, b, 0, problem.k);
  // Each part to the workspace, and then their sum.
  const size_t count = size_t(problem.m * problem.n);
  T *scratch = view.write<T>(
      call.workspace + uint64_t(batch) * uint64_t(parts) * count * sizeof(T),
      size_t(parts) * count);
  for (int64_t part = 0; part < parts; ++part) {
    const std::vector<T> own = sums<T>(problem, a, b, problem.k * part / parts,
                                       problem.k * (part + 1) / parts);
    std::copy(own.begin(), own.end(), scratch + size_t(part) * count);
  }
  std::vector<int64_t> order(static_cast<size_t>(parts));
  std::iota(order.begin(), order.end(), 0);
  if (Settings::get().partsVary)
    std::rotate(order.begin(),
                order.begin() + int64_t(call.number % uint64_t(parts)),
                order.end());
  std::vector<T> all(count);
  for (int64_t part : order)
    for (size_t i = 0; i < count; ++i)
      all[i] += scratch[size_t(part) * count + i];
  return all;
}

/// By row of D; nothing without a bias.
std::vector<double> biasOf(const Problem &problem, int batch,
                           DeviceView &view) {
  std::vector<double> all;
  if (!problem.epilogue.hasBias())
    return all;
  const size_t size = sizeOf(problem.d.type), count = size_t(problem.m);
  const auto *from = view.read<std::byte>(
      problem.epilogue.bias +
          uint64_t(batch * problem.epilogue.batchStride * int64_t(size)),
      count * size);
  for (size_t i = 0; i < count; ++i)
    all.push_back(load(from + i * size, problem.d.type));
  return all;
}

/// "Bias vector is broadcasted to all columns and added before applying final
/// postprocessing"; "x:=max(x, 0)", which is 0 for NaN, as NVIDIA's library was
/// seen to have it; "x:=GELU(x)", which others take for its form with tanh.
template <class T> T activated(const Epilogue &epilogue, T value) {
  if (epilogue.isRelu())
    return value > 0 ? value : T(0);
  if (epilogue.isGelu())
    return T(0.5) * value *
           (1 + std::tanh(T(0.7978845608028654) *
                          (value + T(0.044715) * value * value * value)));
  return value;
}

template <class T> void multiplyIn(const Call &call, DeviceView &view) {
  const Problem &problem = call.problem;
  for (int batch = 0; batch < problem.d.batch; ++batch) {
    const std::vector<T> all =
        product<T>(call, batch, read(problem.a, call.a, batch, view),
                   read(problem.b, call.b, batch, view), view);
    // "For beta == 0, C is not read" is what BLAS has; the scalars are of the
    // type that the sums are.
    std::vector<double> values(all.size());
    const std::vector<double> c = call.beta != 0
                                      ? read(problem.c, call.c, batch, view)
                                      : std::vector<double>(all.size());
    const std::vector<double> bias = biasOf(problem, batch, view);
    for (size_t i = 0; i < all.size(); ++i) {
      T value = T(call.alpha) * all[i];
      if (call.beta != 0)
        value += T(call.beta) * T(c[i]);
      if (!bias.empty())
        value += T(bias[i / size_t(problem.n)]);
      values[i] = double(activated(problem.epilogue, value));
    }
    write(problem.d, call.d, batch, values, view);
  }
}

} // namespace

void multiply(const Call &call, DeviceView &view) {
  if (call.problem.isDouble())
    multiplyIn<double>(call, view);
  else
    multiplyIn<float>(call, view);
}

} // namespace smex::emulated::cublaslt
