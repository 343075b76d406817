// Changes one field of a plan at a time, mends the hashes, and holds check() to
// it: the plan is refused, or it runs and gives the same results, bit for bit.
//
//     mutate-plans [--sample N] [--seed S] [--steps K] [--only TEXT] [--list]
//     [--run SMEX_RUN] PLAN...
//
// Without --sample, every change that Changes below knows. SMEX_RUN may be
// one that was built with an address sanitizer. Without one, which is fast,
// plans are read and checked only, not their kernels: that must end well.
#include "compiler/pipeline/Pipeline.h"
#include "runtime/plan/CheckWeights.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/Target.h"
#include "test/runtime/plan/Examples.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <sys/wait.h>

using namespace smex;
using namespace smex::plan;
namespace fs = std::filesystem;

namespace {

struct Options {
  std::string run, only;
  std::vector<std::string> plans;
  int64_t sample = -1;
  uint64_t seed = 1;
  int steps = 2;
  bool list = false;
};

/// A file's value at `pointer` replaced; without `value`, removed.
struct Change {
  std::string file, pointer;
  std::optional<Json> value;

  std::string text(const Json &before) const {
    const auto shown = [](const Json &json) {
      const std::string text = json.dump();
      return text.size() > 200 ? text.substr(0, 200) + ".." : text;
    };
    return file + " " + pointer + ": " + shown(before) + " becomes " +
           (value ? shown(*value) : "absent");
  }
};

/// All strings that stand under each key of a file: what one may become.
using Strings = std::map<std::string, std::set<std::string>>;

std::string keyOf(const Json::json_pointer &pointer) {
  Json::json_pointer at = pointer;
  while (!at.empty() &&
         std::all_of(at.back().begin(), at.back().end(),
                     [](char c) { return c >= '0' && c <= '9'; }))
    at.pop_back();
  return at.empty() ? "" : at.back();
}

void collectStrings(const Json &json, const Json::json_pointer &at,
                    Strings &strings) {
  if (json.is_string())
    strings[keyOf(at)].insert(json.get<std::string>());
  else if (json.is_object())
    for (const auto &member : json.items())
      collectStrings(member.value(), at / member.key(), strings);
  else if (json.is_array())
    for (size_t i = 0; i < json.size(); ++i)
      collectStrings(json[i], at / i, strings);
}

/// The lambda with 0 for its body.
std::string emptied(const std::string &lambda) {
  const size_t arrow = lambda.find("-> "), head = lambda.find(": lambda");
  if (arrow == std::string::npos || head == std::string::npos)
    return lambda;
  const size_t body = lambda.find(": ", head + 8);
  const char type = lambda[arrow + 3];
  if (body == std::string::npos)
    return lambda;
  return lambda.substr(0, body + 2) + (type == 'f'   ? "0.0"
                                       : type == 'b' ? "false"
                                                     : "0");
}

class Changes {
public:
  Changes(std::string file, const Json &json) : file(std::move(file)) {
    collectStrings(json, Json::json_pointer(), strings);
    visit(json, Json::json_pointer());
  }
  std::vector<Change> list;

private:
  void add(const Json::json_pointer &at, std::optional<Json> value) {
    list.push_back({file, at.to_string(), std::move(value)});
  }

  void visit(const Json &json, const Json::json_pointer &at) {
    // The hashes are mended.
    if (file == "plan.json" && !at.empty() &&
        (at.to_string().rfind("/files", 0) == 0 || at.back() == "sha256"))
      return;
    if (!at.empty())
      add(at, std::nullopt);
    if (json.is_object()) {
      for (const auto &member : json.items())
        visit(member.value(), at / member.key());
    } else if (json.is_array()) {
      for (size_t i = 0; i < json.size(); ++i)
        visit(json[i], at / i);
      for (size_t i = 1; i < json.size(); ++i)
        if (json[i] != json[i - 1]) {
          Json swapped = json;
          std::swap(swapped[i - 1], swapped[i]);
          add(at, swapped);
        }
    } else if (json.is_boolean()) {
      add(at, !json.get<bool>());
    } else if (json.is_number_integer()) {
      number(json.get<int64_t>(), at);
    } else if (json.is_number_float()) {
      for (double factor : {0.0, 2.0, -1.0})
        if (json.get<double>() * factor != json.get<double>())
          add(at, json.get<double>() * factor);
    } else if (json.is_string()) {
      text(json.get<std::string>(), at);
    }
  }

