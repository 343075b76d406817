#include "compiler/memory/OverlapProblem.h"

#include "compiler/memory/Epilogues.h"
#include "compiler/memory/Lifetimes.h"
#include "dialects/tdl/analysis/Properties.h"

#include <limits>
#include <map>
#include <set>
#include <tuple>

using namespace mlir;
using namespace smex;
using memory::OverlapProblem;

namespace {

class Making {
public:
  Making(exec::ProgramOp program, exec::Regions &regions,
         const memory::Rates &rates, ArrayRef<int64_t> capacities)
      : program(program), regions(regions), rates(rates),
        workers(program.getWorkers()), capacities(capacities),
        list(exec::instructions(program)), lambdas(program->getParentOp()),
        views(memory::viewsOf(program)) {
    for (const memory::View &view : views.all)
      replaced.push_back(memory::replacements(program, lambdas, view));
  }

  OverlapProblem make() {
    storages();
    for (Operation *op : list)
      made.tasks.push_back(taskOf(op));
    share();
    keepOrder();
    keepParameters();
    keepBiases();
    return std::move(made);
  }

private:
  int64_t elementBytes(exec::BufferOp buffer) const {
    auto type = cast<RankedTensorType>(buffer.getTensorType());
    return byteSize(*tdl::toDType(type.getElementType()));
  }

  /// Bytes on each worker, and on the host for each; those of the same sizes
  /// count once.
  void storages() {
    const bool usesHost =
        llvm::any_of(program.getOps<exec::BufferOp>(), exec::isOnHost);
    const std::vector<std::vector<int>> ofViews = storagesOfViews();
    // Per worker and storage: on the devices, then on the host.
    std::vector<std::vector<int64_t>> bytes(usesHost ? 2 * workers : workers);
    for (auto &all : bytes)
      all.resize(made.storage.size());
    size_t b = 0;
    for (auto buffer : program.getOps<exec::BufferOp>()) {
      const std::vector<Box> &boxes = regions.of(buffer);
      for (int64_t w = 0; w < workers; ++w) {
        const size_t view = views.of[size_t(w)];
        const int number = ofViews[view][b];
        if (number < 0 || replaced[view].contains(buffer))
          continue;
        const bool isHost = exec::isOnHostOf(buffer, w);
        bytes[isHost ? workers + w : w][size_t(number)] =
            (volume(boxes[w]) * elementBytes(buffer) + 63) / 64 * 64;
      }
      ++b;
    }
    // On the host?, and its capacity.
    std::set<std::tuple<bool, int64_t, std::vector<int64_t>>> kinds;
    for (size_t w = 0; w < bytes.size(); ++w)
      kinds.insert({int64_t(w) >= workers,
                    w < capacities.size() ? capacities[w]
                                          : std::numeric_limits<int64_t>::max(),
                    std::move(bytes[w])});
    for (const auto &[isHost, capacity, kind] : kinds) {
      made.room.alike.push_back(isHost);
      made.room.capacities.push_back(capacity);
      for (size_t b = 0; b < kind.size(); ++b)
        made.storage[b].bytes.push_back(kind[b]);
    }
  }

  /// Per view and buffer the number of its storage, or -1: it is another
  /// buffer's. Views that use a buffer alike have one of it.
  std::vector<std::vector<int>> storagesOfViews() {
    struct Use {
      int64_t at;
      bool isWrite;
      bool operator<(const Use &other) const {
        return std::tie(at, isWrite) < std::tie(other.at, other.isWrite);
      }
    };
    std::vector<llvm::DenseMap<Operation *, std::vector<Use>>> uses;
    std::vector<llvm::DenseMap<Operation *, memory::Lived>> lived;
    for (const memory::View &view : views.all) {
      lived.push_back(memory::lifetimes(program, view));
      auto &own = uses.emplace_back();
      for (const auto [op, at] : view.steps()) {
        own[view.written(op)].push_back({at, true});
        for (exec::BufferOp buffer : view.read(op))
          own[buffer].push_back({at, false});
      }
    }
    numbers.resize(views.all.size());
    std::vector<std::vector<int>> found(views.all.size());
    for (auto buffer : program.getOps<exec::BufferOp>()) {
      std::map<std::tuple<bool, bool, std::vector<Use>>, int> known;
      for (size_t v = 0; v < views.all.size(); ++v) {
        if (views.all[v].storage(buffer) != buffer) {
          found[v].push_back(-1);
          numbers[v][buffer] = numbers[v].at(views.all[v].storage(buffer));
          continue;
        }
        const auto [lower, upper] = lived[v].at(buffer);
        const bool fromStart = lower < 0;
        const bool toEnd = upper > int64_t(list.size());
        const auto [entry, isNew] =
            known.try_emplace({fromStart, toEnd, uses[v].lookup(buffer)},
                              int(made.storage.size()));
        if (isNew)
          made.storage.push_back({{}, fromStart, toEnd});
        numbers[v][buffer] = entry->second;
        found[v].push_back(entry->second);
      }
    }
    return found;
  }

  memory::Task taskOf(Operation *op) {
    memory::Task task;
    const auto add = [](std::vector<int> &to, int number) {
      if (!llvm::is_contained(to, number))
        to.push_back(number);
    };
    for (size_t v = 0; v < views.all.size(); ++v) {
      if (!views.all[v].does(op))
        continue;
      add(task.writes, numbers[v].at(exec::written(op)));
      for (exec::BufferOp buffer : exec::read(op))
        add(task.reads, numbers[v].at(buffer));
    }
    task.queue = exec::queueOf(op);
    task.seconds = rates.launch + timeOf(op);
    return task;
  }

