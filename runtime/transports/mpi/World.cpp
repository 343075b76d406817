#include "runtime/transports/mpi/World.h"

#include "dialects/support/Program.h"
#include "runtime/transports/mpi/Status.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace smex;
using namespace smex::mpi;
using namespace std::chrono_literals;

namespace {
constexpr int control = 0; // the channel of what is below
enum Kind : int32_t { Hello, Ball, Brought, Ended, Lost, Heard, Doubt };

/// Rank 0 and each other process hand a ball to and fro, so often,
constexpr auto ballTime = 100ms;
/// and who has not been heard of for so long is lost. Everybody else ends
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

void append(Bytes &bytes, int64_t number) {
  const auto *from = reinterpret_cast<const std::byte *>(&number);
  bytes.insert(bytes.end(), from, from + sizeof number);
}
/// The first number, which is taken off.
int64_t takeNumber(Bytes &bytes) {
  int64_t number = 0;
  if (bytes.size() < sizeof number)
    return 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.erase(bytes.begin(), bytes.begin() + sizeof number);
  return number;
}
Bytes bytesOf(const std::string &text) {
  const auto *from = reinterpret_cast<const std::byte *>(text.data());
  return {from, from + text.size()};
}
} // namespace

Result<std::unique_ptr<World>> World::join() {
  if (auto library = Library::get(); !library)
    return library.takeError();
  blockTerm();
  auto post = Post::open();
  if (!post)
    return post.takeError();
  std::unique_ptr<World> world(new World);
  World &self = *world;
  self.post = std::move(*post);
  self.peers.resize(size_t(self.size()));
  const Place here = Place::here();
  self.peers[size_t(self.rank())].place = here;
  self.post->start({[&self](Letter letter) { self.take(std::move(letter)); },
                    [&self] { self.tick(); }});
  self.sendAll(Hello, here.encode());
  self.watcher = std::thread([&self] { self.watch(); });
  return world;
}

World::~World() {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    isClosed = true;
  }
  if (watcher.joinable())
    watcher.join();
  post.reset();
}

std::vector<int> World::neighbours() const {
  const std::lock_guard<std::mutex> lock(mutex);
  std::vector<int> ranks;
  for (int r = 0; r < size(); ++r)
    if (peers[size_t(r)].place.space == peers[size_t(rank())].place.space)
      ranks.push_back(r);
  return ranks;
}

std::string World::nameOf(int rank) const {
  if (rank < 0)
    return "a rank";
  const Place &place = peers[size_t(rank)].place;
  std::string name = "rank " + std::to_string(rank);
  if (!place.host.empty())
    name +=
        " (" + place.host + ", process " + std::to_string(place.process) + ")";
  return name;
}

void World::sendAll(int32_t kind, const Bytes &bytes) {
  const auto shared = std::make_shared<const Bytes>(bytes);
  for (int r = 0; r < size(); ++r)
    if (r != rank())
      post->send(r, {control, kind}, shared);
}

int World::open(std::function<void(Letter)> take) {
  const std::lock_guard<std::mutex> lock(taking);
  const int channel = ++opened;
  std::vector<Letter> later;
  for (Letter &letter : early)
    if (letter.subject.channel == channel)
      take(std::move(letter));
    else
      later.push_back(std::move(letter));
  early = std::move(later);
  channels[channel] = std::move(take);
  return channel;
}

void World::close(int channel) {
  const std::lock_guard<std::mutex> lock(taking);
  channels.erase(channel);
}

void World::setBystander(Bystander *given) {
  const std::lock_guard<std::mutex> lock(standing);
  bystander = given;
  std::optional<Error> error;
  {
    const std::lock_guard<std::mutex> inner(mutex);
    error = stopped;
  }
  if (given && error)
    given->interrupt(*error);
}

void World::take(Letter letter) {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    peers[size_t(letter.from)].silent = {};
  }
  if (letter.subject.channel == control)
    return takeControl(letter);
  const std::lock_guard<std::mutex> lock(taking);
  const auto channel = channels.find(letter.subject.channel);
  if (channel != channels.end())
    channel->second(std::move(letter));
  else if (letter.subject.channel > opened)
    early.push_back(std::move(letter));
}

void World::takeControl(Letter &letter) {
  if (letter.subject.kind == Lost) {
    const auto rank = int(takeNumber(letter.bytes));
    post->send(letter.from, {control, Heard}, nullptr);
    return lose(rank,
                std::string(reinterpret_cast<const char *>(letter.bytes.data()),
                            letter.bytes.size()),
                false);
  }
  if (letter.subject.kind == Doubt)
    return examine();
  const std::lock_guard<std::mutex> lock(mutex);
  Peer &peer = peers[size_t(letter.from)];
  switch (letter.subject.kind) {
  case Hello:
    peer.place = Place::decode(letter.bytes);
    peer.witnessed = Witnessed(peer.place);
    break;
  case Ball:
    if (rank() == 0)
      post->send(letter.from, {control, Ball}, nullptr);
    hasBall = true;
    break;
  case Brought: {
    Gathering &gathering = gatherings[takeNumber(letter.bytes)];
    gathering.brought.resize(peers.size());
    gathering.brought[size_t(letter.from)] = std::move(letter.bytes);
    ++gathering.count;
    break;
  }
  case Ended:
    peer.gathered = takeNumber(letter.bytes);
    peer.ended = std::move(letter.bytes);
    break;
  case Heard:
    peer.hasHeard = true;
    break;
  }
  changed.notify_all();
}

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
    lose(rank(), why, true);
}

