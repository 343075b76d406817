// Operators as text: templates that are polymorphic in rank and type, written
// in
// *.tdl files (see README.md for the language), instantiated for the shapes,
// types and attributes of one use.
#ifndef SMEX_DIALECTS_TDL_LIBRARY_LIBRARY_H
#define SMEX_DIALECTS_TDL_LIBRARY_LIBRARY_H

#include "dialects/support/Tensor.h"
#include "dialects/tdl/lambda/Lambda.h"
#include "dialects/tdl/lambda/Ties.h"

#include <map>
#include <memory>
#include <string>
#include <variant>

namespace smex::tdl {

/// Attribute values of a use. Lists bind to packs.
using Attribute = std::variant<int64_t, double, DType, std::string,
                               std::vector<int64_t>, std::vector<double>>;
using Attributes = std::map<std::string, Attribute>;

/// One lambda applied: a composite operator becomes several, in order.
struct Application {
  Lambda lambda; // canonical
  /// Per operand: >= 0 the use's operand of that number, < 0 the result of
  /// application ~number.
  std::vector<int> operands;
  /// Extent of every index variable, outputs first; the result's shape is the
  /// leading ones.
  std::vector<int64_t> extents;
  /// Gradients take the result for a constant: whatever it is, the operator's
  /// value is the same (the maximum that softmax subtracts).
  bool detached = false;
  Ties ties = Ties::Shared;
};

struct Instance {
  std::vector<Application> applications;
  /// Per result of the operator: as in Application::operands.
  std::vector<int> results;
};

struct Template; // parsed text, see Template.h

/// A set of operator templates by name.
class Library {
public:
  Library();
  ~Library();
  Library(Library &&);
  Library &operator=(Library &&);

  /// Adds the operators of one file; a name defined twice, bad syntax, unknown
  /// names are errors with file, line and column.
  Status add(std::string_view fileName, std::string_view text);

  bool contains(std::string_view op) const;
  std::vector<std::string> names() const; // sorted
  /// The operator's text as written, comments above it included.
  std::string_view source(std::string_view op) const;
  /// Names of its operands and of its attributes (with a trailing "..." for
  /// packs, " = value" for defaults), for messages and for `smexc ops`.
  std::vector<std::string> operandNames(std::string_view op) const;
  std::vector<std::string> attributeNames(std::string_view op) const;

  /// Expands an operator for operand types and attributes. Errors say what did
  /// not match: operand count, rank, extents ("N is 4 in x and 3 in y"), a
  /// missing attribute, extents that overflow, a negative extent.
  Result<Instance> instantiate(std::string_view op,
                               const std::vector<TensorType> &operands,
                               const Attributes &attributes) const;

private:
  std::map<std::string, std::unique_ptr<Template>, std::less<>> templates;
};

/// The operators that come with smex (library/*.tdl, compiled in).
const Library &standardLibrary();

} // namespace smex::tdl

#endif
