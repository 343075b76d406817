// The folder that outputs will go to: one that cannot be written is an error
// before the run, not after it.
#ifndef SMEX_RUNTIME_EXECUTOR_OUTPUTFOLDER_H
#define SMEX_RUNTIME_EXECUTOR_OUTPUTFOLDER_H

#include "dialects/support/Result.h"

#include <string>
#include <vector>

namespace smex::runtime {

class OutputFolder {
public:
  OutputFolder() = default;
  OutputFolder(OutputFolder &&) = default;
  OutputFolder &operator=(OutputFolder &&) = delete;
  /// Removes the folders that open() made and that are still empty.
  ~OutputFolder();

  /// Makes the folder, and those around it, if need be, and tries to write a
  /// file there.
  static Result<OutputFolder> open(const std::string &directory);

private:
  std::vector<std::string> made; // from the outermost one inwards
};

} // namespace smex::runtime

#endif