  void number(int64_t n, const Json::json_pointer &at) {
    std::set<int64_t> others = {
        0, 1, 2, n - 1, n + 1, n / 2, 2 * n, n + 64, int64_t(1) << 32, -1};
    for (int64_t other : {n - 2, n + 2, n + 3})
      others.insert(other);
    others.erase(n);
    for (int64_t other : others)
      add(at, other);
  }

  void text(const std::string &text, const Json::json_pointer &at) {
    std::set<std::string> others = strings[keyOf(at)];
    for (const char *word : {"Sum", "Max", "fetch", "compute", "generated",
                             "contraction", "reference", ""})
      others.insert(word);
    if (at.back() == "lambda")
      others.insert(emptied(text));
    others.insert(text + "_");
    others.erase(text);
    for (const std::string &other : others)
      add(at, other);
  }

  const std::string file;
  Strings strings;
};

/// The plan's code of these lambdas, worked out once: most changes leave it.
class Kernels {
public:
  Result<Artifact> operator()(const Plan &plan, const std::string &target) {
    std::string key = target + "\n";
    for (const Partitioned *part : {&plan.unpartitioned, &plan.partitioned})
      for (const Kernel &kernel : part->program.kernels)
        if (isGenerated(kernel, target))
          key += kernel.symbol + " " + kernel.lambda + "\n";
    const auto entry = known.find(key);
    if (entry != known.end())
      return entry->second;
    auto made = pipeline::regenerateKernels(plan, target);
    if (made)
      known.emplace(key, *made);
    return made;
  }

private:
  std::map<std::string, Artifact> known;
};

/// Everything that a run writes, or what became of it.
struct Outcome {
  int status = 0;
  std::map<std::string, std::string> files;

  bool operator==(const Outcome &other) const {
    return status == other.status && files == other.files;
  }
};

class Tester {
public:
  Tester(const Options &options, const std::string &plan)
      : options(options), original(plan), changed(folder / "plan") {
    fs::copy(plan, changed, fs::copy_options::recursive);
    // A plan's files may be read-only, as tests' data are.
    for (const auto &entry : fs::recursive_directory_iterator(changed))
      fs::permissions(entry, fs::perms::owner_all, fs::perm_options::add);
  }

  bool run() {
    std::vector<Change> changes;
    for (const auto &entry : fs::recursive_directory_iterator(original)) {
      if (entry.path().extension() != ".json")
        continue;
      const std::string file = fs::relative(entry.path(), original).string();
      files[file] = *parseJson(slurp(entry.path()));
    }
    for (const auto &[file, json] : files)
      for (Change &change : Changes(file, json).list)
        if ((change.file + " " + change.pointer).find(options.only) !=
            std::string::npos)
          changes.push_back(std::move(change));
    const size_t all = changes.size();
    draw(changes);
    expected = runPlan();
    if (expected.status != 0) {
      std::printf("%s: does not run, status %d\n", original.c_str(),
                  expected.status);
      return false;
    }
    if (!soundness().empty()) {
      std::printf("%s: is not sound: %s\n", original.c_str(),
                  soundness().c_str());
      return false;
    }
    for (const Change &change : changes)
      test(change);
    std::printf("%s: %zu of %zu changes: %d not loaded, %d not sound, %d "
                "without effect, %d wrong\n",
                original.c_str(), changes.size(), all, refused, unsound, same,
                wrong);
    return wrong == 0;
  }

private:
  void draw(std::vector<Change> &changes) {
    if (options.sample < 0 || int64_t(changes.size()) <= options.sample)
      return;
    // Not std::shuffle: it differs between libraries.
    std::mt19937_64 random(options.seed);
    for (size_t i = 0; i < size_t(options.sample); ++i)
      std::swap(changes[i], changes[i + random() % (changes.size() - i)]);
    changes.resize(size_t(options.sample));
  }

