#include "test/runtime/plan/Examples.h"

#include "dialects/support/Sha256.h"
#include "runtime/plan/Load.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

using namespace smex;
using namespace smex::plan;
namespace fs = std::filesystem;

WeightSource plan::countingWeights(const Plan &plan) {
  return
      [&plan](int parameter, const Box &box) -> Result<std::vector<std::byte>> {
        const Program &program = plan.partitioned.program;
        const int buffer = program.parameters[size_t(parameter)].buffer;
        const auto &shape =
            program.tensors[size_t(program.buffers[size_t(buffer)].tensor)]
                .type.shape;
        std::vector<float> values;
        for (int64_t row = box[0].lo; row < box[0].hi; ++row)
          for (int64_t column = box[1].lo; column < box[1].hi; ++column)
            values.push_back(float(parameter * 1000 + row * shape[1] + column));
        std::vector<std::byte> bytes(values.size() * sizeof(float));
        std::memcpy(bytes.data(), values.data(), bytes.size());
        return bytes;
      };
}

static std::string makeFolder() {
  const char *base = std::getenv("TEST_TMPDIR");
  std::string name =
      (base ? std::string(base) : fs::temp_directory_path().string()) +
      "/plan-test-XXXXXX";
  if (!::mkdtemp(name.data()))
    std::abort();
  return name;
}

TemporaryFolder::TemporaryFolder() : path(makeFolder()) {}
TemporaryFolder::~TemporaryFolder() { fs::remove_all(path); }

bool plan::isAsSchemasSay(const std::string &directory) {
  return std::system(("/usr/bin/python3 test/runtime/plan/validate_schema.py "
                      "runtime/plan/schema '" +
                      directory + "' 1>&2")
                         .c_str()) == 0;
}

Plan plan::readBack(const Plan &plan) {
  const TemporaryFolder folder;
  const std::string directory = folder / "plan";
  if (Status saved = save(plan, directory, countingWeights(plan)); !saved)
    throw std::runtime_error(saved.error().message);
  if (!isAsSchemasSay(directory))
    throw std::runtime_error("the plan is not as the schemas say");
  auto loaded = load(directory);
  if (!loaded)
    throw std::runtime_error(loaded.error().message);
  return std::move(*loaded);
}

std::string plan::listed(const std::vector<Finding> &findings) {
  std::string text;
  for (const Finding &finding : findings)
    text += std::string(name(finding.kind)) + ": " + finding.message + "\n";
  return text;
}

std::string plan::slurp(const std::string &path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

void plan::spit(const std::string &path, const std::string &bytes) {
  // A file that is truncated and written anew is flushed by some file systems;
  // thousands of them take minutes.
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  std::ofstream(path, std::ios::binary) << bytes;
}

void plan::rehash(const std::string &directory) {
  auto json = parseJson(slurp(directory + "/plan.json"));
  if (!json || !json->is_object())
    return;
  if (json->contains("files") && (*json)["files"].is_object())
    for (auto &file : (*json)["files"].items())
      file.value() = sha256(slurp(directory + "/" + file.key()));
  seal(directory, std::move(*json));
}

void plan::seal(const std::string &directory, Json summary) {
  summary.erase("sha256");
  summary["sha256"] = sha256(canonicalJson(summary));
  spit(directory + "/plan.json", canonicalJson(summary));
}

void plan::edit(const std::string &directory, const std::string &file,
                const std::string &pointer, const Json &value) {
  Json json = *parseJson(slurp(directory + "/" + file));
  json[Json::json_pointer(pointer)] = value;
  spit(directory + "/" + file, canonicalJson(json));
  rehash(directory);
}
