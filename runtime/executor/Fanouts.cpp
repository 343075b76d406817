#include "runtime/executor/Fanouts.h"

#include <algorithm>
#include <charconv>

using namespace smex;
using namespace smex::runtime;
using graph::Numbers;

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

Result<Fanouts> runtime::parseFanouts(const std::string &option,
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

std::vector<size_t> runtime::relationsOf(const plan::Program &program) {
  std::vector<size_t> first;
  for (size_t g = 0; g < program.graphs.size(); ++g)
    if (std::none_of(first.begin(), first.end(), [&](size_t other) {
          return program.graphs[other].name == program.graphs[g].name;
        }))
      first.push_back(g);
  return first;
}

int64_t runtime::layersOf(const plan::Program &program) {
  int64_t layers = 0;
  for (const plan::GraphInputs &graph : program.graphs)
    layers = std::max(layers, graph.layer);
  return layers;
}

Result<std::vector<Numbers>> runtime::fanoutsFor(const plan::Program &program,
                                                 const std::string &option,
                                                 const Fanouts &fanouts) {
  std::vector<Numbers> result;
  std::string known;
  size_t used = 0;
  for (size_t g : relationsOf(program)) {
    const std::string &name = program.graphs[g].name;
    known += (known.empty() ? "\"" : ", \"") + name + "\"";
    const auto own = fanouts.named.find(name);
    used += own != fanouts.named.end();
    result.push_back(own == fanouts.named.end() ? fanouts.all : own->second);
    if (result.back().empty())
      return fail(option, ": graph \"", name, "\" has no numbers: add ", option,
                  " ", name, "=N,N,..");
  }
  if (used < fanouts.named.size())
    for (const auto &[name, numbers] : fanouts.named)
      if (known.find("\"" + name + "\"") == std::string::npos)
        return fail(option, " ", name, "=..: the plan has no graph \"", name,
                    known == "\"\"" ? "\"; its only one has no name"
                                    : "\"; it has " + known);
  const int64_t layers = layersOf(program);
  if (const size_t given = result.front().size();
      layers && int64_t(given) != layers)
    return fail(option, ": ", given, given == 1 ? " number" : " numbers",
                ", and the plan has ", layers,
                layers == 1 ? " layer" : " layers", ": give a number for each");
  return result;
}
