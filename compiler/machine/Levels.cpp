#include "compiler/machine/Levels.h"

#include "compiler/machine/Routes.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

using namespace smex;
using namespace smex::machines;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Calls `use(from, to, route)` for all pairs; an error where one has no way.
template <typename Use>
Status forEachRoute(const Machine &machine, size_t gpus, Use use) {
  for (size_t to = 0; to < gpus; ++to) {
    Routes routes(machine); // remembers all that it is asked for
    for (size_t from = 0; from < gpus; ++from) {
      if (from == to)
        continue;
      const Route &route = routes.between(machine.gpus[from], machine.gpus[to]);
      if (route.hops.empty())
        return noWay(machine, int(from), int(to));
      use(from, to, route);
    }
  }
  return {};
}

/// Who sends over something in one direction, and who receives.
struct Users {
  std::set<size_t> sources, destinations;
  /// Each GPU sends to one at a time and receives from one.
  double atOnce() const {
    return double(std::min(sources.size(), destinations.size()));
  }
};

/// What each resource (capacities()) leaves to a GPU while all use it.
Result<std::vector<double>> sharesOfResources(const Machine &machine,
                                              size_t gpus) {
  const size_t links = machine.links.size();
  std::vector<Users> users(2 * links + machine.nodes.size());
  const Status reached = forEachRoute(
      machine, gpus, [&](size_t from, size_t to, const Route &route) {
        const auto add = [&](size_t place) {
          users[place].sources.insert(from);
          users[place].destinations.insert(to);
        };
        for (Route::Hop hop : route.hops)
          add(2 * size_t(hop.link) + !hop.forward);
        for (int resource : route.resources)
          if (size_t(resource) >= 2 * links)
            add(size_t(resource));
      });
  if (!reached)
    return reached.error();
  std::vector<double> shares = capacities(machine);
  for (size_t place = 0; place < shares.size(); ++place) {
    double atOnce = users[place].atOnce();
    if (place < 2 * links && !machine.links[place / 2].duplex)
      atOnce += users[place ^ 1].atOnce();
    shares[place] /= std::max(atOnce, 1.0);
  }
  return shares;
}

/// Bytes per second between two GPUs while all are at it.
class Rates {
public:
  static Result<Rates> of(const Machine &machine, size_t gpus) {
    const auto shares = sharesOfResources(machine, gpus);
    if (!shares)
      return shares.error();
    Rates rates(gpus);
    const Status reached = forEachRoute(
        machine, gpus, [&](size_t from, size_t to, const Route &route) {
          double &rate =
              rates.all[std::min(from, to) * gpus + std::max(from, to)];
          for (int resource : route.resources)
            rate = std::min(rate, (*shares)[size_t(resource)]);
        });
    return reached ? Result<Rates>(std::move(rates)) : reached.error();
  }

  /// The least within all groups of so many.
  double within(size_t size) const {
    double least = infinity;
    for (size_t first = 0; first < gpus; first += size)
      for (size_t a = first; a < first + size; ++a)
        for (size_t b = a + 1; b < first + size; ++b)
          least = std::min(least, all[a * gpus + b]);
    return least;
  }

private:
  explicit Rates(size_t gpus) : gpus(gpus), all(gpus * gpus, infinity) {}

  size_t gpus;
  std::vector<double> all;
};

} // namespace

Status machines::hasGpus(const Machine &machine, int64_t gpus) {
  const size_t count = machine.gpus.size();
  if (size_t(gpus) <= count)
    return {};
  return fail(machine.name, " has ", count,
              count == 1 ? " GPU, not " : " GPUs, not ", gpus);
}

Error machines::noWay(const Machine &machine, int from, int to) {
  return fail(machine.name, " has no way from ", machine.nodeOf(from).name,
              " to ", machine.nodeOf(to).name);
}

Result<std::vector<Level>> machines::levelsOf(const Machine &machine,
                                              int64_t gpus) {
  const size_t count = size_t(gpus);
  if (const Status enough = hasGpus(machine, gpus); !enough)
    return enough.error();
  const auto rates = Rates::of(machine, count);
  if (!rates)
    return rates.error();
  std::vector<Level> levels;
  for (size_t inner = 1; inner < count; inner = size_t(levels.back().gpus)) {
    // The largest groups whose GPUs are as near as can be.
    Level level{gpus, rates->within(count)};
    for (size_t size = count - 1; size > inner; --size)
      if (count % size == 0 && size % inner == 0)
        if (const double rate = rates->within(size);
            rate > level.bytesPerSecond)
          level = {int64_t(size), rate};
    levels.push_back(level);
  }
  return levels;
}

size_t machines::levelOf(const std::vector<Level> &levels, int64_t gpus) {
  size_t level = 0;
  while (level + 1 < levels.size() && levels[level].gpus < gpus)
    ++level;
  return level;
}
