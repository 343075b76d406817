// What it costs on a machine to run an instruction once more, beside what it
// costs to move bytes to the host.
#ifndef SMEX_COMPILER_OFFLOAD_IR_PRICES_H
#define SMEX_COMPILER_OFFLOAD_IR_PRICES_H

#include "compiler/machine/Machine.h"
#include "compiler/simulate/KernelTime.h"
#include "dialects/exec/ir/Regions.h"

namespace smex::offload {

/// Bytes per second between each worker and its nearest host, one way, while
/// all workers are at it. Where the machine has no host, or more workers than
/// GPUs, as its first GPUs with one; 0: none has.
std::vector<double> hostRates(const machines::Machine &machine,
                              int64_t workers);

/// Of a program's computes; the machine stays alive.
class Prices {
public:
  Prices(exec::ProgramOp program, exec::Regions &regions,
         const machines::Machine &machine);

  /// Seconds on each worker, as the simulator counts them.
  std::vector<double> seconds(exec::ComputeOp compute);
  /// The bytes that cross between host and devices in that time, on all
  /// workers together; at least one.
  int64_t inBytes(const std::vector<double> &seconds) const;

private:
  const simulate::KernelTime &timeOf(exec::ComputeOp compute);

  exec::Regions &regions;
  const machines::Machine &machine;
  tdl::LambdaTable lambdas;
  analysis::AccessTable accesses;
  llvm::DenseMap<mlir::Attribute, simulate::KernelTime> times; // by lambda
  std::vector<double> rates;
};

} // namespace smex::offload

#endif
