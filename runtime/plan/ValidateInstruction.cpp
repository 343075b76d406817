// One instruction: operands and results of the types that its lambda has, in
// the spaces where it may find them, partial or not as it makes them.
#include "dialects/support/Text.h"
#include "dialects/tdl/analysis/InBounds.h"
#include "dialects/tdl/analysis/Linear.h"
#include "dialects/tdl/lambda/Accumulated.h"
#include "dialects/tdl/lambda/Opaque.h"
#include "runtime/plan/Epilogue.h"
#include "runtime/plan/Format.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/ProgramPart.h"

#include <algorithm>

using namespace smex;
using namespace smex::plan;

namespace {

class InstructionValidator : ProgramPart {
public:
  InstructionValidator(const Program &program,
                       const std::vector<tdl::Lambda> &lambdas, size_t index,
                       Complaint &complaint)
      : ProgramPart(program, complaint, "instructions", index),
        lambdas(lambdas) {}

  void run() {
    const Instruction &instruction = program.instructions[index];
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

private:
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

  static bool agree(const TensorType &type, DType dtype, int rank) {
    return type.dtype == dtype && type.rank() == rank;
  }

  const std::vector<tdl::Lambda> &lambdas;
};

} // namespace

void plan::validateInstruction(const Program &program,
                               const std::vector<tdl::Lambda> &lambdas,
                               size_t index, Complaint &complaint) {
  InstructionValidator(program, lambdas, index, complaint).run();
}
