#include "runtime/transports/mpi/Patience.h"

#include "dialects/support/Program.h"
#include "runtime/transports/Timeout.h"
#include "runtime/transports/mpi/Watch.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace smex;
using namespace smex::mpi;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {
/// Who is not to speak waits for so long that he who is has spoken.
constexpr std::chrono::milliseconds timeToBeTold = 1500ms;
/// So long, who is told to end stays, for siblings that look who is there.
constexpr auto timeToBeSeen = 200ms;
/// Who began so long after it was started was late, or stopped, itself.
constexpr double longestOwnDelay = 2;
/// What passes between two looks counts as no more than this: a process that
/// was stopped, or got no processor, blames nobody for that.
constexpr auto mostPerLook = 200ms;

constexpr double standardSeconds = 7;

double secondsAllowed() {
  // What is wrong has been said, before anything began.
  const auto seconds = runtime::secondsIn("SMEX_MPI_TIMEOUT", standardSeconds);
  return seconds ? *seconds : standardSeconds;
}

std::string contents(const fs::path &file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return stream ? text.str() : "";
}

/// The first line.
std::string line(const fs::path &file) {
  const std::string text = contents(file);
  return text.substr(0, text.find('\n'));
}

/// "": there is no such variable.
std::string variable(const std::string &environment, const std::string &name) {
  for (size_t at = 0; at < environment.size();) {
    const size_t end = std::min(environment.find('\0', at), environment.size());
    if (environment.compare(at, name.size() + 1, name + "=") == 0)
      return environment.substr(at + name.size() + 1,
                                end - at - name.size() - 1);
    at = end + 1;
  }
  return "";
}

/// "T": stopped; the text has the program's name in parentheses before it.
char stateOf(const fs::path &process) {
  const std::string text = contents(process / "stat");
  const size_t at = text.rfind(") ");
  return at == text.npos || at + 2 >= text.size() ? 'Z' : text[at + 2];
}

/// Seconds since this process was started, by whatever program it was then.
double ageSeconds() {
  const std::string text = contents("/proc/self/stat");
  const size_t name = text.rfind(") ");
  if (name == text.npos)
    return 0;
  std::istringstream fields(text.substr(name + 2));
  std::string field; // the 22nd: ticks from the machine's start to its own
  for (int i = 3; i <= 22; ++i)
    fields >> field;
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec) -
         std::strtod(field.c_str(), nullptr) / double(::sysconf(_SC_CLK_TCK));
}

bool hasThread(const fs::path &process, const std::string &name) {
  std::error_code error;
  for (const auto &each : fs::directory_iterator(process / "task", error))
    if (line(each.path() / "comm") == name)
      return true;
  return false;
}

/// A wrapper of a program has the same environment: the program counts.
bool isCloser(const Sibling &one, const Sibling &other,
              const std::string &program) {
  const auto closeness = [&](const Sibling &each) {
    return 2 * each.isInInit + (each.program == program);
  };
  return closeness(one) > closeness(other);
}

std::string nameOf(const Sibling &sibling, const std::string &host) {
  return "rank " + std::to_string(sibling.rank) + " (" + host + ", process " +
         std::to_string(sibling.process) + ")";
}
} // namespace

std::vector<Sibling> mpi::findSiblings() {
  const char *space = std::getenv("PMIX_NAMESPACE");
  std::map<int, Sibling> found;
  if (!space)
    return {};
  const std::string program = line("/proc/self/comm");
  std::error_code error;
  for (const auto &each : fs::directory_iterator("/proc", error)) {
    const std::string number = each.path().filename();
    if (number.find_first_not_of("0123456789") != number.npos)
      continue;
    const std::string environment = contents(each.path() / "environ");
    const std::string rank = variable(environment, "OMPI_COMM_WORLD_RANK");
    const char state = stateOf(each.path());
    if (rank.empty() || state == 'Z' ||
        variable(environment, "PMIX_NAMESPACE") != space)
      continue;
    Sibling sibling{std::atoi(rank.c_str()), std::atoi(number.c_str()),
                    line(each.path() / "comm"), state == 'T' || state == 't',
                    hasThread(each.path(), nameInInit)};
    const auto known = found.find(sibling.rank);
    if (known == found.end() || isCloser(sibling, known->second, program))
      found[sibling.rank] = std::move(sibling);
  }
  std::vector<Sibling> siblings;
  for (auto &[rank, sibling] : found)
    siblings.push_back(std::move(sibling));
  return siblings;
}

