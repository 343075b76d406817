#include "test/emulated/ptx/Shadow.h"

#include <algorithm>

namespace smex::ptx {

void Clocks::start(uint32_t newBlock, uint32_t newThreads) {
  block = newBlock;
  threads = newThreads;
  now = base = 1;
  known.clear();
}

void Clocks::barrier() {
  base = ++now;
  known.clear();
}

void Clocks::barrier(const std::vector<uint32_t> &members) {
  if (members.size() == threads)
    return barrier();
  if (known.empty())
    known.assign(size_t(threads) * threads, base);
  ++now;
  std::vector<uint32_t> joint(threads, 0);
  for (uint32_t member : members)
    for (uint32_t other = 0; other < threads; ++other)
      joint[other] =
          std::max(joint[other], known[size_t(member) * threads + other]);
  for (uint32_t member : members)
    joint[member] = now;
  for (uint32_t member : members)
    std::copy(joint.begin(), joint.end(),
              known.begin() + size_t(member) * threads);
}

void Shadow::clear() {
  for (uint64_t number : touched)
    spare.push_back(std::move(pages[number]));
  touched.clear();
  lastPage = nullptr;
  lastNumber = ~uint64_t(0);
}

Shadow::Page &Shadow::page(uint64_t offset) {
  uint64_t number = offset >> pageBits;
  if (number == lastNumber)
    return *lastPage;
  if (number >= pages.size())
    pages.resize(number + 1);
  std::unique_ptr<Page> &entry = pages[number];
  if (!entry) {
    if (spare.empty()) {
      entry = std::make_unique<Page>();
    } else {
      entry = std::move(spare.back());
      spare.pop_back();
    }
    touched.push_back(number);
    entry->granuleBits = 2;
    entry->cells.assign(size_t(1) << (pageBits - 2), Cell());
  }
  lastNumber = number;
  lastPage = entry.get();
  return *lastPage;
}

void Shadow::split(Page &page, unsigned granuleBits) {
  unsigned factor = page.granuleBits - granuleBits;
  std::vector<Cell> cells(page.cells.size() << factor);
  for (size_t i = 0; i < cells.size(); ++i)
    cells[i] = page.cells[i >> factor];
  page.cells = std::move(cells);
  page.granuleBits = granuleBits;
}

Stamp Shadow::update(const Clocks &clocks, Cell &cell, Stamp current,
                     bool isWrite) {
  // Two atomic accesses do not race.
  auto races = [&](Stamp earlier) {
    return earlier && !(earlier.isAtomic() && current.isAtomic()) &&
           !clocks.isBefore(earlier, current);
  };
  if (races(cell.write))
    return cell.write;
  if (isWrite) {
    for (Stamp &read : cell.reads) {
      if (races(read))
        return read;
      read = Stamp();
    }
    cell.write = current;
    return Stamp();
  }
  // Of the reads that are not over, two are kept, of two threads and if
  // possible of two blocks: whoever writes races with one of them if with any.
  Stamp &first = cell.reads[0], &second = cell.reads[1];
  auto isOver = [&](Stamp read) {
    return !read || (clocks.isBefore(read, current) &&
                     read.isAtomic() >= current.isAtomic());
  };
  if (isOver(first))
    first = current;
  else if (isOver(second) || (second.block() == first.block() &&
                              current.block() != first.block()))
    second = current;
  return Stamp();
}

Stamp Shadow::access(const Clocks &clocks, Stamp current, uint64_t offset,
                     unsigned size, bool isWrite) {
  Page &entry = page(offset);
  unsigned wanted = size >= 4 ? 2 : size - 1;
  if (wanted < entry.granuleBits)
    split(entry, wanted);
  uint64_t inPage = offset & ((1 << pageBits) - 1);
  size_t first = inPage >> entry.granuleBits;
  size_t last = (inPage + size - 1) >> entry.granuleBits;
  for (size_t i = first; i <= last; ++i)
    if (Stamp other = update(clocks, entry.cells[i], current, isWrite))
      return other;
  return Stamp();
}

} // namespace smex::ptx
