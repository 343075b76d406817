#include "dialects/support/Text.h"
#include "dialects/tdl/lambda/Accumulated.h"
#include "runtime/plan/Format.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/ProgramPart.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

using namespace smex;
using namespace smex::plan;

namespace {

/// Checks of program.json, in the order of its parts: later ones index into
/// earlier ones.
class ProgramValidator : ProgramPart {
public:
  ProgramValidator(const Program &program, size_t workers,
                   std::vector<tdl::Lambda> &lambdas, Complaint &complaint)
      : ProgramPart(program, complaint), workers(workers), lambdas(lambdas) {}

  void run() {
    each("tensors", program.tensors, &ProgramValidator::tensor);
    each("kernels", program.kernels, &ProgramValidator::kernel);
    each("buffers", program.buffers, &ProgramValidator::buffer);
    for (size_t i = 0; i < program.instructions.size() && !complaint; ++i)
      validateInstruction(program, lambdas, i, complaint);
    if (!complaint)
      validateDivisions(program, workers, complaint);
    names.clear();
    each("inputs", program.inputs, &ProgramValidator::input);
    each("inputs", program.inputs, &ProgramValidator::derivedInput);
    if (!complaint)
      validateGraphs(program, complaint);
    each("parameters", program.parameters, &ProgramValidator::parameter);
    each("parameters", program.parameters, &ProgramValidator::computedNext);
    names.clear();
    each("outputs", program.outputs, &ProgramValidator::output);
    if (!complaint)
      validateKept(program, workers, complaint);
    if (!complaint)
      validateEdgeRows(program, complaint);
  }

private:
  template <typename Element>
  void each(const char *name, const std::vector<Element> &elements,
            void (ProgramValidator::*check)(const Element &)) {
    for (size_t i = 0; i < elements.size() && !complaint; ++i) {
      list = name;
      index = i;
      (this->*check)(elements[i]);
    }
  }

  void uniqueName(const std::string &name) {
    if (name.empty() || !isText(name))
      refuse("name", "must be text, of one character or more");
    else if (!names.insert(name).second)
      refuse("name", "\"", name, "\" occurs twice");
  }

  void tensor(const TensorInfo &tensor) {
    uniqueName(tensor.name);
    // An empty dimension must not hide that the others are too large: boxes
    // and strides are computed from them as well.
    TensorType type = tensor.type;
    for (size_t d = 0; d < type.shape.size(); ++d) {
      if (type.shape[d] < 0 || type.shape[d] > sizeLimit)
        return refuse("shape", "extent ", type.shape[d], " is not in 0 .. ",
                      sizeLimit);
      type.shape[d] = std::max<int64_t>(type.shape[d], 1);
    }
    const auto bytes = byteCount(type);
    if (!bytes || *bytes > sizeLimit)
      refuse("shape", "has more than ", sizeLimit, " bytes");
  }

  void kernel(const Kernel &kernel) {
    auto lambda = validateKernel(kernel, index, complaint);
    if (lambda)
      lambdas.push_back(std::move(*lambda));
  }

  void buffer(const BufferInfo &buffer) {
    if (!inRange("tensor", buffer.tensor, program.tensors.size(), "tensor") ||
        !buffer.element)
      return;
    const DType whole = program.tensors[size_t(buffer.tensor)].type.dtype;
    if (!buffer.partial || *buffer.element != DType::F32 ||
        !tdl::is16Bit(whole))
      refuse("element", "only partial results of f16 or bf16 may have another "
                        "type, and that is f32");
  }

  void port(const Port &port) {
    uniqueName(port.name);
    if (inRange("buffer", port.buffer, program.buffers.size(), "buffer") &&
        program.buffers[size_t(port.buffer)].partial)
      refuse("buffer", "is a partial result");
  }

  void output(const Port &output) {
    port(output);
    if (output.ignore || !output.parts.empty())
      refuse(output.ignore ? "ignore" : "parts", "only an input has it");
    if (output.derived)
      refuse("derived", "only an input follows from others");
    if (complaint || !isIn(Space::Device, "buffer", output.buffer))
      return;
    range(output);
    if (!output.loss)
      return;
    const TensorType &type = typeOf(output.buffer);
    if (!isFloat(type.dtype) || elementCount(type.shape) != 1)
      refuse("loss", "one float is needed, this is ", toString(type));
    else if (std::exchange(hasLoss, true))
      refuse("loss", "another output is the loss");
  }

  void range(const Port &port) {
    if (!port.low && !port.high && !port.ignore)
      return;
    if (!port.low || !port.high)
      return refuse(port.low ? "high" : "low", "the other end of the range, or "
                                               "the range, is missing");
    range("low", typeOf(port.buffer), *port.low, *port.high);
  }

  void source(const Port &source) {
    port(source);
    if (!sources.insert(source.buffer).second)
      refuse("buffer", "is another input or parameter too");
  }

