#include "runtime/transports/mpi/Post.h"

#include "runtime/transports/mpi/Patience.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

using namespace smex;
using namespace smex::mpi;

namespace {
/// A letter's first part has this in front, and as much as fits what every way
/// between two processes sends at once, without asking whether the other one is
/// there. The rest follows in parts of their own.
struct Head {
  Subject subject;
  uint64_t bytes = 0;
};
constexpr size_t firstBytes = 4000;
constexpr size_t laterBytes = size_t(256) << 20; // MPI counts in int

constexpr int firstTag = 0, laterTag = 1;

std::string textOf(const Library &mpi, int code) {
  char text[longestErrorText + 1] = {};
  int length = 0;
  mpi.errorText(code, text, &length);
  return text;
}
} // namespace

Result<std::unique_ptr<Post>> Post::open() {
  auto library = Library::get();
  if (!library)
    return library.takeError();
  // Who reads the environment does so before MPI, which adds to it.
  const auto launch = findLaunch();
  Patience patience(launch ? *launch : Launch());
  // Where MPI itself must wait, at the beginning and at the end, it yields. And
  // it does not read other processes' memory directly: containers refuse that.
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  ::setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
  std::unique_ptr<Post> post(new Post);
  post->thread = std::thread([&self = *post, &mpi = **library] {
    if (self.initialize(mpi))
      self.work(mpi);
  });
  std::unique_lock<std::mutex> lock(post->mutex);
  while (!post->changed.wait_for(lock, std::chrono::milliseconds(20), [&] {
    return post->state != State::Starting;
  }))
    patience.look();
  if (!post->started) {
    Status failed = std::move(post->started);
    lock.unlock();
    return failed.takeError();
  }
  return post;
}

Post::~Post() { close(false); }

Status Post::initialize(const Library &mpi) {
  // MPI writes to the sockets of a process that was killed just now. Whoever
  // dies of that cannot say who was lost.
  ::signal(SIGPIPE, SIG_IGN);
  int provided = 0;
  ::pthread_setname_np(::pthread_self(), nameInInit);
  const int code = mpi.initialize(nullptr, nullptr, threadFunneled, &provided);
  ::pthread_setname_np(::pthread_self(), "smex-mpi");
  Status done;
  if (code != success)
    done = Error{"MPI_Init_thread: " + textOf(mpi, code), Fault::Environment};
  else if (provided < threadFunneled)
    done = Error{"this MPI serves no program that has threads",
                 Fault::Environment};
  if (done) {
    mpi.rank(mpi.world, &own);
    mpi.size(mpi.world, &all);
    mpi.setErrors(mpi.world, mpi.errorsReturn);
  }
  const std::lock_guard<std::mutex> lock(mutex);
  forgotten.assign(size_t(all), false);
  started = done;
  state = done ? State::Open : State::Closed;
  changed.notify_all();
  return done;
}

void Post::start(Callbacks given) {
  const std::lock_guard<std::mutex> lock(mutex);
  callbacks = std::move(given);
  state = State::Running;
  changed.notify_all();
}

void Post::send(int to, Subject subject, SharedBytes bytes) {
  const std::lock_guard<std::mutex> lock(mutex);
  outgoing.push_back({to, subject, std::move(bytes)});
  changed.notify_all();
}

void Post::run(std::function<void()> work) {
  const std::lock_guard<std::mutex> lock(mutex);
  tasks.push_back(std::move(work));
  changed.notify_all();
}

void Post::forget(int rank) {
  const std::lock_guard<std::mutex> lock(mutex);
  forgotten[size_t(rank)] = true;
}

void Post::close(bool finalized) {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (state != State::Closed)
      state = State::Draining;
    finalizes = finalized;
    changed.notify_all();
  }
  if (thread.joinable())
    thread.join();
}

void Post::work(const Library &mpi) {
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return state != State::Open; });
  }
  loop(mpi);
  if (finalizes)
    mpi.finalize();
}

void Post::loop(const Library &mpi) {
  for (int idle = 0;;) {
    round.store(std::chrono::steady_clock::now().time_since_epoch().count());
    bool moved = takeOutgoing(mpi);
    moved |= finishSending(mpi);
    moved |= receive(mpi);
    moved |= finishReceiving(mpi);
    callbacks.tick();
    idle = moved ? 0 : idle + 1;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      if (state == State::Draining &&
          (!finalizes || (outgoing.empty() && sending.empty()))) {
        state = State::Closed;
        return;
      }
    }
    pause(idle);
  }
}

/// What comes over the network wakes nobody: it must be looked for, and the
/// longer there was nothing, the more seldom. What this process wants to send
/// ends a pause.
void Post::pause(int idle) {
  if (idle < 10) {
    std::this_thread::yield();
    return;
  }
  const bool isBusy = !sending.empty() || !receiving.empty();
  const auto longest = std::chrono::microseconds(isBusy ? 50 : 1000);
  const auto time = std::min<std::chrono::microseconds>(
      std::chrono::microseconds(idle * 2), longest);
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait_for(lock, time,
                   [&] { return !outgoing.empty() || !tasks.empty(); });
}

