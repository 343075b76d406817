#ifndef SMEX_TEST_EMULATED_CUDA_CHILD_H
#define SMEX_TEST_EMULATED_CUDA_CHILD_H

#include <functional>
#include <map>
#include <string>

namespace smex::emulated {

/// Runs in a process of its own, with these environment variables, since a
/// process has one driver and reads its settings once. Returns what `body`
/// returned, what was written to standard error, and at the end "signal 11"
/// where the process died of it.
std::string inChild(const std::map<std::string, std::string> &environment,
                    const std::function<std::string()> &body);

} // namespace smex::emulated

#endif
