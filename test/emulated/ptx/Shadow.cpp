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
  further.clear();
  readers.clear();
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

void Shadow::split(Page &page, uint64_t begin, unsigned granuleBits) {
  const unsigned factor = page.granuleBits - granuleBits;
  std::vector<Cell> cells(page.cells.size() << factor);
  for (size_t i = 0; i < cells.size(); ++i) {
    cells[i] = page.cells[i >> factor];
    const auto whole = further.find(begin + (i >> factor << page.granuleBits));
    if (whole != further.end()) // a copy: the map may move
      further[begin + (i << granuleBits)] = Accesses(whole->second);
  }
  page.cells = std::move(cells);
  page.granuleBits = granuleBits;
}

/// Whether whoever races with this earlier access races with the current one.
static bool isCovered(const Clocks &clocks, Stamp earlier, Stamp current) {
  return clocks.isBefore(earlier, current) &&
         earlier.isAtomic() >= current.isAtomic();
}

/// Adds one that races with none of the others. Those of other blocks have no
/// order with any of this one: two of them do.
static void keep(const Clocks &clocks, std::vector<Stamp> &kept, Stamp added) {
  size_t others[2] = {};
  const auto isSpare = [&](Stamp each) {
    if (each.block() != added.block())
      return ++others[each.isAtomic()] > 2;
    return isCovered(clocks, each, added);
  };
  kept.erase(std::remove_if(kept.begin(), kept.end(), isSpare), kept.end());
  kept.push_back(added);
}

Stamp Shadow::update(const Clocks &clocks, Cell &cell, uint64_t first,
                     Stamp current, bool isWrite) {
  // Two atomic accesses do not race.
  const auto races = [&](Stamp earlier) {
    return earlier && !(earlier.isAtomic() && current.isAtomic()) &&
           !clocks.isBefore(earlier, current);
  };
  const auto isFree = [&](Stamp earlier) {
    return !earlier || isCovered(clocks, earlier, current);
  };
  const auto more = keepsAll ? further.find(first) : further.end();
  const bool hasMore = more != further.end();
  if (races(cell.write))
    return cell.write;
  if (hasMore)
    for (Stamp write : more->second.writes)
      if (races(write))
        return write;
  if (!isWrite) {
    // Two of two threads and if possible of two blocks: whoever writes races
    // with one of them if with any, as long as barriers are of all threads.
    Stamp &one = cell.reads[0], &other = cell.reads[1];
    if (isFree(one))
      one = current;
    else if (isFree(other))
      other = current;
    else if (keepsAll)
      keep(clocks, further[first].reads, current);
    else if (other.block() == one.block() && current.block() != one.block())
      other = current;
    return Stamp();
  }
  for (Stamp read : cell.reads)
    if (races(read))
      return read;
  if (hasMore)
    for (Stamp read : more->second.reads)
      if (races(read))
        return read;
  // All that a plain write does not race with is over.
  for (Stamp &read : cell.reads)
    if (isFree(read))
      read = Stamp();
  if (!isFree(cell.write))
    keep(clocks, further[first].writes, cell.write);
  else if (hasMore && !current.isAtomic())
    further.erase(more);
  cell.write = current;
  return Stamp();
}

bool Shadow::isWritten(uint64_t offset, unsigned size) {
  const Page &entry = page(offset);
  const uint64_t inPage = offset & ((1 << pageBits) - 1);
  for (size_t i = inPage >> entry.granuleBits;
       i <= (inPage + size - 1) >> entry.granuleBits; ++i)
    if (entry.cells[i].write)
      return true;
  return false;
}

void Shadow::keepAsRead(uint64_t offset, unsigned size, Reader reader) {
  // An access is aligned to its size, so that it lies in one page.
  std::vector<Reader> &page = readers[offset >> pageBits];
  page.resize(size_t(1) << pageBits);
  std::fill_n(page.begin() + (offset & ((1 << pageBits) - 1)), size, reader);
}

const Shadow::Reader *Shadow::findReader(uint64_t offset, unsigned size) const {
  const auto page = readers.find(offset >> pageBits);
  if (page == readers.end())
    return nullptr;
  for (uint64_t i = 0; i < size; ++i)
    if (const Reader &reader =
            page->second[(offset + i) & ((1 << pageBits) - 1)];
        reader.stamp)
      return &reader;
  return nullptr;
}

Stamp Shadow::access(const Clocks &clocks, Stamp current, uint64_t offset,
                     unsigned size, bool isWrite) {
  Page &entry = page(offset);
  const uint64_t begin = offset >> pageBits << pageBits;
  unsigned wanted = size >= 4 ? 2 : size - 1;
  if (wanted < entry.granuleBits)
    split(entry, begin, wanted);
  uint64_t inPage = offset - begin;
  size_t first = inPage >> entry.granuleBits;
  size_t last = (inPage + size - 1) >> entry.granuleBits;
  for (size_t i = first; i <= last; ++i)
    if (Stamp other =
            update(clocks, entry.cells[i], begin + (i << entry.granuleBits),
                   current, isWrite))
      return other;
  return Stamp();
}

} // namespace smex::ptx
