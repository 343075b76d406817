#include "runtime/backends/cuda/Prepared.h"

#include "runtime/backends/cuda/CudaProgram.h"
#include "runtime/backends/cuda/Transfers.h"
#include "runtime/plan/Epilogue.h"
#include "runtime/plan/KernelCode.h"
#include "runtime/plan/Regions.h"
#include "runtime/plan/Target.h"

#include <algorithm>
#include <cstring>

using namespace smex;
using namespace smex::cuda;
using plan::Opcode;

namespace {

class Preparation {
public:
  Preparation(const CudaProgram &shared, int worker, PreparedWorker &all)
      : shared(shared), partitioned(shared.partitioned),
        program(shared.program()), worker(worker), all(all) {}

  Result<Prepared> of(int instruction) {
    const plan::Instruction &what = program.instructions[size_t(instruction)];
    if (!plan::written(partitioned, worker, instruction))
      return Prepared();
    switch (what.op) {
    case Opcode::Compute:
      return compute(instruction, what);
    case Opcode::Fetch:
      return shared.exchanging ? exchanged(instruction, what)
                               : fetch(instruction);
    case Opcode::Reduce:
      return shared.exchanging ? exchanged(instruction, what)
                               : reduce(instruction, what);
    case Opcode::ToHost:
    case Opcode::FromHost:
      break;
    }
    return move(what);
  }

private:
  /// Blocks of a launch on the worker's GPU. Persistent ones come a few times
  /// over what the GPU has room for, since registers may leave room for fewer,
  /// and some end earlier than others.
  int64_t blocksOf(const plan::Launch &launch,
                   const std::vector<int64_t> &numbers) const {
    constexpr int64_t threads = 2048, rounds = 4; // of a multiprocessor
    const int64_t blocks = plan::blocksOf(launch, numbers.data());
    if (!launch.persistent)
      return blocks;
    const int64_t room = std::max<int64_t>(1, threads / launch.threads) *
                         rounds *
                         std::max(1, place().gpu->info.multiprocessors);
    return std::min(blocks, room);
  }

  Result<Prepared> compute(int instruction, const plan::Instruction &what) {
    const plan::Kernel &kernel = program.kernels[size_t(what.kernel)];
    const tdl::Lambda &lambda = shared.lambdas[size_t(what.kernel)];
    const plan::Artifact *artifact = place().gpu->artifact;
    if (!artifact || !plan::isGenerated(kernel, artifact->target))
      return librarysCall();
    const auto launch = artifact->launches.find(kernel.symbol);
    if (launch == artifact->launches.end())
      return fail("the plan does not say how ", kernel.symbol,
                  " is launched on ", artifact->target);
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
    if (plan::hasScratch(launch->second))
      arguments.push_back(
          place().arena +
          Address(partitioned.workers[size_t(worker)].workspaceOffset));
    size_t addresses = arguments.size();
    arguments.insert(arguments.end(), numbers.begin(), numbers.end());
    if (launch->second.inMemory) {
      std::vector<size_t> at(addresses);
      for (size_t a = 0; a < addresses; ++a)
        at[a] = 8 * a;
      arguments = {
          all.tables.add(arguments.data(), 1, 8 * arguments.size(), at)};
      addresses = 1;
    }
    Prepared made = launchOf(instruction, place().gpu->code, kernel.symbol);
    for (uint64_t argument : arguments)
      add(argument, addresses > 0 && addresses-- > 0);
    made.threads = unsigned(launch->second.threads);
    made.gridX = unsigned(blocksOf(launch->second, numbers));
    made.partsX =
        unsigned(plan::blocksForParts(launch->second, numbers.data()));
    if (made.partsX > 0)
      all.launches.back().parts = plan::partsSymbol(kernel.symbol);
    return made;
  }

  /// It is bound when addresses are known.
  static Prepared librarysCall() {
    Prepared made;
    made.kind = Prepared::Kind::Library;
    return made;
  }

