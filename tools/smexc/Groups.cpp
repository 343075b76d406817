#include "tools/smexc/Groups.h"

#include "compiler/placement/Algorithm.h"

using namespace smex;
using namespace smex::tools;

void tools::declareGroups(CLI::App &app, GroupArguments &arguments) {
  app.add_option("--groups", arguments.groups,
                 "place on so many groups of GPUs, and cut tensors within "
                 "them; with a placement as --algorithm (default: one group "
                 "per GPU)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--replicas", arguments.replicas,
                 "so many groups of GPUs, such as hosts, have all operators "
                 "each and a part of the samples; with a placement as "
                 "--algorithm, which is made within each (default: 1)")
      ->check(CLI::Range(1, 1024));
}

Status tools::setGroups(const GroupArguments &arguments,
                        pipeline::CompileOptions &options) {
  if (arguments.groups > 0 && arguments.replicas > 0)
    return Error{"--groups and --replicas: give one of them; replicas place "
                 "operators on GPUs, not on groups of them",
                 Fault::Usage};
  const bool isReplicas = arguments.replicas > 0;
  const int64_t count = isReplicas ? arguments.replicas : arguments.groups;
  if (count == 0)
    return {};
  const std::string what = isReplicas ? "replicas" : "groups";
  if (!options.search || !placement::isAlgorithm(options.search->algorithm))
    return Error{"--" + what + " " + std::to_string(count) +
                     ": only placements have " + what +
                     "; give one as --algorithm",
                 Fault::Usage};
  if (options.gpus % count != 0)
    return Error{std::to_string(options.gpus) + " GPUs are not " +
                     std::to_string(count) + " " + what + " of equal size",
                 Fault::Usage};
  (isReplicas ? options.search->replicas : options.search->groups) = count;
  return {};
}
