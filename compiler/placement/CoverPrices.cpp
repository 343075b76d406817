#include "compiler/placement/CoverPrices.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace smex;
using namespace smex::placement;

namespace {
constexpr double kTiny = 1e-9;
}

CoverPrices::CoverPrices(int blocks)
    : count(blocks), basis(size_t(blocks)), share(size_t(blocks)),
      inverse(size_t(blocks) * size_t(blocks)), price(size_t(blocks), 1),
      dual(price) {
  for (int b = 0; b < blocks; ++b) {
    sets.push_back({b});
    basis[size_t(b)] = b;
    // Where all were the same, most steps would change nothing, and steps may
    // go in a circle.
    constexpr double kApart = 1e-7;
    share[size_t(b)] = 1 + kApart * (1 + double(b * 37 % 101));
    inverse[size_t(b) * size_t(blocks) + size_t(b)] = 1;
  }
}

double CoverPrices::total() const {
  return std::accumulate(price.begin(), price.end(), 0.0);
}

/// Sets cost 1 each, and to cover a block too often costs nothing.
void CoverPrices::updatePrices() {
  std::fill(dual.begin(), dual.end(), 0);
  for (size_t row = 0; row < size_t(count); ++row)
    if (basis[row] >= 0)
      for (size_t b = 0; b < size_t(count); ++b)
        dual[b] += inverse[row * size_t(count) + b];
  for (size_t b = 0; b < size_t(count); ++b)
    price[b] = std::max(dual[b], 0.0);
}

/// A column of these blocks' rows, each `sign`, comes into the basis.
void CoverPrices::enter(const std::vector<int> &set, double sign, int which) {
  const size_t rows = size_t(count);
  std::vector<double> column(rows);
  for (size_t row = 0; row < rows; ++row)
    for (int block : set)
      column[row] += sign * inverse[row * rows + size_t(block)];
  size_t leaves = rows;
  double least = 0;
  for (size_t row = 0; row < rows; ++row)
    if (column[row] > kTiny)
      if (const double ratio = share[row] / column[row];
          leaves == rows || ratio < least) {
        least = ratio;
        leaves = row;
      }
  if (leaves == rows)
    return; // only by rounding: shares are not below 0
  const double pivot = column[leaves];
  double *own = &inverse[leaves * rows];
  for (size_t b = 0; b < rows; ++b)
    own[b] /= pivot;
  share[leaves] = least;
  for (size_t row = 0; row < rows; ++row)
    if (row != leaves && column[row] != 0) {
      double *other = &inverse[row * rows];
      for (size_t b = 0; b < rows; ++b)
        other[b] -= column[row] * own[b];
      share[row] = std::max(0.0, share[row] - column[row] * least);
    }
  basis[leaves] = which;
}

/// Sets that are far from being of use cost time in each step.
void CoverPrices::forget() {
  constexpr double kFar = 0.1;
  std::vector<char> isKept(sets.size());
  for (int which : basis)
    if (which >= 0)
      isKept[size_t(which)] = true;
  std::vector<int> number(sets.size());
  size_t kept = 0;
  for (size_t s = 0; s < sets.size(); ++s) {
    double sum = 0;
    for (int block : sets[s])
      sum += dual[size_t(block)];
    if (s >= size_t(count) && !isKept[s] && sum < 1 - kFar)
      continue;
    number[s] = int(kept);
    if (kept != s)
      sets[kept] = std::move(sets[s]);
    ++kept;
  }
  sets.resize(kept);
  for (int &which : basis)
    if (which >= 0)
      which = number[size_t(which)];
}

bool CoverPrices::solve(int64_t &work) {
  const int64_t rows = count;
  while (work > 0) {
    updatePrices();
    work -= rows * rows / 2;
    // What gains most by unit: a set, or to cover a block more often.
    double most = kTiny;
    int best = 0;
    for (size_t s = 0; s < sets.size(); ++s) {
      work -= int64_t(sets[s].size());
      double gain = -1;
      for (int block : sets[s])
        gain += dual[size_t(block)];
      if (gain > most) {
        most = gain;
        best = int(s);
      }
    }
    for (int b = 0; b < count; ++b)
      if (-dual[size_t(b)] > most) {
        most = -dual[size_t(b)];
        best = -1 - b;
      }
    if (most <= kTiny) {
      forget();
      return true;
    }
    if (best < 0)
      enter({-1 - best}, -1, best);
    else
      enter(sets[size_t(best)], 1, best);
  }
  return false;
}
