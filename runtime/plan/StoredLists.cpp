#include "runtime/plan/StoredLists.h"

#include "runtime/plan/Load.h"
#include "runtime/plan/Regions.h"

#include <cstring>

using namespace smex;
using namespace smex::plan;

namespace {

/// Copies a share of a list, dense and row-major, to where it belongs.
template <typename Element>
void fill(analysis::KnownList &list, const Box &box, const std::byte *bytes) {
  const bool isMatrix = box.size() == 2;
  const int64_t columns = isMatrix ? list.shape[1] : 1;
  const Interval across = isMatrix ? box[1] : Interval{0, 1};
  for (int64_t row = box[0].lo; row < box[0].hi; ++row)
    for (int64_t column = across.lo; column < across.hi; ++column) {
      Element element;
      std::memcpy(&element, bytes, sizeof(element));
      bytes += sizeof(element);
      list.values[size_t(row * columns + column)] = element;
    }
}

/// By tensor: how many elements of it are stored, of all workers together.
std::vector<int64_t> storedOf(const Partitioned &partitioned) {
  const Program &program = partitioned.program;
  std::vector<int64_t> stored(program.tensors.size(), 0);
  for (size_t w = 0; w < partitioned.workers.size(); ++w)
    for (const StoredWeight &each : partitioned.workers[w].weights) {
      const int buffer = program.parameters[size_t(each.parameter)].buffer;
      stored[size_t(program.buffers[size_t(buffer)].tensor)] +=
          volume(partitioned.box(int(w), buffer));
    }
  return stored;
}

/// Where a list is, there it is also after a fetch or a move, if nothing else
/// is written there.
void follow(const Program &program, analysis::KnownLists &lists) {
  std::vector<int> writes(program.buffers.size(), 0);
  for (const Port &input : program.inputs)
    ++writes[size_t(input.buffer)];
  for (const Parameter &parameter : program.parameters)
    ++writes[size_t(parameter.buffer)];
  for (const Instruction &each : program.instructions)
    ++writes[size_t(each.to)];
  for (size_t b = 0; b < lists.size(); ++b)
    if (writes[b] != 1)
      lists[b] = nullptr;
  for (const Instruction &each : program.instructions)
    if ((each.op == Opcode::Fetch || isMove(each.op)) &&
        writes[size_t(each.to)] == 1)
      lists[size_t(each.to)] = lists[size_t(each.from)];
}

} // namespace

std::vector<bool> plan::tensorsInGuards(const Program &program) {
  const std::vector<tdl::Lambda> lambdas = *lambdasOf(program);
  std::vector<bool> areRead(program.tensors.size());
  std::vector<std::vector<bool>> byGuards; // of each kernel
  for (const tdl::Lambda &lambda : lambdas)
    byGuards.push_back(analysis::readByGuard(lambda));
  for (const Instruction &each : program.instructions) {
    if (each.op != Opcode::Compute)
      continue;
    const std::vector<bool> &byGuard = byGuards[size_t(each.kernel)];
    for (size_t k = 0; k < byGuard.size(); ++k)
      if (byGuard[k])
        areRead[size_t(program.buffers[size_t(each.operands[k])].tensor)] =
            true;
  }
  return areRead;
}

Result<analysis::KnownLists>
plan::storedLists(const Partitioned &partitioned, const std::string &directory,
                  const std::vector<bool> &wanted) {
  const Program &program = partitioned.program;
  const auto files =
      weights(directory, partitioned.workers.size(), /*verify=*/false);
  if (!files)
    return files.error();
  const std::vector<int64_t> counts = storedOf(partitioned);
  std::vector<std::shared_ptr<analysis::KnownList>> made(
      program.buffers.size());
  for (size_t w = 0; w < partitioned.workers.size(); ++w)
    for (const StoredWeight &stored : partitioned.workers[w].weights) {
      const Parameter &parameter = program.parameters[size_t(stored.parameter)];
      const int tensor = program.buffers[size_t(parameter.buffer)].tensor;
      const TensorType &type = program.tensors[size_t(tensor)].type;
      const Box &box = partitioned.box(int(w), parameter.buffer);
      if (!wanted[size_t(tensor)] || !parameter.constant ||
          parameter.next >= 0 || isEmpty(box) ||
          (type.dtype != DType::I32 && type.dtype != DType::I64) ||
          type.rank() < 1 || type.rank() > 2 ||
          counts[size_t(tensor)] < *elementCount(type.shape))
        continue;
      auto &list = made[size_t(parameter.buffer)];
      if (!list)
        list = std::make_shared<analysis::KnownList>(analysis::KnownList{
            type.shape,
            std::vector<int64_t>(size_t(*elementCount(type.shape)))});
      const std::byte *bytes = (*files)[w].data() + stored.offset;
      if (type.dtype == DType::I32)
        fill<int32_t>(*list, box, bytes);
      else
        fill<int64_t>(*list, box, bytes);
    }
  analysis::KnownLists lists(made.begin(), made.end());
  follow(program, lists);
  return lists;
}
