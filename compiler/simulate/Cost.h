// How long one GPU takes for what it does alone, from the lambdas and regions
// of a plan.
#ifndef SMEX_COMPILER_SIMULATE_COST_H
#define SMEX_COMPILER_SIMULATE_COST_H

#include "compiler/machine/Machine.h"
#include "runtime/plan/Subject.h"

#include <map>
#include <optional>

namespace smex::simulate {

using machines::Machine;

/// What a lambda is on a GPU.
enum class Work {
  Contraction, // products of two operands, summed: a library's matrix product
  Convolution, // the same with indices computed: a library's convolution
  Memory,      // all else
};

/// By structure, so that the gradients of a convolution are convolutions, too.
Work workOf(const tdl::Lambda &lambda);

/// The part of a reduction's terms that its guard lets count: conditions
/// `e % k == 0` and `e % k < n`, as in gradients of strided reads, leave 1 or n
/// in k.
double countedShare(const tdl::Lambda &lambda);

/// Of a reduction over neighbours, `where key[e] == v` or `where row[v] <= e
/// and e < row[v + 1]`: v, the dimension of the result that shares the terms
/// out, so that each counts for one v only. Else none.
std::optional<int> sharedOut(const tdl::Lambda &lambda);

class Cost {
public:
  /// The program has passed plan::validate().
  Cost(const plan::Partitioned &partitioned, const Machine &machine);

  /// Whether the worker has anything to do.
  bool hasWork(int worker, int instruction) const;
  /// A compute: launch + the longer of arithmetic and memory. One that a
  /// library does with the product before it takes no time of its own.
  double computeSeconds(int worker, int instruction) const;
  /// What a fetch or reduce takes besides its flows: a launch, and its own
  /// pieces read and written.
  double localSeconds(int worker, int instruction) const;

private:
  int64_t elementBytes(int buffer) const;
  bool isDoneBefore(int worker, int map) const;

  const plan::Program &program;
  const Machine &machine;
  plan::Findings findings;
  plan::Subject subject;
  struct OfKernel {
    Work work;
    double flopsPerPoint;
    std::optional<int> sharedOut;
  };
  std::vector<OfKernel> kernels;
  std::vector<int> epilogues; // per instruction, its own, or -1
  /// Per instruction that is one, and worker.
  std::map<int, std::vector<bool>> doneBefore;
};

} // namespace smex::simulate

#endif
