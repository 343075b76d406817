#include "runtime/plan/Load.h"

#include "dialects/support/Sha256.h"
#include "dialects/support/Text.h"
#include "runtime/plan/Files.h"
#include "runtime/plan/Format.h"
#include "runtime/plan/Regions.h"
#include "runtime/plan/Target.h"
#include "runtime/plan/Validate.h"

#include <set>
#include <sys/mman.h>

using namespace smex;
using namespace smex::plan;

namespace {

struct Summary {
  Plan plan;
  FileHashes files;
};

/// Version first: a plan of another version may look different in every
/// respect, its hash included.
Status checkVersion(const Json &json, const std::string &file) {
  if (!json.is_object() || !json.contains("format") ||
      json["format"] != "smex-plan")
    return fail(file,
                ": is not a plan of smex (\"format\" is not \"smex-plan\")");
  if (!json.contains("version") || !json["version"].is_number_integer())
    return fail(file, ": version: must be an integer");
  if (json["version"] != formatVersion)
    return fail(file, ": version: the plan has format version ",
                json["version"].dump(), ", this smex reads version ",
                formatVersion,
                "; compile the model again, or use the smex that compiled it");
  return {};
}

Status checkOwnHash(Json json, const std::string &text,
                    const std::string &file) {
  if (canonicalJson(json) != text)
    return fail(file, ": is not in canonical form; it was changed after it was "
                      "written");
  const Json expected = json.contains("sha256") ? json["sha256"] : Json();
  json.erase("sha256");
  if (sha256(canonicalJson(json)) != expected)
    return fail(file, ": sha256: is not the hash of this file; it was changed "
                      "after it was written");
  return {};
}

/// Only names that save() gives: a name is a path to a file that gets read.
Status checkNames(const Summary &summary, const std::string &file) {
  FileHashes left = summary.files;
  const auto expect = [&](const std::string &name) {
    return left.erase(name) > 0;
  };
  for (const auto &[name, hash] : summary.files)
    if (!isSha256(hash))
      return fail(file, ": files.", name, ": is not a SHA-256 in lower case");
  if (!expect("program.json"))
    return fail(file, ": files: has no \"program.json\"");
  for (size_t k = 0; k < summary.plan.partitioned.workers.size(); ++k) {
    if (!expect(gpuFile(k, ".json")))
      return fail(file, ": files: has no \"", gpuFile(k, ".json"), "\"");
    expect(gpuFile(k, ".weights"));
  }
  for (size_t k = 0; expect(edgesFile(k)); ++k) {
  }
  std::set<std::string> targets;
  const Code &code = summary.plan.code;
  for (size_t k = 0; k < code.size(); ++k) {
    if (!isTarget(code[k].target))
      return fail(file, ": targets[", k, "]: is no name of a target");
    if (!targets.insert(code[k].target).second)
      return fail(file, ": targets[", k, "]: \"", code[k].target,
                  "\" is there twice");
    const bool hasCode = expect(codeFile(code[k].target));
    const bool isCuda = kindOf(code[k].target) == TargetKind::Cuda;
    if (isCuda && expect(launchFile(code[k].target)) != hasCode)
      return fail(file, ": files: has one of \"", codeFile(code[k].target),
                  "\" and \"", launchFile(code[k].target), "\"");
  }
  if (expect("unpartitioned/program.json") != expect("unpartitioned/gpu0.json"))
    return fail(file, ": files: has half of the unpartitioned program");
  if (!left.empty())
    return fail(file, ": files: \"", left.begin()->first,
                "\" is no file of a plan for ",
                summary.plan.partitioned.workers.size(), " GPUs");
  return {};
}

Result<Summary> loadSummary(const std::string &directory) {
  const std::string file = directory + "/plan.json";
  const auto opened = PlanFile::open(directory, "plan.json");
  if (!opened)
    return opened.error();
  const auto text = opened->read();
  if (!text)
    return text.error();
  const auto json = parseJson(*text);
  if (!json)
    return fail(file, ": ", json.error().message);
  if (Status status = checkVersion(*json, file); !status)
    return status.takeError();
  if (Status status = checkOwnHash(*json, *text, file); !status)
    return status.takeError();
  Summary summary;
  std::optional<Error> error;
  summaryFromJson(Cursor(*json, file, error), summary.plan, summary.files);
  if (error)
    return std::move(*error);
  if (Status status = checkNames(summary, file); !status)
    return status.takeError();
  return summary;
}

Error wrongHash(const std::string &path) {
  return fail(path,
              ": its hash is not the one in plan.json; it was changed after "
              "it was written, or belongs to another plan");
}

/// Reads the files that a summary names, each only if it has the right hash.
class Loader {
public:
  Loader(const std::string &directory, const Summary &summary)
      : directory(directory), summary(summary) {}

