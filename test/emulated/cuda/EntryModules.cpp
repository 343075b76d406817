// Modules, functions and launches.
#include "test/emulated/cuda/Driver.h"
#include "test/emulated/cuda/Functions.h"

#include <algorithm>
#include <cstring>

SMEX_CUDA_FUNCTIONS(SMEX_CUDA_DECLARE)

using namespace smex::emulated;
namespace ptx = smex::ptx;

namespace {

Driver &driver() { return Driver::get(); }

/// CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, and _OPTIN
constexpr int sharedOfBlock = 48 << 10;
constexpr int sharedIfAsked = 227 << 10;

/// PTX that a driver of this version knows: 9.0 for CUDA 13.0, 8.N for 12.N.
/// "Release Notes" of the PTX ISA: 7.8 came with CUDA 11.8, 8.0 with 12.0, and
/// so on; 12.6 brought none, so that 8.6 came with 12.7.
unsigned newestPtx(int version) {
  const unsigned major = version / 1000, minor = version % 1000 / 10;
  const bool isLater = major == 12 && minor >= 6;
  return (major - 4) * 10 + minor - isLater;
}

void load(void **module, const void *image, std::string &log) {
  wanted(module);
  const char *text = static_cast<const char *>(image);
  wanted(text);
  // Cubins and fat binaries are no text.
  if (std::memcmp(text,
                  "\x7f"
                  "ELF",
                  4) == 0 ||
      std::memcmp(text, "\x50\xed\x55\xba", 4) == 0) {
    log = "the emulated device takes PTX only";
    refuse(ERROR_INVALID_IMAGE, log, cites::cubins);
  }
  Device &device = driver().current();
  auto loaded = std::make_unique<LoadedModule>();
  loaded->device = &device;
  std::vector<uint64_t> taken;
  const auto refuseModule = [&](int result, const std::string &why,
                                const Citation &citation) {
    for (uint64_t each : taken) {
      driver().memory.remove(each);
      device.bytes.give(each);
    }
    log = why;
    refuse(result, why, citation);
  };
  try {
    loaded->code = std::make_shared<ptx::LoadedModule>(
        text,
        [&](uint64_t size, uint64_t align,
            const std::string &name) -> ptx::Allocation & {
          // Whole granules of 512 bytes are aligned to 512.
          if (align > 512)
            refuseModule(ERROR_INVALID_PTX,
                         name + " is aligned to " + std::to_string(align),
                         cites::ptxAlignment);
          uint64_t address = device.bytes.take(size);
          if (!address)
            throw std::bad_alloc();
          taken.push_back(address);
          ptx::Allocation &result = driver().memory.add(
              address, size, device.bytes.view(address), name);
          result.device = device.number;
          return result;
        });
    const ptx::Module &parsed = loaded->code->module();
    if (parsed.version > newestPtx(driver().settings.driver))
      refuseModule(ERROR_UNSUPPORTED_PTX_VERSION,
                   "PTX " + std::to_string(parsed.version / 10) + "." +
                       std::to_string(parsed.version % 10) +
                       " is newer than the driver",
                   cites::ptxVersion);
    // Text for sm_80 runs on what is newer.
    if (parsed.target.compare(0, 3, "sm_") != 0 ||
        std::atoi(parsed.target.c_str() + 3) > device.architecture)
      refuseModule(ERROR_NO_BINARY_FOR_GPU,
                   "it is for " + parsed.target +
                       ", the emulated device is sm_" +
                       std::to_string(device.architecture),
                   cites::target);
    for (const ptx::Function &each : parsed.functions)
      if (each.isEntry && !each.isDeclaration) {
        auto kernel = std::make_unique<Kernel>();
        kernel->program = loaded->code->kernel(each.name);
        kernel->module = loaded.get();
        // "The default value of this attribute is [that of a block] -
        // CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES", or 0 (cuda.h).
        kernel->dynamicShared =
            sharedOfBlock - int(std::min<uint64_t>(
                                sharedOfBlock, kernel->program->sharedBytes));
        loaded->kernels[each.name] = std::move(kernel);
      }
  } catch (const ptx::ParseError &error) {
    refuseModule(ERROR_INVALID_PTX, error.what(), cites::ptx);
  } catch (const std::bad_alloc &) {
    refuseModule(ERROR_OUT_OF_MEMORY, "no memory for its variables",
                 cites::memory);
  }
  for (auto &each : loaded->kernels)
    driver().kernels.insert(each.second.get());
  *module = loaded.release();
  driver().modules.insert(static_cast<LoadedModule *>(*module));
}

void wantAttribute(int attribute) {
  constexpr int last = 15; // CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_...
  if (attribute < 0 || attribute > last)
    refuse(ERROR_INVALID_VALUE, "attribute " + std::to_string(attribute),
           cites::value);
}

struct LaunchShape {
  ptx::Dim3 grid, block;
  uint64_t sharedBytes;
};

std::vector<uint8_t> parametersOf(const ptx::Program &program,
                                  void **parameters, void **extra) {
  std::vector<uint8_t> bytes(program.parameterBytes);
  if (extra) {
    // CU_LAUNCH_PARAM_BUFFER_POINTER (1), _BUFFER_SIZE (2), _END (0).
    const void *from = nullptr;
    size_t size = 0;
    for (; *extra; extra += 2) {
      if (*extra == reinterpret_cast<void *>(1))
        from = extra[1];
      else if (*extra == reinterpret_cast<void *>(2))
        size = *static_cast<size_t *>(extra[1]);
      else
        refuse(ERROR_INVALID_VALUE, "a setting of an unknown name",
               cites::extra);
    }
    if (bytes.empty())
      return bytes;
    if (!from || size < bytes.size())
      refuse(ERROR_INVALID_VALUE,
             "a buffer of " + std::to_string(from ? size : 0) +
                 " bytes for parameters of " + std::to_string(bytes.size()),
             cites::extraBuffer);
    std::memcpy(bytes.data(), from, bytes.size());
    return bytes;
  }
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    const auto &each = program.parameters[i];
    if (!parameters || !parameters[i])
      refuse(ERROR_INVALID_VALUE, "parameter " + std::to_string(i) + " is NULL",
             cites::parameters);
    std::memcpy(&bytes[each.offset], parameters[i], each.size);
  }
  return bytes;
}