void World::tick() {
  static thread_local Clock::time_point last;
  if (rank() == 0 || Clock::now() - last < ballTime)
    return;
  const std::lock_guard<std::mutex> lock(mutex);
  // Who is lost gets nothing any more: MPI aborts on what cannot be sent.
  if (!hasBall || (stopped && lost == 0))
    return;
  hasBall = false;
  last = Clock::now();
  post->send(0, {control, Ball}, nullptr);
}

Result<std::vector<Bytes>> World::gather(Bytes bytes) {
  std::unique_lock<std::mutex> lock(mutex);
  const int64_t number = gathered++;
  Bytes sent;
  append(sent, number);
  sent.insert(sent.end(), bytes.begin(), bytes.end());
  lock.unlock();
  sendAll(Brought, sent);
  lock.lock();
  Gathering &gathering = gatherings[number];
  gathering.brought.resize(peers.size());
  gathering.brought[size_t(rank())] = std::move(bytes);
  ++gathering.count;
  bool isAbsent = false;
  changed.wait(lock, [&] {
    for (size_t r = 0; r < peers.size(); ++r)
      isAbsent |= peers[r].ended && peers[r].gathered <= number &&
                  !gathering.brought[r];
    return gathering.count == peers.size() || isAbsent || stopped;
  });
  if (stopped)
    return *stopped;
  if (isAbsent)
    return knownElsewhere();
  std::vector<Bytes> all;
  for (auto &each : gathering.brought)
    all.push_back(std::move(*each));
  gatherings.erase(number);
  return all;
}

Status World::agree(const Status &own) {
  const auto all = gather(encode(own));
  if (!all)
    return all.error();
  std::vector<Status> each;
  for (const Bytes &bytes : *all)
    each.push_back(decode(bytes));
  return merge(each);
}

int World::finish(const Status &own) {
  std::unique_lock<std::mutex> lock(mutex);
  const Bytes status = encode(own);
  Bytes sent;
  append(sent, gathered);
  sent.insert(sent.end(), status.begin(), status.end());
  peers[size_t(rank())].ended = status;
  lock.unlock();
  sendAll(Ended, sent);
  lock.lock();
  changed.wait(lock, [&] {
    return stopped ||
           std::all_of(peers.begin(), peers.end(),
                       [](const Peer &peer) { return !!peer.ended; });
  });
  if (stopped) {
    lock.unlock();
    leave();
  }
  std::vector<Status> each;
  for (const Peer &peer : peers)
    each.push_back(decode(*peer.ended));
  Status merged = each[0];
  // What the first one says is for all: it alone writes files.
  if (merged || merged.error().message.empty())
    merged = merge(each);
  ending = merged ? 0 : int(merged.error().fault);
  lock.unlock();
  if (!merged && isFirst())
    report(merged.error());
  std::fflush(nullptr);
  post->close(true);
  return *ending;
}

void World::leave() {
  std::fflush(nullptr);
  const auto start = Clock::now();
  std::unique_lock<std::mutex> lock(mutex);
  // mpirun ends all when it sees the first one go.
  if (!speaks)
    changed.wait_for(lock, 300ms, [] { return false; });
  while (speaks && lost && !haveAllHeard() && Clock::now() - start < timeToTell)
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

void World::lose(int rank, const std::string &why, bool isOwnFinding) {
  std::string name;
  bool tells = isOwnFinding;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (stopped || lost || ending)
      return;
    lost = rank;
    speaks = this->rank() == (rank == 0 ? 1 : 0) && !isBack;
    name = nameOf(rank);
    tells |= speaks; // and leaves once all have heard
  }
  if (rank >= 0)
    post->forget(rank);
  if (tells) {
    Bytes bytes;
    append(bytes, rank);
    const Bytes text = bytesOf(why);
    bytes.insert(bytes.end(), text.begin(), text.end());
    sendAll(Lost, bytes);
  }
  Error error{name + " was lost: " + why, Fault::Environment};
  {
    const std::lock_guard<std::mutex> lock(standing);
    if (bystander)
      error.message += "; " + bystander->whereabouts(rank);
  }
  stop(error);
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
    const bool isTold = takeTerm(step);
    const auto now = Clock::now();
    if (now - before > ownSilence)
      back = now;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      isBack = back && now - *back < ownSilence;
    }
    findLost(std::min<Clock::duration>(now - before, 10 * step * 1ms));
    before = now;
    if (isTold && !term)
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
    lose(*ended, "its process has ended", true);
  else if (silent)
    lose(*silent,
         "nothing was heard of it for " +
             std::to_string(std::chrono::seconds(longestSilence).count()) +
             " seconds",
         true);
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
  }
  if (silent)
    return lose(*silent, "it was not heard of any more when mpirun ended all",
                true);
  stop({"told to end by SIGTERM", Fault::Environment});
}
