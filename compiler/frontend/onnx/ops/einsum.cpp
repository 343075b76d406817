// Einsum: the equation is a lambda already, but for its syntax.
#include "compiler/frontend/onnx/Table.h"

#include <algorithm>
#include <cctype>

using namespace smex;
using namespace smex::frontend;

namespace {
/// One term: labels in order; dots become labels of their own, '0' the last
/// dimension that "..." stands for, '1' the one before it.
std::string expandTerm(Node &n, const std::string &term, int64_t rank) {
  const size_t dots = term.find("...");
  std::string labels = term;
  if (dots != std::string::npos) {
    const int64_t covered = rank - int64_t(term.size() - 3);
    n.require(covered >= 0 && covered <= 10, "a term has too many labels");
    std::string some;
    for (int64_t d = covered; d-- > 0;)
      some += char('0' + d);
    labels.replace(dots, 3, some);
  }
  for (char c : labels)
    n.require(std::isalnum(static_cast<unsigned char>(c)),
              "the equation cannot be read");
  return labels;
}

/// Index and extent variables must not be keywords or each other.
std::string indexName(char label) { return std::string("i_") + label; }
} // namespace

static void convertEinsum(Node &n) {
  std::string equation = n.text("equation");
  equation.erase(std::remove(equation.begin(), equation.end(), ' '),
                 equation.end());
  const size_t arrow = equation.find("->");
  std::string left = equation.substr(0, arrow);
  std::vector<std::string> terms;
  for (size_t at = 0; at <= left.size();) {
    const size_t comma = std::min(left.find(',', at), left.size());
    terms.push_back(left.substr(at, comma - at));
    at = comma + 1;
  }
  n.require(terms.size() == n.inputs.size(),
            "the equation has another number of operands");
  std::map<char, int64_t> extents;
  for (size_t t = 0; t < terms.size(); ++t) {
    terms[t] = expandTerm(n, terms[t], n.rank(t));
    n.require(
        int64_t(terms[t].size()) == n.rank(t),
        "a term has another number of labels than its operand dimensions");
    for (size_t d = 0; d < terms[t].size(); ++d) {
      int64_t &extent = extents.emplace(terms[t][d], 1).first->second;
      const int64_t size = n.shape(t)[d];
      if (extent != 1 && size != 1 && extent != size)
        n.refuse("label ", terms[t][d], " is ", extent, " and ", size);
      extent = extent == 1 ? size : extent;
    }
  }
  std::string result, over;
  if (arrow != std::string::npos) {
    std::string dots;
    for (const auto &extent : extents)
      if (std::isdigit(static_cast<unsigned char>(extent.first)))
        dots.insert(0, 1, extent.first);
    result = equation.substr(arrow + 2);
    if (const size_t at = result.find("..."); at != std::string::npos)
      result.replace(at, 3, dots);
  } else { // dots, then the labels that occur once, in alphabetical order
    for (const auto &extent : extents)
      if (std::isdigit(static_cast<unsigned char>(extent.first)))
        result.insert(0, 1, extent.first);
    for (const auto &extent : extents) {
      int64_t count = 0;
      for (const std::string &term : terms)
        count += std::count(term.begin(), term.end(), extent.first);
      if (count == 1 && !std::isdigit(static_cast<unsigned char>(extent.first)))
        result += extent.first;
    }
  }
  for (char c : result)
    n.require(extents.count(c) &&
                  std::count(result.begin(), result.end(), c) == 1,
              "the result's labels are not those of the operands, each once");
  for (const auto &extent : extents)
    if (result.find(extent.first) == std::string::npos)
      over += extent.first;

  const auto ranges = [&](const std::string &labels) {
    std::string text;
    for (char c : labels)
      text += (text.empty() ? " " : ", ") + indexName(c) + " < " +
              std::to_string(extents[c]);
    return text;
  };
  std::string operands, body;
  for (size_t t = 0; t < terms.size(); ++t) {
    std::string shape, index;
    for (size_t d = 0; d < terms[t].size(); ++d) {
      const int64_t size = n.shape(t)[d];
      shape += (d ? ", " : "") + std::to_string(size);
      index += (d ? ", " : "") + (size == 1 && extents[terms[t][d]] != 1
                                      ? std::string("0")
                                      : indexName(terms[t][d]));
    }
    const std::string name = "x" + std::to_string(t);
    operands += (t ? ", " : "") + name + "[" + shape + "]";
    body += (t ? " * " : "") + name + "[" + index + "]";
  }
  if (!over.empty())
    body = "Sum(lambda" + ranges(over) + ": " + body + ")";
  std::vector<ValueId> values;
  for (size_t i = 0; i < n.inputs.size(); ++i)
    values.push_back(n.in(i));
  n.out(0,
        n.applyText("(" + operands + "): lambda" + ranges(result) + ": " + body,
                    values)[0]);
}

std::vector<Row> smex::frontend::einsumRows() {
  return {{"Einsum", 12, convertEinsum}};
}
