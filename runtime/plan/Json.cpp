#include "runtime/plan/Json.h"

#include "dialects/support/Text.h"

#include <algorithm>
#include <charconv>
#include <iterator>

using namespace smex;
using namespace smex::plan;

namespace {

/// Only numbers, and arrays of such.
bool isNumeric(const Json &array) {
  return std::all_of(array.begin(), array.end(), [](const Json &element) {
    return element.is_number() || (element.is_array() && isNumeric(element));
  });
}

bool isPlain(const Json &object) {
  return std::all_of(object.begin(), object.end(), [](const Json &member) {
    return member.is_array() ? isNumeric(member) : !member.is_object();
  });
}

class Writer {
public:
  std::string text;

  void write(const Json &value, int indent, bool inArray) {
    switch (value.type()) {
    case Json::value_t::object:
      return list(value, indent, '{', '}', inArray && isPlain(value));
    case Json::value_t::array:
      return list(value, indent, '[', ']', isNumeric(value));
    case Json::value_t::number_float:
      return real(value.get<double>());
    case Json::value_t::string:
      return string(value.get_ref<const std::string &>());
    case Json::value_t::number_integer:
      return number(value.get<int64_t>());
    case Json::value_t::number_unsigned:
      return number(value.get<uint64_t>());
    default:
      text += value.dump();
    }
  }

private:
  void list(const Json &value, int indent, char open, char close,
            bool oneLine) {
    text += open;
    bool first = true;
    for (auto it = value.begin(); it != value.end(); ++it) {
      if (!first)
        text += ',';
      if (oneLine)
        text += first ? "" : " ";
      else
        newLine(indent + 2);
      first = false;
      if (value.is_object()) {
        string(it.key());
        text += ": ";
      }
      write(*it, indent + 2, value.is_array());
    }
    if (!oneLine && !first)
      newLine(indent);
    text += close;
  }

  void newLine(int indent) {
    text += '\n';
    text.append(size_t(indent), ' ');
  }

  void string(const std::string &value) {
    // Nearly all strings need no escape; names that are not UTF-8 must not
    // throw.
    const bool plain = std::all_of(value.begin(), value.end(), [](char c) {
      return c >= ' ' && c < 127 && c != '"' && c != '\\';
    });
    if (plain)
      text.append("\"").append(value).append("\"");
    else
      text += Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  template <typename Number> void number(Number value) {
    char digits[32];
    text.append(digits, std::to_chars(digits, std::end(digits), value).ptr);
  }

  void real(double value) {
    const size_t before = text.size();
    number(value);
    if (text.find_first_of(".e", before) == std::string::npos)
      text += ".0";
  }
};

/// On one line, and of a long text how it begins and ends.
std::string shortened(std::string_view text) {
  constexpr size_t kMost = 400, kPart = 150;
  return text.size() <= kMost
             ? cleanedLine(text)
             : cleanedLine(text.substr(0, kPart)) + " ... " +
                   cleanedLine(text.substr(text.size() - kPart));
}

/// An iterator over a text that says how far it has come, for errors that the
/// parser knows no place of.
struct Reading {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  const char *at;
  const char **reached;

  reference operator*() const { return *at; }
  Reading &operator++() {
    *reached = ++at;
    return *this;
  }
  bool operator==(const Reading &other) const { return at == other.at; }
  bool operator!=(const Reading &other) const { return at != other.at; }
};

/// Builds the value as nlohmann's own parser does, but refuses what it lets
/// pass.
class Builder : public nlohmann::json_sax<Json> {
public:
  Json root;
  std::string problem;
  bool saysWhere = false; // the problem does, since it is the parser's own

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(int64_t value) override { return add(value); }
  bool number_unsigned(uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string &) override {
    return add(value);
  }
  bool string(std::string &value) override { return add(std::move(value)); }
  bool binary(Json::binary_t &) override { return false; }

  bool start_object(size_t) override { return open(Json::object()); }
  bool start_array(size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string &name) override {
    const auto [place, isNew] =
        stack.back()->get_ref<Json::object_t &>().emplace(std::move(name),
                                                          nullptr);
    member = &place->second;
    if (!isNew)
      problem = "the key \"" + shortened(place->first) + "\" occurs twice";
    return isNew;
  }

  bool parse_error(size_t, const std::string &,
                   const nlohmann::detail::exception &error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    problem = error.what();
    if (const size_t start = problem.find("] "); start != std::string::npos)
      problem.erase(0, start + 2);
    problem = shortened(problem); // it quotes what was read last
    saysWhere = problem.rfind("parse error at line", 0) == 0;
    return false;
  }

private:
  std::vector<Json *> stack;
  Json *member = nullptr; // where the value of the last key goes

  Json *place(Json &&value) {
    if (stack.empty())
      return &(root = std::move(value));
    if (stack.back()->is_object())
      return &(*member = std::move(value));
    auto &array = stack.back()->get_ref<Json::array_t &>();
    return &array.emplace_back(std::move(value));
  }
  template <typename T> bool add(T &&value) {
    place(Json(std::forward<T>(value)));
    return true;
  }
  bool open(Json &&value) {
    if (stack.size() >= 32) {
      problem = "nested more than 32 deep";
      return false;
    }
    stack.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    stack.pop_back();
    return true;
  }
};

} // namespace

std::string plan::canonicalJson(const Json &value) {
  Writer writer;
  writer.write(value, 0, false);
  writer.text += '\n';
  return std::move(writer.text);
}

Result<Json> plan::parseJson(std::string_view text) {
  Builder builder;
  const char *reached = text.data();
  const char *end = text.data() + text.size();
  if (Json::sax_parse(Reading{text.data(), &reached}, Reading{end, &reached},
                      &builder) &&
      builder.problem.empty())
    return std::move(builder.root);
  if (builder.problem.empty())
    return fail("not JSON");
  if (builder.saysWhere)
    return fail(builder.problem);
  const std::string_view read(text.data(), size_t(reached - text.data()));
  const size_t line = size_t(std::count(read.begin(), read.end(), '\n')) + 1;
  // Of the last byte that was read; npos + 1 is 0, of the first line.
  const size_t column = read.size() - (read.rfind('\n') + 1);
  return fail("line ", line, ", column ", column, ": ", builder.problem);
}
