#include "compiler/offload/ir/ProblemOf.h"

#include "compiler/memory/Arena.h"
#include "compiler/memory/InPlace.h"
#include "compiler/memory/Lifetimes.h"

#include <map>

using namespace mlir;
using namespace smex;
using offload::Problem;
using offload::ProgramProblem;
using offload::Start;

namespace {

class Making {
public:
  Making(exec::ProgramOp program, exec::Regions &regions,
         ArrayRef<int64_t> capacities, const offload::Choices &choices,
         const machines::Machine &machine, size_t mostProblems)
      : mostProblems(mostProblems), choices(choices),
        prices(program, regions, machine), program(program), regions(regions),
        lambdas(program->getParentOp()), view(program),
        replaced(memory::replacements(program, lambdas, view)),
        over(memory::inPlaceResults(program, regions, lambdas, replaced, view)),
        capacities(capacities.vec()) {
    made.instructions = exec::instructions(program);
    for (auto buffer : program.getOps<exec::BufferOp>())
      if (!exec::isOnHost(buffer)) {
        numbers[buffer] = int(made.buffers.size());
        made.buffers.push_back(buffer);
      }
  }

  ProgramProblem make() {
    takeScratch();
    countWrites();
    addUpdates();
    addTensors();
    addOperations();
    raiseCapacities();
    return std::move(made);
  }

private:
  /// Libraries want a share of what is alive: of so much as there may be, not
  /// of what would be alive without moves.
  void takeScratch() {
    const memory::Arena arena = memory::planArena(
        program, regions, -1, /*onGpus=*/false, /*packingSteps=*/0);
    for (int64_t &bytes : capacities)
      bytes = std::max<int64_t>(
          0, bytes - std::min(arena.workspace.back(), bytes / 17));
  }

  void countWrites() {
    for (Operation *op : made.instructions)
      ++writes[exec::written(op)];
  }

  /// A compute's result follows from its operands. All else stays as it is:
  /// what others fill, too, what lies in a parameter's place, and what comes
  /// from other workers, who would have to take part.
  bool mayRunAgain(Operation *op) const {
    if (!choices.again || !isa<exec::ComputeOp>(op))
      return false;
    exec::BufferOp to = exec::written(op);
    if (to.getRole() != exec::Role::Temporary || to.getPartial() ||
        isReplaced(to) || writes.lookup(to) != 1)
      return false;
    return llvm::all_of(exec::read(op), [&](exec::BufferOp from) {
      const bool isOverwritten = updated.contains(from) && !isEither(from);
      return writes.lookup(from) <= 1 && !isOverwritten && !isReplaced(from);
    });
  }

  int64_t elementBytes(exec::BufferOp buffer) const {
    auto type = cast<RankedTensorType>(buffer.getTensorType());
    return byteSize(*tdl::toDType(type.getElementType()));
  }

  void addTensors() {
    const int64_t workers = program.getWorkers();
    // Per worker: the bytes of each buffer, those that move, and the capacity
    // last.
    std::vector<std::vector<int64_t>> bytes;
    bytes.resize(size_t(workers));
    std::vector<offload::Tensor> tensors;
    for (exec::BufferOp buffer : made.buffers) {
      const bool stays = exec::isParameter(buffer) && !isEither(buffer),
                 isFree = isReplaced(buffer) && nextOf(buffer) < 0;
      offload::Tensor tensor;
      tensor.name = buffer.getTensor().str();
      tensor.start = isEither(buffer)             ? Start::Either
                     : writes.lookup(buffer) == 0 ? Start::Device
                                                  : Start::Nowhere;
      tensor.isMovable = !stays && !isFree && !buffer.getPartial() &&
                         writes.lookup(buffer) <= 1;
      tensor.keepsPlace = exec::isParameter(buffer) && isEither(buffer);
      tensor.nextOf = nextOf(buffer);
      const std::vector<Box> &boxes = regions.of(buffer);
      for (int64_t w = 0; w < workers; ++w) {
        const int64_t size = volume(boxes[size_t(w)]) * elementBytes(buffer);
        const int64_t placed = (size + 63) / 64 * 64;
        bytes[size_t(w)].push_back(stays || isFree ? 0 : placed);
        bytes[size_t(w)].push_back(size);
        capacities[size_t(w)] -= stays ? placed : 0;
      }
      tensors.push_back(std::move(tensor));
    }
    std::map<std::vector<int64_t>, std::vector<size_t>> kinds; // their workers
    for (size_t w = 0; w < bytes.size(); ++w) {
      bytes[w].push_back(std::max<int64_t>(0, capacities[w]));
      kinds[bytes[w]].push_back(w);
    }
    addProblems(tensors, {kinds.begin(), kinds.end()});
  }

  using Kind = std::pair<std::vector<int64_t>, std::vector<size_t>>;

