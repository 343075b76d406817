// Some tasks that run one after the other in a schedule, while all others stay
// where they are: how long the whole takes for any devices of these, from a
// run of these alone.
//
// What came before is known by when it finished, what comes after by its tails
// (Timeline.h). That is exact as long as what comes after keeps its order, and
// as what came before does not wait for what is in the window.
#ifndef SMEX_COMPILER_PLACEMENT_WINDOW_H
#define SMEX_COMPILER_PLACEMENT_WINDOW_H

#include "compiler/placement/Members.h"
#include "compiler/placement/Timeline.h"

namespace smex::placement {

/// What a window is cut out of, and where the search stands.
struct WindowSource {
  const Problem &problem;
  const Members &members;
  const std::vector<double> &apart; // by edge, as Timeline has it
  const Timeline &timeline;
  /// Whether devices keep to `order`; else they take what is ready first in,
  /// first out, and it is that in which they did.
  bool inGivenOrder;
  std::vector<int> &order;
  const std::vector<int> &position; // in this order, by task
  // As they are now, with what windows before this one have changed:
  Placement &placement;
  std::vector<double> &finish; // by task, of those before the window
  std::vector<double> &free;   // by device
};

class Window {
public:
  /// Tasks `first` to `last` of the order, without the last.
  Window(const WindowSource &source, int first, int last);

  /// Tasks are known by their place in the window.
  int size() const { return int(tasks.size()); }
  int deviceCount() const { return host; }
  int task(int i) const { return tasks[size_t(i)]; }
  int deviceOf(int i) const { return device[size_t(i)]; }
  double secondsOf(int i) const { return seconds[size_t(i)]; }
  void put(int i, int to) { device[size_t(i)] = to; }
  const std::vector<int> &devices() const { return device; }
  void putAll(const std::vector<int> &all) { device = all; }

  /// The order in which tasks run, where they run in a given one.
  const std::vector<int> &order() const { return sequence; }
  int placeOf(int i) const { return places[size_t(i)]; }
  /// The task comes to this place, and those in between move by one.
  /// `placesFor` says the first and the last place that is behind all that it
  /// reads and before all that read it.
  void shift(int i, int place);
  std::pair<int, int> placesFor(int i) const;
  void reorder(const std::vector<int> &all);
  /// Tasks that have to be on one device; empty if one of them is not in the
  /// window, or on the host: the task stays.
  const std::vector<int> &unit(int i) const {
    return units[size_t(unitOf[size_t(i)])];
  }
  /// A task's neighbours: others in the window (place, seconds), and the
  /// devices of those outside.
  struct Link {
    int other;
    double seconds;
  };
  const std::vector<Link> &links(int i) const { return allLinks[size_t(i)]; }
  const std::vector<int> &outside(int i) const { return outsides[size_t(i)]; }

  /// Seconds of the whole; or, once that is more than `enough`, some number
  /// above it.
  double run(double enough);
  /// Tasks that all runs have looked at.
  int64_t work() const { return looked; }
  /// After a `run` that was not cut off: the tasks that decide how long it
  /// takes, the last first.
  void critical(std::vector<int> &path) const;
  /// After such a run: writes placement, order, finish and free.
  void commit(const WindowSource &source) const;

private:
  struct Out {
    int to;
    double seconds;
  };
  double readyOn(size_t i, int d) const {
    return ready0[i * withHost + size_t(d)];
  }

  const bool inGivenOrder;
  const int begin;
  size_t withHost; // devices and the host
  int host;
  std::vector<int> sequence, places; // who is at a place, and where each is
  std::vector<int> tasks, device, unitOf;
  std::vector<double> seconds;
  std::vector<std::vector<int>> units;
  std::vector<std::vector<Link>> allLinks;
  std::vector<std::vector<int>> outsides;
  std::vector<int> outOffsets, inCount, rank, byRank;
  std::vector<Out> outs;
  std::vector<double> ready0, tail0; // by task and device: from and to outside
  std::vector<double> free0, after;  // by device
  // Of a run.
  std::vector<double> ready, finish, free;
  std::vector<int> missing, readyBy, startBy, lastOn;
  std::vector<std::pair<double, int>> queue;
  int last = -1; // the task that decides
  int64_t looked = 0;
};

} // namespace smex::placement

#endif
