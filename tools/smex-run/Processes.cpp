#include "tools/smex-run/Processes.h"

#include "dialects/support/Destination.h"
#include "runtime/plan/Format.h"
#include "runtime/plan/Regions.h"
#include "runtime/transports/mpi/Parcel.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace smex;
using namespace smex::runtime;

std::string tools::nextInstruction(const plan::Partitioned &partitioned,
                                   int worker,
                                   const std::vector<int64_t> &completed,
                                   int firstStep) {
  const plan::Program &program = partitioned.program;
  const auto count = int64_t(program.instructions.size());
  const int64_t last = *std::max_element(completed.begin(), completed.end());
  // A queue on which the worker does nothing stays at 0, and no other one is
  // steps behind.
  const int64_t first =
      std::max(*std::min_element(completed.begin(), completed.end()),
               (last - 1) / std::max<int64_t>(count, 1) * count);
  // What is left of this step, or else the beginning of the next one.
  for (int64_t at = first; count > 0 && at < last + 2 * count; ++at) {
    const auto which = int(at % count);
    const plan::Instruction &what = program.instructions[size_t(which)];
    const auto queue = size_t(plan::queueOf(what.op));
    if (at < completed[queue] || !plan::written(partitioned, worker, which))
      continue;
    const int tensor = program.buffers[size_t(what.to)].tensor;
    return fail("instruction ", which, " (",
                what.node.empty() ? plan::name(what.op) : "node", " \"",
                what.node.empty() ? program.tensors[size_t(tensor)].name
                                  : what.node,
                "\") of step ", firstStep + at / count + 1)
        .message;
  }
  return "no instruction";
}

int tools::threadsPerWorker(const mpi::World &world, int workers) {
  // mpirun may have bound the process to some cores, which are its own then.
  const int cores = std::max(1, int(std::thread::hardware_concurrency()));
  const bool areAll = cores >= int(::sysconf(_SC_NPROCESSORS_ONLN));
  int there = 0;
  for (int rank : world.neighbours())
    for (int w = 0; w < workers; ++w)
      there += mpi::processOf(w, workers, world.size()) == rank &&
               (areAll || rank == world.rank());
  return std::max(1, cores / std::max(1, there));
}

Result<std::vector<std::string>> tools::devicesOf(Backend &backend, int workers,
                                                  mpi::World *world) {
  int own = 0;
  for (int w = 0; w < workers; ++w)
    own += !world || mpi::processOf(w, workers, world->size()) == world->rank();
  std::vector<std::string> names = backend.devices(own);
  if (!world)
    return names;
  mpi::Bytes bytes;
  for (const std::string &name : names)
    for (size_t c = 0; c <= name.size(); ++c)
      bytes.push_back(std::byte(name.c_str()[c]));
  const auto all = world->gather(std::move(bytes));
  if (!all)
    return all.error();
  names.clear();
  for (const mpi::Bytes &each : *all)
    for (size_t at = 0; at < each.size(); at += names.back().size() + 1)
      names.emplace_back(reinterpret_cast<const char *>(each.data() + at));
  return names;
}

mpi::Bytes tools::encode(int completed, std::string_view file) {
  mpi::Parcel parcel;
  parcel.put(completed);
  parcel.put(file.data(), file.size());
  return parcel.take();
}

Result<tools::SentCheckpoint> tools::decodeCheckpoint(const mpi::Bytes &bytes) {
  mpi::Unpacking parcel(bytes);
  SentCheckpoint sent;
  sent.completed = int(parcel.number());
  const size_t count = parcel.left();
  if (count == 0)
    return sent;
  const int file = ::memfd_create("checkpoint", MFD_CLOEXEC);
  int code = file < 0 ? errno : 0;
  if (file >= 0)
    code = writeAll(
        file, {reinterpret_cast<const char *>(parcel.bytes(count)), count});
  if (code) {
    Error error = fail("cannot keep the checkpoint: ", std::strerror(code));
    error.fault = Fault::Environment;
    return error;
  }
  auto values = io::Safetensors::open("/proc/self/fd/" + std::to_string(file));
  ::close(file); // it is mapped
  if (!values)
    return values.takeError();
  sent.values.emplace(std::move(*values));
  return sent;
}
