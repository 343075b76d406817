#include "compiler/codegen/expression/KernelRequest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace smex;
using namespace smex::codegen;

namespace {

bool isIdentifier(const std::string &symbol) {
  return !symbol.empty() && !llvm::isDigit(symbol[0]) &&
         llvm::all_of(symbol,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

} // namespace

Error codegen::defect(const std::string &message) {
  Error error;
  error.message = message;
  error.fault = Fault::Defect;
  return error;
}

Status codegen::checkRequest(const KernelRequest &request, HasCode hasCode) {
  if (!isIdentifier(request.symbol))
    return defect("'" + request.symbol + "' can't be a kernel's name");
  if (Status valid = verify(request.lambda); !valid)
    return fail("kernel '", request.symbol, "': ", valid.error().message);
  if (!hasCode(request.lambda))
    return fail("kernel '", request.symbol,
                "': no code can be generated for the "
                "opaque function '",
                request.lambda.body->function, "'");
  return {};
}

Status codegen::checkRequests(const std::vector<KernelRequest> &requests,
                              HasCode hasCode) {
  std::set<std::string> symbols;
  for (const KernelRequest &request : requests) {
    if (Status valid = checkRequest(request, hasCode); !valid)
      return valid;
    if (!symbols.insert(request.symbol).second)
      return defect("two kernels are named '" + request.symbol + "'");
  }
  return {};
}
