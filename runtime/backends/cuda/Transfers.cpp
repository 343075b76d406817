#include "runtime/backends/cuda/Transfers.h"

#include "runtime/backends/cuda/nccl/Messages.h"
#include "runtime/plan/Regions.h"

#include <algorithm>
#include <array>

using namespace smex;
using namespace smex::cuda;

namespace {

/// A dimension of a piece, in bytes but for its size.
struct Dimension {
  int64_t size = 1, from = 0, to = 0;
};

/// A copy of equal runs of bytes.
struct Copy {
  Address from = 0, to = 0;
  int64_t run = 0;                   // bytes that lie together on both sides
  std::vector<Dimension> dimensions; // outermost first
};

int64_t offsetIn(const Box &whole, const Box &part,
                 const std::vector<int64_t> &strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < part.size(); ++d)
    offset += (part[d].lo - whole[d].lo) * strides[d];
  return offset;
}

/// The piece with as few dimensions as there can be.
Copy copyOf(const Box &piece, const Box &fromBox, Address from,
            const Box &toBox, Address to, int64_t element) {
  const std::vector<int64_t> fromStrides = rowMajorStrides(extents(fromBox)),
                             toStrides = rowMajorStrides(extents(toBox));
  Copy copy;
  copy.from = from + Address(offsetIn(fromBox, piece, fromStrides) * element);
  copy.to = to + Address(offsetIn(toBox, piece, toStrides) * element);
  copy.run = element;
  for (size_t d = piece.size(); d-- > 0;) {
    const Dimension next = {piece[d].size(), fromStrides[d] * element,
                            toStrides[d] * element};
    if (next.size == 1)
      continue;
    if (copy.dimensions.empty() && next.from == copy.run &&
        next.to == copy.run) {
      copy.run *= next.size;
      continue;
    }
    Dimension *inner =
        copy.dimensions.empty() ? nullptr : &copy.dimensions.front();
    if (inner && next.from == inner->from * inner->size &&
        next.to == inner->to * inner->size)
      inner->size *= next.size;
    else
      copy.dimensions.insert(copy.dimensions.begin(), next);
  }
  return copy;
}

/// The widest unit that everything is a multiple of.
int unitOf(const std::vector<Copy> &copies) {
  uint64_t all = 16;
  for (const Copy &copy : copies) {
    all |= copy.from | copy.to | uint64_t(copy.run);
    for (const Dimension &each : copy.dimensions)
      all |= uint64_t(each.from) | uint64_t(each.to);
  }
  return int(all & (~all + 1));
}

int64_t receivedBytes(const std::vector<Piece> &pieces, int worker,
                      int64_t element) {
  int64_t bytes = 0;
  for (const Piece &piece : pieces)
    bytes += piece.worker == worker ? 0 : volume(piece.box) * element;
  return bytes;
}

/// As many pieces as it takes for no more than the dimensions that there are.
void addPieces(Copy copy, int unit, Fetch &fetch) {
  // The run is the innermost dimension.
  if (copy.dimensions.size() + 1 > size_t(mostDimensions)) {
    const Dimension outer = copy.dimensions.front();
    copy.dimensions.erase(copy.dimensions.begin());
    for (int64_t i = 0; i < outer.size; ++i) {
      addPieces(copy, unit, fetch);
      copy.from += Address(outer.from);
      copy.to += Address(outer.to);
    }
    return;
  }
  FetchPiece piece;
  piece.from = reinterpret_cast<const char *>(copy.from);
  piece.to = reinterpret_cast<char *>(copy.to);
  std::fill(std::begin(piece.sizes), std::end(piece.sizes), 1);
  std::fill(std::begin(piece.fromStrides), std::end(piece.fromStrides), 0);
  std::fill(std::begin(piece.toStrides), std::end(piece.toStrides), 0);
  const int last = mostDimensions - 1;
  piece.sizes[last] = copy.run / unit;
  piece.fromStrides[last] = piece.toStrides[last] = 1;
  for (size_t d = 0; d < copy.dimensions.size(); ++d) {
    const Dimension &each = copy.dimensions[d];
    const size_t at = size_t(last) - copy.dimensions.size() + d;
    piece.sizes[at] = each.size;
    piece.fromStrides[at] = each.from / unit;
    piece.toStrides[at] = each.to / unit;
  }
  fetch.pieces.push_back(piece);
}

