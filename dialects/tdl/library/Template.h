// An operator template as parsed (README.md gives the language).
#ifndef SMEX_DIALECTS_TDL_LIBRARY_TEMPLATE_H
#define SMEX_DIALECTS_TDL_LIBRARY_TEMPLATE_H

#include "dialects/tdl/lambda/Syntax.h"
#include "dialects/tdl/library/Library.h"

#include <optional>

namespace smex::tdl {

/// One dimension (or pack of dimensions) in the shape of an operand.
struct Pattern {
  enum Kind : uint8_t { Name, Pack, Number } kind;
  Place place;
  std::string name;
  int64_t number = 0;
  NodeRef length; // of a pack, where given: a...{length}
};

struct OperandPattern {
  Place place;
  std::string name;
  std::vector<Pattern> shape;
};

struct AttributeDeclaration {
  Place place;
  std::string name;
  bool isPack;
  NodeRef standard; // the default; null: the attribute must be given
  std::string text; // as in Library::attributeNames
};

/// `name = lambda`, or `name = value` and `name... = values` of what is known.
struct Definition {
  Place place;
  std::string name;
  bool isPack = false;
  bool detached = false;    // `name = detached lambda ..`
  Ties ties = Ties::Shared; // `name = first lambda ..`
  std::optional<LambdaSyntax> lambda;
  NodeRef value;
};

/// A result: a lambda, or the name of a definition or operand.
struct ResultDeclaration {
  Place place;
  std::optional<LambdaSyntax> lambda;
  std::string name;
};

struct Template {
  std::string file, name;
  Place place;
  std::string source; // with the comments right above
  std::vector<OperandPattern> operands;
  std::vector<AttributeDeclaration> attributes;
  std::vector<Definition> definitions;
  std::vector<ResultDeclaration> results;
};

/// The operators of a file, in order. Syntax only; see check.
Result<std::vector<Template>> parseTemplates(std::string_view file,
                                             std::string_view text);

/// Names are known, given once, packs and numbers where they belong: what can
/// be told before an operator is used.
Status check(const Template &op);

Result<Instance> instantiate(const Template &op,
                             const std::vector<TensorType> &operands,
                             const Attributes &attributes);

} // namespace smex::tdl

#endif
