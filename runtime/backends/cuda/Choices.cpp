#include "runtime/backends/cuda/Choices.h"

#include "dialects/support/File.h"
#include "dialects/support/Sha256.h"
#include "runtime/plan/Json.h"

#include <cerrno>
#include <optional>
#include <sys/stat.h>

using namespace smex;
using namespace smex::cuda;
using plan::Json;

namespace {

constexpr int format = 1;
/// Of the file that is read: what a plan of many shapes has is far below.
constexpr int64_t mostBytes = int64_t(64) << 20;

std::string hexOf(const std::string &bytes) {
  const char *digits = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::optional<std::string> bytesOf(const std::string &text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
  };
  if (text.size() % 2)
    return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]), low = digit(text[i + 1]);
    if (high < 0 || low < 0)
      return std::nullopt;
    bytes += char(16 * high + low);
  }
  return bytes;
}

/// The value of a key that must be a string.
std::optional<std::string> textOf(const Json &object, const char *key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string())
    return std::nullopt;
  return found->get<std::string>();
}

/// The file's own hash, over the rest of it.
std::string hashOf(Json file) {
  file.erase("sha256");
  return sha256(plan::canonicalJson(file));
}

} // namespace

Choices::Choices(std::string path, Note note)
    : path(std::move(path)), note(std::move(note)) {
  read();
}

void Choices::read() {
  // That there is none yet is the rule.
  struct stat found;
  if (path.empty() || (::lstat(path.c_str(), &found) != 0 && errno == ENOENT))
    return;
  const auto unused = [&](const std::string &why) {
    known.clear();
    tell(path + " is not used: " + why + "; libraries choose anew");
  };
  // A plan may come from outside: a link would lead this user to where its
  // author likes.
  if (S_ISLNK(found.st_mode)) {
    canWrite = false;
    return unused("it is a link");
  }
  auto file = InputFile::open(path);
  if (!file)
    return unused(file.error().message);
  if (file->size() > mostBytes)
    return unused("it is too large");
  std::string text(size_t(file->size()), '\0');
  const auto count = file->readAt(0, text.data(), text.size());
  if (!count || *count != text.size())
    return unused("it cannot be read");
  const auto json = plan::parseJson(text);
  if (!json)
    return unused(json.error().message);
  const auto broken = [&] { unused("it is broken"); };
  if (!json->is_object() || !json->contains("format") ||
      !json->contains("choices") || !(*json)["choices"].is_array())
    return broken();
  if ((*json)["format"] != format)
    return unused("it is of another version");
  if (textOf(*json, "sha256") != hashOf(*json))
    return broken();
  for (const Json &each : (*json)["choices"]) {
    if (!each.is_object())
      return broken();
    const auto library = textOf(each, "library"),
               device = textOf(each, "device"),
               request = textOf(each, "request"),
               choice = textOf(each, "choice");
    const auto bytes = choice ? bytesOf(*choice) : std::nullopt;
    if (!library || !device || !request || !bytes)
      return broken();
    known[{*library, *device, *request}] = *bytes;
  }
}

Result<std::string>
Choices::choiceFor(const Question &question,
                   const std::function<bool(const std::string &)> &isRight,
                   const std::function<Result<std::string>()> &choose) {
  std::lock_guard<std::mutex> lock(mutex);
  if (const auto found = known.find(question); found != known.end()) {
    if (isRight(found->second))
      return found->second;
    tell((path.empty() ? "an algorithm" : path + ": the algorithm") +
         " chosen for \"" + question.request + "\" is refused by " +
         question.library + ", which chooses anew");
  }
  auto chosen = choose();
  if (!chosen)
    return chosen;
  known[question] = *chosen;
  isChanged = true;
  return chosen;
}

void Choices::save() {
  std::lock_guard<std::mutex> lock(mutex);
  if (path.empty() || !isChanged || !canWrite)
    return;
  Json file = {{"format", format}, {"choices", Json::array()}};
  for (const auto &[question, choice] : known)
    file["choices"].push_back({{"library", question.library},
                               {"device", question.device},
                               {"request", question.request},
                               {"choice", hexOf(choice)}});
  file["sha256"] = hashOf(file);
  isChanged = false;
  if (Status written = writeFile(path, plan::canonicalJson(file)); !written) {
    canWrite = false;
    tell("the algorithms that libraries have chosen are not kept: " +
         written.error().message);
  }
}
