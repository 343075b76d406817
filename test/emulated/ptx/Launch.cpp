#include "test/emulated/ptx/Launch.h"

#include "test/emulated/ptx/Block.h"
#include "test/emulated/ptx/Decoder.h"
#include "test/emulated/ptx/Text.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

namespace smex::ptx {

LoadedModule::LoadedModule(const std::string &source, const Allocate &allocate)
    : text(Text::of(source)) {
  const Module &parsed = text->module;
  std::map<const Variable *, Allocation *> places;
  auto place = [&](const Variable &variable) {
    if (variable.space != Space::Global && variable.space != Space::Const)
      return;
    if (variable.isExtern)
      throw ParseError(variable.line, "the variable '" + variable.name +
                                          "' is defined nowhere");
    Allocation &allocation =
        allocate(variable.size, variable.align, variable.name);
    addresses[variable.name] = allocation.base;
    places[&variable] = &allocation;
    // "If no initializer is given, .global and .const variables are 0."
    std::fill_n(allocation.bytes, variable.size, 0);
    std::fill_n(allocation.initialized, variable.size, 1);
    std::copy(variable.initial.begin(), variable.initial.end(),
              allocation.bytes);
    allocation.readOnly = variable.space == Space::Const;
  };
  for (const Variable &each : parsed.variables)
    place(each);
  for (const Function &function : parsed.functions)
    for (const Variable &each : function.variables)
      place(each);
  for (const auto &[variable, allocation] : places)
    for (const Variable::Relocation &each : variable->relocations) {
      auto found = addresses.find(each.symbol);
      if (found == addresses.end())
        throw ParseError(each.line, "no variable '" + each.symbol +
                                        "' whose address could be stored");
      uint64_t value = found->second + each.addend;
      std::memcpy(allocation->bytes + each.offset, &value, 8);
    }
}

const Module &LoadedModule::module() const { return text->module; }

uint64_t LoadedModule::address(const std::string &symbol) const {
  size_t plus = symbol.find('+');
  int64_t offset =
      plus == std::string::npos ? 0 : std::stoll(symbol.substr(plus + 1));
  auto found = addresses.find(symbol.substr(0, plus));
  return found == addresses.end() ? 0 : found->second + offset;
}

std::vector<uint64_t> LoadedModule::variableAddresses() const {
  std::vector<uint64_t> result;
  for (const auto &each : addresses)
    result.push_back(each.second);
  return result;
}

const Program *LoadedModule::kernel(const std::string &name) {
  if (addresses.empty())
    return text->kernel(name);
  auto found = kernels.find(name);
  if (found != kernels.end())
    return found->second.get();
  const Function *function = text->entry(name);
  if (!function)
    return nullptr;
  std::unique_ptr<Program> program = decode(text->module, *function);
  for (auto &code : program->functions)
    for (const auto &each : code->symbols) {
      // A function's own .global variables were placed by their names, too.
      uint64_t value = address(each.second);
      if (!value)
        throw ParseError(function->line,
                         "no address for '" + each.second + "'");
      code->constants.emplace_back(each.first, value);
    }
  return (kernels[name] = std::move(program)).get();
}

namespace {

/// Errors of a launch itself, before a thread runs.
[[noreturn]] void refuse(const Program &program, const std::string &reason) {
  Fault fault(FaultKind::Limit,
              "kernel " + program.kernel->name + ": " + reason);
  fault.kernel = program.kernel->name;
  fault.line = program.kernel->line;
  fault.reason = reason;
  throw fault;
}

void checkShape(const Program &program, const LaunchOptions &options,
                const std::vector<uint8_t> &parameters) {
  uint64_t blocks = 1, threads = 1;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (!options.grid[axis] || !options.block[axis])
      refuse(program, "a launch of no threads");
    blocks *= options.grid[axis];
    threads *= options.block[axis];
  }
  if (threads > 1024)
    refuse(program, "a block of more than 1,024 threads");
  if (blocks > maximalBlocks)
    refuse(program, "more blocks than the emulator runs, 4,194,304");
  const Function &kernel = *program.kernel;
  if (kernel.requiredThreads[0] && kernel.requiredThreads != options.block)
    refuse(program, "the block has another shape than .reqntid asks for");
  if (kernel.maximalThreads[0] && threads > uint64_t(kernel.maximalThreads[0]) *
                                                kernel.maximalThreads[1] *
                                                kernel.maximalThreads[2])
    refuse(program, "the block has more threads than .maxntid allows");
  if (parameters.size() != program.parameterBytes)
    refuse(program, "the launch has " + std::to_string(parameters.size()) +
                        " bytes of parameters, the kernel " +
                        std::to_string(program.parameterBytes));
  if (program.functions.front()->frameBytes > (512 << 10))
    refuse(program, "more than 512 KiB of local memory");
}

void findRanges(LaunchState &state) {
  for (const Origin &origin : state.program.origins) {
    std::vector<Range> ranges;
    if (!origin.beyond) {
      for (unsigned word = 0; word < 64; ++word) {
        if (!(origin.words >> word & 1) ||
            8 * word + 8 > state.parameters.size())
          continue;
        uint64_t value;
        std::memcpy(&value, &state.parameters[8 * word], 8);
        Range range = word < state.options.pointers.size()
                          ? state.options.pointers[word]
                          : state.memory.rangeOf(value);
        if (range.end) // else it is a number, not a pointer
          ranges.push_back(range);
      }
      for (unsigned i = 0; i < 64 && i < state.program.shared.size(); ++i) {
        if (!(origin.shared >> i & 1))
          continue;
        const SharedVariable &variable = state.program.shared[i];
        uint64_t size =
            variable.size ? variable.size : state.options.dynamicShared;
        ranges.push_back(
            {sharedWindow + variable.offset,
             sharedWindow + variable.offset + size,
             "the shared variable " +
                 variable.name.substr(0, variable.name.find('#'))});
      }
    }
    state.ranges.push_back(std::move(ranges));
  }
}

} // namespace

