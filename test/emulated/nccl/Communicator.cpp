#include "test/emulated/nccl/Communicator.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <sstream>
#include <thread>

namespace smex::emulated {

double patience() {
  const char *text = std::getenv("SMEX_EMULATED_NCCL_TIMEOUT");
  const double seconds = text ? std::strtod(text, nullptr) : 0;
  return seconds > 0 ? seconds : 30;
}

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

namespace {

std::string text(int64_t number) { return std::to_string(number); }

/// Waits on the host until all ranks have posted something.
std::vector<std::string> readAll(const Communicator &of,
                                 const std::string &name,
                                 const std::string &what) {
  std::vector<std::string> all;
  const double end = now() + patience();
  for (int rank = 0; rank < of.ranks; ++rank) {
    while (!of.meeting.has(name + text(rank))) {
      if (now() > end)
        refuse(NCCL_SYSTEM_ERROR,
               "rank " + text(of.rank) + " waits for rank " + text(rank) +
                   " in " + what +
                   ", which all ranks of a communicator must call",
               cites::patience);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    all.push_back(*of.meeting.read(name + text(rank)));
  }
  return all;
}

} // namespace

void beginInit(Communicator &made, const std::string &identity) {
  const std::string name = "rank." + text(made.rank);
  if (!made.meeting.postFirst(name, text(made.ranks) + " " + identity))
    refuse(NCCL_INVALID_USAGE,
           "two callers of ncclCommInitRank are rank " + text(made.rank),
           cites::rank);
}

void endInit(Communicator &made) {
  const std::vector<std::string> all =
      readAll(made, "rank.", "ncclCommInitRank");
  for (int rank = 0; rank < made.ranks; ++rank) {
    std::istringstream said(all[size_t(rank)]);
    int ranks = 0;
    said >> ranks;
    if (ranks != made.ranks)
      refuse(NCCL_INVALID_ARGUMENT,
             "rank " + text(made.rank) + " makes a communicator of " +
                 text(made.ranks) + " ranks, and rank " + text(rank) +
                 " one of " + text(ranks),
             cites::otherNumber);
    for (int other = 0; other < rank; ++other)
      if (all[size_t(other)] == all[size_t(rank)])
        refuse(NCCL_INVALID_USAGE,
               "Duplicate GPU detected : rank " + text(other) + " and rank " +
                   text(rank) + " are on one CUDA device",
               cites::oneGpu);
  }
}

void beginSplit(Communicator &of, int color, int key) {
  of.meeting.post("split." + text(of.splits++) + "." + text(of.rank),
                  text(color) + " " + text(key));
}

std::shared_ptr<Communicator> endSplit(Communicator &of, int color) {
  const std::string name = "split." + text(of.splits - 1) + ".";
  std::vector<std::pair<int, int>> members; // key, rank
  const std::vector<std::string> all = readAll(of, name, "ncclCommSplit");
  for (int rank = 0; rank < of.ranks; ++rank) {
    std::istringstream said(all[size_t(rank)]);
    int its = 0, key = 0;
    said >> its >> key;
    if (its == color)
      members.push_back({key, rank});
  }
  if (color < 0)
    return nullptr;
  std::sort(members.begin(), members.end());
  int rank = 0;
  while (members[size_t(rank)].second != of.rank)
    ++rank;
  return std::make_shared<Communicator>(
      of.name + "/group." + text(of.splits - 1) + "." + text(color),
      int(members.size()), rank, of.device);
}

void leave(Communicator &communicator) {
  const Meeting &meeting = communicator.meeting;
  meeting.post("gone." + text(communicator.rank), "");
  for (int rank = 0; rank < communicator.ranks; ++rank)
    if (!meeting.has("gone." + text(rank)))
      return;
  meeting.close();
}

} // namespace smex::emulated
