// Which part of an exchange its stream has come to: kernels of this GPU, which
// pack, unpack or combine, or what NCCL does with other ranks. A kernel that
// does not end is this GPU's fault; an operation of NCCL that does not, most
// likely another rank's. An event between two parts tells them apart, and costs
// a step nothing but to record it.
#ifndef SMEX_RUNTIME_BACKENDS_CUDA_EXCHANGEPARTS_H
#define SMEX_RUNTIME_BACKENDS_CUDA_EXCHANGEPARTS_H

#include "runtime/backends/cuda/Api.h"
#include "runtime/backends/cuda/Exchange.h"

namespace smex::cuda {

class ExchangeParts {
public:
  enum class Part { Own, Others };

  explicit ExchangeParts(const Entries &driver) : driver(driver) {}
  /// Where the GPU was entered.
  ~ExchangeParts();

  /// Makes the events, one between two parts of each exchange of the list.
  Code start(const std::vector<Exchange> &list);
  /// An exchange of the list is put on the stream,
  void begin(size_t exchange);
  /// and work of this part of it follows.
  Code enter(Part part, Stream stream);

  /// How many parts are over of an exchange that has begun and is not over, and
  /// which one goes on.
  struct State {
    size_t over = 0;
    Part at = Part::Others;
  };
  State look(size_t exchange) const;

private:
  struct Parts {
    std::vector<Part> parts;   // neighbours differ
    std::vector<Event> events; // at the end of each but the last
  };
  const Entries &driver;
  std::vector<Parts> all;
  size_t exchange = 0, entered = 0; // parts, of the exchange at hand
};

} // namespace smex::cuda

#endif
