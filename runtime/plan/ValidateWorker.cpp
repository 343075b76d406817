#include "runtime/plan/Load.h"
#include "runtime/plan/Tiling.h"
#include "runtime/plan/Validate.h"

using namespace smex;
using namespace smex::plan;

int64_t plan::byteSize(const Partitioned &partitioned, int worker, int buffer) {
  return volume(partitioned.box(worker, buffer)) *
         smex::byteSize(elementType(partitioned.program, buffer));
}

int64_t plan::weightBytes(const Partitioned &partitioned, int worker) {
  int64_t end = 0;
  for (const StoredWeight &weight :
       partitioned.workers[size_t(worker)].weights) {
    const Parameter &parameter =
        partitioned.program.parameters[size_t(weight.parameter)];
    end = std::max(end, weight.offset +
                            byteSize(partitioned, worker, parameter.buffer));
  }
  return end;
}

namespace {

constexpr int64_t alignment = 64;

/// lo <= hi, and both in 0 .. limit.
bool isSound(Interval side, int64_t limit) {
  return 0 <= side.lo && side.lo <= side.hi && side.hi <= limit;
}

std::string range(Interval side) {
  return std::to_string(side.lo) + ":" + std::to_string(side.hi);
}

class WorkerValidator {
public:
  WorkerValidator(const Partitioned &partitioned, int number,
                  const std::vector<tdl::Lambda> &lambdas, Complaint &complaint)
      : partitioned(partitioned), program(partitioned.program), number(number),
        worker(partitioned.workers[size_t(number)]), lambdas(lambdas),
        complaint(complaint) {}

  void run(bool hasWeights) {
    arena();
    for (size_t i = 0; i < program.instructions.size() && !complaint; ++i) {
      index = i;
      instruction();
    }
    if (!complaint)
      successors();
    if (!complaint)
      weights(hasWeights);
  }

private:
  template <typename... Parts> void refuse(const char *key, Parts &&...parts) {
    complaint.add("instructions[", index, "].", key,
                  std::forward<Parts>(parts)...);
  }

  void arena() {
    const int64_t bytes = worker.arenaBytes;
    if (bytes < 0 || bytes > sizeLimit)
      return complaint.add("arena_bytes: ", bytes, " is not in 0 .. ",
                           sizeLimit);
    // Kernels are chosen by what they may use: what several workers compute
    // must be the same, bit by bit.
    const int64_t scratch = partitioned.workers.front().workspaceBytes;
    if (worker.workspaceBytes != scratch)
      return complaint.add("workspace.bytes: is ", worker.workspaceBytes,
                           ", but ", scratch, " on worker 0");
    if (worker.hostBytes < 0 || worker.hostBytes > sizeLimit)
      return complaint.add("host_bytes: ", worker.hostBytes, " is not in 0 .. ",
                           sizeLimit);
    if (worker.stagingBytes != 0 &&
        (worker.stagingBytes % alignment != 0 ||
         !fits(worker.bufferBytes(), worker.stagingBytes, bytes)))
      return complaint.add("staging_bytes: ", worker.stagingBytes,
                           " bytes are not the last ones of the arena of ",
                           bytes, " bytes, 64-byte aligned");
    const int64_t ofBuffers = worker.bufferBytes();
    if (!fits(worker.workspaceOffset, worker.workspaceBytes, ofBuffers))
      return complaint.add("workspace: does not lie in the arena of ", bytes,
                           " bytes", beforeStaging(), ", 64-byte aligned");
    for (size_t i = 0; i < program.buffers.size() && !complaint; ++i) {
      if (partitioned.isKept(number, int(i)))
        kept(int(i));
      const int64_t size = byteSize(partitioned, number, int(i));
      const int64_t at = partitioned.offset(number, int(i));
      const bool isHost = partitioned.space(number, int(i)) == Space::Host;
      const int64_t room = isHost ? worker.hostBytes : ofBuffers;
      if (size > 0 && !fits(at, size, room))
        return complaint.add("buffers[", i, "].offset: ", size, " bytes at ",
                             at, " do not lie in the arena of ",
                             isHost ? worker.hostBytes : bytes, " bytes",
                             isHost ? " on the host" : beforeStaging(),
                             ", 64-byte aligned");
    }
  }

