// What is checked of each access to memory.
#include "test/emulated/ptx/Block.h"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace smex::ptx {
namespace {

std::string hex(uint64_t value) {
  std::ostringstream text;
  text << "0x" << std::hex << value;
  return text.str();
}

std::string named(const Range &range) {
  return (range.name.empty() ? std::string("a buffer") : range.name) + ", " +
         std::to_string(range.end - range.begin) + " bytes at " +
         hex(range.begin);
}

/// How far an access misses a range.
std::string distance(const Range &range, uint64_t address, unsigned size) {
  if (address < range.begin)
    return std::to_string(range.begin - address) + " bytes before the first";
  return std::to_string(address + size - range.end) +
         " bytes past the last, at byte " +
         std::to_string(address - range.begin);
}

/// Marks are 0 or 1.
bool allInitialized(const uint8_t *marks, unsigned size) {
  if (size == 4) { // the most frequent
    uint32_t all;
    std::memcpy(&all, marks, 4);
    return all == 0x01010101;
  }
  for (unsigned i = 0; i < size; ++i)
    if (!marks[i])
      return false;
  return true;
}

/// What .nc asks for.
const std::string readOnlySays =
    " (PTX ISA, ld.global.nc: it may come from a read-only cache that is not "
    "coherent, so that nothing writes there while the kernel runs)";

} // namespace

uint64_t Thread::generic(Space space, uint64_t address) {
  switch (space) {
  case Space::Shared:
    return sharedWindow | (address & 0xffffffff);
  case Space::Local:
    return localWindow | (address & 0xffffffff);
  case Space::Param:
    return paramWindow | (address & 0xffffffff);
  default:
    return address;
  }
}

void Thread::uninitialized(const char *what, uint64_t address, unsigned size,
                           const uint8_t *marks) const {
  unsigned first = 0;
  while (marks[first])
    ++first;
  fault(FaultKind::Uninitialized,
        "reads " + std::to_string(size) + " bytes of " + what + " memory at " +
            hex(address) + ", of which byte " + std::to_string(first) +
            " was never written");
}

uint8_t *Thread::access(const Instruction &instruction, uint64_t address,
                        unsigned size, AccessKind kind) {
  if (address & (size - 1))
    fault(FaultKind::Misaligned, "the address " + hex(address) +
                                     " is no multiple of the access's " +
                                     std::to_string(size) + " bytes");
  LaunchState &launch = block->launch;
  address = generic(instruction.space, address);
  switch (address & windowMask) {
  case sharedWindow:
    return block->sharedAccess(*this, instruction, address - sharedWindow, size,
                               kind);
  case localWindow:
    return localAccess(address - localWindow, size, kind);
  case paramWindow: {
    uint64_t offset = address - paramWindow;
    if (kind != AccessKind::Read)
      fault(FaultKind::ReadOnly, "writes a kernel's parameter");
    if (offset > launch.parameters.size() ||
        size > launch.parameters.size() - offset)
      fault(FaultKind::OutOfBounds, "reads past the kernel's parameters");
    return const_cast<uint8_t *>(&launch.parameters[offset]);
  }
  default:
    break;
  }
  // Global memory, constants among it.
  const LaunchState::Recent *recent = launch.recentFor(address);
  Allocation *allocation = recent ? recent->allocation : nullptr;
  if (!allocation) {
    allocation = launch.memory.find(address);
    if (!allocation) {
      const Allocation *near = launch.memory.below(address);
      fault(
          FaultKind::OutOfBounds,
          "the address " + hex(address) + " is in no allocation" +
              (near ? "; the one before it is " +
                          named({near->base, near->end(), near->name}) + ", " +
                          distance({near->base, near->end(), ""}, address, size)
                    : std::string()));
    }
    if (launch.options.reaches && !launch.options.reaches(*allocation))
      fault(FaultKind::OutOfBounds,
            "the address " + hex(address) + " is in the memory of device " +
                std::to_string(allocation->device) +
                ", to which peer access is not enabled");
    recent = launch.remember(allocation);
  }
  uint64_t offset = address - allocation->base;
  if (size > allocation->size - offset) {
    Range range{allocation->base, allocation->end(), allocation->name};
    fault(FaultKind::OutOfBounds,
          "accesses " + named(range) + ", " + distance(range, address, size));
  }
  const std::vector<Range> &ranges = launch.ranges[instruction.origin];
  bool inside = false;
  for (const Range &range : ranges)
    inside |= range.holds(address, size);
  if (!inside) {
    // No pointer argument is known: any buffer that holds all of it will do.
    Range range = ranges.empty() ? launch.memory.rangeOf(address) : ranges[0];
    if (!range.holds(address, size))
      fault(FaultKind::OutOfBuffer, "the pointer is to " + named(range) + "; " +
                                        distance(range, address, size));
    if (ranges.empty() && !allocation->buffers.empty() &&
        range.begin == allocation->base && range.end == allocation->end() &&
        !allocation->buffers.count(range.begin))
      fault(FaultKind::OutOfBuffer, "the address " + hex(address) +
                                        " is in no buffer of " + named(range));
  }
  const LaunchOptions::Watched &watched = launch.options.watched;
  if (watched.address - address < size &&
      (watched.isWritten ? kind != AccessKind::Read
                         : kind != AccessKind::Write))
    fault(FaultKind::Watched, "accesses what is watched");
  uint8_t *marks = &allocation->initialized[offset];
  if (kind != AccessKind::Write && !allInitialized(marks, size))
    uninitialized("global", address, size, marks);
  if (kind != AccessKind::Read) {
    if (allocation->readOnly)
      fault(FaultKind::ReadOnly, "writes the constant " + allocation->name);
    std::fill_n(marks, size, 1);
  }
  if (!allocation->readOnly) {
    if (instruction.isReadOnly)
      readOnly(*recent->shadow, instruction, address, offset, size);
    else if (kind != AccessKind::Read)
      if (const Shadow::Reader *reader = recent->shadow->readerOf(offset, size))
        fault(FaultKind::Race, "writes " + hex(address) + ", which " +
                                   block->nameOf(reader->stamp) +
                                   " has read by .nc at PTX line " +
                                   std::to_string(block->launch.program.lineOf(
                                       *reader->instruction)) +
                                   readOnlySays);
    bool isAtomic = kind == AccessKind::Atomic || instruction.isVolatile;
    if (Stamp other =
            recent->shadow->access(block->clocks, block->stamp(*this, isAtomic),
                                   offset, size, kind != AccessKind::Read))
      fault(FaultKind::Race, "the access to " + hex(address) + " races with " +
                                 block->describe(other));
  }
  return allocation->bytes + offset;
}

