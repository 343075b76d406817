#include "runtime/backends/cuda/nccl/Rounds.h"

#include "runtime/plan/Regions.h"

#include <algorithm>
#include <map>

using namespace smex;
using namespace smex::nccl;

namespace {

class Rounds {
public:
  Rounds(const plan::Partitioned &partitioned, int number)
      : partitioned(partitioned), number(number),
        what(partitioned.program.instructions[size_t(number)]),
        element(byteSize(plan::elementType(partitioned.program, what.from))),
        units(partitioned.workers.size()), filled(partitioned.workers.size()) {}

  Result<std::vector<Round>> run() {
    for (Unit &whole : wholeUnits())
      if (Status fits = cut(std::move(whole)); !fits)
        return fits.takeError();
    // One of each worker in turn: rounds are as full as they can be on all.
    bool isLeft = true;
    for (size_t u = 0; isLeft; ++u) {
      isLeft = false;
      for (std::vector<Unit> &own : units)
        if (u < own.size()) {
          place(std::move(own[u]));
          isLeft = true;
        }
    }
    return std::move(rounds);
  }

private:
  /// Bytes of staging, by worker.
  using Needs = std::map<int, int64_t>;

  bool isReduction() const { return what.op == plan::Opcode::Reduce; }
  int64_t stagingOf(int worker) const {
    return partitioned.workers[size_t(worker)].stagingBytes;
  }

  std::vector<Unit> wholeUnits() const {
    std::vector<Unit> all;
    if (isReduction())
      for (int w = 0; w < int(partitioned.workers.size()); ++w)
        if (plan::written(partitioned, w, number))
          all.push_back({w, partitioned.box(w, what.to), {}});
    size_t at = 0;
    for (Message &message : messagesOf(partitioned, number)) {
      if (!isReduction())
        all.push_back({message.to, message.box, {}});
      while (isReduction() && all[at].to != message.to)
        ++at;
      (isReduction() ? all[at] : all.back())
          .messages.push_back({std::move(message), {}, {}});
    }
    return all;
  }

  int64_t bytesOf(const Message &message) const {
    const int64_t bytes = volume(message.box) * element;
    return (bytes + plan::stagingAlignment - 1) / plan::stagingAlignment *
           plan::stagingAlignment;
  }
  bool isPacked(const Message &message) const {
    return message.from != message.to &&
           !runIn(partitioned.box(message.from, what.from), message.box);
  }
  bool isBrought(const Message &message) const {
    return message.from != message.to &&
           (isReduction() ||
            !runIn(partitioned.box(message.to, what.to), message.box));
  }
  Needs needsOf(const Unit &unit) const {
    Needs needs;
    for (const StagedMessage &message : unit.messages) {
      if (isPacked(message))
        needs[message.from] += bytesOf(message);
      if (isBrought(message))
        needs[message.to] += bytesOf(message);
    }
    return needs;
  }

  /// Halves the unit until each part fits.
  Status cut(Unit unit) {
    const auto side =
        std::find_if(unit.box.begin(), unit.box.end(),
                     [](const Interval &each) { return each.size() > 1; });
    for (const auto &[worker, bytes] : needsOf(unit)) {
      if (bytes <= stagingOf(worker))
        continue;
      if (side == unit.box.end() || stagingOf(worker) < plan::stagingAlignment)
        return fail("GPU ", worker, " of the plan keeps ", stagingOf(worker),
                    " bytes of staging for exchanges, and the least of this "
                    "one takes ",
                    side == unit.box.end() ? bytes : plan::stagingAlignment,
                    "; compile the model with --cuda-arch");
      const size_t d = size_t(side - unit.box.begin());
      const Interval all = *side;
      const int64_t middle = all.lo + all.size() / 2;
      for (const Interval half :
           {Interval{all.lo, middle}, Interval{middle, all.hi}})
        if (Status fits = cut(partOf(unit, d, half)); !fits)
          return fits;
      return {};
    }
    units[size_t(unit.to)].push_back(std::move(unit));
    return {};
  }

  static Unit partOf(const Unit &unit, size_t dimension, Interval side) {
    Unit part{unit.to, unit.box, {}};
    part.box[dimension] = side;
    for (const StagedMessage &message : unit.messages)
      if (Box box = intersect(message.box, part.box); !isEmpty(box)) {
        part.messages.push_back(message);
        part.messages.back().box = std::move(box);
      }
    return part;
  }

  /// Takes the first round, of those that its workers have begun or begin next,
  /// where all of them have room.
  void place(Unit unit) {
    const Needs needs = needsOf(unit);
    size_t at = 0;
    for (const auto &[worker, bytes] : needs) {
      const Filled &own = filled[size_t(worker)];
      const bool hasRoom = own.bytes + bytes <= stagingOf(worker);
      at = std::max(at, own.round + (hasRoom ? 0 : 1));
    }
    for (const auto &[worker, bytes] : needs)
      if (Filled &own = filled[size_t(worker)]; own.round < at)
        own = {at, 0};
    const auto take = [&](int worker, const Message &message) {
      int64_t &bytes = filled[size_t(worker)].bytes;
      const int64_t begin = bytes;
      bytes += bytesOf(message);
      return begin;
    };
    for (StagedMessage &message : unit.messages) {
      if (isPacked(message))
        message.packedAt = take(message.from, message);
      if (isBrought(message))
        message.broughtAt = take(message.to, message);
    }
    rounds.resize(std::max(rounds.size(), at + 1));
    rounds[at].push_back(std::move(unit));
  }

  const plan::Partitioned &partitioned;
  const int number;
  const plan::Instruction &what;
  const int64_t element;
  std::vector<std::vector<Unit>> units; // per worker that gets them
  struct Filled {
    size_t round = 0;
    int64_t bytes = 0;
  };
  std::vector<Filled> filled; // per worker, its last round
  std::vector<Round> rounds;
};

} // namespace

Result<std::vector<Round>> nccl::roundsOf(const plan::Partitioned &partitioned,
                                          int instruction) {
  return Rounds(partitioned, instruction).run();
}
