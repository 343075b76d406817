#include "test/conformance/KeptPlan.h"

#include "dialects/support/Sha256.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/Save.h"

#include <filesystem>
#include <unistd.h>

using namespace smex;
namespace fs = std::filesystem;

Result<plan::Plan>
conformance::keptPlan(const std::string &plans, const std::string &key,
                      const std::function<Result<plan::Plan>()> &make) {
  if (plans.empty())
    return make();
  const fs::path folder = fs::path(plans) / sha256(key);
  if (fs::exists(folder))
    return plan::load(folder.string());
  auto made = make();
  if (!made)
    return made;
  // Another process may be at the same one: the first that has it whole wins.
  const fs::path own = folder.string() + "." + std::to_string(getpid());
  fs::create_directories(plans);
  if (Status saved = plan::save(*made, own.string()); !saved)
    return saved.takeError();
  std::error_code taken;
  fs::rename(own, folder, taken);
  if (taken)
    fs::remove_all(own);
  // What is written and read again must be the same for all rows.
  return plan::load(folder.string());
}
