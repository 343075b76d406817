#include "runtime/plan/Save.h"

#include "dialects/support/File.h"
#include "dialects/support/Sha256.h"
#include "runtime/plan/Files.h"
#include "runtime/plan/Format.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/Target.h"
#include "runtime/plan/Validate.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <future>
#include <unistd.h>

using namespace smex;
using namespace smex::plan;
namespace fs = std::filesystem;

namespace {

constexpr int64_t alignment = 64;

int64_t aligned(int64_t offset) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// Writes one weight file from front to back, and hashes it on the way.
class WeightFile {
public:
  /// `shown` is what messages call the file.
  WeightFile(const Partitioned &partitioned, const WeightSource &source,
             std::string shown)
      : partitioned(partitioned), source(source), shown(std::move(shown)) {}
  ~WeightFile() {
    if (file >= 0)
      ::close(file);
  }

  /// Returns the hash.
  Result<std::string> write(const std::string &path, int worker) {
    file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
      return systemError();
    Status status;
    for (const StoredWeight &weight :
         partitioned.workers[size_t(worker)].weights) {
      const std::string zeros(size_t(weight.offset - position), '\0');
      if (status)
        status = append(zeros);
      const Parameter &parameter =
          partitioned.program.parameters[size_t(weight.parameter)];
      const Box &box = partitioned.box(worker, parameter.buffer);
      if (status && !isEmpty(box))
        status = slabs(weight.parameter, box);
    }
    if (status && ::fsync(file) != 0 && errno != EINVAL)
      status = systemError();
    if (!status)
      return status.takeError();
    return hash.finish();
  }

private:
  /// Cuts the slowest dimension first, so that slabs follow one another in the
  /// file.
  Status slabs(int parameter, const Box &box) {
    const Program &program = partitioned.program;
    const int buffer = program.parameters[size_t(parameter)].buffer;
    const DType type =
        program.tensors[size_t(program.buffers[size_t(buffer)].tensor)]
            .type.dtype;
    const int64_t bytes = volume(box) * smex::byteSize(type);
    if (bytes <= weightSlabBytes)
      return slab(parameter, box, bytes);
    size_t d = 0;
    while (box[d].size() == 1)
      ++d;
    const int64_t rows =
        std::max<int64_t>(1, weightSlabBytes / (bytes / box[d].size()));
    for (int64_t lo = box[d].lo; lo < box[d].hi; lo += rows) {
      Box part = box;
      part[d] = {lo, std::min(lo + rows, box[d].hi)};
      if (Status status = slabs(parameter, part); !status)
        return status;
    }
    return {};
  }

  Status slab(int parameter, const Box &box, int64_t bytes) {
    const std::string &name =
        partitioned.program.parameters[size_t(parameter)].name;
    if (!source)
      return defect("parameter \"", name,
                    "\" is stored, but nobody has its values");
    const auto values = source(parameter, box);
    if (!values)
      return values.error();
    if (int64_t(values->size()) != bytes)
      return defect("parameter \"", name, "\": ", values->size(), " bytes for ",
                    toString(box), ", ", bytes, " expected");
    return append(
        {reinterpret_cast<const char *>(values->data()), values->size()});
  }

  template <typename... Parts> static Error defect(Parts &&...parts) {
    Error error = fail(std::forward<Parts>(parts)...);
    error.fault = Fault::Defect;
    return error;
  }

  Error systemError() const {
    Error error = fail(shown, ": cannot write: ", std::strerror(errno));
    error.fault = Fault::Environment;
    return error;
  }

  Status append(std::string_view bytes) {
    hash.update(bytes);
    position += int64_t(bytes.size());
    while (!bytes.empty()) {
      const ssize_t written = ::write(file, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return systemError();
      bytes.remove_prefix(size_t(written));
    }
    return {};
  }

  const Partitioned &partitioned;
  const WeightSource &source;
  const std::string shown;
  Sha256 hash;
  int file = -1;
  int64_t position = 0;
};

class Saver {
public:
  Saver(StagedDirectory &folder) : folder(folder) {}

  /// Writes one file; its hash is for plan.json.
  Status file(const std::string &name, std::string_view bytes) {
    return noted(name, write(name, bytes));
  }

  /// `prefix`: "" or "unpartitioned/".
  Status partitioned(const Partitioned &part, const std::string &prefix) {
    Status status = file(prefix + "program.json",
                         canonicalJson(programToJson(part.program)));
    // Beside each other, but not all: their texts may be large.
    constexpr size_t most = 4;
    const size_t workers = part.workers.size();
    for (size_t first = 0; status && first < workers; first += most) {
      std::vector<std::future<Result<std::string>>> writing;
      for (size_t k = first; k < std::min(first + most, workers); ++k)
        writing.push_back(std::async(std::launch::async, [&, k] {
          return write(prefix + gpuFile(k, ".json"),
                       canonicalJson(workerToJson(part, int(k))));
        }));
      for (size_t i = 0; i < writing.size(); ++i) {
        Result<std::string> hash = writing[i].get();
        if (status)
          status = noted(prefix + gpuFile(first + i, ".json"), std::move(hash));
      }
    }
    return status;
  }