/// A launch as a line of JSON: the kernel's name, grid, block and its
/// parameters, which are numbers and addresses; of more than 8 bytes, null.
std::string lineOf(const ptx::Program &program, const LaunchShape &shape,
                   const std::vector<uint8_t> &bytes) {
  const auto list = [](const auto &values) {
    std::string text;
    for (const auto &value : values)
      text += (text.empty() ? "" : ", ") + std::to_string(value);
    return "[" + text + "]";
  };
  std::string values;
  for (const auto &each : program.parameters) {
    uint64_t value = 0;
    if (each.size <= sizeof(value))
      std::memcpy(&value, &bytes[each.offset], each.size);
    values += (values.empty() ? "" : ", ") +
              (each.size <= sizeof(value) ? std::to_string(value) : "null");
  }
  return "{\"kernel\": \"" + program.kernel->name +
         "\", \"grid\": " + list(shape.grid) +
         ", \"block\": " + list(shape.block) + ", \"parameters\": [" + values +
         "]}";
}

void launchKernel(Kernel &kernel, const LaunchShape &shape, void *handle,
                  void **parameters, void **extra) {
  Driver &state = driver();
  Stream &stream = state.stream(handle);
  const ptx::Program &program = *kernel.program;
  const std::string &name = program.kernel->name;
  const auto refuseLaunch = [&](int result, const std::string &why,
                                const Citation &citation) {
    refuse(result, "the launch of " + name + ": " + why, citation);
  };
  if (kernel.module->device != stream.device)
    refuseLaunch(ERROR_INVALID_HANDLE,
                 "the module is of another device than the stream",
                 cites::otherDevice);
  const ptx::Dim3 &grid = shape.grid, &block = shape.block;
  const ptx::Dim3 &required = program.kernel->requiredThreads;
  const ptx::Dim3 &maximal = program.kernel->maximalThreads;
  if (!grid[0] || !grid[1] || !grid[2] || !block[0] || !block[1] || !block[2])
    refuseLaunch(ERROR_INVALID_VALUE, "a grid or a block of no size",
                 cites::value);
  if (grid[0] > 2147483647 || grid[1] > 65535 || grid[2] > 65535 ||
      block[0] > 1024 || block[1] > 1024 || block[2] > 64)
    refuseLaunch(ERROR_INVALID_VALUE,
                 "a grid or a block beyond the device's limits",
                 cites::gridLimits);
  uint64_t threads = uint64_t(block[0]) * block[1] * block[2];
  if (threads > 1024)
    refuseLaunch(ERROR_INVALID_VALUE, std::to_string(threads) + " threads",
                 cites::blockThreads);
  if (required[0] && required != block)
    refuseLaunch(ERROR_INVALID_VALUE,
                 "other extents of a block than the kernel's",
                 cites::requiredThreads);
  if (maximal[0] && threads > uint64_t(maximal[0]) * maximal[1] * maximal[2])
    refuseLaunch(ERROR_INVALID_VALUE, "more threads than the kernel's",
                 cites::maximalThreads);
  if (shape.sharedBytes > static_cast<uint64_t>(kernel.dynamicShared))
    refuseLaunch(ERROR_INVALID_VALUE,
                 std::to_string(shape.sharedBytes) +
                     " bytes of dynamic shared memory, of " +
                     std::to_string(kernel.dynamicShared) + " allowed",
                 cites::dynamicShared);
  if (parameters && extra)
    refuseLaunch(ERROR_INVALID_VALUE, "kernelParams and extra",
                 cites::twoParameters);
  std::vector<uint8_t> bytes = parametersOf(program, parameters, extra);
  std::vector<ptx::Range> pointers;
  try {
    std::vector<uint64_t> arenas;
    for (const auto &each : state.devices)
      arenas.push_back(each->arena);
    pointers = state.knownLaunches.buffersOf(name, bytes, arenas);
  } catch (const std::runtime_error &error) {
    refuse(ERROR_INVALID_VALUE, error.what(), cites::knownLaunches);
  }
  if (!state.settings.record.empty())
    record(state.settings, lineOf(program, shape, bytes));
  Context &context = stream.device->context;
  ptx::LaunchOptions options;
  options.grid = shape.grid;
  options.block = shape.block;
  options.dynamicShared = shape.sharedBytes;
  options.seed = state.settings.seed;
  options.pointers = pointers;
  options.reaches = [&context](const ptx::Allocation &allocation) {
    return allocation.device == context.device->number ||
           context.peers.count(allocation.device);
  };
  state.submit(
      stream, "a launch of " + name,
      [=, &program]() -> std::vector<Span> {
        std::vector<Span> spans;
        for (const auto &each :
             ptx::launch(program, options, bytes, driver().memory).touched)
          spans.push_back({each.begin, each.end, each.isWritten});
        return spans;
      },
      {},
      [=, &program, code = kernel.module->code](uint64_t address,
                                                bool isWritten) {
        return ptx::placeOf(program, options, bytes, driver().memory,
                            {address, isWritten});
      });
}

} // namespace

