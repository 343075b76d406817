// Which of its algorithms a library has chosen for what it is asked to do:
// chosen once, the same for all workers, and kept in a file beside the plan for
// later runs. README.md has the file's form.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_CHOICES_H
#define SMEX_RUNTIME_BACKENDS_CUDA_CHOICES_H

#include "dialects/support/Result.h"

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace smex::cuda {

/// Threads may use it at the same time.
class Choices {
public:
  using Note = std::function<void(const std::string &)>;
  /// Reads the file, if there is one: a file that is broken is not used, and
  /// the note says so. Without a path, choices last as long as this object.
  /// Without a note, nobody is told.
  explicit Choices(std::string path = "", Note note = nullptr);

  /// All that a choice depends on.
  struct Question {
    std::string library; // with its version
    std::string device;  // the GPU's name
    std::string request; // what is computed, and within which limits

    bool operator<(const Question &other) const {
      return std::tie(library, device, request) <
             std::tie(other.library, other.device, other.request);
    }
  };
  /// The choice that is known, a string of bytes, if `isRight` says that the
  /// library takes it; or else what `choose` returns, which is then known.
  /// Neither may ask for another choice.
  Result<std::string>
  choiceFor(const Question &question,
            const std::function<bool(const std::string &)> &isRight,
            const std::function<Result<std::string>()> &choose);

  /// Writes the file, if something is new. That it cannot be written, as in a
  /// folder that is read-only, is no error; the note says so, once.
  void save();

private:
  void read();
  void tell(const std::string &text) const {
    if (note)
      note(text);
  }

  const std::string path;
  const Note note;
  std::mutex mutex;
  std::map<Question, std::string> known;
  bool isChanged = false, canWrite = true;
};

} // namespace smex::cuda

#endif
