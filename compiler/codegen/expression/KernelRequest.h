// What code generation is asked for, whatever the processor.
#ifndef SMEX_COMPILER_CODEGEN_EXPRESSION_KERNELREQUEST_H
#define SMEX_COMPILER_CODEGEN_EXPRESSION_KERNELREQUEST_H

#include "dialects/support/Result.h"
#include "dialects/tdl/lambda/Lambda.h"

#include <future>
#include <string>
#include <vector>

namespace smex::codegen {

struct KernelRequest {
  std::string symbol; // a C identifier, unique among the requests
  tdl::Lambda lambda;
};

/// Whether something that matters more still runs on one of the cores: until
/// this is ready. Not valid: nothing does.
using Busy = std::shared_future<void>;

/// Which lambdas code can be generated for.
using HasCode = bool (*)(const tdl::Lambda &lambda);

/// Errors: an opaque lambda that there is no code for, or one that fails
/// tdl::verify, by its symbol (Input); symbols that are no identifiers or not
/// unique (Defect).
Status checkRequest(const KernelRequest &request, HasCode hasCode);
Status checkRequests(const std::vector<KernelRequest> &requests,
                     HasCode hasCode);

/// An error that is smex's own fault.
Error defect(const std::string &message);

} // namespace smex::codegen

#endif
