#include "test/emulated/nccl/Case.h"

#include <cstring>

using namespace smex::emulated::nccl;

std::vector<Case> smex::emulated::nccl::communicatorCases() {
  return {
      // Texts, versions, arguments that are missing.
      {"a version that is new enough", "0 1",
       [] {
         int version = 0;
         const std::string result = text(lib.ncclGetVersion(&version));
         return result + " " + text(version >= 21800);
       }},
      {"no place for a version", "4",
       [] { return text(lib.ncclGetVersion(nullptr)); }},
      {"no place for an id", "4",
       [] { return text(lib.ncclGetUniqueId(nullptr)); }},
      {"the text of a result",
       "invalid usage (run with NCCL_DEBUG=WARN for details)",
       [] { return std::string(lib.ncclGetErrorString(5)); }},
      {"the text of no result", "unknown result code",
       [] { return std::string(lib.ncclGetErrorString(77)); }},
      {"an end without a start", "5", [] { return text(lib.ncclGroupEnd()); }},
      {"an empty group", "0 0",
       [] {
         const std::string first = text(lib.ncclGroupStart());
         return first + " " + text(lib.ncclGroupEnd());
       }},
      {"sending by nobody", "4",
       [] {
         return text(lib.ncclSend(nullptr, 4, int8, 0, nullptr, nullptr));
       }},
      {"gathering by nobody", "4",
       [] {
         return text(
             lib.ncclAllGather(nullptr, nullptr, 4, int8, nullptr, nullptr));
       }},
      {"the error of nobody", "4",
       [] {
         int error = 0;
         return text(lib.ncclCommGetAsyncError(nullptr, &error));
       }},
      {"destroying nothing", "0",
       [] { return text(lib.ncclCommDestroy(nullptr)); }},
      {"aborting nothing", "0",
       [] { return text(lib.ncclCommAbort(nullptr)); }},

      // Communicators.
      {"no place for a communicator", "4",
       [] {
         Rank r;
         r.open();
         return text(lib.ncclCommInitRank(nullptr, 1, newId(), 0));
       }},
      {"a rank that is too large", "4",
       [] {
         Rank r;
         r.open();
         return text(lib.ncclCommInitRank(&r.communicator, 1, newId(), 1));
       }},
      {"a negative rank", "4",
       [] {
         Rank r;
         r.open();
         return text(lib.ncclCommInitRank(&r.communicator, 1, newId(), -1));
       }},
      {"no ranks", "4",
       [] {
         Rank r;
         r.open();
         return text(lib.ncclCommInitRank(&r.communicator, 0, newId(), 0));
       }},
      {"one rank", "0 1 0 0",
       [] {
         return alone([](Rank &r) {
           int ranks = -1, rank = -1, device = -1, error = -1;
           lib.ncclCommCount(r.communicator, &ranks);
           lib.ncclCommUserRank(r.communicator, &rank);
           lib.ncclCommCuDevice(r.communicator, &device);
           lib.ncclCommGetAsyncError(r.communicator, &error);
           return text(error) + " " + text(ranks) + " " + text(rank) + " " +
                  text(device);
         });
       }},
      {"an end", "0",
       [] {
         return alone(
             [](Rank &r) { return text(lib.ncclCommDestroy(r.communicator)); });
       }},
      {"an abortion", "0",
       [] {
         return alone(
             [](Rank &r) { return text(lib.ncclCommAbort(r.communicator)); });
       }},
      {"two ranks on one GPU", "init 5, init 5",
       [] { return together({0, 0}, [](Rank &) { return std::string(); }); }},
      {"a group of its own color", "0 1",
       [] {
         return alone([](Rank &r) {
           void *made = nullptr;
           const int result =
               lib.ncclCommSplit(r.communicator, 3, 0, &made, nullptr);
           int ranks = 0;
           lib.ncclCommCount(made, &ranks);
           return text(result) + " " + text(ranks);
         });
       }},
      {"no color", "0 1",
       [] {
         return alone([](Rank &r) {
           void *made = &r;
           const int result =
               lib.ncclCommSplit(r.communicator, -1, 0, &made, nullptr);
           return text(result) + " " + text(made == nullptr);
         });
       }},
      {"two groups of two", "0 2, 0 2, 0 2, 0 2",
       [] {
         return together({0, 1, 2, 3}, [](Rank &r) {
           void *made = nullptr;
           const int result = lib.ncclCommSplit(r.communicator, r.number % 2,
                                                r.number, &made, nullptr);
           int ranks = 0;
           lib.ncclCommCount(made, &ranks);
           return text(result) + " " + text(ranks);
         });
       },
       4},

  };
}
