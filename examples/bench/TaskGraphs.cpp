#include "examples/bench/TaskGraphs.h"

#include "dialects/support/Random.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace smex;
using namespace smex::bench;
using placement::MemoryKind;
using placement::Task;
using placement::TaskGraph;

namespace {

constexpr double kBytesPerSecond = 25e9, kLatency = 2e-6;

class Drawing {
public:
  Drawing(const GraphSize &size, const char *name)
      : size(size), random(size.seed, name) {}

  int64_t below(int64_t n) { return random.below(n, drawn++); }
  /// Seconds of one task, 1 to 100 microseconds.
  double seconds() { return double(1 + below(100)) * 1e-6; }
  int count() const { return int(graph.tasks.size()); }
  bool isFull() const { return count() >= size.tasks; }

  /// A task that reads all that is given. What it makes has as many bytes as
  /// take CCR times as long as a task in the mean, up to twice that.
  int add(double seconds, const std::vector<int> &inputs, double bytes = 1) {
    Task task;
    task.name = "t" + std::to_string(count());
    task.seconds = seconds;
    const double mean = 50e-6 * size.ccr * kBytesPerSecond;
    task.bytes = std::max<int64_t>(
        1, int64_t(mean * bytes * double(1 + below(100)) / 50));
    graph.tasks.push_back(task);
    const int made = count() - 1;
    for (int input : inputs)
      graph.edges.push_back({input, made, graph.tasks[size_t(input)].bytes});
    return made;
  }
  int add(const std::vector<int> &inputs) { return add(seconds(), inputs); }

  int parameter(double bytes = 0.5) {
    const int made = add(0, {}, bytes);
    graph.tasks[size_t(made)].memory = MemoryKind::Residual;
    return made;
  }

  TaskGraph take() { return std::move(graph); }

  const GraphSize size;

private:
  const Random random;
  uint64_t drawn = 0;
  TaskGraph graph;
};

/// Forward operators, and then for each its gradient, which takes twice as long
/// and reads the gradients of its readers and what the operator read.
class Training {
public:
  explicit Training(Drawing &drawing) : drawing(drawing) {}

  int add(const std::vector<int> &inputs, bool hasParameter = false,
          double seconds = 0) {
    Operator op;
    op.inputs = inputs;
    op.seconds = seconds > 0 ? seconds : drawing.seconds();
    std::vector<int> reads;
    for (int input : inputs)
      reads.push_back(all[size_t(input)].task);
    if (hasParameter)
      reads.push_back(op.parameter = drawing.parameter());
    op.task = drawing.add(op.seconds, reads);
    all.push_back(op);
    for (int input : inputs)
      all[size_t(input)].readers.push_back(int(all.size()) - 1);
    return int(all.size()) - 1;
  }

