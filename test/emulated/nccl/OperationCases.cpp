#include "test/emulated/nccl/Case.h"

using namespace smex::emulated::nccl;

std::vector<Case> smex::emulated::nccl::operationCases() {
  return {
      // One rank's operations.
      {"a type that there is not", "4",
       [] {
         return alone([](Rank &r) {
           return text(lib.ncclAllGather(r.at(0), r.at(2), count, 99,
                                         r.communicator, r.stream));
         });
       }},
      {"a peer that there is not", "4",
       [] { return alone([](Rank &r) { return text(send(r, 0, 5)); }); }},
      {"a negative peer", "4",
       [] { return alone([](Rank &r) { return text(receive(r, 2, -1)); }); }},
      {"host memory", "4",
       [] {
         return alone([](Rank &r) {
           static char host[count];
           return text(lib.ncclAllGather(host, r.at(2), count, int8,
                                         r.communicator, r.stream));
         });
       }},
      {"gathering from itself", "0, 0, 10 to 10",
       [] {
         return alone([](Rank &r) {
           const int result = gather(r, 1, 2);
           return text(result) + ", " + synchronized(r) + ", " + r.value(2);
         });
       }},
      {"gathering in place", "0, 0, 10 to 10",
       [] {
         return alone([](Rank &r) {
           const int result = gather(r, 1, 1);
           return text(result) + ", " + synchronized(r) + ", " + r.value(1);
         });
       }},
      {"gathering nothing", "0, 0",
       [] {
         return alone([](Rank &r) {
           const int result = gather(r, 0, 2, 0);
           return text(result) + ", " + synchronized(r);
         });
       }},
      {"an all-reduce of one rank", "0, 0, 10 to 10",
       [] {
         return alone([](Rank &r) {
           const int result = reduce(r, 1, 2);
           return text(result) + ", " + synchronized(r) + ", " + r.value(2);
         });
       }},
      {"an all-reduce in place", "0, 0, 10 to 10",
       [] {
         return alone([](Rank &r) {
           const int result = reduce(r, 1, 1);
           return text(result) + ", " + synchronized(r) + ", " + r.value(1);
         });
       }},
      {"a reduce-scatter of one rank", "0, 0, 10 to 10",
       [] {
         return alone([](Rank &r) {
           const int result = reduceScatter(r, 1, 2);
           return text(result) + ", " + synchronized(r) + ", " + r.value(2);
         });
       }},
      {"a reduction that there is not", "4",
       [] {
         return alone([](Rank &r) {
           return text(lib.ncclAllReduce(r.at(0), r.at(2), count, int8, 99,
                                         r.communicator, r.stream));
         });
       }},
      {"sending to itself", "0, 0, 10 to 10",
       [] {
         return alone([](Rank &r) {
           lib.ncclGroupStart();
           send(r, 1, 0);
           receive(r, 2, 0);
           const int result = lib.ncclGroupEnd();
           return text(result) + ", " + synchronized(r) + ", " + r.value(2);
         });
       }},
      {"sending to itself in place", "0, 0, 10 to 10",
       [] {
         return alone([](Rank &r) {
           lib.ncclGroupStart();
           send(r, 1, 0);
           receive(r, 1, 0);
           const int result = lib.ncclGroupEnd();
           return text(result) + ", " + synchronized(r) + ", " + r.value(1);
         });
       }},
      {"sending to itself what nobody takes", "5",
       [] {
         return alone([](Rank &r) {
           lib.ncclGroupStart();
           send(r, 1, 0);
           return text(lib.ncclGroupEnd());
         });
       }},
      {"a group with a refused call", "4 4",
       [] {
         return alone([](Rank &r) {
           lib.ncclGroupStart();
           const int refused = send(r, 1, 7);
           return text(refused) + " " + text(lib.ncclGroupEnd());
         });
       }},

      // Two ranks.
      {"an exchange", "0 0 50 to 50, 0 0 0 to 0",
       [] {
         return together({0, 1}, [](Rank &r) {
           lib.ncclGroupStart();
           send(r, 0, 1 - r.number);
           receive(r, 2, 1 - r.number);
           const int result = lib.ncclGroupEnd();
           return text(result) + " " + synchronized(r) + " " + r.value(2);
         });
       },
       2},
      {"two messages to one peer come in order", "0 0 0 to 10, 0 0 0 to 10",
       [] {
         return together({0, 1}, [](Rank &r) {
           lib.ncclGroupStart();
           for (size_t i = 0; i < 2; ++i)
             r.number == 0 ? send(r, i, 1) : receive(r, 2 + i, 0);
           const int result = lib.ncclGroupEnd();
           return text(result) + " " + synchronized(r) + " " +
                  r.value(r.number == 0 ? 0 : 2, 2 * count);
         });
       },
       2},
      {"gathering from two", "0 0 0 to 50, 0 0 0 to 50",
       [] {
         return together({0, 1}, [](Rank &r) {
           const int result = gather(r, 0, 2);
           return text(result) + " " + synchronized(r) + " " +
                  r.value(2, 2 * count);
         });
       },
       2},
      {"an all-reduce of two", "0 0 70 to 70, 0 0 70 to 70",
       [] {
         return together({0, 1}, [](Rank &r) {
           const int result = reduce(r, 1, 2);
           return text(result) + " " + synchronized(r) + " " + r.value(2);
         });
       },
       2},
      {"a reduce-scatter of two", "0 0 50 to 50, 0 0 70 to 70",
       [] {
         return together({0, 1}, [](Rank &r) {
           const int result = reduceScatter(r, 0, 2);
           return text(result) + " " + synchronized(r) + " " + r.value(2);
         });
       },
       2},
      {"a reduce-scatter in place", "0 0 50 to 50, 0 0 70 to 70",
       [] {
         return together({0, 1}, [](Rank &r) {
           const int result = reduceScatter(r, 0, size_t(r.number));
           return text(result) + " " + synchronized(r) + " " +
                  r.value(size_t(r.number));
         });
       },
       2},
      {"a sum of floats", "0 0 3, 0 0 3",
       [] {
         return together({0, 1}, [](Rank &r) {
           const float own = r.number == 0 ? 1.25f : 1.75f;
           float result = 0;
           lib.cuMemcpyHtoDAsync_v2(r.memory, &own, sizeof own, r.stream);
           const int code = lib.ncclAllReduce(r.at(0), r.at(2), 1, float32, sum,
                                              r.communicator, r.stream);
           lib.cuMemcpyDtoHAsync_v2(&result, r.memory + 2 * count,
                                    sizeof result, r.stream);
           const std::string end = synchronized(r);
           return text(code) + " " + end + " " + text(int(result));
         });
       },
       2},
      {"a buffer of another device", "4 0, 4 0",
       [] {
         return together({0, 1}, [](Rank &r) {
           Rank other;
           other.device = 1 - r.device;
           other.open();
           lib.cuCtxSetCurrent(r.context);
           lib.cuCtxEnablePeerAccess(other.context, 0);
           const std::string refused = text(lib.ncclAllGather(
               other.at(0), r.at(2), count, int8, r.communicator, r.stream));
           return refused + " " + text(gather(r, 0, 2));
         });
       },
       2},
  };
}
