#include "runtime/backends/cuda/HostWaits.h"

#include <algorithm>

using namespace smex;
using namespace smex::cuda;

HostWaits::Guard::Guard(HostWaits &all, int gpu, HostWait what)
    : all(all), gpu(gpu), what(what) {
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.present.push_back(this);
}

HostWaits::Guard::~Guard() {
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.present.erase(std::find(all.present.begin(), all.present.end(), this));
  ++all.over;
}

HostWaits::State HostWaits::look() const {
  const std::lock_guard<std::mutex> lock(mutex);
  State state{over, {}, -1};
  if (present.empty())
    return state;
  const Guard &oldest = *present.front();
  state.worker = oldest.what.worker;
  if (oldest.what.worker >= 0)
    state.oldest = "worker " + std::to_string(oldest.what.worker) + ": ";
  state.oldest += oldest.what.what;
  state.oldest += " (GPU " + std::to_string(oldest.gpu) + ")";
  return state;
}