void Thread::readOnly(Shadow &shadow, const Instruction &instruction,
                      uint64_t address, uint64_t offset, unsigned size) const {
  if (shadow.isWritten(offset, size))
    fault(FaultKind::Race, "reads " + hex(address) +
                               " by .nc, which the launch has written" +
                               readOnlySays);
  shadow.keepAsRead(offset, size, {block->stamp(*this, false), &instruction});
}

uint8_t *Thread::localAccess(uint64_t offset, unsigned size, AccessKind kind) {
  uint64_t end = frames.back().memory + code->frameBytes;
  if (offset > end || size > end - offset)
    fault(FaultKind::OutOfBounds, "accesses byte " + std::to_string(offset) +
                                      " of local memory, " +
                                      std::to_string(end) + " are in use");
  uint8_t *marks = &localInitialized[offset];
  if (kind != AccessKind::Write && !allInitialized(marks, size))
    uninitialized("local", offset, size, marks);
  std::fill_n(marks, size, 1);
  return &local[offset];
}

uint8_t *Block::sharedAccess(Thread &thread, const Instruction &instruction,
                             uint64_t offset, unsigned size, AccessKind kind) {
  const std::vector<Range> &ranges = launch.ranges[instruction.origin];
  const uint64_t address = sharedWindow + offset;
  bool inside = false;
  for (const Range &range : ranges)
    inside |= range.holds(address, size);
  Range all{sharedWindow + sharedBase, sharedWindow + shared.size(),
            "shared memory"};
  if (!inside) {
    if (!all.holds(address, size))
      thread.fault(FaultKind::OutOfBounds, "accesses " + named(all) + "; " +
                                               distance(all, address, size));
    if (!ranges.empty())
      thread.fault(FaultKind::OutOfBuffer,
                   "accesses " + named(ranges[0]) + "; " +
                       distance(ranges[0], address, size));
  }
  uint8_t *marks = &initialized[offset];
  if (kind != AccessKind::Write && !allInitialized(marks, size))
    thread.fault(FaultKind::Uninitialized,
                 "reads " + std::to_string(size) +
                     " bytes of shared memory "
                     "at byte " +
                     std::to_string(offset - sharedBase) +
                     ", not all of which were written");
  if (kind != AccessKind::Read)
    std::fill_n(marks, size, 1);
  bool isAtomic = kind == AccessKind::Atomic || instruction.isVolatile;
  if (Stamp other = shadow.access(clocks, stamp(thread, isAtomic), offset, size,
                                  kind != AccessKind::Read))
    thread.fault(FaultKind::Race,
                 "the access to byte " + std::to_string(offset - sharedBase) +
                     " of shared memory races with " + describe(other));
  return &shared[offset];
}

} // namespace smex::ptx
