#include "compiler/memory/View.h"

#include <map>

using namespace mlir;
using namespace smex;
using memory::View;

View::View(exec::ProgramOp program, int64_t worker) : worker(worker) {
  const auto all = exec::instructions(program);
  for (size_t i = 0; i < all.size(); ++i)
    if (does(all[i]))
      list.push_back({all[i], int64_t(i)});
}

exec::BufferOp View::storage(exec::BufferOp buffer) const {
  return worker < 0 ? buffer : exec::storageOf(buffer, worker);
}

std::vector<exec::BufferOp> View::read(Operation *op) const {
  std::vector<exec::BufferOp> buffers = exec::read(op);
  for (exec::BufferOp &buffer : buffers)
    buffer = storage(buffer);
  return buffers;
}

exec::BufferOp View::written(Operation *op) const {
  return storage(exec::written(op));
}

memory::Views memory::viewsOf(exec::ProgramOp program) {
  Views views;
  std::vector<exec::BufferOp> kept;
  for (auto buffer : program.getOps<exec::BufferOp>())
    if (buffer.getKeptOn())
      kept.push_back(buffer);
  std::map<std::vector<bool>, size_t> known;
  for (int64_t w = 0; w < program.getWorkers(); ++w) {
    std::vector<bool> key;
    for (exec::BufferOp buffer : kept)
      key.push_back(exec::isKept(buffer, w));
    const auto [view, isNew] = known.try_emplace(key, views.all.size());
    if (isNew && kept.empty())
      views.all.emplace_back(program);
    else if (isNew)
      views.all.emplace_back(program, w);
    views.of.push_back(view->second);
  }
  return views;
}
