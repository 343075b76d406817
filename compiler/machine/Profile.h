// What operators took when they ran: `smex-run --profile` wrote it
// (runtime/executor/schema/profile.schema.json). It stands in the place of what
// a machine's description says of them.
#ifndef SMEX_COMPILER_MACHINE_PROFILE_H
#define SMEX_COMPILER_MACHINE_PROFILE_H

#include "dialects/support/Result.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace smex::machines {

struct Profile {
  std::string file, model, backend; // where from
  /// By the name of the tensor that an operator computes, as a whole.
  std::unordered_map<std::string, double> seconds;
};

/// Of a profile that has no operator of a model.
Error noneOfModel(const Profile &profile);

/// Any byte string is a safe input; the error names `file` and the key.
Result<Profile> readProfile(std::string_view text, const std::string &file);
Result<Profile> readProfileFile(const std::string &path);

} // namespace smex::machines

#endif