  /// It is the other one's bytes.
  void kept(int buffer) {
    const int as = program.buffers[size_t(buffer)].kept->as;
    if (as < 0)
      return;
    const Box &own = partitioned.box(number, buffer),
              &there = partitioned.box(number, as);
    if (own != there)
      complaint.add("buffers[", buffer, "].kept.as: has ", smex::toString(own),
                    ", and buffer ", as, " ", smex::toString(there));
    else if (!isEmpty(own) && partitioned.offset(number, buffer) !=
                                  partitioned.offset(number, as))
      complaint.add("buffers[", buffer, "].offset: is ",
                    partitioned.offset(number, buffer), ", and of buffer ", as,
                    ", which is kept for it, ", partitioned.offset(number, as));
  }

  std::string beforeStaging() const {
    if (worker.stagingBytes == 0)
      return "";
    return " before its " + std::to_string(worker.stagingBytes) +
           " bytes of staging";
  }

  static bool fits(int64_t offset, int64_t bytes, int64_t room) {
    return offset >= 0 && offset % alignment == 0 && bytes >= 0 &&
           bytes <= room && offset <= room - bytes;
  }

  void instruction() {
    const Instruction &shared = program.instructions[index];
    if (shared.op == Opcode::Compute)
      return compute(shared);
    if (!shared.rows.empty())
      return rows(shared, shared.rows[size_t(number)]);
    // What follows from a division tiles what it is of.
    if (!shared.pieces.empty())
      pieces(shared, shared.pieces[size_t(number)]);
  }

  void compute(const Instruction &shared) {
    const Box &indices = partitioned.indices(number, int(index));
    if (indices.isAbsent())
      return;
    const tdl::Lambda &lambda = lambdas[size_t(shared.kernel)];
    if (indices.size() != size_t(lambda.indexCount()))
      return refuse("indices", ": ", indices.size(), " ranges for ",
                    lambda.indexCount(), " index variables");
    const Box &to = partitioned.box(number, shared.to);
    const size_t rank = size_t(lambda.rank());
    const bool empty = isEmpty(indices);
    int64_t terms = 1;
    for (size_t d = 0; d < indices.size(); ++d) {
      const Interval part = indices[d];
      if (!isSound(part, sizeLimit))
        return refuse("indices", "[", d, "]: ", range(part), " is no range");
      if (empty)
        continue;
      if (d < rank && !to[d].contains(part))
        return refuse("indices", "[", d, "]: ", range(part),
                      " is not in the result's buffer, ", range(to[d]));
      if (d < rank)
        continue;
      if (!shared.reductions.empty() && part.hi > shared.reductions[d - rank])
        return refuse("indices", "[", d, "]: ", range(part),
                      " is not in the reduction's range, 0:",
                      shared.reductions[d - rank]);
      if (__builtin_mul_overflow(terms, part.size(), &terms) ||
          terms > sizeLimit)
        return refuse("indices", ": more than ", sizeLimit, " terms");
    }
  }

  void rows(const Instruction &shared, const Runs &own) {
    const Box &to = partitioned.box(number, shared.to);
    if (!isRuns(own))
      return refuse("rows", ": are not in order");
    if (own.empty())
      return;
    const Interval all = {own.front().lo, own.back().hi};
    if (to.isAbsent() || to.size() == 0 || !to[0].contains(all))
      refuse("rows", ": ", range(all), " are not in the buffer written, ",
             smex::toString(to));
  }

