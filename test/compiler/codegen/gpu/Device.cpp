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
  const int64_t forParts = blocksForParts(how, numbers.data());
  if (hasScratch(how)) {
    std::vector<std::vector<int64_t>> shapes;
    for (const Buffer &operand : operands)
      shapes.push_back(operand.shape);
    const int64_t bytes = how.parts.along >= 0
                              ? partsBytes(how, numbers.data())
                              : scratchBytes(how, grid, shapes);
    arguments.push_back(memory.allocate(uint64_t(bytes), "scratch").base);
  }
  const size_t count = 1 + operands.size() + hasScratch(how);
  arguments.insert(arguments.end(), numbers.begin(), numbers.end());
  if (how.inMemory) {
    std::vector<std::byte> all(arguments.size() * 8);
    std::memcpy(all.data(), arguments.data(), all.size());
    arguments.push_back(put(all, "arguments", true));
  }
  ptx::LaunchOptions options;
  options.block = {uint32_t(how.threads), 1, 1};
  options.instructionsPerThread = mostInstructions;
  std::vector<uint8_t> bytes((how.inMemory ? 1 : arguments.size()) * 8);
  std::memcpy(bytes.data(), how.inMemory ? &arguments.back() : arguments.data(),
              bytes.size());
  instructions = 0;
  const auto launch = [&](const std::string &entry, int64_t number) {
    const ptx::Program *program = module.kernel(entry);
    REQUIRE(program);
    options.grid = {uint32_t(number), 1, 1};
    instructions += ptx::launch(*program, options, bytes, memory).instructions;
  };
  if (forParts > 0)
    launch(plan::partsSymbol(symbol), blocks ? blocks : forParts);
  launch(symbol, grid);
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