std::string mpi::whoIsMissing(const std::vector<Sibling> &siblings,
                              int localSize, int size,
                              const std::string &host) {
  if (siblings.empty() || int(siblings.size()) >= localSize)
    return "";
  if (localSize != size) // which ranks are of this machine, nobody has said
    return "of " + std::to_string(localSize) + " processes of " + host + ", " +
           std::to_string(localSize - int(siblings.size())) + " not there";
  std::string text;
  for (int rank = 0, at = 0; rank < size; ++rank)
    if (at < int(siblings.size()) && siblings[size_t(at)].rank == rank)
      ++at;
    else
      text += (text.empty() ? "" : "; ") + ("rank " + std::to_string(rank)) +
              " (" + host + ") is not there any more";
  return text;
}

std::string mpi::whatHolds(const std::vector<Sibling> &siblings, int localSize,
                           int size, const std::string &host) {
  if (siblings.empty())
    return "nothing is known of the other processes";
  std::string text = whoIsMissing(siblings, localSize, size, host);
  const auto say = [&](const std::string &what) {
    text += (text.empty() ? "" : "; ") + what;
  };
  for (const Sibling &each : siblings)
    if (each.isStopped)
      say(nameOf(each, host) + " is stopped");
    else if (!each.isInInit)
      say(nameOf(each, host) + " has not come to MPI_Init: it runs " +
          each.program);
  if (!text.empty())
    return text;
  return int(siblings.size()) < size
             ? "the processes of " + host +
                   " have come to it, and others have not"
             : "all processes have come to it, and Open MPI goes no further";
}

Patience::Patience(const Launch &launch)
    : launch(launch), limit(secondsAllowed()), host(Place::here().host) {
  const char *local = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  localSize = local ? std::atoi(local) : 0;
}

void Patience::look() {
  const std::chrono::duration<double> whole(limit);
  const auto now = Clock::now();
  waited += std::min<Clock::duration>(now - last, mostPerLook);
  last = now;
  const Term told = takeTerm(0);
  if (told == Term::Other)
    endAlone();
  if (told != Term::None)
    end(told == Term::Mpirun && waited < whole &&
        ageSeconds() - std::chrono::duration<double>(waited).count() <
            longestOwnDelay);
  if (waited < whole / 2)
    return;
  // Who has spoken is gone soon: all agree beforehand who it is.
  if (!speaker)
    speaker = speakerOf(findSiblings());
  if (waited > whole + (*speaker == launch.rank ? 0ms : timeToBeTold))
    giveUp();
}

int Patience::speakerOf(const std::vector<Sibling> &siblings) const {
  for (const Sibling &each : siblings)
    if (!each.isStopped)
      return each.rank;
  return launch.rank;
}

void Patience::end(bool isUnexplained) const {
  const std::vector<Sibling> siblings = findSiblings();
  const std::string missing =
      whoIsMissing(siblings, localSize, launch.size, host);
  if (isUnexplained && !missing.empty() && speakerOf(siblings) == launch.rank)
    report({"ended by mpirun before MPI had begun: " + missing,
            Fault::Environment});
  std::this_thread::sleep_for(timeToBeSeen);
  std::_Exit(int(Fault::Environment));
}

/// Told to end by somebody else than mpirun, which ends the others then.
void Patience::endAlone() const {
  const int32_t own = ::getpid();
  report({nameOf({launch.rank, own, "", false, true}, host) +
              " was told to end by SIGTERM before MPI had begun",
          Fault::Environment});
  for (const Sibling &each : findSiblings())
    if (each.isInInit && each.process != own)
      tellSaid(each.process);
  std::_Exit(int(Fault::Environment));
}

void Patience::giveUp() const {
  std::ostringstream text;
  text << "MPI has not begun after " << limit
       << " s: " << whatHolds(findSiblings(), localSize, launch.size, host)
       << " (SMEX_MPI_TIMEOUT=SECONDS waits longer)";
  quit({text.str(), Fault::Environment});
}