  void gradients() {
    std::vector<int> gradient(all.size());
    for (size_t i = all.size(); i-- > 0;) {
      const Operator &op = all[i];
      std::vector<int> reads;
      for (int reader : op.readers)
        reads.push_back(gradient[size_t(reader)]);
      for (int input : op.inputs)
        reads.push_back(all[size_t(input)].task);
      if (op.parameter >= 0)
        reads.push_back(op.parameter);
      if (op.readers.empty())
        reads.push_back(op.task);
      gradient[i] = drawing.add(2 * op.seconds, reads);
    }
  }

private:
  struct Operator {
    int task = -1, parameter = -1;
    double seconds = 0;
    std::vector<int> inputs, readers; // operators
  };
  Drawing &drawing;
  std::vector<Operator> all;
};

TaskGraph layered(const GraphSize &size) {
  Drawing draw(size, "layered");
  const int width = std::max(4, int(std::sqrt(double(size.tasks))));
  std::vector<int> last, next;
  while (!draw.isFull()) {
    next.clear();
    for (int64_t left = 1 + draw.below(2 * width); left > 0; --left) {
      std::vector<int> inputs;
      for (int64_t k = 1 + draw.below(3); k > 0 && !last.empty(); --k)
        inputs.push_back(last[size_t(draw.below(int64_t(last.size())))]);
      std::sort(inputs.begin(), inputs.end());
      inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
      next.push_back(draw.add(inputs));
    }
    last = next;
  }
  return draw.take();
}

TaskGraph forkJoin(const GraphSize &size) {
  Drawing draw(size, "fork-join");
  int last = draw.add({});
  while (!draw.isFull()) {
    std::vector<int> ends;
    const int64_t width = 2 + draw.below(30), length = 1 + draw.below(6);
    for (int64_t b = 0; b < width; ++b) {
      int at = last;
      for (int64_t i = 0; i < length; ++i)
        at = draw.add({at});
      ends.push_back(at);
    }
    last = draw.add(ends);
  }
  return draw.take();
}

TaskGraph seriesParallel(const GraphSize &size) {
  Drawing draw(size, "series-parallel");
  // The end of a part of so many tasks behind `from`.
  const std::function<int(int, int64_t, int)> part =
      [&](int from, int64_t tasks, int depth) -> int {
    if (tasks <= 2 || depth > 200) {
      int at = from;
      for (int64_t i = 0; i < std::max<int64_t>(1, tasks); ++i)
        at = draw.add({at});
      return at;
    }
    const int64_t first = 1 + draw.below(tasks - 1);
    if (draw.below(2))
      return part(part(from, first, depth + 1), tasks - first, depth + 1);
    const int fork = draw.add({from});
    std::vector<int> ends;
    const int64_t branches = 2 + draw.below(3);
    for (int64_t b = 0; b < branches; ++b)
      ends.push_back(part(fork, (tasks - 2) / branches, depth + 1));
    return draw.add(ends);
  };
  int last = draw.add({});
  while (!draw.isFull())
    last = part(last, std::min(size.tasks - draw.count(), 400), 0);
  return draw.take();
}

/// An unrolled recurrent network: layers by timesteps, cells of five operators,
/// forward and backward.
TaskGraph recurrent(const GraphSize &size) {
  Drawing draw(size, "rnn");
  Training training(draw);
  const int cells = std::max(4, size.tasks / 11);
  const int layers = std::clamp(int(std::sqrt(double(cells)) / 2), 2, 10);
  const int steps = std::max(2, cells / layers);
  double seconds[5];
  for (double &each : seconds)
    each = draw.seconds();
  std::vector<int> state(static_cast<size_t>(layers), -1);
  for (int t = 0; t < steps; ++t) {
    int below = training.add({}, false, 1e-6);
    for (int layer = 0; layer < layers; ++layer) {
      int &before = state[size_t(layer)];
      const int ofInput = training.add({below}, t == 0, seconds[0]);
      std::vector<int> inputs = {ofInput};
      if (before >= 0)
        inputs.push_back(training.add({before}, false, seconds[1]));
      const int sum = training.add(inputs, false, seconds[2] / 4);
      const int gate = training.add({sum}, false, seconds[3] / 4);
      before = training.add({gate, sum}, false, seconds[4] / 4);
      below = before;
    }
  }
  training.gradients();
  return draw.take();
}

/// A chain of blocks with a short side branch each, as a residual network.
TaskGraph residual(const GraphSize &size) {
  Drawing draw(size, "resnet");
  Training training(draw);
  int last = training.add({});
  while (draw.count() < size.tasks * 9 / 20) {
    int main = last;
    for (int i = 0; i < 3; ++i)
      main = training.add({training.add({main}, true)});
    const int side = draw.below(4) == 0 ? training.add({last}, true) : last;
    last = training.add({main, side});
  }
  training.gradients();
  return draw.take();
}

/// Layers of attention with heads side by side, then two products.
TaskGraph transformer(const GraphSize &size) {
  Drawing draw(size, "transformer");
  Training training(draw);
  const int heads = 8;
  int last = training.add({});
  while (draw.count() < size.tasks * 9 / 20) {
    std::vector<int> made;
    const double seconds[] = {draw.seconds(), draw.seconds(), draw.seconds()};
    const int normal = training.add({last});
    for (int h = 0; h < heads; ++h) {
      const int q = training.add({normal}, true, seconds[0]);
      const int k = training.add({normal}, true, seconds[0]);
      const int v = training.add({normal}, true, seconds[0]);
      const int soft = training.add({training.add({q, k}, false, seconds[1])});
      made.push_back(training.add({soft, v}, false, seconds[2]));
    }
    const int sum = training.add({training.add(made, true), last});
    const int inner = training.add({training.add({sum}, true)});
    last = training.add({training.add({inner}, true), sum});
  }
  training.gradients();
  return draw.take();
}

/// As E3D-LSTM: cells in a grid, each of which recalls several past states of
/// its layer.
TaskGraph e3d(const GraphSize &size) {
  Drawing draw(size, "e3d");
  Training training(draw);
  const int cells = std::max(4, size.tasks / 22), layers = 4, recalled = 4;
  const int steps = std::max(2, cells / layers);
  std::vector<std::vector<int>> states(static_cast<size_t>(layers));
  int memory = -1; // goes zigzag through all layers
  for (int t = 0; t < steps; ++t) {
    int below = training.add({});
    for (auto &past : states) {
      std::vector<int> gates;
      for (int g = 0; g < 4; ++g) {
        std::vector<int> inputs = {below};
        if (!past.empty())
          inputs.push_back(past.back());
        if (g == 3 && memory >= 0)
          inputs.push_back(memory);
        gates.push_back(training.add(inputs, t == 0));
      }
      std::vector<int> inputs = {gates[0]};
      for (size_t i = 0; i < size_t(recalled) && i < past.size(); ++i)
        inputs.push_back(past[past.size() - 1 - i]);
      const int recall = training.add(inputs);
      const int state = training.add({training.add({recall}), gates[1]});
      memory = training.add({gates[2], gates[3]});
      below = training.add({state, memory});
      past.push_back(below);
    }
  }
  training.gradients();
  return draw.take();
}

/// A model of random operators, each of which reads up to three of the last.
TaskGraph randomTraining(const GraphSize &size) {
  Drawing draw(size, "training");
  Training training(draw);
  const int operators = std::max(3, size.tasks * 4 / 9), window = 48;
  for (int i = 0; i < operators; ++i) {
    std::vector<int> inputs;
    for (int64_t k = 1 + draw.below(3); i > 0 && k > 0; --k)
      inputs.push_back(i - 1 - int(draw.below(std::min(i, window))));
    std::sort(inputs.begin(), inputs.end());
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    training.add(inputs, i % 4 == 0);
  }
  training.gradients();
  return draw.take();
}

} // namespace

const std::vector<GraphClass> &bench::graphClasses() {
  static const std::vector<GraphClass> all = {
      {"layered", "layers at random, edges between neighbouring ones", layered},
      {"fork-join", "chains side by side, then joined, one after the other",
       forkJoin},
      {"series-par", "series and parallel parts in each other", seriesParallel},
      {"rnn", "layers by timesteps, forward and backward", recurrent},
      {"resnet", "a chain with side branches, forward and backward", residual},
      {"transformer", "eight heads side by side, forward and backward",
       transformer},
      {"e3d", "a grid of cells that recall past states, forward and backward",
       e3d},
      {"training", "random operators, forward and backward", randomTraining},
  };
  return all;
}

placement::Devices bench::devicesOf(int count) {
  placement::Devices devices;
  devices.count = count;
  devices.bytesPerSecond = devices.hostBytesPerSecond = kBytesPerSecond;
  devices.latencySeconds = kLatency;
  return devices;
}
