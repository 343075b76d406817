// How one operator can be parallelized: the partition-n-reduce strategies of
// thesis section 3.4.2, found from the lambda alone, once per distinct lambda.
//
//     conv1d: lambda b, co, x:
//         Sum(lambda ci, dx: data[b, ci, x + dx] * filters[ci, co, dx])
//
//     b -> concat b: data[part, whole, whole] filters[whole, whole, whole]
//     co -> concat co: data[whole, whole, whole] filters[whole, part, whole]
//     x -> concat x: data[whole, whole, part + halo [0, dx - 1]] filters[...]
//     ci -> reduce Sum: data[whole, part, whole] filters[part, whole, whole]
//     dx -> reduce Sum: data[whole, whole, part + halo [0, x - 1]] filters[...]
//
// Any cut outside an opaque function is sound, since each worker fetches the
// region that its own part needs (Access.h); the table says what that is.
#ifndef SMEX_DIALECTS_TDL_ANALYSIS_STRATEGIES_H
#define SMEX_DIALECTS_TDL_ANALYSIS_STRATEGIES_H

#include "dialects/tdl/lambda/Lambda.h"

#include <string>
#include <vector>

namespace smex::analysis {

/// A number in terms of the part [first, last] that each index variable runs
/// over: sum of first[v] * (first of v) + last[v] * (last of v) + constant. The
/// thesis' vectors <l, u, c> in exact integers, which can say uneven cuts.
struct SymbolicBound {
  std::vector<int64_t> first, last; // per index variable
  int64_t constant = 0;
  bool operator==(const SymbolicBound &other) const {
    return first == other.first && last == other.last &&
           constant == other.constant;
  }
};

/// What an affine index expression covers; both ends belong to it.
struct SymbolicInterval {
  SymbolicBound low, high;
};

SymbolicInterval symbolicIndex(int index, int indexCount);
SymbolicInterval symbolicConstant(int64_t value, int indexCount);
SymbolicInterval operator+(const SymbolicInterval &a,
                           const SymbolicInterval &b);
/// [a.low - b.high, a.high - b.low]: figure 3.4 subtracts low from low.
SymbolicInterval operator-(const SymbolicInterval &a,
                           const SymbolicInterval &b);
/// A negative factor swaps the ends: figure 3.4 does not.
SymbolicInterval operator*(const SymbolicInterval &a, int64_t factor);

/// What one part of a cut index variable needs of one operand dimension.
struct DimensionNeed {
  enum Kind {
    Whole,  // as much as the uncut operator
    Part,   // exactly the elements of the part's numbers
    Halo,   // those between stride*first + low and stride*last + high (stride
            // < 0: between stride*last + low and stride*first + high)
    Blocks, // what the part's numbers become through //, %, min, a select ..
  } kind = Whole;
  int64_t stride = 1;
  /// Halo: in terms of the other index variables, which are not cut: their
  /// `first` is 0 and their `last` their extent less 1.
  SymbolicBound low, high;
};

struct Strategy {
  int index = 0; // the index variable that is cut
  /// Case 1, None: parts of the result are put side by side. Case 2: every part
  /// gives a partial result for all of it, to be combined.
  tdl::Reducer reducer = tdl::Reducer::None;
  std::vector<std::vector<DimensionNeed>> operands; // per operand, dimension
};

/// Index variables that can be cut: all, but those that number the result of an
/// opaque function, which is computed as a whole.
std::vector<int> cuttableIndices(const tdl::Lambda &lambda);

/// One per cuttable index, in order.
std::vector<Strategy> strategies(const tdl::Lambda &lambda);

/// One line, as in the example above.
std::string toString(const Strategy &strategy, const tdl::Lambda &lambda);

} // namespace smex::analysis

#endif