extern "C" {

int cuModuleLoadData(void **module, const void *image) {
  return driver().call("cuModuleLoadData", Driver::Current, [&] {
    std::string log;
    load(module, image, log);
  });
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                       int *options, void **values) {
  std::string log;
  int result = driver().call("cuModuleLoadDataEx", Driver::Current, [&] {
    if (count && (!options || !values))
      refuse(ERROR_INVALID_VALUE, "options are NULL", cites::value);
    load(module, image, log);
  });
  // CU_JIT_ERROR_LOG_BUFFER (5) and its size (6), which becomes the length.
  char *buffer = nullptr;
  size_t size = 0, sizeAt = 0;
  for (unsigned i = 0; options && values && i < count; ++i) {
    if (options[i] == 5)
      buffer = static_cast<char *>(values[i]);
    if (options[i] == 6) {
      size = reinterpret_cast<size_t>(values[i]);
      sizeAt = i + 1;
    }
  }
  if (buffer && size) {
    size_t length = std::min(log.size(), size - 1);
    std::memcpy(buffer, log.data(), length);
    buffer[length] = 0;
    values[sizeAt - 1] = reinterpret_cast<void *>(length);
  }
  return result;
}

int cuModuleUnload(void *handle) {
  return driver().call("cuModuleUnload", Driver::Current, [&] {
    LoadedModule &module = driver().module(handle);
    driver().finishAll();
    for (uint64_t each : module.code->variableAddresses()) {
      driver().memory.remove(each);
      module.device->bytes.give(each);
    }
    for (auto &each : module.kernels)
      driver().kernels.erase(each.second.get());
    driver().modules.erase(&module);
    delete &module;
  });
}

int cuModuleGetFunction(void **function, void *handle, const char *name) {
  return driver().call("cuModuleGetFunction", Driver::Current, [&] {
    LoadedModule &module = driver().module(handle);
    auto found = module.kernels.find(&wanted(name));
    if (found == module.kernels.end())
      refuse(ERROR_NOT_FOUND, std::string("no function ") + name,
             cites::functionName);
    wanted(function) = found->second.get();
  });
}

int cuFuncSetAttribute(void *function, int attribute, int value) {
  return driver().call("cuFuncSetAttribute", Driver::Current, [&] {
    Kernel &kernel = driver().kernel(function);
    wantAttribute(attribute);
    // CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT is a hint.
    if (attribute == 9)
      return;
    if (attribute < 8 || attribute == 10) // from _MAX_THREADS_PER_BLOCK
      refuse(ERROR_INVALID_VALUE, "attribute " + std::to_string(attribute),
             cites::readOnly);
    if (attribute > 10) // _REQUIRED_CLUSTER_WIDTH and so on
      refuse(ERROR_INVALID_VALUE, "attribute " + std::to_string(attribute),
             cites::functionAttribute);
    // _MAX_DYNAMIC_SHARED_SIZE_BYTES
    if (value < 0 || value + kernel.program->sharedBytes > sharedIfAsked)
      refuse(ERROR_INVALID_VALUE,
             std::to_string(value) + " bytes beside " +
                 std::to_string(kernel.program->sharedBytes) + " static ones",
             cites::sharedSum);
    kernel.dynamicShared = value;
  });
}

int cuFuncGetAttribute(int *value, int attribute, void *function) {
  return driver().call("cuFuncGetAttribute", Driver::Current, [&] {
    Kernel &kernel = driver().kernel(function);
    const ptx::Program &program = *kernel.program;
    const ptx::Dim3 &maximal = program.kernel->maximalThreads;
    wantAttribute(attribute);
    switch (attribute) {
    case 0: // threads of a block
      wanted(value) = maximal[0] ? maximal[0] * maximal[1] * maximal[2] : 1024;
      return;
    case 1:
      wanted(value) = static_cast<int>(program.sharedBytes);
      return;
    case 2:
      wanted(value) = 0; // constants
      return;
    case 3:
      wanted(value) = static_cast<int>(program.functions.front()->frameBytes);
      return;
    case 4:
      wanted(value) = 32; // registers: an emulated device has any number
      return;
    case 5:
      wanted(value) = static_cast<int>(kernel.module->code->module().version);
      return;
    case 6:
      wanted(value) = kernel.module->device->architecture;
      return;
    case 8:
      wanted(value) = kernel.dynamicShared;
      return;
    default:
      refuse(ERROR_INVALID_VALUE, "attribute " + std::to_string(attribute),
             cites::functionAttribute);
    }
  });
}

int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                   unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned sharedBytes, void *stream,
                   void **parameters, void **extra) {
  return driver().call("cuLaunchKernel", Driver::Current, [&] {
    launchKernel(driver().kernel(function),
                 {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes},
                 stream, parameters, extra);
  });
}
}
