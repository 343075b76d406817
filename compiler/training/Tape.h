// What reverse mode differentiates, and adds to: values, and the applications
// that compute them, in topological order. Both a finished model (ModelTape.h)
// and one that a front-end is still reading are such graphs.
#ifndef SMEX_COMPILER_TRAINING_TAPE_H
#define SMEX_COMPILER_TRAINING_TAPE_H

#include "compiler/frontend/Model.h"
#include "dialects/tdl/library/Library.h"

namespace smex::training {

class Tape {
public:
  virtual ~Tape() = default;

  virtual size_t valueCount() const = 0;
  virtual const TensorType &type(int value) const = 0;
  virtual const std::string &name(int value) const = 0;
  virtual size_t applicationCount() const = 0;
  /// Valid until the next application is added.
  virtual const frontend::Application &application(size_t number) const = 0;

  /// Appends applications; the values of the instance's results. `name` is for
  /// those values, `node` the model's node that they serve; `gradientOf`: see
  /// Application.
  virtual std::vector<int> append(const tdl::Instance &instance,
                                  const std::vector<int> &operands,
                                  const std::string &name,
                                  const std::string &node, int gradientOf) = 0;

  /// Appends an operator of the library.
  Result<std::vector<int>> apply(const std::string &op,
                                 const std::vector<int> &operands,
                                 const tdl::Attributes &attributes,
                                 const std::string &name,
                                 const std::string &node, int gradientOf = -1);
};

} // namespace smex::training

#endif
