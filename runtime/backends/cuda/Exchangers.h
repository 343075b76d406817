// The GPUs of a program find each other, over all of its processes, and make
// ready to exchange.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_EXCHANGERS_H
#define SMEX_RUNTIME_BACKENDS_CUDA_EXCHANGERS_H

#include "runtime/backends/cuda/CudaProgram.h"
#include "runtime/backends/cuda/nccl/Ranks.h"

namespace smex::cuda {

/// Which worker is on which GPU, where this process has some of the `count`
/// workers. All processes ask at once.
Result<nccl::Ranks> ranksOf(const Driver &driver, size_t count,
                            const std::vector<int> &workers,
                            runtime::Transport &transport);
/// The GPUs of the process that has these workers, as the driver numbers them.
const std::vector<int> &gpusOf(const nccl::Ranks &ranks,
                               const std::vector<int> &workers);

/// Before workers are placed: an exchanger for each of the program's GPUs. All
/// processes do it at once.
Status makeExchangers(CudaProgram &shared, const nccl::Ranks &ranks);
/// Once code is loaded: they join their communicators, if there are any. The
/// first that fails, in whichever process, ends it for all; others may wait for
/// that one inside NCCL for ever, so that their threads are left behind then
/// (leaveThreads() of support/Program.h), and the program with them.
Status joinExchangers(const std::shared_ptr<CudaProgram> &program);

} // namespace smex::cuda

#endif