/// All blocks, one after the other.
static void runBlocks(LaunchState &state) {
  findRanges(state);
  const LaunchOptions &options = state.options;
  const Dim3 &grid = options.grid;
  std::vector<uint32_t> order(size_t(grid[0]) * grid[1] * grid[2]);
  std::iota(order.begin(), order.end(), 0);
  if (options.seed) {
    std::mt19937_64 random(options.seed);
    std::shuffle(order.begin(), order.end(), random);
  }
  Block block(state);
  for (uint32_t number : order)
    block.run(number, {number % grid[0], number / grid[0] % grid[1],
                       number / grid[0] / grid[1]});
}

LaunchResult launch(const Program &program, const LaunchOptions &options,
                    const std::vector<uint8_t> &parameters, Memory &memory) {
  checkShape(program, options, parameters);
  LaunchState state(program, options, parameters, memory);
  runBlocks(state);
  LaunchResult result;
  result.instructions = state.instructions;
  for (auto &[allocation, shadow] : state.shadows)
    shadow.forEachSpan([&](uint64_t begin, uint64_t end, bool isWritten) {
      result.touched.push_back(
          {allocation->base + begin, allocation->base + end, isWritten});
    });
  return result;
}

std::string placeOf(const Program &program, LaunchOptions options,
                    const std::vector<uint8_t> &parameters, Memory &memory,
                    const LaunchOptions::Watched &watched) {
  options.watched = watched;
  // What a loop's end is read from may be something else by now.
  options.instructionsPerThread = 1 << 22;
  LaunchState state(program, options, parameters, memory);
  std::string place;
  try {
    runBlocks(state);
  } catch (const Fault &fault) {
    if (fault.kind == FaultKind::Watched)
      place = fault.place;
  }
  for (const LaunchState::Kept &each : state.kept) {
    std::copy(each.bytes.begin(), each.bytes.end(), each.allocation->bytes);
    std::copy(each.initialized.begin(), each.initialized.end(),
              each.allocation->initialized);
  }
  return place;
}

} // namespace smex::ptx
