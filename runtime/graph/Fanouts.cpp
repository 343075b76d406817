#include "runtime/graph/Fanouts.h"

#include <algorithm>
#include <charconv>

using namespace smex;
using namespace smex::graph;

const Numbers &Fanouts::of(const std::string &graph) const {
  const auto own = named.find(graph);
  return own == named.end() ? all : own->second;
}

static Error usage(Error error) {
  error.fault = Fault::Usage;
  return error;
}

/// "10,25"
static Result<Numbers> parseNumbers(const std::string &option,
                                    const std::string &text, int64_t least) {
  constexpr int64_t most = int64_t(1) << 40;
  Numbers numbers;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    int64_t number = 0;
    const char *last = text.data() + end;
    const auto parsed = std::from_chars(text.data() + at, last, number);
    if (parsed.ec != std::errc() || parsed.ptr != last || number > most ||
        (number < least && number != -1))
      return usage(fail(option, ": \"", text.substr(at, end - at),
                        "\" is no number of neighbours: give one for each "
                        "layer, from ",
                        least, " up, or -1 for all of them, as in 10,25"));
    numbers.push_back(number);
    at = end + 1;
  }
  return numbers;
}

Result<Fanouts> graph::parseFanouts(const std::string &option,
                                    const std::vector<std::string> &arguments,
                                    int64_t least) {
  Fanouts fanouts;
  size_t layers = 0;
  for (const std::string &argument : arguments) {
    // A name may hold '=', numbers cannot.
    const size_t equals = argument.rfind('=');
    const bool isNamed = equals != std::string::npos;
    auto numbers = parseNumbers(
        option, isNamed ? argument.substr(equals + 1) : argument, least);
    if (!numbers)
      return numbers.takeError();
    if (layers && numbers->size() != layers)
      return usage(fail(option, " ", argument, ": has ", numbers->size(),
                        " layers, and what is before it ", layers));
    layers = numbers->size();
    Numbers &place =
        isNamed ? fanouts.named[argument.substr(0, equals)] : fanouts.all;
    if (!place.empty())
      return usage(fail(option, " ", argument, ": is given twice"));
    place = std::move(*numbers);
  }
  return fanouts;
}

Status graph::checkNames(const Fanouts &fanouts, const std::string &option,
                         const std::string &owner,
                         const std::vector<std::string> &names) {
  std::vector<std::string> known; // in their order
  for (const std::string &name : names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      known.push_back(name);
  for (const auto &[name, numbers] : fanouts.named) {
    if (std::find(known.begin(), known.end(), name) != known.end())
      continue;
    std::string list;
    for (const std::string &other : known)
      list += (list.empty() ? "\"" : ", \"") + other + "\"";
    return fail(option, " ", name, "=..: ", owner, " has no graph \"", name,
                list == "\"\"" ? "\"; its only one has no name"
                               : "\"; it has " + list);
  }
  return {};
}
