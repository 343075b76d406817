// Who is lost of a world, how that is noticed, and how the others end.
#include "dialects/support/Program.h"
#include "runtime/transports/mpi/Control.h"
#include "runtime/transports/mpi/World.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace smex;
using namespace smex::mpi;
using namespace std::chrono_literals;

namespace {
/// Who has not been heard of for so long is lost. Everybody else ends
/// within ten seconds; a machine with more processes than cores is slow.
constexpr auto longestSilence = 5s;
/// After SIGTERM, mpirun waits a second, and then kills. Within this time,
/// those who have seen a process end tell the others,
constexpr auto timeToHear = 400ms;
/// and after this one nobody will.
constexpr auto timeToGo = 800ms;
/// Who has not run for so long was stopped himself, and blames nobody for a
/// while.
constexpr auto ownSilence = 2s;
/// So long, who has said which rank is lost stays, until all others have heard
/// of it: they see him go, and would say that he is lost.
constexpr auto timeToTell = 1s;
/// Other processes are asked to examine themselves no more often.
constexpr auto doubtTime = 200ms;
/// So long, what was stopped may take to clean up behind itself.
constexpr auto timeToStop = 1500ms;
} // namespace

void World::doubt() {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (stopped || Clock::now() - doubted < doubtTime)
      return;
    doubted = Clock::now();
  }
  sendAll(Doubt, {});
}

void World::examine() {
  std::string why;
  {
    const std::lock_guard<std::mutex> lock(standing);
    if (bystander)
      why = bystander->examine();
  }
  if (!why.empty())
    lose(rank(), why, rank());
}

void World::leave() {
  std::fflush(nullptr);
  const auto start = Clock::now();
  std::unique_lock<std::mutex> lock(mutex);
  // mpirun ends all when it sees the first one go.
  if (!speaks)
    changed.wait_for(lock, 300ms, [] { return false; });
  // Who gives himself up has told the others, too.
  const bool tells = lost && (speaks || *lost == rank());
  while (tells && !haveAllHeard() && Clock::now() - start < timeToTell)
    changed.wait_for(lock, 20ms);
  std::_Exit(int(Fault::Environment));
}

bool World::haveAllHeard() const {
  for (int r = 0; r < size(); ++r) {
    const Peer &peer = peers[size_t(r)];
    if (r != rank() && r != *lost && !peer.hasHeard &&
        !peer.witnessed.hasEnded())
      return false;
  }
  return true;
}

/// Rank 0 speaks for all; where it is lost, rank 1 does, unless rank 0 has
/// found by itself that it must go.
void World::lose(int rank, const std::string &why, int finder) {
  std::string name;
  bool tells = finder == this->rank();
  const int speaker = rank == 0 && finder != 0 ? 1 : 0;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (stopped || lost || ending)
      return;
    lost = rank;
    speaks = this->rank() == speaker && !isBack;
    name = nameOf(rank);
    tells |= speaks; // and leaves once all have heard
  }
  if (rank >= 0)
    post->forget(rank);
  if (tells)
    tellLost(rank, why);
  stop({withPlace(name + " was lost: " + why, rank), Fault::Environment});
}

std::string World::withPlace(std::string message, int lost) {
  const std::lock_guard<std::mutex> lock(standing);
  if (bystander)
    message += "; " + bystander->whereabouts(lost);
  else
    message += hasRun ? "; the steps were over" : "; no step had begun";
  return message + (advice.empty() ? "" : "; " + advice);
}

void World::tellLost(int rank, const std::string &why) {
  Bytes bytes;
  append(bytes, rank);
  const Bytes text = bytesOf(why);
  bytes.insert(bytes.end(), text.begin(), text.end());
  sendAll(Lost, bytes);
}

void World::stop(const Error &error) {
  bool isSpeaker;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    stopped = error;
    isSpeaker = speaks;
    changed.notify_all();
  }
  if (isSpeaker)
    report(error);
  const std::lock_guard<std::mutex> lock(standing);
  if (bystander)
    bystander->interrupt(error);
}

void World::watch() {
  constexpr int step = 20; // milliseconds
  std::optional<Clock::time_point> term, stop, back;
  for (auto before = Clock::now();;) {
    const Term told = takeTerm(step);
    const auto now = Clock::now();
    if (now - before > ownSilence)
      back = now;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      isBack = back && now - *back < ownSilence;
    }
    findLost(std::min<Clock::duration>(now - before, 10 * step * 1ms));
    before = now;
    if (told == Term::Other)
      lose(rank(), "it was told to end by SIGTERM", rank());
    if (told != Term::None && !term)
      term = now;
    if (term)
      findTerminated(now - *term);
    std::unique_lock<std::mutex> lock(mutex);
    if (isClosed)
      return;
    if (!stop && (stopped || ending))
      stop = now;
    const auto left = ending ? 10s : Clock::duration(timeToStop);
    if (!stop || now - *stop < left)
      continue;
    const int status = ending ? *ending : int(Fault::Environment);
    lock.unlock();
    std::fflush(stderr);
    std::_Exit(status);
  }
}

void World::findLost(Clock::duration passed) {
  const bool isStuck = Clock::now() - post->lastRound() > longestSilence / 2;
  std::optional<int> ended, silent;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (ending)
      return;
    for (int r = 0; r < size(); ++r) {
      Peer &peer = peers[size_t(r)];
      if (r == rank())
        continue;
      if (peer.witnessed.hasEnded())
        ended = r;
      if (r != 0 && rank() != 0)
        continue; // of him, rank 0 hears
      peer.silent += passed;
      if (peer.silent > longestSilence)
        silent = isStuck ? -1 : r;
    }
  }
  if (ended)
    lose(*ended, "its process has ended", rank());
  else if (silent)
    lose(*silent,
         "nothing was heard of it for " +
             std::to_string(std::chrono::seconds(longestSilence).count()) +
             " seconds",
         rank());
}

void World::findTerminated(Clock::duration since) {
  if (since < timeToHear)
    return;
  std::optional<int> silent;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (stopped || ending)
      return;
    for (int r = 0; r < size(); ++r) {
      const Peer &peer = peers[size_t(r)];
      if (r == rank() || peer.witnessed.isSeen() || (r != 0 && rank() != 0) ||
          peer.silent < timeToHear - 50ms)
        continue;
      if (!silent || peer.silent > peers[size_t(*silent)].silent)
        silent = r;
    }
    if (!silent && !isFirst() && since < timeToGo)
      return;
    speaks = isFirst() && !isBack;
    // Others, who may not have been told, would see it go and say so.
    if (!silent && isFirst())
      lost = -1;
  }
  if (silent)
    return lose(*silent, "it was not heard of any more when mpirun ended all",
                rank());
  const std::string why = "mpirun told all processes to end by SIGTERM";
  if (isFirst())
    tellLost(-1, why);
  stop({withPlace(why, rank()), Fault::Environment});
}
