#include "dialects/support/Text.h"
#include "dialects/tdl/analysis/InBounds.h"
#include "dialects/tdl/analysis/Linear.h"
#include "dialects/tdl/lambda/Accumulated.h"
#include "dialects/tdl/lambda/Opaque.h"
#include "runtime/plan/Epilogue.h"
#include "runtime/plan/Format.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/Validate.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

using namespace smex;
using namespace smex::plan;

namespace {

/// Checks of program.json, in the order of its parts: later ones index into
/// earlier ones.
class ProgramValidator {
public:
  ProgramValidator(const Program &program, size_t workers,
                   std::vector<tdl::Lambda> &lambdas, Complaint &complaint)
      : program(program), workers(workers), lambdas(lambdas),
        complaint(complaint) {}

  void run() {
    each("tensors", program.tensors, &ProgramValidator::tensor);
    each("kernels", program.kernels, &ProgramValidator::kernel);
    each("buffers", program.buffers, &ProgramValidator::buffer);
    each("instructions", program.instructions, &ProgramValidator::instruction);
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
  void each(const char *list, const std::vector<Element> &elements,
            void (ProgramValidator::*check)(const Element &)) {
    for (size_t i = 0; i < elements.size() && !complaint; ++i) {
      part = list;
      index = i;
      (this->*check)(elements[i]);
    }
  }

  template <typename... Parts>
  void refuse(const std::string &key, Parts &&...parts) {
    complaint.add(part, "[", index, "].", key, ": ",
                  std::forward<Parts>(parts)...);
  }

  bool inRange(const char *key, int number, size_t count, const char *what) {
    if (number >= 0 && size_t(number) < count)
      return true;
    refuse(key, "there is no ", what, " ", number, ", there are ", count);
    return false;
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

  void instruction(const Instruction &instruction) {
    const size_t buffers = program.buffers.size();
    if (!isText(instruction.node))
      return refuse("node", "must be text");
    if (!inRange("to", instruction.to, buffers, "buffer"))
      return;
    if (instruction.op == Opcode::Compute) {
      if (isIn(Space::Device, "to", instruction.to))
        compute(instruction);
      return;
    }
    if (!inRange("from", instruction.from, buffers, "buffer"))
      return;
    const BufferInfo &from = program.buffers[size_t(instruction.from)];
    const BufferInfo &to = program.buffers[size_t(instruction.to)];
    if (from.tensor != to.tensor)
      return refuse("from", "is a part of tensor ", from.tensor,
                    ", but \"to\" of ", to.tensor);
    if (!areInPlace(instruction))
      return;
    const bool reduce = instruction.op == Opcode::Reduce;
    if (from.partial != reduce && instruction.op != Opcode::Fetch)
      return refuse("from", reduce ? "must be a partial result"
                                   : "is a partial result, which does not move "
                                     "between spaces");
    if (to.partial != (from.partial && !reduce))
      return refuse("to", to.partial
                              ? "is a partial result, which only a compute, or "
                                "a fetch of one, may write"
                              : "must be a partial result, as \"from\" is");
    if (reduce && instruction.reducer != "Sum" &&
        instruction.reducer != "Max" && instruction.reducer != "Min" &&
        instruction.reducer != "Prod")
      refuse("reducer", "\"", instruction.reducer, "\" is no reducer");
  }

  bool isIn(Space space, const char *key, int buffer) {
    if (program.buffers[size_t(buffer)].space == space)
      return true;
    refuse(key, "buffer ", buffer,
           space == Space::Host ? " is on the device" : " is on the host");
    return false;
  }

  /// What moves between spaces is in both; all else is on the device.
  bool areInPlace(const Instruction &instruction) {
    const bool toHost = instruction.op == Opcode::ToHost,
               fromHost = instruction.op == Opcode::FromHost;
    return isIn(fromHost ? Space::Host : Space::Device, "from",
                instruction.from) &&
           isIn(toHost ? Space::Host : Space::Device, "to", instruction.to);
  }

  /// Generated code keeps an index that data says within its operand, and
  /// whatever else leads out of it, check() finds. But where there is nothing
  /// to read, no index is within.
  void emptyOperands(const Instruction &instruction, const tdl::Lambda &lambda,
                     const TensorType &to, const tdl::SliceShapes &shapes) {
    const auto isEmpty = [](const std::vector<int64_t> &shape) {
      return std::find(shape.begin(), shape.end(), 0) != shape.end();
    };
    if (std::none_of(shapes.begin(), shapes.end(), isEmpty))
      return;
    std::vector<int64_t> extents = to.shape;
    extents.insert(extents.end(), instruction.reductions.begin(),
                   instruction.reductions.end());
    extents.resize(size_t(lambda.indexCount()), 1);
    std::vector<std::string> names;
    for (int operand : instruction.operands)
      names.push_back("buffer " + std::to_string(operand));
    if (const auto stray = analysis::strayRead(lambda, extents, shapes, names))
      refuse("operands", *stray);
  }

  void compute(const Instruction &instruction) {
    if (!inRange("kernel", instruction.kernel, lambdas.size(), "kernel"))
      return;
    const tdl::Lambda &lambda = lambdas[size_t(instruction.kernel)];
    if (instruction.operands.size() != lambda.operands.size())
      return refuse("operands", instruction.operands.size(),
                    " operands for a lambda of ", lambda.operands.size());
    for (size_t k = 0; k < instruction.operands.size(); ++k) {
      const int operand = instruction.operands[k];
      if (!inRange("operands", operand, program.buffers.size(), "buffer"))
        return;
      if (!isIn(Space::Device, "operands", operand))
        return;
      const BufferInfo &read = program.buffers[size_t(operand)];
      if (read.partial && !program.buffers[size_t(instruction.to)].partial)
        return refuse("operands", "buffer ", operand,
                      " is a partial result, and \"to\" is not");
      if (read.partial && !analysis::isLinearMap(lambda))
        return refuse("operands", "buffer ", operand,
                      " is a partial result, and the lambda no linear map");
      if (read.element)
        return refuse("operands", "buffer ", operand,
                      " is a partial result of another type than its tensor, "
                      "which only a reduce may read");
      if (!agree(typeOf(operand), lambda.operands[k].type,
                 lambda.operands[k].rank))
        return refuse("operands", "buffer ", operand, " is ",
                      toString(typeOf(operand)), ", but the lambda's operand ",
                      k, " is ", smex::name(lambda.operands[k].type),
                      " of rank ", lambda.operands[k].rank);
    }
    TensorType to = typeOf(instruction.to);
    to.dtype = elementType(program, instruction.to);
    if (!agree(to, lambda.result, lambda.rank()))
      return refuse("to", "buffer ", instruction.to, " is ", toString(to),
                    ", but the lambda's result is ", smex::name(lambda.result),
                    " of rank ", lambda.rank());
    tdl::SliceShapes shapes;
    for (int operand : instruction.operands)
      shapes.push_back(typeOf(operand).shape);
    if (Status defined = tdl::checkCall(lambda, to.shape, shapes); !defined)
      return refuse("kernel", defined.error().message);
    const auto isWhole = [&](int operand) {
      return !program.buffers[size_t(operand)].partial;
    };
    if (program.buffers[size_t(instruction.to)].partial &&
        lambda.reducer == tdl::Reducer::None &&
        std::all_of(instruction.operands.begin(), instruction.operands.end(),
                    isWhole))
      return refuse("to", "a map of whole operands has no partial results");
    if (!instruction.reductions.empty() &&
        instruction.reductions.size() != lambda.reductions.size())
      return refuse("reductions", instruction.reductions.size(),
                    " extents for ", lambda.reductions.size(),
                    " reduction variables");
    for (int64_t extent : instruction.reductions)
      if (extent < 0 || extent > sizeLimit)
        return refuse("reductions", "extent ", extent, " is not in 0 .. ",
                      sizeLimit);
    const auto elements = elementCount(instruction.reductions);
    if (!elements || *elements > sizeLimit)
      return refuse("reductions", "more than ", sizeLimit, " terms");
    emptyOperands(instruction, lambda, to, shapes);
    if (instruction.epilogueOf == -1)
      return;
    if (const std::string why = notEpilogue(program, lambdas, int(index));
        !why.empty())
      refuse("epilogue_of", why);
  }

  const TensorType &typeOf(int buffer) const {
    return program.tensors[size_t(program.buffers[size_t(buffer)].tensor)].type;
  }
  static bool agree(const TensorType &type, DType dtype, int rank) {
    return type.dtype == dtype && type.rank() == rank;
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

  const Program &program;
  const size_t workers;
  std::vector<tdl::Lambda> &lambdas;
  Complaint &complaint;
  const char *part = "";
  size_t index = 0;
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
