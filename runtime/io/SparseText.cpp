#include "runtime/io/SparseText.h"

#include <algorithm>
#include <cctype>
#include <charconv>

using namespace smex;
using namespace smex::io;

namespace {

/// Words of a line: numbers between blanks, tabs or commas.
class Line {
public:
  explicit Line(std::string_view text) : text(text) { skip(); }
  bool done() const { return at == text.size(); }
  char first() const { return text[at]; }
  template <typename Number> bool take(Number &number) {
    const auto parsed =
        std::from_chars(text.data() + at, text.data() + text.size(), number);
    const size_t end = size_t(parsed.ptr - text.data());
    if (parsed.ec != std::errc() || (end < text.size() && !isBlank(text[end])))
      return false;
    at = end;
    skip();
    return true;
  }

private:
  static bool isBlank(char c) {
    return c == ' ' || c == '\t' || c == ',' || c == '\r';
  }
  void skip() {
    while (at < text.size() && isBlank(text[at]))
      ++at;
  }
  std::string_view text;
  size_t at = 0;
};

/// A text of an entry per line; in Matrix Market form after its headings.
class TextParser {
public:
  TextParser(std::string_view bytes, const std::string &name)
      : bytes(bytes), name(name) {}

  Result<SparseMatrix> parse() {
    if (bytes.substr(0, 14) == "%%MatrixMarket")
      if (Status read = readHeading(); !read)
        return read.takeError();
    for (std::string_view text; next(text);)
      if (Status read = readEntry(text); !read)
        return read.takeError();
    if (isMarket && seen != expected)
      return fail(name, ": has ", seen, " entries, and says ", expected);
    if (!isMarket)
      for (const auto *list : {&matrix.row, &matrix.column})
        for (int64_t index : *list)
          matrix.rows = matrix.columns = std::max(matrix.rows, index + 1);
    matrix.values = makeTensor({DType::F32, {int64_t(values.size())}});
    std::copy(values.begin(), values.end(), matrix.values.data<float>());
    return std::move(matrix);
  }

private:
  /// The next line that says something.
  bool next(std::string_view &text) {
    while (at < bytes.size()) {
      const size_t end = std::min(bytes.find('\n', at), bytes.size());
      text = bytes.substr(at, end - at);
      at = end + 1;
      ++number;
      const Line line(text);
      if (!line.done() && line.first() != '#' && line.first() != '%')
        return true;
    }
    return false;
  }

  template <typename... Parts> Error wrong(const Parts &...parts) const {
    return fail(name, ":", number, ": ", parts...);
  }

  Status readHeading() {
    isMarket = true;
    std::string words(bytes.substr(0, bytes.find('\n')));
    std::transform(words.begin(), words.end(), words.begin(),
                   [](unsigned char c) { return char(std::tolower(c)); });
    const auto says = [&](const char *word) {
      return words.find(std::string(" ") + word) != words.npos;
    };
    if (!says("matrix coordinate") || says("complex") || says("hermitian"))
      return fail(name, ": only a \"matrix coordinate\" of real numbers, "
                        "integers or a pattern can be read");
    isPattern = says("pattern");
    isSymmetric = says("symmetric");
    isSkew = says("skew-symmetric");
    std::string_view text;
    if (!next(text))
      return fail(name, ": has no size");
    Line line(text);
    if (!line.take(matrix.rows) || !line.take(matrix.columns) ||
        !line.take(expected) || matrix.rows < 0 || matrix.columns < 0)
      return wrong("must be the numbers of rows, columns and entries");
    return {};
  }

  Status readEntry(std::string_view text) {
    Line line(text);
    int64_t row = 0, column = 0;
    float value = 1;
    if (!line.take(row) || !line.take(column))
      return wrong("must be a row and a column");
    const bool hasValue = !line.done();
    if ((hasValue && !line.take(value)) || !line.done())
      return wrong("after row and column comes one number, or none");
    if (isMarket && hasValue == isPattern)
      return wrong(isPattern ? "a pattern has no values"
                             : "the entry has no value");
    row -= isMarket;
    column -= isMarket;
    if (row < 0 || column < 0 ||
        (isMarket && (row >= matrix.rows || column >= matrix.columns)))
      return wrong("row ", row + isMarket, ", column ", column + isMarket,
                   ": outside of the matrix");
    constexpr int64_t mostNodes = int64_t(1) << 40;
    if (row >= mostNodes || column >= mostNodes)
      return wrong("more than 2^40 rows or columns");
    if (!matrix.row.empty() && (hasValue != !values.empty()))
      return wrong("some entries have a value, and some have none");
    ++seen;
    add(row, column, hasValue, value);
    if ((isSymmetric || isSkew) && row != column)
      add(column, row, hasValue, isSkew ? -value : value);
    return {};
  }

  void add(int64_t row, int64_t column, bool hasValue, float value) {
    matrix.row.push_back(row);
    matrix.column.push_back(column);
    if (hasValue)
      values.push_back(value);
  }

  std::string_view bytes;
  const std::string &name;
  size_t at = 0, number = 0;
  bool isMarket = false, isPattern = false, isSymmetric = false, isSkew = false;
  int64_t expected = 0, seen = 0;
  SparseMatrix matrix;
  std::vector<float> values;
};

} // namespace

Result<SparseMatrix> io::parseSparseText(std::string_view bytes,
                                         const std::string &name) {
  return TextParser(bytes, name).parse();
}
