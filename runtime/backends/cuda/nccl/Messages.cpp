#include "runtime/backends/cuda/nccl/Messages.h"

#include "runtime/backends/cuda/nccl/Api.h"
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

/// Halves the box until so many bytes per element fit the room; nothing where
/// one element does not.
std::vector<Box> partsOf(const Box &box, int64_t element, int64_t room) {
  if (volume(box) * element <= room)
    return {box};
  std::vector<Box> parts;
  for (size_t d = 0; d < box.size(); ++d) {
    if (box[d].size() <= 1)
      continue;
    for (int64_t half : {0, 1}) {
      Box part = box;
      part[d] = smex::cut(box[d], 2, half);
      for (Box &each : partsOf(part, element, room))
        parts.push_back(std::move(each));
    }
    break;
  }
  return parts;
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
  const int64_t element = byteSize(plan::elementType(program, what.from));
  gather.bytes = share * element;
  if (gather.bytes == 0)
    return std::nullopt;
  const Box &first = partitioned.box(members.front(), what.from);
  int64_t room = partitioned.workers[size_t(worker)].stagingBytes;
  for (int w : members) {
    if (!plan::written(partitioned, w, number))
      return std::nullopt;
    const Box &to = partitioned.box(w, what.to);
    const std::vector<Piece> pieces = plan::piecesOf(partitioned, w, number);
    if (pieces.size() != members.size())
      return std::nullopt;
    std::vector<size_t> numbers;
    bool isWanted = !areTerms;
    for (size_t m = 0; m < members.size(); ++m) {
      const auto own =
          std::find_if(pieces.begin(), pieces.end(), [&](const Piece &piece) {
            return piece.worker == members[m];
          });
      if (own == pieces.end() || volume(own->box) != share ||
          own->box != partitioned.box(members[m], what.from) ||
          (areTerms && (own->box != first || to != first)))
        return std::nullopt;
      numbers.push_back(size_t(own - pieces.begin()));
      isWanted &= runIn(to, own->box) == share * int64_t(m);
    }
    room = std::min(room, partitioned.workers[size_t(w)].stagingBytes);
    if (w != worker)
      continue;
    gather.numbers = std::move(numbers);
    gather.isWanted = isWanted;
  }
  const int64_t count = int64_t(members.size());
  if (areTerms)
    gather.parts = partsOf(first, count * element, room);
  const bool fits = areTerms ? !gather.parts.empty()
                             : gather.isWanted || gather.bytes * count <= room;
  return fits ? std::optional(gather) : std::nullopt;
}

namespace {

/// What a library calls the type, if it adds such numbers as a plan does.
std::optional<int> summedType(DType type) {
  switch (type) {
  case DType::I8:
    return typeInt8;
  case DType::U8:
    return typeUint8;
  case DType::I32:
    return typeInt32;
  case DType::U32:
    return typeUint32;
  case DType::I64:
    return typeInt64;
  case DType::U64:
    return typeUint64;
  case DType::F32:
    return typeFloat32;
  case DType::F64:
    return typeFloat64;
  default:
    return std::nullopt;
  }
}

/// Whether the worker's pieces are a term of each member, of all that it wants.
bool wantsEachTerm(const plan::Partitioned &partitioned, int worker, int number,
                   const std::vector<int> &members, const Box &wanted) {
  std::vector<int> owners;
  for (const Piece &piece : plan::piecesOf(partitioned, worker, number)) {
    if (piece.box != wanted)
      return false;
    owners.push_back(piece.worker);
  }
  std::sort(owners.begin(), owners.end());
  return owners == members;
}

} // namespace

std::optional<Sum> nccl::sumOf(const plan::Partitioned &partitioned, int worker,
                               int number) {
  const plan::Program &program = partitioned.program;
  const plan::Instruction &what = program.instructions[size_t(number)];
  const DType dtype = plan::elementType(program, what.from);
  const auto type = summedType(dtype);
  if (what.op != plan::Opcode::Reduce || what.reducer != "Sum" || !type ||
      dtype != plan::elementType(program, what.to) || !what.collective)
    return std::nullopt;
  Sum sum;
  sum.type = *type;
  sum.isScattered = what.collective->kind == CollectiveKind::ReduceScatter;
  if (!sum.isScattered && what.collective->kind != CollectiveKind::AllReduce)
    return std::nullopt;
  sum.members = groupOf(program.ways, worker, what.collective->over);
  const Box &term = partitioned.box(worker, what.from);
  sum.elements = volume(partitioned.box(worker, what.to));
  if (sum.elements == 0)
    return std::nullopt;
  bool lieInOrder = true;
  int64_t room = partitioned.workers[size_t(worker)].stagingBytes;
  std::vector<Box> shares;
  for (int w : sum.members) {
    const Box &wanted = partitioned.box(w, what.to);
    if (!plan::written(partitioned, w, number) ||
        partitioned.box(w, what.from) != term ||
        volume(wanted) != sum.elements ||
        (!sum.isScattered && wanted != term) ||
        !wantsEachTerm(partitioned, w, number, sum.members, wanted))
      return std::nullopt;
    lieInOrder &= runIn(term, wanted) == sum.elements * int64_t(shares.size());
    room = std::min(room, partitioned.workers[size_t(w)].stagingBytes);
    shares.push_back(wanted);
  }
  if (!sum.isScattered || lieInOrder)
    return sum;
  const int64_t all = sum.elements * int64_t(shares.size());
  if (all * byteSize(dtype) > room)
    return std::nullopt;
  sum.packed = std::move(shares);
  return sum;
}
