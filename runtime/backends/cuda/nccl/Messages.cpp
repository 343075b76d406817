#include "runtime/backends/cuda/nccl/Messages.h"

#include "runtime/plan/Regions.h"

#include <algorithm>

using namespace smex;
using namespace smex::nccl;

std::vector<Message> nccl::messagesOf(const plan::Partitioned &partitioned,
                                      int instruction) {
  std::vector<Message> messages;
  for (int w = 0; w < int(partitioned.workers.size()); ++w) {
    if (!plan::written(partitioned, w, instruction))
      continue;
    std::vector<Piece> pieces = plan::piecesOf(partitioned, w, instruction);
    for (size_t p = 0; p < pieces.size(); ++p)
      if (!isEmpty(pieces[p].box))
        messages.push_back({pieces[p].worker, w, p, std::move(pieces[p].box)});
  }
  return messages;
}

namespace {

/// Where the part begins in the whole, in elements, if it is one run there.
std::optional<int64_t> runIn(const Box &whole, const Box &part) {
  int64_t offset = 0, stride = 1;
  bool isWhole = true; // all dimensions further in
  for (size_t d = part.size(); d-- > 0;) {
    if (!isWhole && part[d].size() != 1)
      return std::nullopt;
    isWhole &= part[d] == whole[d];
    offset += (part[d].lo - whole[d].lo) * stride;
    stride *= whole[d].size();
  }
  return offset;
}

} // namespace

std::optional<Gather> nccl::gatherOf(const plan::Partitioned &partitioned,
                                     int worker, int number) {
  const plan::Program &program = partitioned.program;
  const plan::Instruction &what = program.instructions[size_t(number)];
  const bool areTerms = what.op == plan::Opcode::Reduce;
  if (!what.collective ||
      what.collective->kind !=
          (areTerms ? CollectiveKind::AllReduce : CollectiveKind::AllGather))
    return std::nullopt;
  Gather gather;
  gather.members = groupOf(program.ways, worker, what.collective->over);
  const auto &members = gather.members;
  const int64_t share = volume(partitioned.box(members.front(), what.from));
  gather.bytes = share * byteSize(plan::elementType(program, what.from));
  if (gather.bytes == 0)
    return std::nullopt;
  gather.isWanted = !areTerms;
  for (int w : members) {
    if (!plan::written(partitioned, w, number))
      return std::nullopt;
    const Box &to = partitioned.box(w, what.to);
    const std::vector<Piece> pieces = plan::piecesOf(partitioned, w, number);
    if (pieces.size() != members.size())
      return std::nullopt;
    std::vector<size_t> numbers;
    for (size_t m = 0; m < members.size(); ++m) {
      const auto own =
          std::find_if(pieces.begin(), pieces.end(), [&](const Piece &piece) {
            return piece.worker == members[m];
          });
      if (own == pieces.end() || volume(own->box) != share ||
          own->box != partitioned.box(members[m], what.from))
        return std::nullopt;
      numbers.push_back(size_t(own - pieces.begin()));
      if (w == worker && runIn(to, own->box) != share * int64_t(m))
        gather.isWanted = false;
    }
    if (w == worker)
      gather.numbers = std::move(numbers);
  }
  return gather;
}
