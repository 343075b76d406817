// Reads parameters region by region from where the model keeps them, so that
// the compiler never holds all weights in memory.
#ifndef SMEX_COMPILER_EMIT_WEIGHTS_H
#define SMEX_COMPILER_EMIT_WEIGHTS_H

#include "compiler/frontend/Model.h"
#include "dialects/smex/lists/Derived.h"
#include "dialects/support/Box.h"

#include <map>

namespace smex::emit {

/// A parameter that the compiler added: it follows from others of the model.
struct DerivedParameter {
  std::string name;
  TensorType type;
  graph::Recipe recipe;
};

class Weights {
public:
  explicit Weights(const frontend::Model &model,
                   std::vector<DerivedParameter> derived = {});

  /// The region of the parameter, dense and row-major. Errors name the file.
  Result<std::vector<std::byte>> read(const std::string &parameter,
                                      const Box &box) const;

private:
  Result<std::vector<std::byte>> readStored(const frontend::ParameterData &data,
                                            const TensorType &type,
                                            const std::string &name,
                                            const Box &box) const;
  /// Of a matrix that is stored as columns.
  Result<std::vector<std::byte>>
  readTransposed(const frontend::Parameter &parameter, const Box &box) const;
  /// All of it, worked out when first asked for; one at a time is kept.
  Result<const Tensor *> whole(const DerivedParameter &derived) const;

  const frontend::Model &model;
  std::map<std::string, const frontend::Parameter *> byName;
  std::map<std::string, DerivedParameter> derived;
  mutable const DerivedParameter *kept = nullptr;
  mutable Tensor keptTensor;
};

} // namespace smex::emit

#endif