  /// Who does what; workers that do the same are one.
  void share() {
    std::vector<std::vector<int>> done(static_cast<size_t>(workers));
    for (size_t i = 0; i < list.size(); ++i) {
      const std::vector<bool> doers = regions.doers(list[i]);
      for (size_t w = 0; w < doers.size(); ++w)
        if (doers[w])
          done[w].push_back(int(i));
    }
    std::map<std::vector<int>, int> kinds;
    for (std::vector<int> &instructions : done) {
      const auto [kind, isNew] =
          kinds.try_emplace(std::move(instructions), int(kinds.size()));
      if (!isNew)
        continue;
      for (const int i : kind->first)
        made.tasks[size_t(i)].workers.push_back(kind->second);
    }
  }

  double timeOf(Operation *op) {
    if (auto compute = dyn_cast<exec::ComputeOp>(op))
      return computing(compute);
    return exec::isMove(op) ? crossingToHost(op) : moving(op);
  }

  /// On the worker that does most.
  double computing(exec::ComputeOp op) {
    const tdl::Lambda &lambda = lambdas[op.getLambdaAttr().getAttr()];
    double flops = 0, bytes = 0;
    for (const Box &box : regions.indices(op)) {
      double points = double(analysis::flopsPerPoint(lambda));
      for (Interval side : box)
        points *= double(side.size());
      flops = std::max(flops, box.isAbsent() ? 0 : points);
    }
    bytes += double(mostBytes(exec::written(op)));
    for (exec::BufferOp buffer : exec::read(op))
      bytes += double(mostBytes(buffer));
    return std::max(flops / rates.flops, bytes / rates.memory);
  }

  /// Of the worker that has most of the buffer.
  int64_t mostBytes(exec::BufferOp buffer) {
    int64_t most = 0;
    for (const Box &box : regions.of(buffer))
      most = std::max(most, volume(box));
    return most * elementBytes(buffer);
  }

  double crossingToHost(Operation *op) {
    return double(rates.host) * double(mostBytes(exec::written(op)));
  }

  /// On the worker whose links take longest.
  double moving(Operation *op) {
    std::vector<int64_t> taken = regions.received(op);
    for (size_t s = 0; s < rates.links.size(); ++s) {
      // All bytes cost what the last step's links do, those that an earlier one
      // parts as much more as its links are slower.
      const bool isLast = s + 1 == rates.links.size();
      const int64_t more = rates.links[s] - (isLast ? 1 : rates.links[s + 1]);
      if (more == 0)
        continue;
      const std::vector<int64_t> crossing = regions.crossing(op, s + 1);
      for (size_t w = 0; w < taken.size(); ++w)
        taken[w] += more * crossing[w];
    }
    return double(*llvm::max_element(taken)) *
           double(elementBytes(exec::read(op).front()));
  }

  /// A next value that is to take its parameter's place stays behind all that
  /// read the parameter.
  void keepParameters() {
    std::map<int, std::vector<int>> readers; // by storage
    for (size_t i = 0; i < made.tasks.size(); ++i) {
      for (size_t v = 0; v < views.all.size(); ++v) {
        const auto parameter = replaced[v].find(exec::written(list[i]));
        if (parameter == replaced[v].end() || !views.all[v].does(list[i]))
          continue;
        const auto &before =
            readers[numbers[v].at(exec::BufferOp(parameter->second))];
        made.tasks[i].after.insert(made.tasks[i].after.end(), before.begin(),
                                   before.end());
      }
      for (int buffer : made.tasks[i].reads)
        readers[buffer].push_back(int(i));
    }
  }

  /// What is kept in place of another buffer comes before that, on all workers.
  void keepOrder() {
    llvm::DenseMap<Operation *, std::vector<int>> writers; // by buffer
    for (size_t i = 0; i < list.size(); ++i) {
      exec::BufferOp to = exec::written(list[i]);
      if (exec::BufferOp as = exec::keptAs(to))
        made.tasks[i].after.insert(made.tasks[i].after.end(),
                                   writers[as].begin(), writers[as].end());
      writers[to].push_back(int(i));
    }
  }

  /// A bias that is there before the product stays so: a library may add it to
  /// what the product makes.
  void keepBiases() {
    llvm::DenseMap<Operation *, int> places;
    for (size_t i = 0; i < list.size(); ++i)
      places[list[i]] = int(i);
    for (memory::PossibleEpilogue each :
         memory::possibleEpilogues(program, regions, lambdas)) {
      if (!each.bias || !memory::isWrittenBefore(each.bias, each.product))
        continue;
      memory::Task &product = made.tasks[size_t(places.at(each.product))];
      for (Operation *user : each.bias->getUsers())
        if (const auto place = places.find(user);
            place != places.end() && exec::written(user) == each.bias)
          product.after.push_back(place->second);
    }
  }

  exec::ProgramOp program;
  exec::Regions &regions;
  const memory::Rates &rates;
  int64_t workers;
  ArrayRef<int64_t> capacities;
  std::vector<Operation *> list;
  tdl::LambdaTable lambdas;
  memory::Views views;
  // Of each view.
  std::vector<llvm::DenseMap<Operation *, exec::BufferOp>> replaced;
  std::vector<llvm::DenseMap<Operation *, int>> numbers; // of storages
  OverlapProblem made;
};

} // namespace

OverlapProblem memory::overlapProblemOf(exec::ProgramOp program,
                                        exec::Regions &regions,
                                        const Rates &rates,
                                        ArrayRef<int64_t> capacities) {
  return Making(program, regions, rates, capacities).make();
}