  /// The GPU does it for all its workers (Exchange.h); only what is counted is
  /// the worker's own.
  Prepared exchanged(int instruction, const plan::Instruction &what) const {
    Prepared made;
    for (const Piece &piece : plan::piecesOf(partitioned, worker, instruction))
      if (piece.worker != worker)
        made.receivedBytes +=
            volume(piece.box) * byteSize(plan::elementType(program, what.from));
    return made;
  }

  Result<Prepared> fetch(int instruction) {
    Fetch fetch = fetchOf(partitioned, worker, instruction, everyAddress());
    if (fetch.pieces.empty())
      return Prepared();
    Prepared made = launchOf(instruction, place().gpu->own,
                             "smex_fetch_" + std::to_string(fetch.unit));
    addAddress(all.tables.add(
        fetch.pieces.data(), fetch.pieces.size(), sizeof(FetchPiece),
        {offsetof(FetchPiece, from), offsetof(FetchPiece, to)}));
    made.threads = fetch.threads;
    made.gridX = unsigned(fetch.pieces.size());
    made.gridY = fetch.blocks;
    made.receivedBytes = fetch.receivedBytes;
    return made;
  }

  Result<Prepared> reduce(int instruction, const plan::Instruction &what) {
    auto reduce = reduceOf(partitioned, worker, instruction, everyAddress());
    if (!reduce)
      return reduce.takeError();
    Prepared made = launchOf(instruction, place().gpu->own, reduce->kernel);
    addAddress(all.tables.add(reduce->pieces.data(), reduce->pieces.size(),
                              sizeof(ReducePiece),
                              {offsetof(ReducePiece, from)}));
    add(reduce->pieces.size());
    add(uint64_t(reduce->reduction));
    addAddress(addressOf(what.to));
    addAddress(all.tables.add(reduce->sizes, 1, sizeof reduce->sizes, {}));
    made.threads = transferThreads;
    made.gridX = transferBlocks(reduce->elements);
    made.receivedBytes = reduce->receivedBytes;
    return made;
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

  Prepared launchOf(int instruction, const std::unique_ptr<LoadedCode> &code,
                    const std::string &symbol) {
    Prepared made;
    made.kind = Prepared::Kind::Launch;
    all.launches.push_back(
        {size_t(instruction), &code, symbol, "", all.arguments.size()});
    return made;
  }
  /// One more argument of the launch at hand.
  void add(uint64_t argument, bool isAddress = false) {
    if (isAddress)
      all.addresses.push_back(all.arguments.size());
    all.arguments.push_back(argument);
  }
  void addAddress(Address address) { add(address, /*isAddress=*/true); }

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
  PreparedWorker &all;
};

} // namespace

Address Tables::add(const void *entries, size_t count, size_t size,
                    const std::vector<size_t> &addressesAt) {
  const size_t at = (all.size() + 15) / 16 * 16;
  all.resize(at + count * size);
  if (count > 0)
    std::memcpy(all.data() + at, entries, count * size);
  for (size_t i = 0; i < count; ++i)
    for (size_t offset : addressesAt)
      addresses.push_back(at + i * size + offset);
  return base + Address(at);
}

Result<PreparedWorker> cuda::prepare(const CudaProgram &shared, int worker,
                                     Address tables) {
  PreparedWorker all;
  all.tables = Tables(tables);
  Preparation preparation(shared, worker, all);
  const auto &instructions = shared.program().instructions;
  all.instructions.reserve(instructions.size());
  for (size_t i = 0; i < instructions.size(); ++i) {
    auto made = preparation.of(int(i));
    if (!made)
      return runtime::atNode(instructions[i], made.takeError());
    all.instructions.push_back(std::move(*made));
  }
  return all;
}

/// `epilogue`: of a product, the map that is to be done with it; -1: none.
static Result<std::unique_ptr<LibraryCall>> bindCall(const CudaProgram &shared,
                                                     int worker,
                                                     int instruction,
                                                     int epilogue = -1) {
  const plan::Program &program = shared.program();
  const plan::Instruction &what = program.instructions[size_t(instruction)];
  const plan::Worker &own = shared.partitioned.workers[size_t(worker)];
  const CudaProgram::Place &place = shared.places[size_t(worker)];
  const auto bufferOf = [&](int buffer) -> DeviceBuffer {
    const int tensor = program.buffers[size_t(buffer)].tensor;
    return {shared.addressOf(worker, buffer),
            shared.partitioned.box(worker, buffer),
            {plan::elementType(program, buffer),
             program.tensors[size_t(tensor)].type.shape}};
  };
  LibraryBinding binding{program.kernels[size_t(what.kernel)],
                         shared.lambdas[size_t(what.kernel)],
                         shared.partitioned.indices(worker, instruction),
                         bufferOf(what.to),
                         {},
                         place.arena + Address(own.workspaceOffset),
                         own.workspaceBytes,
                         *place.gpu,
                         *shared.choices,
                         shared.options.reproducible};
  for (int operand : what.operands)
    binding.operands.push_back(bufferOf(operand));
  if (epilogue < 0)
    return bindLibrary(binding);
  const plan::Instruction &map = program.instructions[size_t(epilogue)];
  const auto found =
      analysis::matchEpilogue(shared.lambdas[size_t(map.kernel)],
                              plan::productOperand(program, epilogue));
  if (!found || shared.addressOf(worker, map.to) != binding.result.address)
    return std::unique_ptr<LibraryCall>();
  EpilogueBinding made{*found, {}, {}};
  if (found->bias >= 0) {
    made.bias = bufferOf(map.operands[size_t(found->bias)]);
    made.biasRegion =
        plan::biasRegion(*found, shared.partitioned.indices(worker, epilogue),
                         int(made.bias.box.size()));
  }
  binding.epilogue = std::move(made);
  return bindLibrary(binding);
}

/// A product, and where the library has it in one call, its epilogue, which is
/// then not launched.
static Result<std::unique_ptr<LibraryCall>>
bindWithEpilogue(const CudaProgram &shared, int worker, int instruction,
                 int epilogue, PreparedWorker &prepared) {
  if (epilogue >= 0) {
    auto call = bindCall(shared, worker, instruction, epilogue);
    if (!call || *call) {
      prepared.instructions[size_t(epilogue)].kind = Prepared::Kind::Nothing;
      ++prepared.epilogues;
      return call;
    }
  }
  return bindCall(shared, worker, instruction);
}

Status cuda::settle(const CudaProgram &shared, int worker,
                    PreparedWorker &prepared) {
  const auto settled = [&](Address address) { return shared.settled(address); };
  prepared.tables.settle(settled);
  for (size_t at : prepared.addresses)
    prepared.arguments[at] = settled(prepared.arguments[at]);
  prepared.addresses.clear();
  for (uint64_t &argument : prepared.arguments)
    prepared.parameters.push_back(&argument);
  const auto failed = [&](size_t instruction, Error error) {
    return runtime::atNode(shared.program().instructions[instruction],
                           std::move(error));
  };
  for (const PreparedWorker::Launch &launch : prepared.launches) {
    if (!*launch.code)
      return failed(launch.instruction,
                    fail("the plan has no code for this GPU, and ",
                         launch.symbol, " is needed"));
    auto function = (*launch.code)->find(launch.symbol);
    if (!function)
      return failed(launch.instruction, function.takeError());
    Prepared &made = prepared.instructions[launch.instruction];
    made.function = *function;
    if (!launch.parts.empty()) {
      auto parts = (*launch.code)->find(launch.parts);
      if (!parts)
        return failed(launch.instruction, parts.takeError());
      made.parts = *parts;
    }
    made.parameters = prepared.parameters.data() + launch.firstArgument;
  }
  const std::vector<int> epilogues = plan::epilogues(shared.program());
  for (size_t i = 0; i < prepared.instructions.size(); ++i) {
    Prepared &made = prepared.instructions[i];
    if (made.device)
      made.device = settled(made.device);
    if (made.kind != Prepared::Kind::Library)
      continue;
    auto call =
        bindWithEpilogue(shared, worker, int(i), epilogues[i], prepared);
    if (!call)
      return failed(i, call.takeError());
    made.call = std::move(*call);
  }
  shared.choices->save();
  return {};
}
