// The queues that a worker does its instructions on.
#ifndef SMEX_DIALECTS_SUPPORT_QUEUE_H
#define SMEX_DIALECTS_SUPPORT_QUEUE_H

#include <iterator>

namespace smex {

/// A GPU computes, copies from other GPUs, and copies to and from the host, all
/// at the same time. Each queue of a worker does its instructions in the order
/// of the list, and only waits order the queues.
enum class Queue { Computing, Transfers, ToHost, FromHost };
constexpr Queue queues[] = {Queue::Computing, Queue::Transfers, Queue::ToHost,
                            Queue::FromHost};
constexpr int queueCount = int(std::size(queues));

} // namespace smex

#endif
