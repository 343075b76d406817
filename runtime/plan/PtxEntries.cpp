#include "runtime/plan/PtxEntries.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

using namespace smex;
using namespace smex::plan;

namespace {

/// Words, which begin with a dot where they are directives, and marks.
class Words {
public:
  explicit Words(std::string_view text) : text(text) {}

  /// Empty: the text is at its end.
  std::string_view next() {
    skip();
    if (text.empty())
      return {};
    if (text[0] == '"') {
      const size_t end = text.find('"', 1);
      return take(end == text.npos ? text.size() : end + 1);
    }
    size_t length = 1;
    if (isInWord(text[0]) || text[0] == '.')
      while (length < text.size() && isInWord(text[length]))
        ++length;
    return take(length);
  }

private:
  static bool isInWord(char c) {
    return std::isalnum(uint8_t(c)) || std::strchr("_$%", c) != nullptr;
  }
  std::string_view take(size_t length) {
    const std::string_view word = text.substr(0, length);
    text.remove_prefix(length);
    return word;
  }
  void skipPast(const char *end) {
    const size_t at = text.find(end);
    text.remove_prefix(at == text.npos ? text.size() : at + std::strlen(end));
  }
  void skip() {
    while (!text.empty())
      if (std::isspace(uint8_t(text[0])))
        text.remove_prefix(1);
      else if (text.substr(0, 2) == "//")
        skipPast("\n");
      else if (text.substr(0, 2) == "/*")
        skipPast("*/");
      else
        return;
  }

  std::string_view text;
};

/// What stands between the name of an entry and its body.
class Head {
public:
  explicit Head(Words &words) : words(words) { advance(); }

  PtxEntry read() {
    PtxEntry entry;
    while (!isOver()) {
      if (take("(") && word != ")")
        do {
          ++entry.parameters;
          entry.areWords = isWordParameter() && entry.areWords;
        } while (take(","));
      else if (take(".reqntid"))
        do
          entry.threads.push_back(number());
        while (take(","));
      else
        advance();
    }
    return entry;
  }

private:
  bool isOver() const { return word.empty() || word == "{" || word == ";"; }
  void advance() { word = words.next(); }
  bool take(const char *wanted) {
    const bool is = word == wanted;
    if (is)
      advance();
    return is;
  }
  /// `.param .u64 .ptr .global .align 8 name`: one type, and no array.
  bool isWordParameter() {
    int types = 0, others = 0;
    for (; !isOver() && word != "," && word != ")"; advance()) {
      const auto is = [this](std::initializer_list<const char *> words) {
        return std::find(words.begin(), words.end(), word) != words.end();
      };
      types += is({".u64", ".s64", ".b64", ".f64"});
      others += word == "[" ||
                (word[0] == '.' &&
                 !is({".u64", ".s64", ".b64", ".f64", ".param", ".ptr",
                      ".global", ".const", ".local", ".shared", ".align"}));
    }
    return types == 1 && others == 0;
  }
  /// -1: none that a number of threads could be.
  int64_t number() {
    int64_t value = -1;
    const char *end = word.data() + word.size();
    if (std::from_chars(word.data(), end, value).ptr != end)
      value = -1;
    if (!isOver())
      advance();
    return value;
  }

  Words &words;
  std::string_view word;
};

} // namespace

Result<std::map<std::string, PtxEntry>>
plan::ptxEntries(std::string_view text) {
  std::map<std::string, PtxEntry> entries;
  Words words(text);
  for (auto word = words.next(); !word.empty(); word = words.next()) {
    if (word != ".entry")
      continue;
    const std::string name(words.next());
    if (!entries.emplace(name, Head(words).read()).second)
      return fail("\"", name, "\" is there twice");
  }
  return entries;
}

std::optional<int> plan::ptxVersion(std::string_view text) {
  Words words(text);
  int numbers[2] = {-1, -1};
  if (words.next() != ".version")
    return std::nullopt;
  // "7.8" is a word, a dot's word and nothing else here: "7" and ".8".
  for (int &number : numbers) {
    std::string_view word = words.next();
    if (!word.empty() && word.front() == '.')
      word.remove_prefix(1);
    const char *end = word.data() + word.size();
    if (word.empty() || std::from_chars(word.data(), end, number).ptr != end ||
        number < 0 || number > 9)
      return std::nullopt;
  }
  return numbers[0] * 10 + numbers[1];
}

int plan::leastDriverFor(int ptxVersion) {
  const int major = ptxVersion / 10 + 4, minor = ptxVersion % 10;
  // 8.0 came with CUDA 12.0, and so on; but CUDA 12.6 brought no new one.
  const bool isLater = major == 12 && minor >= 6;
  return major * 1000 + (minor + isLater) * 10;
}
