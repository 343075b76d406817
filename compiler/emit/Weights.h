// Reads parameters region by region from where the model keeps them, so that
// the compiler never holds all weights in memory.
#ifndef SMEX_COMPILER_EMIT_WEIGHTS_H
#define SMEX_COMPILER_EMIT_WEIGHTS_H

#include "compiler/frontend/Model.h"
#include "support/Box.h"

#include <map>

namespace smex::emit {

class Weights {
public:
  explicit Weights(const frontend::Model &model);

  /// The region of the parameter, dense and row-major. Errors name the file.
  Result<std::vector<std::byte>> read(const std::string &parameter,
                                      const Box &box) const;

private:
  const frontend::Model &model;
  std::map<std::string, const frontend::Parameter *> byName;
};

} // namespace smex::emit

#endif
