#include "runtime/plan/ConvolutionRoles.h"
#include "runtime/plan/Format.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/Target.h"
#include "runtime/plan/Validate.h"

#include <cctype>
#include <cstring>

using namespace smex;
using namespace smex::plan;

namespace {

bool isSymbol(const std::string &name) {
  const char *letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return !name.empty() && !std::isdigit(uint8_t(name[0])) &&
         std::strspn(name.c_str(), letters) == name.size();
}

/// Checks of one kernel of program.json.
class KernelValidator {
public:
  KernelValidator(size_t index, Complaint &complaint)
      : index(index), complaint(complaint) {}

  std::optional<tdl::Lambda> run(const Kernel &kernel) {
    auto lambda = tdl::parseLambda(kernel.lambda);
    if (!lambda) {
      refuse("lambda", lambda.error().message);
      return std::nullopt;
    }
    if (kernel.kind == KernelKind::Generated || !kernel.generatedFor.empty()) {
      if (!isSymbol(kernel.symbol))
        refuse("symbol", "must be a name of letters, digits and _");
    }
    if (kernel.kind == KernelKind::Contraction)
      contraction(kernel, *lambda);
    if (isConvolution(kernel.kind))
      convolution(kernel.convolution, *lambda);
    if (isGradient(kernel.kind) && !convolutionRoles(kernel, *lambda))
      refuse("roles", "\"", kernel.roles, "\" are not the roles of a ",
             name(kernel.kind), "'s ", lambda->indexCount(),
             " index variables");
    return std::move(*lambda);
  }

private:
  template <typename... Parts>
  void refuse(const std::string &key, Parts &&...parts) {
    complaint.add("kernels[", index, "].", key, ": ",
                  std::forward<Parts>(parts)...);
  }

  void contraction(const Kernel &kernel, const tdl::Lambda &lambda) {
    if (lambda.operands.size() != 2 || lambda.reducer != tdl::Reducer::Sum)
      return refuse("kind", "a contraction is a Sum over two operands");
    if (kernel.roles.size() != size_t(lambda.indexCount()))
      return refuse("roles", kernel.roles.size(), " roles for ",
                    lambda.indexCount(), " index variables");
    for (int i = 0; i < lambda.indexCount(); ++i)
      if (!std::strchr(i < lambda.rank() ? "bmn" : "k", kernel.roles[i]) ||
          !kernel.roles[i])
        return refuse("roles", "index variable ", lambda.indexName(i),
                      " must be ",
                      i < lambda.rank() ? "'b', 'm' or 'n'" : "'k'");
  }

  void convolution(const ConvolutionInfo &info, const tdl::Lambda &lambda) {
    if (lambda.operands.size() != 2 || lambda.reducer != tdl::Reducer::Sum ||
        lambda.rank() < 2)
      return refuse("kind", "a convolution is a Sum over two operands, with a "
                            "result of rank 2 or more");
    const size_t spatial = size_t(lambda.rank()) - 2;
    for (const tdl::Operand &operand : lambda.operands)
      if (operand.rank != lambda.rank())
        return refuse("kind", "data, filter and result of a convolution have "
                              "the same rank");
    if (info.strides.size() != spatial)
      return refuse("strides", info.strides.size(), " numbers, ", spatial,
                    " expected");
    if (info.dilations.size() != spatial)
      return refuse("dilations", info.dilations.size(), " numbers, ", spatial,
                    " expected");
    if (info.pads.size() != spatial)
      return refuse("pads", info.pads.size(), " numbers, ", spatial,
                    " expected");
    for (size_t d = 0; d < spatial; ++d)
      if (info.strides[d] < 1 || info.strides[d] > sizeLimit ||
          info.dilations[d] < 1 || info.dilations[d] > sizeLimit ||
          std::abs(info.pads[d]) > sizeLimit)
        return refuse("strides",
                      "strides, dilations or pads out of range in "
                      "spatial dimension ",
                      d);
    if (info.groups < 1 || info.groups > sizeLimit)
      refuse("groups", info.groups, " is not in 1 .. ", sizeLimit);
  }

  const size_t index;
  Complaint &complaint;
};

} // namespace

std::optional<tdl::Lambda>
plan::validateKernel(const Kernel &kernel, size_t index, Complaint &complaint) {
  return KernelValidator(index, complaint).run(kernel);
}
