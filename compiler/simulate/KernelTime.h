// How long a GPU takes for a lambda: what the simulator says of a plan's
// instructions, and placement of whole operators.
#ifndef SMEX_COMPILER_SIMULATE_KERNELTIME_H
#define SMEX_COMPILER_SIMULATE_KERNELTIME_H

#include "compiler/machine/Machine.h"
#include "dialects/support/Box.h"
#include "dialects/tdl/analysis/CountedTerms.h"
#include "dialects/tdl/lambda/Lambda.h"

#include <optional>
#include <vector>

namespace smex::simulate {

/// What a lambda is on a GPU.
enum class Work {
  Contraction, // products of two operands, summed: a library's matrix product
  Convolution, // the same with indices computed: a library's convolution
  Nested,      // products with products inside: an attention in tiles
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

/// Per operand: how many of its reads are gathers, whose place is itself read,
/// as a neighbour's row `x[source[e], f]` and a word's `table[token[t], f]`.
std::vector<int> gathers(const tdl::Lambda &lambda);

/// Bytes that memory delivers for reads of `read` bytes of a region of `region`
/// bytes, in any order: all that is read for the first time, and of what is
/// read again the part of the region that is not in the cache.
double gatheredBytes(const machines::Device &device, double read,
                     double region);

/// Of a part of a tensor; 0 of one that is absent.
double bytesOf(const Box &part, int64_t elementBytes);

/// Whether the rows of a part of a tensor are multiples of 16 bytes, without
/// which libraries have no fast products of 16-bit floats.
bool hasAlignedRows(const Box &part, int64_t elementBytes);

/// Of a tensor, what a kernel reads.
struct Part {
  Box box;
  int64_t elementBytes;
};

/// What a kernel does.
struct Amounts {
  double points = 0;   // that count, of the index space
  double bytes = 0;    // read and written
  bool aligned = true; // whether all rows are (hasAlignedRows)
};

class KernelTime {
public:
  explicit KernelTime(const tdl::Lambda &lambda);

  /// Of so many points of the index space, reductions included, those that
  /// count. Where each term counts for one vertex only: what a vertex has on
  /// average. `result`: the shape of the whole tensor.
  double counted(double points, const std::vector<int64_t> &result) const;
  /// Where it is known which share of them counts (analysis::CountedTerms).
  double counted(double points, double share) const;

  /// Of operand `k`, of which the kernel reads a region of so many bytes, in
  /// elements of `element` bytes: what comes from memory, where so many points
  /// count.
  double bytesRead(const machines::Device &device, size_t k, double region,
                   double element, double counted) const;

  /// Of a share of the index space, which reads these parts of its operands:
  /// the points that count are set, and what is read is added to what is
  /// written. `terms`: null where none are known. `result`: as above.
  void addReads(const machines::Device &device, const Box &share,
                const analysis::CountedTerms *terms,
                const std::vector<int64_t> &result,
                const std::vector<Part> &parts, Amounts &amounts) const;

  /// After its launch: the longer of arithmetic and memory.
  double seconds(const machines::Device &device, DType type,
                 const Amounts &amounts) const {
    return seconds(device, type, amounts.points, amounts.bytes,
                   amounts.aligned);
  }
  /// The same of points that count, of bytes read and written, and of whether
  /// all rows are aligned.
  double seconds(const machines::Device &device, DType type, double counted,
                 double bytes, bool aligned = true) const;

private:
  Work work;
  /// Of the products inside of others.
  DType innerType = DType::F32;
  double flopsPerPoint, countedShare;
  std::vector<int> gathers;
  std::optional<int> sharedOut;
};

} // namespace smex::simulate

#endif