bool Post::takeOutgoing(const Library &mpi) {
  std::deque<std::function<void()>> work;
  std::deque<Outgoing> letters;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    work.swap(tasks);
  }
  for (const auto &each : work)
    each();
  {
    const std::lock_guard<std::mutex> lock(mutex);
    letters.swap(outgoing);
    letters.erase(std::remove_if(letters.begin(), letters.end(),
                                 [&](const Outgoing &each) {
                                   return forgotten[size_t(each.to)];
                                 }),
                  letters.end());
  }
  for (const Outgoing &each : letters)
    startSending(mpi, each);
  return !letters.empty() || !work.empty();
}

void Post::startSending(const Library &mpi, const Outgoing &what) {
  const size_t bytes = what.bytes ? what.bytes->size() : 0;
  const size_t inFirst = std::min(bytes, firstBytes);
  const auto first = std::make_shared<Bytes>(sizeof(Head) + inFirst);
  const Head head{what.subject, bytes};
  std::memcpy(first->data(), &head, sizeof head);
  if (inFirst)
    std::memcpy(first->data() + sizeof head, what.bytes->data(), inFirst);
  const auto send = [&](const std::byte *from, size_t count, int tag,
                        std::shared_ptr<const void> keeps) {
    sending.push_back({what.to, std::move(keeps), nullptr});
    // An error is a process that is lost, which others notice, too.
    if (mpi.startSend(from, int(count), mpi.byte, what.to, tag, mpi.world,
                      &sending.back().request) != success)
      sending.pop_back();
  };
  send(first->data(), first->size(), firstTag, first);
  for (size_t at = inFirst; at < bytes; at += laterBytes)
    send(what.bytes->data() + at, std::min(laterBytes, bytes - at), laterTag,
         what.bytes);
}

bool Post::finishSending(const Library &mpi) {
  std::vector<bool> lost;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    lost = forgotten;
  }
  const size_t before = sending.size();
  for (auto each = sending.begin(); each != sending.end();) {
    int is = 0;
    // MPI may still read what was for a lost process: it stays.
    const bool isLost = lost[size_t(each->to)];
    if (isLost) {
      new std::shared_ptr<const void>(std::move(each->keeps));
    } else {
      ReceiveStatus status;
      mpi.test(&each->request, &is, &status);
    }
    each = is || isLost ? sending.erase(each) : std::next(each);
  }
  return sending.size() != before;
}

bool Post::receive(const Library &mpi) {
  bool any = false;
  for (;;) {
    int is = 0;
    ReceiveStatus status;
    if (mpi.probe(anySource, firstTag, mpi.world, &is, &status) != success ||
        !is)
      return any;
    int count = 0;
    mpi.count(&status, mpi.byte, &count);
    Bytes first(size_t(std::max(count, 0)));
    if (mpi.receive(first.data(), count, mpi.byte, status.source, firstTag,
                    mpi.world, &status) != success ||
        first.size() < sizeof(Head))
      return any;
    any = true;
    Head head;
    std::memcpy(&head, first.data(), sizeof head);
    const size_t inFirst = first.size() - sizeof head;
    Letter letter{status.source, head.subject, Bytes(size_t(head.bytes))};
    if (inFirst)
      std::memcpy(letter.bytes.data(), first.data() + sizeof head, inFirst);
    if (inFirst == letter.bytes.size()) {
      callbacks.letter(std::move(letter));
      continue;
    }
    // Parts come in the order in which they were sent.
    Receiving &rest = receiving.emplace_back();
    rest.letter = std::move(letter);
    for (size_t at = inFirst; at < rest.letter.bytes.size(); at += laterBytes) {
      Request request = nullptr;
      mpi.startReceive(rest.letter.bytes.data() + at,
                       int(std::min(laterBytes, rest.letter.bytes.size() - at)),
                       mpi.byte, rest.letter.from, laterTag, mpi.world,
                       &request);
      rest.requests.push_back(request);
    }
  }
}

bool Post::finishReceiving(const Library &mpi) {
  bool any = false;
  for (auto each = receiving.begin(); each != receiving.end();) {
    while (!each->requests.empty()) {
      int is = 0;
      ReceiveStatus status;
      mpi.test(&each->requests.front(), &is, &status);
      if (!is)
        break;
      each->requests.pop_front();
    }
    if (!each->requests.empty()) {
      ++each;
      continue;
    }
    Letter letter = std::move(each->letter);
    each = receiving.erase(each);
    any = true;
    callbacks.letter(std::move(letter));
  }
  return any;
}
