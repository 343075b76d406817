#include "runtime/transports/mpi/World.h"

#include "dialects/support/Program.h"
#include "runtime/transports/mpi/Control.h"
#include "runtime/transports/mpi/Status.h"

#include <algorithm>
#include <cstdio>

using namespace smex;
using namespace smex::mpi;
using namespace std::chrono_literals;

namespace {
/// Rank 0 and each other process hand a ball to and fro, so often.
constexpr auto ballTime = 100ms;
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
  hasRun |= given != nullptr;
  std::optional<Error> error;
  {
    const std::lock_guard<std::mutex> inner(mutex);
    error = stopped;
  }
  if (given && error)
    given->interrupt(*error);
}

void World::setAdvice(std::string text) {
  const std::lock_guard<std::mutex> lock(standing);
  advice = std::move(text);
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
                letter.from);
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
  std::optional<size_t> absent;
  changed.wait(lock, [&] {
    for (size_t r = 0; r < peers.size(); ++r)
      if (peers[r].ended && peers[r].gathered <= number &&
          !gathering.brought[r])
        absent = r;
    return gathering.count == peers.size() || absent || stopped;
  });
  if (stopped)
    return *stopped;
  if (absent && !decode(*peers[*absent].ended))
    return knownElsewhere();
  if (absent)
    return Error{"rank " + std::to_string(*absent) +
                     " has come to its end, and others have not: give all "
                     "processes the same options",
                 Fault::Usage};
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