  void pieces(const Instruction &shared, const std::vector<Piece> &own) {
    const Box &to = partitioned.box(number, shared.to);
    std::vector<const Box *> boxes;
    for (size_t k = 0; k < own.size(); ++k) {
      const Piece &piece = own[k];
      if (piece.worker < 0 ||
          size_t(piece.worker) >= partitioned.workers.size())
        return refuse("pieces", "[", k, "].worker: there is no worker ",
                      piece.worker);
      if (piece.box.size() != to.size())
        return refuse("pieces", "[", k, "].box: ", piece.box.size(),
                      " ranges for a tensor of rank ", to.size());
      if (isEmpty(piece.box))
        return refuse("pieces", "[", k, "].box: is empty");
      if (!contains(to, piece.box))
        return refuse("pieces", "[", k, "].box: ", smex::toString(piece.box),
                      " is not in the buffer written, ", smex::toString(to));
      const Box &from = partitioned.box(piece.worker, shared.from);
      if (!contains(from, piece.box))
        return refuse("pieces", "[", k, "].box: ", smex::toString(piece.box),
                      " is not in the buffer read on worker ", piece.worker,
                      ", ", smex::toString(from));
      boxes.push_back(&piece.box);
    }
    // An element that no piece brings would be whatever was in memory before.
    // How often it may be brought depends on the parts of a reduction: check().
    if (isEmpty(to))
      return;
    if (shared.op == Opcode::Reduce) {
      if (const auto missing = missingPart(to, boxes))
        refuse("pieces", ": no piece has ", smex::toString(*missing));
      return;
    }
    const auto problem = tilingProblem(to, boxes);
    if (problem && problem->overlap)
      refuse("pieces", ": ", problem->overlap->first, " and ",
             problem->overlap->second, " share elements");
    else if (problem)
      refuse("pieces", ": no piece has ", smex::toString(*problem->missing));
  }

  /// A parameter and what it becomes are the same part of a tensor.
  void successors() {
    for (const Parameter &parameter : program.parameters) {
      if (parameter.next < 0)
        continue;
      const Box &before = partitioned.box(number, parameter.buffer);
      const Box &after = partitioned.box(number, parameter.next);
      if (before != after)
        return complaint.add("buffers: parameter \"", parameter.name, "\" has ",
                             smex::toString(before), ", its next value ",
                             smex::toString(after));
    }
  }

  void weights(bool hasWeights) {
    std::vector<bool> stored(program.parameters.size());
    int64_t end = 0;
    for (size_t i = 0; i < worker.weights.size(); ++i) {
      const StoredWeight &weight = worker.weights[i];
      if (!hasWeights)
        return complaint.add("weights: this program has no weights of its own");
      if (weight.parameter < 0 || size_t(weight.parameter) >= stored.size())
        return complaint.add("weights[", i,
                             "].parameter: there is no parameter ",
                             weight.parameter);
      const Parameter &parameter = program.parameters[size_t(weight.parameter)];
      if (stored[size_t(weight.parameter)])
        return complaint.add("weights[", i, "].parameter: \"", parameter.name,
                             "\" is stored twice");
      if (parameter.drawn)
        return complaint.add("weights[", i, "].parameter: \"", parameter.name,
                             "\" is drawn, not stored");
      stored[size_t(weight.parameter)] = true;
      const int64_t bytes = byteSize(partitioned, number, parameter.buffer);
      const int64_t next = (end + alignment - 1) / alignment * alignment;
      if (weight.offset != next || next > sizeLimit - bytes)
        return complaint.add("weights[", i, "].offset: is ", weight.offset,
                             ", not the next multiple of ", alignment, ", ",
                             next);
      end = weight.offset + bytes;
    }
    for (size_t p = 0; hasWeights && p < stored.size(); ++p)
      if (!program.parameters[p].drawn && !stored[p] &&
          byteSize(partitioned, number, program.parameters[p].buffer) > 0)
        return complaint.add("weights: parameter \"",
                             program.parameters[p].name,
                             "\" has no stored values");
  }

  const Partitioned &partitioned;
  const Program &program;
  const int number;
  const Worker &worker;
  const std::vector<tdl::Lambda> &lambdas;
  Complaint &complaint;
  size_t index = 0; // of the instruction looked at
};

} // namespace

void plan::validateWorker(const Partitioned &partitioned, int worker,
                          const std::vector<tdl::Lambda> &lambdas,
                          bool hasWeights, Complaint &complaint) {
  WorkerValidator(partitioned, worker, lambdas, complaint).run(hasWeights);
}
