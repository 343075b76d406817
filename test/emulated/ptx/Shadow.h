#ifndef SMEX_TEST_EMULATED_PTX_SHADOW_H
#define SMEX_TEST_EMULATED_PTX_SHADOW_H

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace smex::ptx {

struct Instruction;

/// Who accessed a byte, and when: a valid bit, whether it was atomic, the block
/// (22 bits), the thread in it (10 bits) and the block's time (30 bits), which
/// advances at each barrier. 0 says nobody.
class Stamp {
public:
  Stamp() = default;
  Stamp(uint64_t block, uint64_t thread, uint64_t time, bool isAtomic)
      : bits(uint64_t(1) << 63 | uint64_t(isAtomic) << 62 | block << 40 |
             thread << 30 | time) {}
  explicit operator bool() const { return bits; }
  bool isAtomic() const { return bits >> 62 & 1; }
  uint32_t block() const { return bits >> 40 & ((1 << 22) - 1); }
  uint32_t thread() const { return bits >> 30 & 1023; }
  uint32_t time() const { return bits & ((1 << 30) - 1); }
  bool sameThread(Stamp other) const {
    return ((bits ^ other.bits) << 2 >> 32) == 0;
  }

private:
  uint64_t bits = 0;
};

constexpr uint32_t maximalBlocks = 1 << 22;
constexpr uint32_t maximalTime = (1 << 30) - 1;

/// The order of a block's threads: which accesses are known to be over.
/// A barrier of all threads orders all of them; one of a part of the threads
/// (a named barrier with a count, bar.warp.sync) orders those, and passes on
/// what each of them knew: vector clocks, which exist only after such a one.
class Clocks {
public:
  void start(uint32_t block, uint32_t threads);
  /// All threads met.
  void barrier();
  /// These threads met.
  void barrier(const std::vector<uint32_t> &threads);
  uint32_t time() const { return now; }

  /// Whether an access is over, as far as this thread's order says.
  bool isBefore(Stamp earlier, Stamp current) const {
    if (earlier.sameThread(current))
      return true;
    if (earlier.block() != block)
      return false; // blocks of one launch have no order
    if (earlier.time() < base)
      return true;
    return !known.empty() &&
           earlier.time() <
               known[current.thread() * threads + earlier.thread()];
  }

private:
  uint32_t block = 0, threads = 0;
  uint32_t now = 1;            // the time of accesses
  uint32_t base = 1;           // all accesses of an earlier time are over
  std::vector<uint32_t> known; // by [thread][other thread], or empty
};

/// The shadow of one span of memory: for each byte the accesses that a later
/// one may race with. Where barriers are of all threads and no access is
/// atomic, the last write and two reads are enough. It keeps words while only
/// words are accessed.
class Shadow {
public:
  /// From now on these are not enough.
  void keepAllReads() { keepsAll = true; }
  /// Whether one of these bytes was written.
  bool isWritten(uint64_t offset, unsigned size);
  /// Forgets all accesses.
  void clear();
  /// Records an access of at most 64 bytes, aligned to its size; returns an
  /// access that it races with, or an empty stamp.
  Stamp access(const Clocks &clocks, Stamp current, uint64_t offset,
               unsigned size, bool isWrite);
  /// Who read a byte that nobody may write any more, and by what.
  struct Reader {
    Stamp stamp;
    const Instruction *instruction = nullptr;
  };
  /// Says that these bytes have to stay as they are.
  void keepAsRead(uint64_t offset, unsigned size, Reader reader);
  /// The reader of one of these bytes for whom it has to stay, or null.
  const Reader *readerOf(uint64_t offset, unsigned size) const {
    return readers.empty() ? nullptr : findReader(offset, size);
  }
  /// Calls with (begin, end, whether it was written) for all that was accessed,
  /// in order, neighbours joined.
  template <class Function> void forEachSpan(Function function) const;

private:
  static constexpr unsigned pageBits = 12;
  struct Cell {
    Stamp write, reads[2];
  };
  struct Page {
    unsigned granuleBits = 2; // a cell for so many bytes
    std::vector<Cell> cells;
  };
  Page &page(uint64_t offset);
  /// `first`: the offset of the cell's first byte.
  Stamp update(const Clocks &clocks, Cell &cell, uint64_t first, Stamp current,
               bool isWrite);
  const Reader *findReader(uint64_t offset, unsigned size) const;
  void split(Page &page, uint64_t begin, unsigned granuleBits);

  std::vector<std::unique_ptr<Page>> pages; // by number, null: untouched
  std::vector<uint64_t> touched;            // the numbers of the others
  std::vector<std::unique_ptr<Page>> spare; // of a cleared shadow
  bool keepsAll = false;
  /// Further ones, by the offset of their cell's first byte.
  struct Accesses {
    std::vector<Stamp> writes, reads; // atomic writes, where there are several
  };
  std::unordered_map<uint64_t, Accesses> further;
  /// By byte, in pages by number.
  std::unordered_map<uint64_t, std::vector<Reader>> readers;
  uint64_t lastNumber = ~uint64_t(0);
  Page *lastPage = nullptr;
};

template <class Function> void Shadow::forEachSpan(Function function) const {
  std::vector<uint64_t> numbers = touched;
  std::sort(numbers.begin(), numbers.end());
  uint64_t begin = 0, end = 0;
  bool isWritten = false;
  for (uint64_t number : numbers) {
    const Page &page = *pages[number];
    for (size_t i = 0; i < page.cells.size(); ++i) {
      const Cell &cell = page.cells[i];
      if (!cell.write && !cell.reads[0])
        continue;
      uint64_t at = (number << pageBits) + (i << page.granuleBits);
      if (at != end || isWritten != bool(cell.write)) {
        if (end > begin)
          function(begin, end, isWritten);
        begin = at;
        isWritten = bool(cell.write);
      }
      end = at + (1 << page.granuleBits);
    }
  }
  if (end > begin)
    function(begin, end, isWritten);
}

} // namespace smex::ptx

#endif
