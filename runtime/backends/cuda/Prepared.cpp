#include "runtime/backends/cuda/Prepared.h"

#include "runtime/backends/cuda/CudaProgram.h"
#include "runtime/backends/cuda/Transfers.h"
#include "runtime/plan/KernelCode.h"
#include "runtime/plan/Regions.h"
#include "runtime/plan/Target.h"

#include <algorithm>
#include <cstring>

using namespace smex;
using namespace smex::cuda;
using plan::Opcode;

namespace {

/// Threads of a block of the kernels of fetch and reduce.
constexpr unsigned transferThreads = 256;
/// Blocks that share one piece, or one result, at most: more do not copy
/// faster, and other kernels run beside it.
constexpr int64_t mostTransferBlocks = 128;

unsigned transferBlocks(int64_t units) {
  const int64_t blocks = (units + transferThreads - 1) / transferThreads;
  return unsigned(std::clamp<int64_t>(blocks, 1, mostTransferBlocks));
}

class Preparation {
public:
  Preparation(const CudaProgram &shared, int worker, bool findFunctions,
              Tables &tables)
      : shared(shared), partitioned(shared.partitioned),
        program(shared.program()), worker(worker), findFunctions(findFunctions),
        tables(tables) {}

  Result<Prepared> of(int instruction) {
    const plan::Instruction &what = program.instructions[size_t(instruction)];
    if (!plan::written(partitioned, worker, instruction))
      return Prepared();
    switch (what.op) {
    case Opcode::Compute:
      return compute(instruction, what);
    case Opcode::Fetch:
      return fetch(instruction);
    case Opcode::Reduce:
      return reduce(instruction, what);
    case Opcode::ToHost:
    case Opcode::FromHost:
      break;
    }
    return move(what);
  }

private:
  Result<Prepared> compute(int instruction, const plan::Instruction &what) {
    const plan::Kernel &kernel = program.kernels[size_t(what.kernel)];
    const tdl::Lambda &lambda = shared.lambdas[size_t(what.kernel)];
    if (!shared.artifact || !plan::isGenerated(kernel, shared.artifact->target))
      return fail("no kernel for GPUs computes \"", kernel.lambda, "\"");
    const auto launch = shared.artifact->launches.find(kernel.symbol);
    if (launch == shared.artifact->launches.end())
      return fail("the plan does not say how ", kernel.symbol,
                  " is launched on ", shared.artifact->target);
    Prepared made;
    made.kind = Prepared::Kind::Launch;
    std::vector<uint64_t> arguments = {addressOf(what.to)};
    std::vector<plan::CalledOperand> operands;
    for (int operand : what.operands) {
      arguments.push_back(addressOf(operand));
      operands.push_back(
          {&partitioned.box(worker, operand), &typeOf(operand).shape});
    }
    const std::vector<int64_t> numbers = plan::callNumbers(
        partitioned.indices(worker, instruction),
        partitioned.box(worker, what.to), operands, plan::shiftsOf(lambda));
    arguments.insert(arguments.end(), numbers.begin(), numbers.end());
    if (launch->second.inMemory)
      arguments = {tables.add(arguments.data(), arguments.size() * 8)};
    made.arguments = std::move(arguments);
    made.threads = unsigned(launch->second.threads);
    made.gridX = unsigned(plan::blocksOf(launch->second, numbers.data()));
    return find(std::move(made), place().gpu->code.get(), kernel.symbol);
  }

  Result<Prepared> fetch(int instruction) {
    Fetch fetch = fetchOf(partitioned, worker, instruction, everyAddress());
    Prepared made;
    if (fetch.pieces.empty())
      return made;
    made.kind = Prepared::Kind::Launch;
    made.arguments = {add(fetch.pieces)};
    made.threads = transferThreads;
    made.gridX = transferBlocks(fetch.largest);
    made.gridY = unsigned(fetch.pieces.size());
    made.receivedBytes = fetch.receivedBytes;
    return find(std::move(made), place().gpu->own.get(),
                "smex_fetch_" + std::to_string(fetch.unit));
  }

  Result<Prepared> reduce(int instruction, const plan::Instruction &what) {
    auto reduce = reduceOf(partitioned, worker, instruction, everyAddress());
    if (!reduce)
      return reduce.takeError();
    Prepared made;
    made.kind = Prepared::Kind::Launch;
    made.arguments = {add(reduce->pieces), reduce->pieces.size(),
                      uint64_t(reduce->reduction), addressOf(what.to),
                      tables.add(reduce->sizes, sizeof reduce->sizes)};
    made.threads = transferThreads;
    made.gridX = transferBlocks(reduce->elements);
    made.receivedBytes = reduce->receivedBytes;
    return find(std::move(made), place().gpu->own.get(), reduce->kernel);
  }

  Result<Prepared> move(const plan::Instruction &what) {
    const bool toHost = what.op == Opcode::ToHost;
    const int onHost = toHost ? what.to : what.from;
    Prepared made;
    made.kind = toHost ? Prepared::Kind::ToHost : Prepared::Kind::FromHost;
    made.device = addressOf(toHost ? what.from : what.to);
    made.host = place().host->data() + partitioned.offset(worker, onHost);
    made.bytes = volume(partitioned.box(worker, onHost)) *
                 byteSize(plan::elementType(program, onHost));
    return made;
  }

  Result<Prepared> find(Prepared made, const LoadedCode *code,
                        const std::string &symbol) const {
    if (!findFunctions)
      return made;
    if (!code)
      return fail("the plan has no code for this GPU, and ", symbol,
                  " is needed");
    auto function = code->find(symbol);
    if (!function)
      return function.takeError();
    made.function = *function;
    return made;
  }

  template <typename Entry> Address add(const std::vector<Entry> &entries) {
    return tables.add(entries.data(), entries.size() * sizeof(Entry));
  }
  const CudaProgram::Place &place() const {
    return shared.places[size_t(worker)];
  }
  Address addressOf(int buffer) const {
    return shared.addressOf(worker, buffer);
  }
  AddressOf everyAddress() const {
    return [this](int of, int buffer) { return shared.addressOf(of, buffer); };
  }
  const TensorType &typeOf(int buffer) const {
    return program.tensors[size_t(program.buffers[size_t(buffer)].tensor)].type;
  }

  const CudaProgram &shared;
  const plan::Partitioned &partitioned;
  const plan::Program &program;
  const int worker;
  const bool findFunctions;
  Tables &tables;
};

} // namespace

Address Tables::add(const void *bytes, size_t count) {
  const size_t at = (all.size() + 15) / 16 * 16;
  all.resize(at + count);
  if (count > 0)
    std::memcpy(all.data() + at, bytes, count);
  return base + Address(at);
}

Result<std::vector<Prepared>> cuda::prepare(const CudaProgram &shared,
                                            int worker, bool findFunctions,
                                            Tables &tables) {
  Preparation preparation(shared, worker, findFunctions, tables);
  const auto &instructions = shared.program().instructions;
  std::vector<Prepared> all;
  all.reserve(instructions.size());
  for (size_t i = 0; i < instructions.size(); ++i) {
    auto made = preparation.of(int(i));
    if (!made)
      return runtime::atNode(instructions[i], made.takeError());
    all.push_back(std::move(*made));
  }
  return all;
}
