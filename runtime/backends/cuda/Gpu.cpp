#include "runtime/backends/cuda/Gpu.h"

#include <algorithm>
#include <array>

using namespace smex;
using namespace smex::cuda;

Result<GpuInfo> cuda::gpuInfo(const Driver &driver, int number) {
  GpuInfo info;
  DeviceNumber device = 0;
  const std::string what = "GPU " + std::to_string(number);
  if (Status done = driver.check(driver.deviceGet(&device, number), what);
      !done)
    return done.takeError();
  std::array<char, 256> name{};
  if (Status done = driver.check(
          driver.deviceGetName(name.data(), int(name.size()), device), what);
      !done)
    return done.takeError();
  info.name = name.data();
  for (const auto &[value, attribute] :
       {std::pair(&info.major, attributeComputeCapabilityMajor),
        std::pair(&info.minor, attributeComputeCapabilityMinor),
        std::pair(&info.multiprocessors, attributeMultiprocessors)})
    if (Status done = driver.check(
            driver.deviceGetAttribute(value, attribute, device), what);
        !done)
      return done.takeError();
  return info;
}

Result<std::unique_ptr<LoadedCode>> LoadedCode::load(const Driver &driver,
                                                     const std::string &ptx,
                                                     const std::string &what) {
  std::string log(4096, '\0');
  int options[] = {jitErrorLogBuffer, jitErrorLogBufferSizeBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  Module module = nullptr;
  const Code code = driver.moduleLoad(&module, ptx.c_str(), 2, options, values);
  if (Status loaded = driver.check(code, what + ": loading its code");
      !loaded) {
    Error error = loaded.takeError();
    const std::string said = log.c_str();
    if (!said.empty())
      error.message += ": " + said.substr(0, said.find('\n'));
    if (code == errorInvalidImage || code == errorInvalidPtx)
      error.fault = Fault::Input;
    return error;
  }
  return std::unique_ptr<LoadedCode>(new LoadedCode(driver, module, what));
}

LoadedCode::~LoadedCode() { driver.moduleUnload(module); }

Result<Function> LoadedCode::find(const std::string &symbol) const {
  Function function = nullptr;
  const Code code = driver.moduleGetFunction(&function, module, symbol.c_str());
  if (Status found = driver.check(code, what + ": function " + symbol); !found)
    return found.takeError();
  return function;
}

Result<std::unique_ptr<Gpu>> Gpu::open(const Driver &driver, int number,
                                       std::shared_ptr<HostWaits> waits) {
  auto info = gpuInfo(driver, number);
  if (!info)
    return info.takeError();
  const std::string what = "GPU " + std::to_string(number);
  DeviceNumber device = 0;
  Context context = nullptr;
  if (Status done = driver.check(driver.deviceGet(&device, number), what);
      !done)
    return done.takeError();
  if (Status done = driver.check(driver.primaryContextRetain(&context, device),
                                 what + ": taking its context");
      !done)
    return done.takeError();
  std::unique_ptr<Gpu> gpu(
      new Gpu(driver, number, std::move(*info), context, std::move(waits)));
  if (Status entered = gpu->enter(); !entered)
    return entered.takeError();
  return gpu;
}

Gpu::~Gpu() {
  // It waits for what the GPU still does, if a run has ended early.
  const HostWaits::Guard guard(*waits, number, {"freeing its memory"});
  if (!enter())
    return; // the process ends, and the driver frees what is left
  handles.clear();
  code.reset();
  own.reset();
  if (address)
    driver.memoryFree(address);
  DeviceNumber device = 0;
  if (driver.deviceGet(&device, number) == success)
    driver.primaryContextRelease(device);
}

Status Gpu::enter() const {
  return driver.check(driver.contextSetCurrent(context),
                      "GPU " + std::to_string(number));
}

Status Gpu::check(Code code, const char *what) const {
  return code == success ? Status()
                         : driver.check(code, "GPU " + std::to_string(number) +
                                                  ": " + what);
}

Status Gpu::synchronize(Stream stream, HostWait what) const {
  const HostWaits::Guard guard(*waits, number, what);
  return check(driver.streamSynchronize(stream), what.what);
}

Status Gpu::write(Address to, const void *from, size_t bytes, Stream stream,
                  HostWait what) const {
  const HostWaits::Guard guard(*waits, number, what);
  const Code copied = driver.copyToDevice(to, from, bytes, stream);
  return check(copied ? copied : driver.streamSynchronize(stream), what.what);
}

Status Gpu::read(void *to, Address from, size_t bytes, Stream stream,
                 HostWait what) const {
  const HostWaits::Guard guard(*waits, number, what);
  const Code copied = driver.copyToHost(to, from, bytes, stream);
  return check(copied ? copied : driver.streamSynchronize(stream), what.what);
}

Status Gpu::allocate(int64_t bytes, size_t workers) {
  const Code code =
      driver.memoryAllocate(&address, size_t(std::max<int64_t>(bytes, 1)));
  if (code == success)
    return {};
  address = 0;
  size_t free = 0, total = 0;
  if (code != errorOutOfMemory ||
      driver.memoryGetInfo(&free, &total) != success)
    return driver.check(code, "GPU " + std::to_string(number) +
                                  ": allocating memory");
  const bool isTooSmall = size_t(bytes) > total;
  const bool isRefused = size_t(bytes) <= free;
  std::string text = "GPU " + std::to_string(number) + " (" + info.name + ") ";
  text += isTooSmall  ? "is too small: "
          : isRefused ? "refuses memory that it says is free: "
                      : "has too little memory left: ";
  text += "its workers need " + std::to_string(bytes) + " bytes";
  if (workers > 1)
    text += ", " + std::to_string(workers) + " of them together";
  text += ", and " + std::to_string(free) + " of " + std::to_string(total) +
          " are free; ";
  if (isRefused)
    text += "it may be in pieces, or reserved, or more than this process may "
            "have: end what else uses this GPU, raise the process's limits "
            "(ulimit -v, CUDA_MPS_PINNED_DEVICE_MEM_LIMIT), or ";
  else if (!isTooSmall)
    text += "end what else uses this GPU, or ";
  text += workers > 1 ? "run it on more GPUs, or compile the model with "
                        "--memory-per-gpu for what each worker may have"
                      : "compile the model for more GPUs, or with "
                        "--memory-per-gpu";
  return Error{std::move(text), Fault::Environment};
}

Status Gpu::answers() const {
  if (Status entered = enter(); !entered)
    return entered;
  size_t free = 0, total = 0;
  return check(driver.memoryGetInfo(&free, &total), "asking after an error");
}

Result<bool> Gpu::reach(const Gpu &other) const {
  if (number == other.number)
    return true;
  DeviceNumber here = 0, there = 0;
  int can = 0;
  const std::string what = "GPU " + std::to_string(number) + " and GPU " +
                           std::to_string(other.number);
  if (Status done = driver.check(driver.deviceGet(&here, number), what); !done)
    return done.takeError();
  if (Status done = driver.check(driver.deviceGet(&there, other.number), what);
      !done)
    return done.takeError();
  if (Status done =
          driver.check(driver.deviceCanAccessPeer(&can, here, there), what);
      !done)
    return done.takeError();
  if (!can)
    return false;
  if (Status done = enter(); !done)
    return done.takeError();
  const Code code = driver.contextEnablePeerAccess(other.context, 0);
  if (code == errorPeerAccessAlreadyEnabled)
    return true;
  if (Status done = driver.check(code, what + ": peer access"); !done)
    return done.takeError();
  return true;
}

Status Gpu::load(const std::string &ptx, const std::string &what) {
  auto loaded = LoadedCode::load(driver, ptx, what);
  if (!loaded)
    return loaded.takeError();
  code = std::move(*loaded);
  return {};
}

Result<void *> Gpu::handleOf(
    const std::string &library,
    const std::function<Result<std::shared_ptr<void>>()> &make) const {
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<void> &handle = handles[library];
  if (!handle) {
    auto made = make();
    if (!made)
      return made.takeError();
    handle = std::move(*made);
  }
  return handle.get();
}
