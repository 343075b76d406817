#include "compiler/frontend/json/Json.h"

#include "compiler/frontend/json/Translator.h"
#include "dialects/support/File.h"
#include "dialects/support/Text.h"

#include <algorithm>

using namespace smex;
using namespace smex::frontend;

/// How deep lists and objects are nested; the parser's data are trees that the
/// translator walks by recursion.
static int nesting(const std::string &text) {
  int depth = 0, deepest = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"')
      inString = !inString;
    else if (inString)
      i += c == '\\';
    else if (c == '[' || c == '{')
      deepest = std::max(deepest, ++depth);
    else if (c == ']' || c == '}')
      --depth;
  }
  return deepest;
}

Result<std::shared_ptr<const onnx::ModelProto>>
smex::frontend::readJson(const std::string &path, bool drawMissing) {
  // A pipe would be empty when the model's files are hashed.
  if (const auto file = InputFile::open(path); !file)
    return file.error();
  auto text = readFile(path);
  if (!text)
    return text.takeError();
  if (nesting(*text) > 200)
    return fail(path, ": lists and objects are nested more than 200 deep");
  Json json;
  try {
    json = Json::parse(*text);
  } catch (const Json::exception &e) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    std::string message = e.what();
    if (const size_t end = message.find("] "); end != std::string::npos)
      message = message.substr(end + 2);
    return fail(path, ": ", cleanedLine(message));
  }
  const size_t slash = path.rfind('/');
  Translator translator(
      path, slash == std::string::npos ? "." : path.substr(0, slash),
      drawMissing);
  auto model = std::make_shared<onnx::ModelProto>();
  translator.model({json, ""}, *model);
  if (translator.errors.empty())
    return {std::shared_ptr<const onnx::ModelProto>(std::move(model))};
  Error all;
  all.fault = translator.fault;
  for (const std::string &message : translator.errors)
    all.message += (all.message.empty() ? "" : "\n") + message;
  return all;
}
