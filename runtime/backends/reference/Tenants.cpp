#include "runtime/backends/reference/Tenants.h"

#include "runtime/backends/host/Arenas.h"

using namespace smex;
using namespace smex::runtime;

namespace {
constexpr int64_t lineBytes = 64;
constexpr int nobody = -1;
} // namespace

Tenants::Tenants(const plan::Partitioned &partitioned, int worker,
                 int64_t bytes)
    : partitioned(partitioned), program(partitioned.program), worker(worker),
      count((bytes + lineBytes - 1) / lineBytes),
      tenant(std::make_unique<std::atomic<int>[]>(size_t(count))) {}

Tenants::Lines Tenants::linesOf(int buffer) const {
  const int64_t bytes = volume(partitioned.box(worker, buffer)) *
                        byteSize(plan::elementType(program, buffer));
  if (bytes == 0)
    return {0, 0};
  const int64_t at = placeOf(partitioned, worker, buffer);
  return {at / lineBytes, (at + bytes - 1) / lineBytes + 1};
}

void Tenants::begin() {
  for (int64_t line = 0; line < count; ++line)
    tenant[size_t(line)].store(nobody, std::memory_order_relaxed);
  for (const plan::Port &input : program.inputs)
    moveIn(input.buffer);
  for (const plan::Parameter &parameter : program.parameters)
    moveIn(parameter.buffer);
}

void Tenants::moveIn(int buffer) {
  const Lines lines = linesOf(buffer);
  for (int64_t line = lines.begin; line < lines.end; ++line)
    tenant[size_t(line)].store(buffer, std::memory_order_relaxed);
}

Status Tenants::check(int buffer) const {
  const Lines lines = linesOf(buffer);
  const int owner = partitioned.storage(worker, buffer);
  for (int64_t line = lines.begin; line < lines.end; ++line)
    if (tenant[size_t(line)].load(std::memory_order_relaxed) != owner) {
      const plan::BufferInfo &info = program.buffers[size_t(buffer)];
      return fail("\"", program.tensors[size_t(info.tensor)].name,
                  "\" is not in its place on worker ", worker,
                  ": the plan waits too little before it is read, or before "
                  "its memory is used again (see smexc check)");
    }
  return {};
}

Status Tenants::end() const {
  for (const plan::Port &output : program.outputs)
    if (Status there = check(output.buffer); !there)
      return there;
  for (const plan::Parameter &parameter : program.parameters) {
    const int kept = parameter.next < 0 ? parameter.buffer : parameter.next;
    if (Status there = check(kept); !there)
      return there;
  }
  return {};
}