  void addProblems(const std::vector<offload::Tensor> &tensors,
                   std::vector<Kind> kinds) {
    const auto lack = [](const Kind &kind) {
      int64_t bytes = -kind.first.back();
      for (size_t t = 0; 2 * t + 1 < kind.first.size(); ++t)
        bytes += kind.first[2 * t];
      return bytes;
    };
    if (kinds.size() > mostProblems)
      llvm::stable_sort(kinds, [&](const Kind &a, const Kind &b) {
        return lack(a) > lack(b);
      });
    else // as their first workers come
      llvm::stable_sort(kinds, [](const Kind &a, const Kind &b) {
        return a.second.front() < b.second.front();
      });
    const size_t count = std::min(kinds.size(), mostProblems);
    made.problemOf.resize(capacities.size());
    for (size_t k = 0; k < count; ++k) {
      Problem &problem = made.problems.emplace_back();
      problem.moves = choices.moves;
      problem.tensors = tensors;
      for (size_t i = k * kinds.size() / count;
           i < (k + 1) * kinds.size() / count; ++i) {
        const auto &[bytes, workers] = kinds[i];
        problem.capacities.push_back(bytes.back());
        for (size_t t = 0; t < tensors.size(); ++t) {
          problem.tensors[t].bytes.push_back(bytes[2 * t]);
          problem.tensors[t].moved +=
              bytes[2 * t + 1] * int64_t(workers.size());
        }
        for (size_t w : workers)
          made.problemOf[w] = k;
      }
    }
  }

  /// It lies where a parameter does.
  bool isReplaced(exec::BufferOp buffer) const {
    return replaced.contains(buffer);
  }

  /// Inputs, and parameters: those that stay as they are, and those whose next
  /// values take their places.
  bool isEither(exec::BufferOp buffer) const {
    if (buffer.getRole() == exec::Role::Input)
      return true;
    return exec::isParameter(buffer) &&
           (!updated.contains(buffer) || follows.contains(buffer));
  }

  int nextOf(exec::BufferOp buffer) const {
    const auto parameter = replaced.find(buffer);
    if (parameter == replaced.end() || !follows.contains(parameter->second))
      return -1;
    return numbers.at(parameter->second);
  }

  /// Of which parameters the next value takes the place, and may leave it: one
  /// instruction writes it, and over the parameter if it reads that.
  void addUpdates() {
    for (auto update : program.getOps<exec::UpdateOp>()) {
      exec::BufferOp parameter = exec::bufferOf(update.getParameter()),
                     value = exec::bufferOf(update.getValue());
      updated.insert(parameter);
      const bool isOutput =
          llvm::any_of(parameter->getUsers(), [](Operation *user) {
            return isa<exec::OutputOp>(user);
          });
      if (isReplaced(value) && writes.lookup(value) == 1 && !isOutput)
        follows.insert(parameter);
    }
  }

  void addOperations() {
    offload::Operation last;
    last.name = "the outputs";
    llvm::DenseSet<Operation *> written;
    for (Operation *op : made.instructions) {
      offload::Operation operation;
      auto node = op->getAttrOfType<StringAttr>("node");
      operation.name = node ? node.str() : "";
      for (exec::BufferOp buffer : exec::read(op))
        if (const auto number = numbers.find(buffer); number != numbers.end())
          operation.reads.push_back(number->second);
      exec::BufferOp to = exec::written(op);
      if (const auto number = numbers.find(to); number != numbers.end())
        // What fills it further needs it, too.
        (written.insert(to).second ? operation.writes : operation.reads)
            .push_back(number->second);
      if (const auto under = over.find(to);
          under != over.end() &&
          !(isReplaced(under->second) && nextOf(under->second) < 0))
        operation.over = numbers.at(under->second);
      else if (const int of = nextOf(to);
               llvm::is_contained(operation.reads, of))
        operation.over = of;
      made.seconds.emplace_back();
      if (mayRunAgain(op))
        made.seconds.back() = prices.seconds(cast<exec::ComputeOp>(op));
      add(operation, made.seconds.back());
    }
    const auto need = [&](Value value) {
      last.reads.push_back(numbers.at(exec::bufferOf(value)));
    };
    for (auto output : program.getOps<exec::OutputOp>())
      need(output.getBuffer());
    for (auto update : program.getOps<exec::UpdateOp>())
      if (nextOf(exec::bufferOf(update.getValue())) < 0)
        need(update.getValue());
    add(last, {});
  }

  /// To all problems, with what it takes on the workers that each is of.
  void add(offload::Operation operation, const std::vector<double> &seconds) {
    for (size_t k = 0; k < made.problems.size(); ++k) {
      std::vector<double> own = seconds;
      for (size_t w = 0; w < own.size(); ++w)
        own[w] = made.problemOf[w] == k ? own[w] : 0;
      operation.again = own.empty() ? -1 : prices.inBytes(own);
      made.problems[k].operations.push_back(operation);
    }
  }

  void raiseCapacities() {
    for (Problem &problem : made.problems)
      for (const std::vector<int64_t> &bytes : offload::needed(problem))
        for (size_t m = 0; m < bytes.size(); ++m)
          problem.capacities[m] = std::max(problem.capacities[m], bytes[m]);
  }

  const size_t mostProblems;
  const offload::Choices &choices;
  offload::Prices prices;
  exec::ProgramOp program;
  exec::Regions &regions;
  tdl::LambdaTable lambdas;
  const memory::View view; // nobody keeps anything yet
  llvm::DenseMap<Operation *, exec::BufferOp> replaced, over;
  llvm::DenseSet<Operation *> updated, follows; // parameters
  llvm::DenseMap<Operation *, int> writes;      // by buffer
  std::vector<int64_t> capacities;              // per worker
  llvm::DenseMap<Operation *, int> numbers;
  ProgramProblem made;
};

} // namespace

ProgramProblem smex::offload::problemOf(exec::ProgramOp program,
                                        exec::Regions &regions,
                                        ArrayRef<int64_t> capacities,
                                        const Choices &choices,
                                        const machines::Machine &machine,
                                        size_t mostProblems) {
  return Making(program, regions, capacities, choices, machine, mostProblems)
      .make();
}
