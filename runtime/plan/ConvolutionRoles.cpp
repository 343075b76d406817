#include "runtime/plan/ConvolutionRoles.h"

#include <algorithm>
#include <sstream>

using namespace smex;
using namespace smex::plan;

namespace {
std::optional<ConvolutionRole> roleOf(const std::string &word, int spatial) {
  if (word == "n" || word == "m" || word == "c")
    return ConvolutionRole{word[0], 0};
  if (word.size() != 2 || (word[0] != 'x' && word[0] != 'o' && word[0] != 'k'))
    return std::nullopt;
  const int dim = word[1] - '0';
  if (dim < 0 || dim > 9 || dim >= spatial)
    return std::nullopt;
  return ConvolutionRole{word[0], dim};
}
} // namespace

std::optional<std::vector<ConvolutionRole>>
plan::convolutionRoles(const Kernel &kernel, const tdl::Lambda &lambda) {
  const bool byData = kernel.kind == KernelKind::ConvolutionData;
  const int spatial = lambda.rank() - 2;
  std::vector<ConvolutionRole> roles, outputs;
  std::istringstream words(kernel.roles);
  for (std::string word; words >> word;) {
    const auto role = roleOf(word, spatial);
    if (!role || std::count(roles.begin(), roles.end(), *role))
      return std::nullopt;
    roles.push_back(*role);
  }
  outputs = {{byData ? 'n' : 'm', 0}, {'c', 0}};
  for (int d = 0; d < spatial; ++d)
    outputs.push_back({byData ? 'x' : 'k', d});
  if (spatial < 1 || int(roles.size()) != lambda.indexCount() ||
      !std::equal(outputs.begin(), outputs.end(), roles.begin()))
    return std::nullopt;
  // All different: by the filter, as many as there can be are all there are.
  std::vector<bool> summed(size_t(spatial), false);
  for (size_t i = outputs.size(); i < roles.size(); ++i) {
    const auto [kind, dim] = roles[i];
    const bool known = byData ? kind == 'm' || kind == 'k' || kind == 'o'
                              : kind == 'n' || kind == 'o';
    const bool isSpatial = kind == 'k' || kind == 'o';
    if (!known || (isSpatial && summed[size_t(dim)]))
      return std::nullopt;
    if (isSpatial)
      summed[size_t(dim)] = true;
  }
  if (!byData && int(roles.size()) != lambda.rank() + 1 + spatial)
    return std::nullopt;
  return roles;
}
