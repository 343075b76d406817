#include "test/emulated/nccl/Case.h"

#include <array>

using namespace smex::emulated::nccl;

std::vector<Case> smex::emulated::nccl::emulatedCases() {
  return {
      {"pinned memory of the host", "4 0",
       [] {
         return alone([](Rank &r) {
           void *pinned = nullptr;
           lib.cuMemAllocHost_v2(&pinned, count);
           const std::string refused = text(lib.ncclAllGather(
               r.at(0), pinned, count, int8, r.communicator, r.stream));
           return refused + " " + text(gather(r, 0, 2));
         });
       },
       1, "not emulated: buffers in memory of the host"},
      {"bytes that nobody has written", "719",
       [] {
         return alone([](Rank &r) {
           gather(r, 3, 2);
           return synchronized(r);
         });
       },
       1, "nobody has written"},
      {"more than there is", "4",
       [] {
         return alone([](Rank &r) { return text(gather(r, 0, 3, 2 * count)); });
       },
       1, "not in one allocation"},
      {"buffers that overlap", "4",
       [] {
         return alone([](Rank &r) {
           return text(lib.ncclAllGather(
               r.at(0), reinterpret_cast<void *>(r.memory + 8), count, int8,
               r.communicator, r.stream));
         });
       },
       1, "the buffers overlap"},
      {"an all-reduce whose buffers overlap", "4",
       [] {
         return alone([](Rank &r) {
           return text(lib.ncclAllReduce(
               r.at(0), reinterpret_cast<void *>(r.memory + 8), count, int8,
               sum, r.communicator, r.stream));
         });
       },
       1, "if sendbuff == recvbuff"},
      {"a reduce-scatter whose buffers overlap", "4, 4",
       [] {
         return together({0, 1}, [](Rank &r) {
           return text(reduceScatter(r, 0, size_t(1 - r.number)));
         });
       },
       2, "recvbuff == sendbuff + rank * recvcount"},
      {"a maximum", "4",
       [] {
         return alone([](Rank &r) {
           return text(lib.ncclAllReduce(r.at(0), r.at(2), count, int8, 2,
                                         r.communicator, r.stream));
         });
       },
       1, "not emulated"},
      {"more terms than there are", "4",
       [] {
         return alone(
             [](Rank &r) { return text(reduceScatter(r, 3, 0, 2 * count)); });
       },
       1, "not in one allocation"},
      {"a communicator after its end", "4",
       [] {
         return alone([](Rank &r) {
           lib.ncclCommDestroy(r.communicator);
           return text(gather(r, 0, 2));
         });
       },
       1, "was destroyed"},
      {"a group that does not end", "5",
       [] {
         return alone([](Rank &r) {
           lib.ncclGroupStart();
           gather(r, 0, 2);
           const std::string result = text(lib.ncclCommDestroy(r.communicator));
           lib.ncclGroupEnd();
           return result;
         });
       },
       1, "a group is open"},
      {"a stream of another device", "1, 1",
       [] {
         return together({0, 1}, [](Rank &r) {
           Rank other;
           other.device = 1 - r.device;
           other.open();
           lib.cuCtxSetCurrent(r.context);
           return text(lib.ncclAllGather(r.at(0), r.at(2), count, int8,
                                         r.communicator, other.stream));
         });
       },
       2, "the stream is of device"},
      {"one rank twice", "5, 5",
       [] {
         const EmulatedNcclId id = newId();
         std::string results[2];
         Rank ranks[2];
         std::vector<std::thread> threads;
         std::array<int, 2> codes{};
         for (int i = 0; i < 2; ++i)
           threads.emplace_back([&, i] {
             ranks[i].device = i;
             ranks[i].open();
             codes[size_t(i)] =
                 lib.ncclCommInitRank(&ranks[i].communicator, 2, id, 0);
           });
         for (std::thread &thread : threads)
           thread.join();
         // One is refused at once, and the other waits for rank 1 in vain.
         return codes[0] + codes[1] == 5 + 2
                    ? std::string("5, 5")
                    : text(codes[0]) + ", " + text(codes[1]);
       },
       2, "unique within a communicator clique"},
      {"counts that differ", "719, 719",
       [] {
         return together({0, 1}, [](Rank &r) {
           r.number == 0 ? send(r, 0, 1, 8) : receive(r, 2, 0, 9);
           return synchronized(r);
         });
       },
       2, "the same datatype and the same count"},
      {"shares that differ", "719, 719",
       [] {
         return together({0, 1}, [](Rank &r) {
           gather(r, 0, 2, r.number == 0 ? 8 : 16);
           return synchronized(r);
         });
       },
       2, "using the same count and the same datatype"},
      {"terms that differ", "719, 719",
       [] {
         return together({0, 1}, [](Rank &r) {
           reduce(r, 0, 2, r.number == 0 ? 8 : 16);
           return synchronized(r);
         });
       },
       2, "using the same count and the same datatype"},
      {"a sum and a gathering", "719, 719",
       [] {
         return together({0, 1}, [](Rank &r) {
           r.number == 0 ? reduce(r, 0, 2, 8) : gather(r, 0, 2, 8);
           return synchronized(r);
         });
       },
       2, "using the same count and the same datatype"},
      {"two that both send first", "719, 719",
       [] {
         return together({0, 1}, [](Rank &r) {
           send(r, 0, 1 - r.number);
           receive(r, 2, 1 - r.number);
           return synchronized(r);
         });
       },
       2, "a deadlock of ranks"},
      {"collectives in two orders", "719, 719",
       [] {
         return together({0, 1}, [](Rank &r) {
           if (r.number == 0)
             gather(r, 0, 2);
           else
             receive(r, 2, 0);
           return synchronized(r);
         });
       },
       2, "a deadlock of ranks"},
      {"a group that writes one place twice", "5, 5",
       [] {
         return together({0, 1}, [](Rank &r) {
           lib.ncclGroupStart();
           for (int i = 0; i < 2; ++i) {
             send(r, size_t(i), 1 - r.number);
             receive(r, 2, 1 - r.number);
           }
           return text(lib.ncclGroupEnd());
         });
       },
       2, "stricter than NVIDIA's: calls of a group with one peer"},
      {"a group that sends what it receives", "5, 5",
       [] {
         return together({0, 1}, [](Rank &r) {
           lib.ncclGroupStart();
           send(r, 0, 1 - r.number);
           receive(r, 0, 1 - r.number);
           return text(lib.ncclGroupEnd());
         });
       },
       2, "calls within a group can be seen as progressing independently"},
      {"overwriting what is being sent", "719, 0",
       [] {
         return together({0, 1}, [](Rank &r) {
           lib.ncclGroupStart();
           send(r, 0, 1 - r.number);
           receive(r, 2, 1 - r.number);
           lib.ncclGroupEnd();
           void *other = nullptr;
           lib.cuStreamCreate(&other, 1);
           if (r.number == 0)
             lib.cuMemsetD8Async(r.memory, 1, count, other);
           const int first = lib.cuStreamSynchronize(r.stream);
           const int second = lib.cuStreamSynchronize(other);
           return text(first ? first : second);
         });
       },
       2, "two streams race"},
  };
}
