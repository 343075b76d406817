#include "test/conformance/Whole.h"

#include "dialects/support/Sha256.h"
#include "test/compiler/frontend/evaluate.h"
#include "test/end_to_end/EdgeParts.h"
#include "test/end_to_end/Harness.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

using namespace smex;
using namespace smex::conformance;
namespace fs = std::filesystem;

namespace {

/// What a backend has no kernel for, as an error that is recognized later.
const std::string refused = "refused: ";

/// Where a plan stays for other rows, by the file of its model and the case's
/// name; empty: nowhere.
std::string keptFolder(const Session &session, const std::string &file,
                       const std::string &name) {
  if (session.options.plans.empty())
    return "";
  std::string key = file + "\n" + name;
  for (const std::string &target : session.runner.targets())
    key += "\n" + target;
  return session.options.plans + "/" + sha256(key);
}

Result<std::map<std::string, Tensor>>
runOn(Session &session, const std::string &file, const std::string &name,
      const frontend::Model &model, const std::map<std::string, Tensor> &inputs,
      int64_t gpus, uint64_t seed) {
  return test::runPartitioned(
      model, inputs, gpus, session.runner.targets(),
      [&](const plan::Plan &plan, const runtime::ParameterSource &parameters,
          const std::vector<runtime::Feed> &feeds)
          -> Result<runtime::RunResult> {
        if (Status accepted = session.runner.accepts(plan); !accepted) {
          const std::string &message = accepted.error().message;
          return fail(refused, message.substr(message.find(": ") + 2));
        }
        runtime::RunOptions options;
        options.device.seed = seed;
        return session.run(name, plan, parameters, feeds, options);
      },
      keptFolder(session, file, name));
}

void note(Session &session, const std::string &name,
          const std::string &problem) {
  if (problem.empty())
    session.pass();
  else if (problem.rfind(refused, 0) == 0)
    session.skip(problem.substr(refused.size()));
  else
    session.fail(name, problem);
}

/// The names before ": " in the lists of cases that fail on every backend.
std::set<std::string> failing() {
  std::set<std::string> names;
  for (const char *file : {"test/end_to_end/onnx_nodes_failing.txt",
                           "test/end_to_end/onnx_newest_failing.txt"}) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
      if (!line.empty() && line[0] != '#')
        names.insert(line.substr(0, line.find(": ")));
  }
  return names;
}

} // namespace

std::vector<std::string> conformance::caseFolders() {
  if (const char *chosen = std::getenv("SMEX_ONNX_CASES"))
    return {chosen};
  std::vector<std::string> folders = {"test/models/onnx_cases"};
  const char *installed = "/usr/share/libonnx-testdata/data/node";
  if (fs::exists(installed))
    folders.push_back(installed);
  return folders;
}

std::vector<std::string> conformance::edgeFiles() {
  return test::edgesIn("test/compiler/frontend/models/operators");
}

void conformance::runCases(Session &session) {
  const std::set<std::string> listed = failing();
  std::set<std::string> folders;
  for (const std::string &folder : caseFolders())
    for (const auto &entry : fs::directory_iterator(folder))
      if (fs::exists(entry.path() / "model.onnx"))
        folders.insert(entry.path());
  uint64_t seed = 0;
  for (const std::string &folder : folders)
    for (int64_t gpus : {1, 3, 8}) {
      const std::string name =
          fs::path(folder).filename().string() + " on " + std::to_string(gpus);
      if (!session.isChosen(name))
        continue;
      if (listed.count(fs::path(folder).filename())) {
        session.skip("fails on the CPU, too, as listed in test/end_to_end");
        continue;
      }
      test::Case c;
      if (const std::string problem = c.load(folder); !problem.empty()) {
        session.fail(name, problem);
        continue;
      }
      const auto model = c.import();
      if (!model) {
        session.fail(name, model.error().message);
        continue;
      }
      note(session, name,
           c.check(*model, [&](const auto &m, const auto &inputs) {
             return runOn(session, folder, name, m, inputs, gpus, ++seed);
           }));
    }
}

void conformance::runEdges(Session &session) {
  for (const std::string &file : edgeFiles()) {
    int part = 0;
    test::visitEdgeParts(
        file, [&](const auto &model, const auto &inputs, const auto &known) {
          for (int64_t gpus : {1, 3}) {
            const std::string name = fs::path(file).filename().string() +
                                     " part " + std::to_string(part) + " on " +
                                     std::to_string(gpus);
            if (!session.isChosen(name))
              continue;
            const auto outputs =
                runOn(session, file, name, model, inputs, gpus, uint64_t(part));
            if (!outputs) {
              note(session, name, outputs.error().message);
              continue;
            }
            std::string problem = outputs->empty() ? "no outputs" : "";
            for (const auto &[output, value] : *outputs)
              if (problem.empty())
                if (const std::string wrong =
                        test::difference(value, known.at("expected " + output));
                    !wrong.empty())
                  problem = output + ": " + wrong;
            note(session, name, problem);
          }
          ++part;
        });
  }
}
