#include "compiler/frontend/onnx/ExporterNotes.h"

#include "compiler/frontend/onnx/Properties.h"

#include <algorithm>
#include <cctype>

using namespace smex;
using namespace smex::frontend;

static constexpr const char *signatureKey =
    "pkg.torch.export.ExportedProgram.graph_signature";

static bool isIdentifier(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::string smex::frontend::baseOf(const std::string &name) {
  size_t end = name.size();
  while (end > 0 && std::isdigit(static_cast<unsigned char>(name[end - 1])))
    --end;
  return end > 1 && end < name.size() && name[end - 1] == '_'
             ? name.substr(0, end - 1)
             : name;
}

std::vector<std::string>
smex::frontend::splitArguments(const std::string &text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  for (char c : text) {
    if (quote) {
      if (c == quote)
        quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '{' || c == '[') {
      ++depth;
    } else if (c == ')' || c == '}' || c == ']') {
      --depth;
    } else if (c == ',' && depth <= 0) {
      parts.emplace_back();
      continue;
    }
    if (c != ' ' || quote)
      parts.back() += c;
  }
  if (parts.back().empty())
    parts.pop_back();
  return parts;
}

/// What is between the bracket at `open` and the one that closes it.
static std::string between(const std::string &text, size_t open) {
  int depth = 0;
  char quote = 0;
  for (size_t at = open; at < text.size(); ++at) {
    const char c = text[at];
    if (quote) {
      if (c == quote)
        quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '{') {
      ++depth;
    } else if ((c == ')' || c == '}') && --depth == 0) {
      return text.substr(open + 1, at - open - 1);
    }
  }
  return "";
}

std::optional<Call> smex::frontend::parseCall(const std::string &text) {
  const std::string users = " : [num_users=", target = "[target=",
                    arguments = "](args = (";
  const size_t usersAt = text.find(users), targetAt = text.find(target),
               argumentsAt = text.find(arguments);
  if (text.empty() || text[0] != '%' || usersAt == std::string::npos ||
      targetAt == std::string::npos || argumentsAt == std::string::npos ||
      !(usersAt < targetAt && targetAt < argumentsAt))
    return std::nullopt;
  Call call;
  call.name = text.substr(1, usersAt - 1);
  if (!std::all_of(call.name.begin(), call.name.end(), isIdentifier))
    return std::nullopt;
  for (size_t at = usersAt + users.size();
       at < text.size() && at < usersAt + users.size() + 9 &&
       std::isdigit(static_cast<unsigned char>(text[at]));
       ++at)
    call.users = call.users * 10 + (text[at] - '0');
  const size_t first = targetAt + target.size();
  const std::string function = text.substr(first, argumentsAt - first);
  const std::string aten = "torch.ops.aten.";
  if (function.compare(0, aten.size(), aten) == 0) {
    call.operation = function.substr(aten.size());
    call.operation.resize(
        std::min(call.operation.size(), call.operation.find('.')));
  }
  const size_t open = argumentsAt + arguments.size() - 1;
  const std::string list = between(text, open);
  call.arguments = splitArguments(list);
  const std::string rest =
      text.substr(std::min(text.size(), open + list.size()));
  const size_t keywords = rest.find("kwargs = {");
  if (keywords != std::string::npos)
    for (const std::string &each :
         splitArguments(between(rest, rest.find('{', keywords))))
      call.keywords.push_back(each.substr(0, each.find(':')));
  for (size_t at = text.find('%', 1); at != std::string::npos;
       at = text.find('%', at + 1)) {
    size_t end = at + 1;
    while (end < text.size() && isIdentifier(text[end]))
      ++end;
    std::string name = text.substr(at + 1, end - at - 1);
    if (!name.empty() && std::find(call.reads.begin(), call.reads.end(),
                                   name) == call.reads.end())
      call.reads.push_back(std::move(name));
  }
  return call;
}

std::optional<std::string>
ExporterNotes::placeholder(const std::string &argument) const {
  if (argument.empty() || argument[0] != '%')
    return std::nullopt;
  const auto found = placeholders.find(argument.substr(1));
  if (found == placeholders.end())
    return std::nullopt;
  return found->second;
}

namespace {
/// A line of the signature: `p_weight: PARAMETER target='weight'`.
struct SignatureLine {
  std::string name, kind, target;
};
} // namespace

static std::vector<SignatureLine> signatureOf(const onnx::GraphProto &graph) {
  const std::string text = valueOf(propertiesOf(graph), signatureKey);
  std::vector<SignatureLine> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const size_t colon = line.find(": ");
    if (colon == std::string::npos || line[0] == '#')
      continue;
    const std::string mark = " target='";
    const size_t kindEnd = line.find(' ', colon + 2);
    SignatureLine parsed{
        line.substr(0, colon),
        line.substr(colon + 2, std::min(line.size(), kindEnd) - colon - 2), ""};
    if (const size_t target = line.find(mark); target != std::string::npos) {
      const size_t first = target + mark.size();
      parsed.target = line.substr(first, line.find('\'', first) - first);
    }
    lines.push_back(std::move(parsed));
  }
  return lines;
}

std::vector<std::string>
smex::frontend::listedParameters(const onnx::GraphProto &graph) {
  std::vector<std::string> names;
  for (SignatureLine &line : signatureOf(graph))
    if (line.kind == "PARAMETER")
      names.push_back(std::move(line.target));
  return names;
}

ExporterNotes smex::frontend::readNotes(const onnx::GraphProto &graph) {
  ExporterNotes notes;
  for (const SignatureLine &line : signatureOf(graph)) {
    if (line.kind == "USER_OUTPUT") {
      notes.outputs.push_back(line.name);
      continue;
    }
    if (line.target.empty() || line.kind.find("INPUT") != std::string::npos) {
      notes.inputs.insert(line.name);
      continue;
    }
    notes.placeholders[line.name] = line.target;
    if (line.kind == "PARAMETER" &&
        notes.parameterSet.insert(line.target).second)
      notes.parameters.push_back(line.target);
  }
  if (notes.parameters.empty())
    return notes;
  for (const auto &value : graph.value_info()) {
    auto origins = stringsIn(
        valueOf(propertiesOf(value), "pkg.onnxscript.optimizer.folded_from"));
    if (!origins.empty())
      notes.foldedFrom[value.name()] = std::move(origins);
  }
  for (const auto &node : graph.node()) {
    const Properties properties = propertiesOf(node);
    NodeNotes noted;
    noted.call = parseCall(valueOf(properties, "pkg.torch.onnx.fx_node"));
    const auto scopes =
        stringsIn(valueOf(properties, "pkg.torch.onnx.name_scopes"));
    if (scopes.size() >= 2)
      noted.module = scopes[scopes.size() - 2];
    const std::string rules =
        valueOf(properties, "pkg.onnxscript.rewriter.rule_name");
    for (size_t at = 0; at < rules.size();) {
      const size_t end = std::min(rules.find(", ", at), rules.size());
      noted.rules.push_back(rules.substr(at, end - at));
      at = end + 2;
    }
    notes.nodes.push_back(std::move(noted));
  }
  return notes;
}