  Result<std::string> read(const std::string &name) const {
    const auto opened = PlanFile::open(directory, name);
    if (!opened)
      return opened.error();
    auto bytes = opened->read();
    if (bytes && sha256(*bytes) != summary.files.at(name))
      return wrongHash(directory + "/" + name);
    return bytes;
  }

  /// Calls `use` with the document.
  template <typename Use>
  Status read(const std::string &name, Use &&use) const {
    const std::string file = directory + "/" + name;
    const auto text = read(name);
    if (!text)
      return text.error();
    const auto json = parseJson(*text);
    if (!json)
      return fail(file, ": ", json.error().message);
    std::optional<Error> error;
    use(Cursor(*json, file, error));
    return error ? Status(std::move(*error)) : Status();
  }

  Status read(const std::string &folder, Partitioned &partitioned) const {
    Program &program = partitioned.program;
    const size_t workers = partitioned.workers.size();
    Status status = read(folder + "program.json", [&](const Cursor &at) {
      program = programFromJson(at, workers);
    });
    for (size_t k = 0; status && k < workers; ++k)
      status = read(folder + gpuFile(k, ".json"), [&](const Cursor &at) {
        take(workerFromJson(at), at, partitioned, k);
      });
    if (!status)
      return status;
    Complaint complaint(directory + "/" + folder + "program.json");
    std::vector<tdl::Lambda> lambdas;
    validateProgram(program, workers, lambdas, complaint);
    if (complaint)
      return complaint.take();
    evaluate(program, lambdas);
    return {};
  }

  /// A weight file is there if it is needed, and as long as its contents.
  Status checkWeights(const Plan &plan, bool hashes) const {
    for (size_t k = 0; k < plan.partitioned.workers.size(); ++k) {
      const std::string name = gpuFile(k, ".weights");
      const std::string path = directory + "/" + name;
      const auto entry = summary.files.find(name);
      const bool stores = !plan.partitioned.workers[k].weights.empty();
      if (stores != (entry != summary.files.end()))
        return fail(directory,
                    "/plan.json: files: ", stores ? "lacks \"" : "has \"", name,
                    stores ? "\"" : "\", but that GPU stores no weights");
      if (!stores)
        continue;
      const auto file = PlanFile::open(directory, name);
      if (!file)
        return file.error();
      const int64_t expected = weightBytes(plan.partitioned, int(k));
      if (file->size() != expected)
        return fail(path, ": has ", file->size(), " bytes, but ",
                    gpuFile(k, ".json"), " places ", expected, " in it");
      if (!hashes)
        continue;
      const auto hash = file->sha256();
      if (!hash)
        return hash.error();
      if (*hash != entry->second)
        return wrongHash(path);
    }
    return {};
  }

  /// The order of each of the program's edge rows; as many files as there are
  /// of these.
  Status readEdgeOrders(Plan &plan) const {
    const auto &rows = plan.partitioned.program.edgeRows;
    for (size_t k = 0;; ++k) {
      const std::string name = edgesFile(k);
      const auto entry = summary.files.find(name);
      const bool listed = entry != summary.files.end();
      if (listed != (k < rows.size()))
        return fail(directory,
                    "/plan.json: files: ", listed ? "has \"" : "lacks \"", name,
                    "\", and program.json has ", rows.size(), " edge_rows");
      if (!listed)
        return {};
      const auto file = PlanFile::open(directory, name);
      if (!file)
        return file.error();
      const std::string path = directory + "/" + name;
      if (file->size() % int64_t(sizeof(int64_t)) != 0 ||
          file->size() / int64_t(sizeof(int64_t)) != rows[k].edges)
        return fail(path, ": has ", file->size(),
                    " bytes, but program.json "
                    "says that it is the order of ",
                    rows[k].edges, " edges");
      std::vector<int64_t> order(size_t(rows[k].edges));
      const auto hash = file->readInto(order.data());
      if (!hash)
        return hash.error();
      if (*hash != entry->second)
        return wrongHash(path);
      plan.edgeOrders.push_back(std::move(order));
    }
  }

private:
  /// A GPU's entries of the lists that the program has per worker.
  static void take(WorkerFile file, const Cursor &at, Partitioned &partitioned,
                   size_t worker) {
    Program &program = partitioned.program;
    partitioned.workers[worker] = std::move(file.worker);
    const auto each = [&](const char *key, auto &entries, auto &all,
                          auto isListed, auto set) {
      size_t next = 0;
      for (auto &one : all)
        if (isListed(one) && next++ < entries.size())
          set(one, entries[next - 1]);
      if (at.ok() && next != entries.size())
        at.refuse(std::string(key) + ": has " + std::to_string(entries.size()) +
                  " entries, but program.json lists " + std::to_string(next));
    };
    each(
        "boxes", file.boxes, program.regions,
        [](const Region &region) { return region.isListed(); },
        [&](Region &region, Box &box) { region.boxes[worker] = box; });
    each(
        "offsets", file.offsets, program.buffers,
        [](const BufferInfo &buffer) { return buffer.offsets.size() != 1; },
        [&](BufferInfo &buffer, int64_t at) { buffer.offsets[worker] = at; });
    each(
        "pieces", file.pieces, program.instructions,
        [](const Instruction &each) { return !each.pieces.empty(); },
        [&](Instruction &each, std::vector<Piece> &pieces) {
          each.pieces[worker] = std::move(pieces);
        });
    each(
        "rows", file.rows, program.instructions,
        [](const Instruction &each) { return !each.rows.empty(); },
        [&](Instruction &each, Runs &rows) {
          each.rows[worker] = std::move(rows);
        });
  }

