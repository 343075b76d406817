#include "compiler/placement/WindowAnneal.h"

#include <algorithm>
#include <cmath>

using namespace smex;
using namespace smex::placement;

namespace {

class Annealing {
public:
  Annealing(Window &window, const WindowAnnealParams &params)
      : window(window), params(params), isMoved(size_t(window.size())) {
    for (int i = 0; i < window.size(); ++i)
      if (const auto &unit = window.unit(i); !unit.empty() && unit.front() == i)
        movable.push_back(i);
  }

  void run() {
    double now = window.run(kNever), bestSeconds = now;
    if (movable.empty())
      return;
    std::vector<int> best = window.devices(), bestOrder = window.order();
    window.critical(path);
    double mean = 0;
    for (int i = 0; i < window.size(); ++i)
      mean += window.secondsOf(i) / window.size();
    const double hot = kHot * mean, cold = kCold * mean;
    double temperature = hot;
    for (int64_t step = 0; step < params.moves; ++step) {
      if (step % 32 == 0)
        temperature =
            hot * std::pow(cold / hot, double(step) / double(params.moves));
      propose();
      if (changed.empty() && shifted.empty())
        continue;
      const double enough = now - temperature * std::log(1 - unit());
      const double then = window.run(enough);
      if (then > enough) {
        for (const auto &[i, device] : changed)
          window.put(i, device);
        for (size_t s = shifted.size(); s-- > 0;)
          window.shift(shifted[s].first, shifted[s].second);
        continue;
      }
      now = then;
      window.critical(path);
      if (now < bestSeconds * (1 - 1e-12)) {
        bestSeconds = now;
        best = window.devices();
        bestOrder = window.order();
      }
    }
    window.putAll(best);
    window.reorder(bestOrder);
    window.run(kNever);
  }

private:
  static constexpr double kNever = 1e300;
  /// Temperatures against what a task takes in the mean. Hotter, a window ends
  /// far from where it began, and no longer fits what comes after it.
  static constexpr double kHot = 0.1, kCold = 0.002;

  int64_t below(int64_t n) { return params.random.below(n, drawn++); }
  double unit() { return double(params.random.bits(drawn++) >> 11) * 0x1p-53; }

  void move(int i, int device) {
    for (int member : window.unit(i)) {
      changed.emplace_back(member, window.deviceOf(member));
      window.put(member, device);
    }
  }

  /// Mostly one that decides how long the whole takes.
  int pick() {
    if (!path.empty() && below(4) != 0)
      for (int tries = 0; tries < 4; ++tries) {
        const int i = path[size_t(below(int64_t(path.size())))];
        if (!window.unit(i).empty())
          return i;
      }
    return movable[size_t(below(int64_t(movable.size())))];
  }

  /// Another device, rather that of a neighbour.
  int target(int i) {
    const int own = window.deviceOf(i);
    if (below(2) == 0) {
      const auto &links = window.links(i);
      const auto &outside = window.outside(i);
      if (const int64_t all = int64_t(links.size() + outside.size()); all > 0) {
        const int64_t k = below(all);
        const int device = k < int64_t(links.size())
                               ? window.deviceOf(links[size_t(k)].other)
                               : outside[size_t(k) - links.size()];
        if (device != own && device != window.deviceCount())
          return device;
      }
    }
    const int device = int(below(window.deviceCount() - 1));
    return device < own ? device : device + 1;
  }

  void propose() {
    changed.clear();
    shifted.clear();
    const int i = pick(), own = window.deviceOf(i);
    const int64_t what = params.ordersTasks ? below(3) : 0;
    if (what == 1)
      return pass(i);
    const int to = target(i);
    if (what == 2) {
      move(i, to);
      return pass(i);
    }
    const int64_t kind = below(16);
    if (kind < 8) {
      move(i, to);
    } else if (kind < 12) {
      moveGroup(i, own, to, size_t(2) << below(5));
    } else if (kind < 14) {
      // With one that is near and on the other device.
      for (int tries = 0; tries < 8; ++tries) {
        const int other =
            std::clamp(i + int(below(33)) - 16, 0, window.size() - 1);
        if (window.deviceOf(other) != to || window.unit(other).empty())
          continue;
        move(i, to);
        move(other, own);
        return;
      }
      move(i, to);
    } else {
      exchange(i, own, to, 2 + int(below(1 + window.size() / 2)));
    }
  }

  /// The task comes before some of those before it on its device, or rarely
  /// behind some behind it, as far as the edges let it.
  void pass(int i) {
    const int own = window.deviceOf(i), from = window.placeOf(i);
    const auto [first, last] = window.placesFor(i);
    const bool isEarlier = below(4) != 0;
    int64_t others = 1 + below(int64_t(1) << below(4));
    int to = from;
    for (int place = from + (isEarlier ? -1 : 1);
         others > 0 && place >= first && place <= last;
         place += isEarlier ? -1 : 1)
      if (window.deviceOf(window.order()[size_t(place)]) == own) {
        to = place;
        --others;
      }
    if (to == from)
      return;
    shifted.emplace_back(i, from);
    window.shift(i, to);
  }

  /// The task, and neighbours of neighbours on its device.
  void moveGroup(int i, int own, int to, size_t most) {
    group.assign(1, i);
    isMoved[size_t(i)] = true;
    for (size_t next = 0; next < group.size() && group.size() < most; ++next) {
      const auto &links = window.links(group[next]);
      const size_t offset =
          links.empty() ? 0 : size_t(below(int64_t(links.size())));
      for (size_t k = 0; k < links.size() && group.size() < most; ++k) {
        const int other = links[(k + offset) % links.size()].other;
        if (isMoved[size_t(other)] || window.deviceOf(other) != own ||
            window.unit(other).empty())
          continue;
        isMoved[size_t(other)] = true;
        group.push_back(other);
      }
    }
    for (int member : group) {
      isMoved[size_t(member)] = false;
      if (window.deviceOf(member) == own)
        move(member, to);
    }
  }

  /// All of a stretch that are on either of two devices are on the other one.
  void exchange(int from, int a, int b, int length) {
    for (int i = from; i < std::min(from + length, window.size()); ++i) {
      const auto &unit = window.unit(i);
      if (unit.empty() || unit.front() != i)
        continue;
      const int d = window.deviceOf(i);
      if (d == a || d == b)
        move(i, a + b - d);
    }
  }

  Window &window;
  const WindowAnnealParams &params;
  uint64_t drawn = 0;
  std::vector<int> movable; // the first of each unit
  std::vector<int> path, group;
  std::vector<char> isMoved;
  std::vector<std::pair<int, int>> changed; // task, device before
  std::vector<std::pair<int, int>> shifted; // task, place before
};

} // namespace

void placement::annealWindow(Window &window, const WindowAnnealParams &params) {
  Annealing(window, params).run();
}