/// About as many blocks as a transfer is shared among, at most: four on each of
/// an H200's 132 multiprocessors, whose threads have 64 KiB on their way there,
/// more than it takes to keep the memory busy. Half of the threads that a
/// multiprocessor holds are left to kernels that run beside it.
constexpr int64_t mostTransferBlocks = 4 * 132;

/// Units of a piece at which the kernel's numbers may leave 32 bits.
constexpr int64_t manyUnits = int64_t(1) << 30;

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t unitsOf(const FetchPiece &piece) {
  int64_t units = 1;
  for (const long long size : piece.sizes)
    units *= size;
  return units;
}

/// The piece as about so many slices, of its outermost dimensions.
void cut(const FetchPiece &piece, int64_t parts, int unit,
         std::vector<FetchPiece> &slices) {
  const long long *longest =
      std::find_if(std::begin(piece.sizes), std::end(piece.sizes),
                   [](long long size) { return size > 1; });
  if (parts <= 1 || longest == std::end(piece.sizes)) {
    slices.push_back(piece);
    return;
  }
  const size_t d = size_t(longest - piece.sizes);
  const int64_t here = std::min<int64_t>(parts, piece.sizes[d]);
  for (int64_t s = 0; s < here; ++s) {
    const int64_t lo = piece.sizes[d] * s / here,
                  hi = piece.sizes[d] * (s + 1) / here;
    FetchPiece slice = piece;
    slice.sizes[d] = hi - lo;
    slice.from += lo * piece.fromStrides[d] * unit;
    slice.to += lo * piece.toStrides[d] * unit;
    cut(slice, ceilDiv(parts, here), unit, slices);
  }
}

/// Each piece gets the mean of the blocks that pieces have work for, and what
/// has work for more is cut, as is what is too long for the kernel. Where all
/// are small, so are the blocks.
void shareBlocks(Fetch &fetch) {
  if (fetch.pieces.empty())
    return;
  std::vector<FetchPiece> pieces, slices;
  int64_t units = 0, blocks = 0;
  for (const FetchPiece &piece : fetch.pieces) {
    units += unitsOf(piece);
    cut(piece, ceilDiv(unitsOf(piece), manyUnits), fetch.unit, pieces);
  }
  const int64_t ofBlock =
      std::max<int64_t>(transferThreads, ceilDiv(units, mostTransferBlocks));
  for (const FetchPiece &piece : pieces)
    blocks += ceilDiv(unitsOf(piece), ofBlock);
  const int64_t each = ceilDiv(blocks, int64_t(pieces.size()));
  for (const FetchPiece &piece : pieces)
    cut(piece, ceilDiv(unitsOf(piece), ofBlock * each), fetch.unit, slices);
  int64_t most = 1;
  for (const FetchPiece &piece : slices)
    most = std::max(most, unitsOf(piece));
  const int64_t warp = 32;
  fetch.pieces = std::move(slices);
  fetch.blocks = unsigned(each);
  fetch.threads = unsigned(std::min<int64_t>(
      transferThreads, ceilDiv(ceilDiv(most, each), warp) * warp));
}

} // namespace

unsigned cuda::transferBlocks(int64_t elements) {
  return unsigned(std::clamp<int64_t>(ceilDiv(elements, transferThreads), 1,
                                      mostTransferBlocks));
}

Fetch cuda::fetchOf(const std::vector<BoxCopy> &boxes) {
  std::vector<Copy> copies;
  for (const BoxCopy &each : boxes)
    copies.push_back(copyOf(each.box, each.from.box, each.from.address,
                            each.to.box, each.to.address, each.element));
  Fetch fetch;
  fetch.unit = unitOf(copies);
  for (Copy &copy : copies)
    addPieces(std::move(copy), fetch.unit, fetch);
  shareBlocks(fetch);
  return fetch;
}

