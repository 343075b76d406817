#include "dialects/tdl/library/Library.h"

#include "dialects/tdl/library/Template.h"

using namespace smex;
using namespace smex::tdl;

Library::Library() = default;
Library::~Library() = default;
Library::Library(Library &&) = default;
Library &Library::operator=(Library &&) = default;

Status Library::add(std::string_view fileName, std::string_view text) {
  auto parsed = parseTemplates(fileName, text);
  if (!parsed)
    return parsed.takeError();
  for (Template &op : *parsed) {
    if (Status valid = check(op); !valid)
      return valid;
    const auto [entry, isNew] = templates.try_emplace(op.name);
    if (!isNew) {
      const Template &other = *entry->second;
      return fail(toString(op.file, op.place), "operator '", op.name,
                  "' is defined twice, see ", other.file, ":",
                  other.place.line);
    }
    entry->second = std::make_unique<Template>(std::move(op));
  }
  return {};
}

bool Library::contains(std::string_view op) const {
  return templates.count(op) != 0;
}

std::vector<std::string> Library::names() const {
  std::vector<std::string> names;
  for (const auto &[name, op] : templates)
    names.push_back(name);
  return names;
}

std::string_view Library::source(std::string_view op) const {
  const auto entry = templates.find(op);
  return entry == templates.end() ? std::string_view() : entry->second->source;
}

std::vector<std::string> Library::operandNames(std::string_view op) const {
  std::vector<std::string> names;
  if (const auto entry = templates.find(op); entry != templates.end())
    for (const OperandPattern &operand : entry->second->operands)
      names.push_back(operand.name);
  return names;
}

std::vector<std::string> Library::attributeNames(std::string_view op) const {
  std::vector<std::string> names;
  if (const auto entry = templates.find(op); entry != templates.end())
    for (const AttributeDeclaration &attribute : entry->second->attributes)
      names.push_back(attribute.text);
  return names;
}

Result<Instance> Library::instantiate(std::string_view op,
                                      const std::vector<TensorType> &operands,
                                      const Attributes &attributes) const {
  const auto entry = templates.find(op);
  if (entry == templates.end())
    return fail("there is no operator '", op, "'");
  return tdl::instantiate(*entry->second, operands, attributes);
}
