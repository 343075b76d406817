#ifndef SMEX_TEST_EMULATED_PTX_TEXT_H
#define SMEX_TEST_EMULATED_PTX_TEXT_H

#include "test/emulated/ptx/Program.h"

#include <mutex>

namespace smex::ptx {

/// PTX that was parsed, and its kernels decoded, once for all modules that are
/// loaded of it: every device loads the same text, and every run of a process
/// loads the runtime's own kernels again.
class Text {
public:
  /// The same object for a text that was one of the last.
  /// Throws ParseError.
  static std::shared_ptr<Text> of(const std::string &source);

  explicit Text(const std::string &source) : module(parse(source)) {}

  /// Null if there is no such kernel.
  const Function *entry(const std::string &name) const;
  /// Of a module without .global and .const variables, so that the same
  /// addresses are in it wherever it is loaded. Null if there is no such
  /// kernel. Throws ParseError.
  const Program *kernel(const std::string &name);

  const Module module;

private:
  std::mutex mutex; // of the kernels
  std::map<std::string, std::unique_ptr<Program>> kernels;
};

} // namespace smex::ptx

#endif
