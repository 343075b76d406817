#include "runtime/executor/NextInputs.h"

#include "runtime/executor/GraphInputs.h"

#include <algorithm>

using namespace smex;
using namespace smex::runtime;

namespace {
const TensorType &typeOf(const plan::Program &program, const plan::Port &port) {
  return program.tensors[size_t(program.buffers[size_t(port.buffer)].tensor)]
      .type;
}

int find(const std::vector<plan::Port> &ports, const std::string &name) {
  for (size_t i = 0; i < ports.size(); ++i)
    if (ports[i].name == name)
      return int(i);
  return -1;
}

std::string listOf(const std::vector<plan::Port> &ports) {
  std::string text;
  for (const plan::Port &port : ports)
    if (!port.derived)
      text += (text.empty() ? "\"" : ", \"") + port.name + "\"";
  return text.empty() ? "none" : text;
}

/// Names may hold '=': where the text is divided is where both sides are names.
Result<NextInput> parse(const plan::Program &program, const std::string &text) {
  bool isOutput = false; // some beginning of it
  for (size_t at = text.find('='); at != std::string::npos;
       at = text.find('=', at + 1)) {
    const NextInput found = {find(program.outputs, text.substr(0, at)),
                             find(program.inputs, text.substr(at + 1))};
    isOutput |= found.output >= 0;
    if (found.output >= 0 && found.input >= 0)
      return found;
  }
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    Error error = fail("--feed ", text, ": OUT=IN expected");
    error.fault = Fault::Usage;
    return error;
  }
  if (isOutput)
    return fail("--feed ", text, ": the plan has no such input; it has ",
                listOf(program.inputs));
  return fail("--feed ", text, ": the plan has no such output; it has ",
              listOf(program.outputs));
}

/// Why the input cannot take a value between two steps, or nothing.
std::string reasonAgainst(const plan::Program &program,
                          const plan::Port &input) {
  if (input.derived)
    return "it follows from \"" + input.derived->of.back() + "\"";
  if (graphOf(program, input))
    return "it is of the graph that the model works on";
  for (const plan::Port &other : program.inputs)
    if (other.derived && std::count(other.derived->of.begin(),
                                    other.derived->of.end(), input.name))
      return "other inputs follow from it before the first step";
  return "";
}
} // namespace

Result<std::vector<NextInput>>
runtime::nextInputs(const plan::Program &program,
                    const std::vector<std::string> &arguments) {
  std::vector<NextInput> all;
  for (const std::string &argument : arguments) {
    const auto next = parse(program, argument);
    if (!next)
      return next.error();
    const plan::Port &output = program.outputs[size_t(next->output)];
    const plan::Port &input = program.inputs[size_t(next->input)];
    if (const std::string reason = reasonAgainst(program, input);
        !reason.empty())
      return fail("--feed ", argument, ": input \"", input.name,
                  "\" cannot be fed: ", reason);
    if (typeOf(program, output) != typeOf(program, input))
      return fail("--feed ", argument, ": output \"", output.name, "\" is ",
                  toString(typeOf(program, output)), ", but input \"",
                  input.name, "\" is ", toString(typeOf(program, input)));
    if (isFed(all, size_t(next->input)))
      return fail("--feed ", argument, ": input \"", input.name,
                  "\" is fed twice");
    all.push_back(*next);
  }
  return all;
}

bool runtime::isFed(const std::vector<NextInput> &next, size_t input) {
  return std::any_of(next.begin(), next.end(), [&](const NextInput &each) {
    return size_t(each.input) == input;
  });
}