  void test(const Change &change) {
    const Json &before = files.at(change.file);
    const Json::json_pointer at(change.pointer);
    Json after = before;
    if (change.value) {
      after[at] = *change.value;
    } else {
      Json &parent = after[at.parent_pointer()];
      if (parent.is_array())
        parent.erase(std::stoul(at.back()));
      else
        parent.erase(at.back());
    }
    if (after == before)
      return;
    if (options.list)
      std::fprintf(stderr, "%s\n", change.text(before[at]).c_str());
    if (change.file == "plan.json") {
      seal(changed, after);
    } else {
      spit(changed + "/" + change.file, canonicalJson(after));
      rehash(changed);
    }
    std::string why;
    try {
      why = soundness();
    } catch (const std::exception &thrown) {
      why = "not loaded"; // counted there, and printed
      ++wrong;
      std::printf("%s: %s: checking it throws %s\n", original.c_str(),
                  change.text(before[at]).c_str(), thrown.what());
    }
    if (!why.empty()) {
      ++(why == "not loaded" ? refused : unsound);
    } else if (const Outcome outcome = runPlan(); outcome == expected) {
      ++same;
    } else {
      ++wrong;
      std::printf("%s: %s: sound, but smex-run ends with %d%s\n",
                  original.c_str(), change.text(before[at]).c_str(),
                  outcome.status, outcome.status ? "" : ", and other results");
    }
    spit(changed + "/" + change.file, slurp(original + "/" + change.file));
    spit(changed + "/plan.json", slurp(original + "/plan.json"));
  }

  /// Empty if it is sound.
  std::string soundness() {
    const auto plan = load(changed);
    if (!plan)
      return "not loaded";
    CheckOptions check;
    check.limitPerKind = 1;
    if (!options.run.empty())
      check.regenerateKernels = [this](const Plan &plan,
                                       const std::string &target) {
        return kernels(plan, target);
      };
    return listed(checkFolder(*plan, changed, check));
  }

  Outcome runPlan() const {
    if (options.run.empty())
      return {};
    const std::string out = folder / "out",
                      saved = folder / "saved.safetensors";
    fs::remove_all(out);
    fs::remove(saved);
    const std::string command =
        "ulimit -c 0; timeout 60 '" + options.run + "' '" + changed +
        "' --seed 3 --steps " + std::to_string(options.steps) +
        " --output-dir '" + out + "' --save-parameters '" + saved +
        "' > /dev/null 2>&1";
    const int status = std::system(command.c_str());
    Outcome outcome;
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (fs::exists(out))
      for (const auto &entry : fs::directory_iterator(out))
        outcome.files[entry.path().filename().string()] = slurp(entry.path());
    if (fs::exists(saved))
      outcome.files["saved"] = slurp(saved);
    return outcome;
  }

  const Options &options;
  const TemporaryFolder folder;
  const std::string original, changed;
  std::map<std::string, Json> files;
  Kernels kernels;
  Outcome expected;
  int refused = 0, unsound = 0, same = 0, wrong = 0;
};

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app("changes plans, and holds check to it");
  app.add_option("--run", options.run);
  app.add_option("PLANS", options.plans)->required();
  app.add_option("--sample", options.sample);
  app.add_option("--seed", options.seed);
  app.add_option("--steps", options.steps);
  app.add_option("--only", options.only, "part of FILE POINTER");
  app.add_flag("--list", options.list, "each change before it is tried");
  CLI11_PARSE(app, argc, argv);
  if (!options.run.empty())
    options.run = fs::absolute(options.run);
  std::printf("seed %llu\n", (unsigned long long)options.seed);
  bool good = true;
  for (const std::string &plan : options.plans)
    good &= Tester(options, plan).run();
  return good ? 0 : 3;
}