  const std::string &directory;
  const Summary &summary;
};

} // namespace

static Result<Plan> loadPlan(const std::string &directory,
                             const LoadOptions &options) {
  auto summary = loadSummary(directory);
  if (!summary)
    return summary.error();
  Plan plan = std::move(summary->plan);
  Loader loader(directory, *summary);
  if (Status status = loader.read("", plan.partitioned); !status)
    return status.takeError();
  if (summary->files.count("unpartitioned/program.json")) {
    plan.unpartitioned.workers.resize(1);
    if (Status status = loader.read("unpartitioned/", plan.unpartitioned);
        !status)
      return status.takeError();
  }
  for (Artifact &artifact : plan.code) {
    if (!summary->files.count(codeFile(artifact.target)))
      continue;
    auto bytes = loader.read(codeFile(artifact.target));
    if (!bytes)
      return bytes.error();
    artifact.bytes = std::move(*bytes);
    if (kindOf(artifact.target) != TargetKind::Cuda)
      continue;
    if (Status status = loader.read(launchFile(artifact.target),
                                    [&](const Cursor &at) {
                                      artifact.launches = launchesFromJson(at);
                                    });
        !status)
      return status.takeError();
  }
  if (Status status = loader.readEdgeOrders(plan); !status)
    return status.takeError();
  if (Status status = validate(plan, directory); !status)
    return status.takeError();
  if (Status status = loader.checkWeights(plan, options.verifyWeights); !status)
    return status.takeError();
  return plan;
}

Result<Plan> plan::load(const std::string &directory,
                        const LoadOptions &options) {
  auto loaded = loadPlan(directory, options);
  if (loaded)
    return loaded;
  // It is one line, whatever keys and names of the plan it quotes.
  Error error = loaded.takeError();
  error.message = cleanedLine(error.message);
  return error;
}

Weights::Weights(Weights &&other) noexcept
    : bytes(std::exchange(other.bytes, nullptr)),
      length(std::exchange(other.length, 0)) {}

Weights &Weights::operator=(Weights &&other) noexcept {
  std::swap(bytes, other.bytes);
  std::swap(length, other.length);
  return *this;
}

Weights::~Weights() {
  if (bytes)
    ::munmap(const_cast<std::byte *>(bytes), size_t(length));
}

static Result<Weights> mapped(const std::string &directory,
                              const std::string &name,
                              const std::string *hash) {
  Weights weights;
  const auto file = PlanFile::open(directory, name);
  if (!file)
    return file.error();
  if (file->size() == 0)
    return weights;
  void *bytes = ::mmap(nullptr, size_t(file->size()), PROT_READ, MAP_PRIVATE,
                       file->descriptor(), 0);
  if (bytes == MAP_FAILED) {
    Error error = fail(directory, "/", name, ": cannot be mapped into memory");
    error.fault = Fault::Environment;
    return error;
  }
  weights = Weights(static_cast<const std::byte *>(bytes), file->size());
  if (hash && sha256({static_cast<const char *>(bytes),
                      size_t(weights.size())}) != *hash)
    return wrongHash(directory + "/" + name);
  return weights;
}

Result<std::vector<Weights>> plan::weights(const std::string &directory,
                                           size_t workers, bool verify) {
  const auto summary = loadSummary(directory);
  if (!summary)
    return summary.error();
  // It may have been replaced since it was loaded.
  if (const size_t found = summary->plan.partitioned.workers.size();
      found != workers)
    return fail(directory, ": is a plan for ", found, " GPUs, not ", workers);
  std::vector<Weights> weights(workers);
  for (size_t w = 0; w < weights.size(); ++w) {
    const std::string name = gpuFile(w, ".weights");
    const auto entry = summary->files.find(name);
    if (entry == summary->files.end())
      continue;
    auto file = mapped(directory, name, verify ? &entry->second : nullptr);
    if (!file)
      return file.takeError();
    weights[w] = std::move(*file);
  }
  return weights;
}
