// One element of a list of program.json, and what is wrong with it.
#ifndef SMEX_RUNTIME_PLAN_PROGRAMPART_H
#define SMEX_RUNTIME_PLAN_PROGRAMPART_H

#include "runtime/plan/Validate.h"

#include <utility>

namespace smex::plan {

/// Messages say where the element is: `instructions[3].to: ..`.
class ProgramPart {
public:
  ProgramPart(const Program &program, Complaint &complaint,
              const char *list = "", size_t index = 0)
      : program(program), complaint(complaint), list(list), index(index) {}

protected:
  template <typename... Parts>
  void refuse(const std::string &key, Parts &&...parts) {
    complaint.add(list, "[", index, "].", key, ": ",
                  std::forward<Parts>(parts)...);
  }

  bool inRange(const char *key, int number, size_t count, const char *what) {
    if (number >= 0 && size_t(number) < count)
      return true;
    refuse(key, "there is no ", what, " ", number, ", there are ", count);
    return false;
  }

  bool isIn(Space space, const char *key, int buffer) {
    if (program.buffers[size_t(buffer)].space == space)
      return true;
    refuse(key, "buffer ", buffer,
           space == Space::Host ? " is on the device" : " is on the host");
    return false;
  }

  const TensorType &typeOf(int buffer) const {
    return program.tensors[size_t(program.buffers[size_t(buffer)].tensor)].type;
  }

  const Program &program;
  Complaint &complaint;
  const char *list;
  size_t index; // in the list
};

} // namespace smex::plan

#endif
