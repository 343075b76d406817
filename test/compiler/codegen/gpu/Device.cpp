#include "test/compiler/codegen/gpu/Device.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace smex;
using namespace smex::codegen;

Device::Device(const std::string &ptx)
    : module(ptx,
             [this](uint64_t size, uint64_t,
                    const std::string &name) -> ptx::Allocation & {
               return memory.allocate(size, name);
             }) {}

void Device::run(const std::string &symbol, const plan::Launch &how,
                 const Box &indices, Buffer &result,
                 const std::vector<Buffer> &operands, uint32_t blocks) {
  std::vector<uint64_t> arguments = {put(result.bytes, "result", false)};
  for (const Buffer &operand : operands)
    arguments.push_back(put(operand.bytes, "operand", true));
  const std::vector<int64_t> numbers = numbersOf(indices, result, operands);
  const int64_t grid = blocks ? blocks : blocksOf(how, numbers.data());
  if (how.scratch.bytes > 0) {
    std::vector<std::vector<int64_t>> shapes;
    for (const Buffer &operand : operands)
      shapes.push_back(operand.shape);
    const int64_t bytes = scratchBytes(how, grid, shapes);
    arguments.push_back(memory.allocate(uint64_t(bytes), "scratch").base);
  }
  const size_t count = 1 + operands.size() + (how.scratch.bytes > 0);
  arguments.insert(arguments.end(), numbers.begin(), numbers.end());
  if (how.inMemory) {
    std::vector<std::byte> all(arguments.size() * 8);
    std::memcpy(all.data(), arguments.data(), all.size());
    arguments.push_back(put(all, "arguments", true));
  }
  ptx::LaunchOptions options;
  options.grid = {uint32_t(grid), 1, 1};
  options.block = {uint32_t(how.threads), 1, 1};
  options.instructionsPerThread = mostInstructions;
  std::vector<uint8_t> bytes((how.inMemory ? 1 : arguments.size()) * 8);
  std::memcpy(bytes.data(), how.inMemory ? &arguments.back() : arguments.data(),
              bytes.size());
  const ptx::Program *program = module.kernel(symbol);
  REQUIRE(program);
  instructions = ptx::launch(*program, options, bytes, memory).instructions;
  if (!result.bytes.empty())
    memory.read(arguments[0], result.bytes.data(), result.bytes.size());
  for (size_t i = 0; i < count; ++i)
    memory.remove(arguments[i]);
  if (how.inMemory)
    memory.remove(arguments.back());
}

uint64_t Device::put(const std::vector<std::byte> &bytes,
                     const std::string &name, bool isReadOnly) {
  ptx::Allocation &place = memory.allocate(bytes.size(), name);
  if (!bytes.empty())
    memory.write(place.base, bytes.data(), bytes.size());
  place.readOnly = isReadOnly;
  return place.base;
}
