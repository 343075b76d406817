// Where ranks leave things for each other, in one process or in several of one
// machine: files of a folder that the unique id names, in shared memory where
// there is such a folder. A file appears whole, or not at all.
#ifndef SMEX_TEST_EMULATED_NCCL_MEETING_H
#define SMEX_TEST_EMULATED_NCCL_MEETING_H

#include <optional>
#include <string>

namespace smex::emulated {

class Meeting {
public:
  /// The folder is made by whoever comes first.
  explicit Meeting(const std::string &name);

  void post(const std::string &name, const std::string &contents) const;
  /// The same, of several at once for one alone: whether it was this one.
  bool postFirst(const std::string &name, const std::string &contents) const;
  bool has(const std::string &name) const;
  std::optional<std::string> read(const std::string &name) const;
  void remove(const std::string &name) const;
  /// Removes everything.
  void close() const;

private:
  std::string folder;
};

} // namespace smex::emulated

#endif