  Status weights(const Partitioned &part, const WeightSource &source) {
    for (size_t k = 0; k < part.workers.size(); ++k) {
      if (part.workers[k].weights.empty())
        continue;
      const std::string name = gpuFile(k, ".weights");
      auto hash = WeightFile(part, source, folder.shown(name))
                      .write(folder.path() + "/" + name, int(k));
      if (!hash)
        return hash.takeError();
      hashes[name] = *hash;
    }
    return {};
  }

  /// Last, with the hashes of all that was written before.
  Status summary(const Plan &plan) {
    Json json = summaryToJson(plan, hashes);
    json["sha256"] = sha256(canonicalJson(json));
    return folder.write("plan.json", canonicalJson(json));
  }

private:
  /// Returns the hash.
  Result<std::string> write(const std::string &name,
                            std::string_view bytes) const {
    if (Status status = folder.write(name, bytes); !status)
      return status.takeError();
    return sha256(bytes);
  }

  Status noted(const std::string &name, Result<std::string> hash) {
    if (!hash)
      return hash.takeError();
    hashes[name] = *hash;
    return {};
  }

  StagedDirectory &folder;
  FileHashes hashes;
};

Status write(const Plan &plan, StagedDirectory &folder,
             const WeightSource &source) {
  Saver saver(folder);
  if (Status status = saver.partitioned(plan.partitioned, ""); !status)
    return status;
  if (!plan.unpartitioned.workers.empty()) {
    if (Status status = folder.makeFolder("unpartitioned"); !status)
      return status;
    if (Status status = saver.partitioned(plan.unpartitioned, "unpartitioned/");
        !status)
      return status;
  }
  for (const Artifact &artifact : plan.code) {
    if (artifact.bytes.empty())
      continue;
    Status status = saver.file(codeFile(artifact.target), artifact.bytes);
    if (status && kindOf(artifact.target) == TargetKind::Cuda)
      status = saver.file(launchFile(artifact.target),
                          canonicalJson(launchesToJson(artifact.launches)));
    if (!status)
      return status;
  }
  for (size_t k = 0; k < plan.edgeOrders.size(); ++k) {
    const std::vector<int64_t> &order = plan.edgeOrders[k]; // little-endian
    if (Status status = saver.file(
            edgesFile(k), {reinterpret_cast<const char *>(order.data()),
                           order.size() * sizeof(int64_t)});
        !status)
      return status;
  }
  if (Status status = saver.weights(plan.partitioned, source); !status)
    return status;
  return saver.summary(plan);
}

} // namespace

void plan::layoutWeights(Partitioned &partitioned) {
  const Program &program = partitioned.program;
  for (size_t k = 0; k < partitioned.workers.size(); ++k) {
    int64_t end = 0;
    auto &weights = partitioned.workers[k].weights;
    weights.clear();
    for (size_t p = 0; p < program.parameters.size(); ++p) {
      if (program.parameters[p].drawn)
        continue;
      const int buffer = program.parameters[p].buffer;
      const int64_t bytes = byteSize(partitioned, int(k), buffer);
      if (bytes == 0)
        continue;
      weights.push_back({int(p), aligned(end)});
      end = aligned(end) + bytes;
    }
  }
}

Status plan::checkTarget(const std::string &directory) {
  std::string clean = directory;
  while (clean.size() > 1 && clean.back() == '/')
    clean.pop_back(); // what is no folder is there without it alone
  std::error_code code;
  if (fs::exists(clean, code) && !fs::is_directory(clean, code))
    return fail(directory, ": exists and is not a folder");
  if (!fs::is_directory(clean, code) || fs::is_empty(clean, code) ||
      fs::exists(fs::path(clean) / "plan.json", code))
    return {};
  return fail(directory,
              ": exists and holds no plan.json; it would be deleted. "
              "Name another folder, or empty this one");
}

Status plan::save(const Plan &plan, const std::string &directory,
                  const WeightSource &weights) {
  if (Status status = validate(plan, directory); !status) {
    Error error = status.takeError();
    error.fault = Fault::Defect;
    return error;
  }
  if (Status status = checkTarget(directory); !status)
    return status;
  auto staged = StagedDirectory::create(directory);
  if (!staged)
    return staged.takeError();
  if (Status status = write(plan, *staged, weights); !status)
    return status;
  return staged->commit();
}
