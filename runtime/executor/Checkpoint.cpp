#include "runtime/executor/Checkpoint.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

using namespace smex;
using namespace smex::runtime;
namespace fs = std::filesystem;

namespace {
constexpr const char *fileName = "checkpoint.safetensors";
constexpr const char *formatName = "smex-checkpoint";

std::map<std::string, TensorType>
typesOf(const plan::Program &program, bool (*wanted)(const plan::Parameter &)) {
  std::map<std::string, TensorType> types;
  for (const plan::Parameter &parameter : program.parameters)
    if (wanted(parameter))
      types[parameter.name] =
          program
              .tensors[size_t(program.buffers[size_t(parameter.buffer)].tensor)]
              .type;
  return types;
}
} // namespace

Result<ParameterFile> ParameterFile::open(const plan::Program &program,
                                          const std::string &path, int steps) {
  std::error_code code;
  if (fs::is_directory(path, code))
    return fail(path, ": is a folder, not a file");
  if (Status writable = StagedFile::probe(path); !writable)
    return writable.takeError();
  ParameterFile file;
  file.program = &program;
  file.path = path;
  file.steps = steps;
  return file;
}

Status ParameterFile::begin(int) {
  auto made = io::SafetensorsWriter::create(path, typesOf(*program, isWeight));
  if (!made)
    return made.takeError();
  writer = std::move(*made);
  return {};
}

std::byte *ParameterFile::place(int parameter) {
  const plan::Parameter &which = program->parameters[size_t(parameter)];
  return isWeight(which) ? writer.data(which.name) : nullptr;
}

Status ParameterFile::commit() { return std::exchange(writer, {}).commit(); }

Result<std::unique_ptr<CheckpointFolder>>
CheckpointFolder::open(const plan::Program &program,
                       const std::string &directory, RunIdentity identity,
                       int every, int steps) {
  if (typesOf(program, isCarried).empty())
    return fail("no step changes a parameter of this plan, so there is nothing "
                "to write to ",
                directory, ": checkpoints are for plans of smexc --train");
  auto opened = OutputFolder::open(directory);
  if (!opened)
    return opened.takeError();
  std::unique_ptr<CheckpointFolder> made(new CheckpointFolder);
  made->program = &program;
  made->folder.emplace(std::move(*opened));
  made->path = (fs::path(directory) / fileName).string();
  made->identity = std::move(identity);
  made->every = every;
  made->steps = steps;
  if (Status locked = made->lock(directory); !locked)
    return locked.takeError();
  return made;
}

Status CheckpointFolder::lock(const std::string &directory) {
  locked = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (locked < 0 || ::flock(locked, LOCK_EX | LOCK_NB) != 0) {
    Error error =
        fail(directory, ": ",
             errno == EWOULDBLOCK ? "another run writes its checkpoints there"
                                  : std::strerror(errno));
    error.fault = Fault::Environment;
    return error;
  }
  // What runs that were killed had not finished.
  std::error_code code;
  for (const auto &entry : fs::directory_iterator(directory, code))
    if (entry.path().filename().string().rfind(std::string(fileName) + ".tmp-",
                                               0) == 0)
      fs::remove(entry.path(), code);
  return {};
}

CheckpointFolder::~CheckpointFolder() {
  if (locked >= 0)
    ::close(locked);
}

bool CheckpointFolder::isEmpty() const {
  std::error_code code;
  return !fs::exists(path, code) && !code;
}

Result<std::optional<Checkpoint>> CheckpointFolder::last() const {
  if (isEmpty())
    return std::optional<Checkpoint>();
  auto values = io::Safetensors::open(path);
  if (!values)
    return values.takeError();
  const auto &metadata = values->header().metadata;
  const auto text = [&](const char *key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : found->second;
  };
  if (text("format") != formatName || text("version") != "1")
    return fail(path, ": is no checkpoint that this smex-run can read");
  if (text("model_sha256") != identity.modelSha256)
    return fail(path, ": is a checkpoint of another model than the plan's");
  if (text("seed") != std::to_string(identity.seed))
    return fail(path, ": is a checkpoint of a run with --seed ", text("seed"),
                ", not ", identity.seed);
  if (text("parameters_sha256") != identity.parametersSha256)
    return fail(path, ": is a checkpoint of a run ",
                text("parameters_sha256").empty() ? "without --parameters"
                : identity.parametersSha256.empty()
                    ? "with --parameters, which must be given again"
                    : "with other --parameters");
  const std::string steps = text("steps");
  int completed = 0;
  const auto [end, error] =
      std::from_chars(steps.data(), steps.data() + steps.size(), completed);
  if (error != std::errc() || end != steps.data() + steps.size() ||
      completed < 1)
    return fail(path, ": says \"", steps, "\" for the number of steps");
  if (completed > this->steps)
    return fail(path, ": is a checkpoint of step ", completed,
                ", beyond --steps ", this->steps);
  if (Status fits = compareParameters(*values, *program, isCarried); !fits)
    return fits.takeError();
  return std::optional<Checkpoint>({std::move(*values), completed});
}

Status CheckpointFolder::begin(int completed) {
  std::map<std::string, std::string> metadata = {
      {"format", formatName},
      {"version", "1"},
      {"steps", std::to_string(completed)},
      {"model_sha256", identity.modelSha256},
      {"seed", std::to_string(identity.seed)}};
  if (!identity.parametersSha256.empty())
    metadata["parameters_sha256"] = identity.parametersSha256;
  auto made = io::SafetensorsWriter::create(path, typesOf(*program, isCarried),
                                            metadata);
  if (!made)
    return made.takeError();
  writer = std::move(*made);
  return {};
}

std::byte *CheckpointFolder::place(int parameter) {
  const plan::Parameter &which = program->parameters[size_t(parameter)];
  return isCarried(which) ? writer.data(which.name) : nullptr;
}

Status CheckpointFolder::commit() { return std::exchange(writer, {}).commit(); }
