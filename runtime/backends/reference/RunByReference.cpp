// What an instruction does, as plainly as it can be said: the lambda's own
// reference result, and pieces that are put together element by element.
#include "dialects/tdl/lambda/Interpreter.h"
#include "kernels/cpu/Boxes.h"
#include "runtime/backends/host/Arenas.h"
#include "runtime/backends/host/Bring.h"
#include "runtime/backends/reference/ReferenceWorker.h"
#include "runtime/plan/Regions.h"

#include <algorithm>
#include <cstring>

using namespace smex;
using namespace smex::runtime;

namespace {
/// Rounds a sum of 16-bit floats that was kept in f32.
void store(DType type, float value, std::byte *to) {
  const uint16_t bits =
      type == DType::F16 ? floatToHalf(value) : floatToBfloat(value);
  std::memcpy(to, &bits, sizeof bits);
}

class Run {
public:
  Run(ReferenceProgram &shared, int worker, ReferenceProgram::Place &own,
      int instruction)
      : shared(shared), partitioned(shared.partitioned),
        program(partitioned.program), worker(worker), own(own),
        instruction(instruction),
        what(program.instructions[size_t(instruction)]) {}

  Status compute() {
    const auto part = plan::written(partitioned, worker, instruction);
    if (!part)
      return {};
    if (!contains(box(what.to), *part))
      return fail("the result's buffer does not hold ", toString(*part));
    std::vector<tdl::OperandView> operands;
    for (int operand : what.operands) {
      if (Status there = own.tenants.check(operand); !there)
        return there;
      operands.push_back({shapeOf(operand), box(operand), bytesOf(operand)});
    }
    const auto value =
        tdl::interpret(shared.lambdas[size_t(what.kernel)],
                       partitioned.indices(worker, instruction), operands);
    if (!value)
      return value.error();
    cpu::copyBox(bytesOf(what.to), box(what.to), value->bytes.data(), *part,
                 *part, byteSize(typeOf(what.to)));
    return {};
  }

  /// The first piece that has an element brings it, and others are combined
  /// with what is there, in their order. What is done in a wider type is
  /// rounded at the end.
  Status assemble() {
    const Box &to = box(what.to);
    const DType type = typeOf(what.from);
    const int64_t element = byteSize(type);
    Tensor sums = makeTensor({type, extents(to)});
    // Who reads a row that did not come gets no plausible number.
    if (!what.rows.empty())
      std::fill(sums.bytes.begin(), sums.bytes.end(), std::byte(0xff));
    if (plan::isMove(what.op))
      own.activity.hostTraffic.of(what.op) += int64_t(sums.bytes.size());
    std::vector<bool> isThere(size_t(volume(to)), false);
    std::vector<Arrival> arrivals;
    std::vector<Tensor> pieces;
    for (const Piece &piece :
         plan::piecesOf(partitioned, worker, instruction)) {
      pieces.push_back(makeTensor({type, extents(piece.box)}));
      std::vector<std::byte> &to = pieces.back().bytes;
      arrivals.push_back({piece, to.data(), int64_t(to.size())});
    }
    if (Status brought = bring(arrivals); !brought)
      return brought;
    for (size_t p = 0; p < pieces.size(); ++p) {
      const Piece &piece = arrivals[p].piece;
      const Tensor &brought = pieces[p];
      if (piece.worker != worker)
        own.activity.receivedBytes += int64_t(brought.bytes.size());
      Tensor one = makeTensor({type, {}}), other = one;
      int64_t from = 0;
      forEachIndex(piece.box, to, [&](int64_t at) {
        std::byte *target = &sums.bytes[size_t(at * element)];
        std::memcpy(other.bytes.data(),
                    &brought.bytes[size_t(from++ * element)], size_t(element));
        if (isThere[size_t(at)] && what.op == plan::Opcode::Reduce) {
          std::memcpy(one.bytes.data(), target, size_t(element));
          tdl::combine(*parseReducer(what.reducer), one, other);
          std::swap(one, other);
        }
        isThere[size_t(at)] = true;
        std::memcpy(target, other.bytes.data(), size_t(element));
      });
    }
    const DType rounded = typeOf(what.to);
    if (rounded == type) {
      std::memcpy(bytesOf(what.to), sums.bytes.data(), sums.bytes.size());
      return {};
    }
    for (int64_t at = 0; at < volume(to); ++at)
      store(rounded, sums.data<float>()[at],
            bytesOf(what.to) + at * byteSize(rounded));
    return {};
  }

private:
  Status bring(const std::vector<Arrival> &arrivals) {
    Transport &transport = shared.transport;
    const auto exchange =
        exchangeOf(partitioned, worker, instruction, transport);
    return exchange
               ? transport.collective(worker, what.from, *exchange, arrivals)
               : transport.move(worker, what.from, arrivals);
  }

  /// Where each element of `part` is in the box `whole`, in row-major order.
  template <typename F>
  static void forEachIndex(const Box &part, const Box &whole, F each) {
    const std::vector<int64_t> strides = rowMajorStrides(extents(whole));
    const int64_t count = volume(part);
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = i, at = 0;
      for (size_t d = part.size(); d-- > 0;) {
        const int64_t size = part[d].size();
        at += (part[d].lo - whole[d].lo + rest % size) * strides[d];
        rest /= size;
      }
      each(at);
    }
  }

  const Box &box(int buffer) const { return partitioned.box(worker, buffer); }
  DType typeOf(int buffer) const { return plan::elementType(program, buffer); }
  const std::vector<int64_t> &shapeOf(int buffer) const {
    const int tensor = program.buffers[size_t(buffer)].tensor;
    return program.tensors[size_t(tensor)].type.shape;
  }
  std::byte *bytesOf(int buffer) const {
    return own.arena.data() + placeOf(partitioned, worker, buffer);
  }

  ReferenceProgram &shared;
  const plan::Partitioned &partitioned;
  const plan::Program &program;
  const int worker;
  ReferenceProgram::Place &own;
  const int instruction;
  const plan::Instruction &what;
};
} // namespace

Status runtime::runByReference(ReferenceProgram &shared, int worker,
                               size_t place, const Submission &submission) {
  const int instruction = submission.instruction;
  const plan::Instruction &what =
      shared.partitioned.program.instructions[size_t(instruction)];
  ReferenceProgram::Place &own = shared.places[place];
  const double begin = shared.options.trace ? clockSeconds() : 0;
  if (!submission.isSkipped) {
    Run run(shared, worker, own, instruction);
    Status done =
        what.op == plan::Opcode::Compute ? run.compute() : run.assemble();
    if (!done)
      return atNode(what, done.takeError());
  }
  own.tenants.moveIn(what.to);
  if (shared.options.trace)
    own.activity.executed.push_back(
        {instruction, begin, clockSeconds() - begin});
  return {};
}