Fetch cuda::fetchOf(const plan::Partitioned &partitioned, int worker,
                    int instruction, const AddressOf &addressOf) {
  const plan::Program &program = partitioned.program;
  const plan::Instruction &what = program.instructions[size_t(instruction)];
  const int64_t element = byteSize(plan::elementType(program, what.from));
  const DenseBox to = {addressOf(worker, what.to),
                       partitioned.box(worker, what.to)};
  const std::vector<Piece> pieces =
      plan::piecesOf(partitioned, worker, instruction);
  std::vector<BoxCopy> copies;
  for (const Piece &piece : pieces)
    if (!isEmpty(piece.box))
      copies.push_back({piece.box,
                        {addressOf(piece.worker, what.from),
                         partitioned.box(piece.worker, what.from)},
                        to,
                        element});
  Fetch fetch = fetchOf(copies);
  fetch.receivedBytes = receivedBytes(pieces, worker, element);
  return fetch;
}

Result<Reduce> cuda::reduceOf(const plan::Partitioned &partitioned, int worker,
                              int instruction, const AddressOf &addressOf) {
  const plan::Instruction &what =
      partitioned.program.instructions[size_t(instruction)];
  return reduceOf(
      partitioned, worker, instruction, partitioned.box(worker, what.to),
      [&, from = what.from](size_t, const Piece &piece) -> DenseBox {
        return {addressOf(piece.worker, from),
                partitioned.box(piece.worker, from)};
      });
}

Result<Reduce> cuda::reduceOf(const plan::Partitioned &partitioned, int worker,
                              int instruction, const Box &box,
                              const DenseOf &denseOf) {
  const plan::Program &program = partitioned.program;
  const plan::Instruction &what = program.instructions[size_t(instruction)];
  const DType from = plan::elementType(program, what.from),
              to = plan::elementType(program, what.to);
  Reduce reduce;
  reduce.kernel = "smex_reduce_" + std::string(name(from));
  if (from != to)
    reduce.kernel += "_" + std::string(name(to));
  const std::array<const char *, 4> reducers = {"Sum", "Max", "Min", "Prod"};
  reduce.reduction =
      int(std::find(reducers.begin(), reducers.end(), what.reducer) -
          reducers.begin());
  const std::vector<Piece> all =
      plan::piecesOf(partitioned, worker, instruction);
  // Where all terms are of the whole box, in one run each, it is one row.
  std::vector<Piece> pieces;
  std::vector<DenseBox> dense;
  bool isRow = true;
  for (size_t p = 0; p < all.size(); ++p) {
    Piece piece = {all[p].worker, intersect(all[p].box, box)};
    if (isEmpty(piece.box))
      continue;
    dense.push_back(denseOf(p, piece));
    isRow &= piece.box == box && runIn(dense.back().box, box);
    pieces.push_back(std::move(piece));
  }
  const size_t rank = isRow ? 1 : box.size();
  if (rank > size_t(mostDimensions))
    return fail("a reduction of ", rank, " dimensions; GPUs do ",
                mostDimensions, " at most");
  reduce.elements = volume(box);
  reduce.receivedBytes = receivedBytes(pieces, worker, byteSize(from));
  std::fill(std::begin(reduce.sizes), std::end(reduce.sizes), 1);
  const size_t first = size_t(mostDimensions) - rank;
  for (size_t d = 0; d < rank; ++d)
    reduce.sizes[first + d] = isRow ? reduce.elements : box[d].size();
  for (size_t p = 0; p < pieces.size(); ++p) {
    const Piece &piece = pieces[p];
    ReducePiece made;
    std::fill(std::begin(made.begin), std::end(made.begin), 0);
    std::fill(std::begin(made.end), std::end(made.end), 1);
    std::fill(std::begin(made.fromStrides), std::end(made.fromStrides), 0);
    const Box &fromBox = dense[p].box;
    const std::vector<int64_t> strides = rowMajorStrides(extents(fromBox));
    const int64_t offset =
        offsetIn(fromBox, piece.box, strides) * byteSize(from);
    made.from =
        reinterpret_cast<const char *>(dense[p].address + Address(offset));
    for (size_t d = 0; d < rank; ++d) {
      made.begin[first + d] = isRow ? 0 : piece.box[d].lo - box[d].lo;
      made.end[first + d] =
          isRow ? reduce.elements : piece.box[d].hi - box[d].lo;
      made.fromStrides[first + d] = isRow ? 1 : strides[d];
    }
    reduce.pieces.push_back(made);
  }
  return reduce;
}
