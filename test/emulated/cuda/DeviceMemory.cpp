#include "test/emulated/cuda/DeviceMemory.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace smex::emulated {
namespace {

// What the signal handler reads: plain memory, no locks.
struct Watched {
  uint64_t begin, end;
  unsigned device;
};
Watched watched[64];
volatile unsigned watchedCount = 0;
char logPath[4096];
struct sigaction before;

void onFault(int signal, siginfo_t *info, void *context) {
  auto address = reinterpret_cast<uint64_t>(info->si_addr);
  for (unsigned i = 0; i < watchedCount; ++i) {
    if (address < watched[i].begin || address >= watched[i].end)
      continue;
    char text[256];
    int length = std::snprintf(
        text, sizeof(text),
        "emulated CUDA: error: host code touches device memory: address %p, "
        "byte %llu of device %u's memory\n",
        info->si_addr,
        static_cast<unsigned long long>(address - watched[i].begin),
        watched[i].device);
    (void)!write(2, text, length);
    if (logPath[0]) {
      int file = open(logPath, O_WRONLY | O_APPEND | O_CREAT, 0666);
      (void)!write(file, text, length);
      close(file);
    }
    break;
  }
  // Whoever was there before, or else the end: the access is repeated.
  if (before.sa_flags & SA_SIGINFO)
    before.sa_sigaction(signal, info, context);
  else
    std::signal(SIGSEGV,
                before.sa_handler == SIG_IGN ? SIG_DFL : before.sa_handler);
}

} // namespace

void watchHostAccesses(const std::string &log) {
  std::snprintf(logPath, sizeof(logPath), "%s", log.c_str());
  struct sigaction action{};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &before);
}

DeviceMemory::DeviceMemory(unsigned device, uint64_t bytes, uint64_t others)
    : device(device), total((bytes + 4095) / 4096 * 4096), others(others) {
  int file = memfd_create("emulated-device", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, total) != 0)
    throw std::runtime_error("no memory for an emulated device");
  void *first =
      mmap(nullptr, total, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
  void *second = mmap(nullptr, total, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_NORESERVE, file, 0);
  close(file);
  if (first == MAP_FAILED || second == MAP_FAILED)
    throw std::runtime_error("no address space for an emulated device");
  visible = static_cast<uint8_t *>(first);
  own = static_cast<uint8_t *>(second);
  if (watchedCount < 64) {
    watched[watchedCount] = {base(), base() + total, device};
    watchedCount = watchedCount + 1;
  }
}

DeviceMemory::~DeviceMemory() {
  munmap(visible, total);
  munmap(own, total);
}

uint64_t DeviceMemory::take(uint64_t bytes) {
  if (bytes > total)
    return 0;
  uint64_t size = (bytes + granule - 1) / granule * granule;
  uint64_t at = 0; // the first gap that is large enough
  for (const auto &[offset, length] : taken) {
    if (offset - at >= size)
      break;
    at = offset + length;
  }
  if (size > total - at || size > available())
    return 0;
  taken[at] = size;
  inUse += size;
  return base() + at;
}

void DeviceMemory::give(uint64_t address) {
  auto found = taken.find(address - base());
  if (found == taken.end())
    return;
  inUse -= found->second;
  taken.erase(found);
}

} // namespace smex::emulated