  void input(const Port &input) {
    source(input);
    if (complaint)
      return;
    range(input);
    for (size_t p = 0; p < input.parts.size() && !complaint; ++p) {
      const PartRange &part = input.parts[p];
      const std::string key = "parts[" + std::to_string(p) + "]";
      const TensorType &type = typeOf(input.buffer);
      if (const auto wrong = notPartOf(part.part, type.shape); !wrong.empty())
        return refuse(key + ".part", wrong);
      range(key + ".low", type, part.low, part.high);
    }
  }

  void range(const std::string &key, const TensorType &type, int64_t low,
             int64_t high) {
    if (low > high)
      return refuse(key, low, " is above high, ", high);
    if (!isInteger(type.dtype))
      return refuse(key, "only integers have a range, this is ",
                    toString(type));
    if (!holds(type.dtype, low) || !holds(type.dtype, high))
      return refuse(key, low, " .. ", high, " is not in ",
                    smex::name(type.dtype));
  }

  /// With all inputs known: one may follow from a later one.
  void derivedInput(const Port &input) {
    if (!input.derived)
      return;
    const graph::Recipe &recipe = *input.derived;
    if (input.low || !input.parts.empty())
      return refuse(input.low ? "low" : "parts",
                    "the input is derived, and has no range of its own");
    std::vector<TensorType> types;
    for (const std::string &name : recipe.of) {
      const auto found =
          std::find_if(program.inputs.begin(), program.inputs.end(),
                       [&](const Port &other) { return other.name == name; });
      if (found == program.inputs.end())
        return refuse("derived.of", "there is no input \"", printable(name),
                      "\"");
      if (found->derived)
        return refuse("derived.of", "\"", printable(name),
                      "\" is derived itself");
      types.push_back(typeOf(found->buffer));
    }
    if (Status possible = graph::follows(recipe, types, typeOf(input.buffer));
        !possible)
      return refuse("derived", possible.error().message);
    if (!recipe.wraps.empty() && recipe.wraps.size() != recipe.of.size())
      return refuse("derived.wraps", recipe.wraps.size(), " numbers for ",
                    recipe.of.size(), " lists");
    for (int64_t wrap : recipe.wraps)
      if (wrap < 0)
        return refuse("derived.wraps", wrap, " is below 0");
    if (!recipe.rows.empty() && recipe.rows.size() != recipe.of.size())
      return refuse("derived.rows", recipe.rows.size(), " numbers for ",
                    recipe.of.size(), " lists");
  }

  static bool holds(DType type, int64_t value) {
    const int bits = int(8 * byteSize(type)) - (isSigned(type) ? 1 : 0);
    if (isUnsigned(type) && value < 0)
      return false;
    return bits >= 63 ||
           (value < int64_t(1) << bits && value >= -(int64_t(1) << bits));
  }

  void parameter(const Parameter &parameter) {
    source({parameter.name, parameter.buffer});
    if (complaint)
      return;
    // Workers' files name parameters by their places in the list.
    if (index > 0 && parameter.buffer < program.parameters[index - 1].buffer)
      refuse("buffer", "is not in the order of the buffers");
    if (parameter.state && parameter.constant)
      refuse("constant", "is the optimizer's state too");
    if (parameter.drawn &&
        !(parameter.scale >= 0 && std::isfinite(parameter.scale)))
      refuse("scale", "must be a number of at least 0");
    if (parameter.next != -1)
      next(parameter);
  }

  void computedNext(const Parameter &parameter) {
    if (sources.count(parameter.next))
      refuse("next", "is an input or parameter itself");
  }

  void next(const Parameter &parameter) {
    if (!inRange("next", parameter.next, program.buffers.size(), "buffer") ||
        !isIn(program.buffers[size_t(parameter.buffer)].space, "next",
              parameter.next))
      return;
    if (program.buffers[size_t(parameter.next)].partial)
      return refuse("next", "is a partial result");
    if (typeOf(parameter.next) != typeOf(parameter.buffer))
      return refuse("next", "is of type ", toString(typeOf(parameter.next)),
                    ", the parameter is ", toString(typeOf(parameter.buffer)));
    if (!successors.insert(parameter.next).second)
      refuse("next", "is the next value of another parameter too");
  }

  const size_t workers;
  std::vector<tdl::Lambda> &lambdas;
  std::set<std::string> names;
  std::set<int> successors; // buffers that parameters take values from
  std::set<int> sources;    // buffers that hold inputs and parameters
  bool hasLoss = false;     // so far, an output
};

} // namespace

void plan::validateProgram(const Program &program, size_t workers,
                           std::vector<tdl::Lambda> &lambdas,
                           Complaint &complaint) {
  lambdas.clear();
  lambdas.reserve(program.kernels.size());
  ProgramValidator(program, workers, lambdas, complaint).run();
}
