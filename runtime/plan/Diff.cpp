#include "runtime/plan/Diff.h"

#include "runtime/plan/Files.h"
#include "runtime/plan/Format.h"
#include "runtime/plan/Table.h"
#include "runtime/plan/Totals.h"

#include <array>
#include <set>

using namespace smex;
using namespace smex::plan;

namespace {

using Row = std::vector<std::string>;

/// One line of a list: those that weigh most are shown.
struct Entry {
  int64_t weight;
  Row row;
};

class Differ {
public:
  Differ(const Plan &before, const Plan &after, const DiffOptions &options)
      : before(before), after(after), options(options) {}

  Difference run() {
    summary();
    peaks();
    tensors();
    nodes();
    instructions();
    files();
    if (text.empty())
      return {true, "The plans are the same.\n"};
    return {false, std::move(text)};
  }

private:
  static std::string change(int64_t a, int64_t b) {
    if (a == b)
      return "";
    const std::string sign = b > a ? "+" : "";
    return a == 0 ? "" : "(" + sign + percent(b - a, a) + ")";
  }

  static std::string machineOf(const Plan &plan) {
    return plan.machine ? plan.machine->name : "none";
  }

  void summary() {
    Table table("llll");
    bool any = false;
    const auto row = [&](const char *what, const std::string &a,
                         const std::string &b, const std::string &by = "") {
      if (a == b)
        return;
      any = true;
      table.add({what, a, "-> " + b, by});
    };
    const auto number = [&](const char *what, int64_t a, int64_t b,
                            std::string (*human)(int64_t)) {
      // Two different numbers may look alike when rounded.
      const bool rounded = a != b && human(a) == human(b);
      row(what, rounded ? std::to_string(a) : human(a),
          rounded ? std::to_string(b) : human(b), change(a, b));
    };
    row("model", before.modelName, after.modelName);
    row("model sha256", before.modelSha256, after.modelSha256);
    number("GPUs", int64_t(before.partitioned.workers.size()),
           int64_t(after.partitioned.workers.size()), humanCount);
    row("algorithm", before.search.algorithm, after.search.algorithm);
    number("communication", before.communicationBytes, after.communicationBytes,
           humanBytes);
    number("to the host", before.hostTraffic.toHost, after.hostTraffic.toHost,
           humanBytes);
    number("from the host", before.hostTraffic.fromHost,
           after.hostTraffic.fromHost, humanBytes);
    number("lower bound", before.search.lowerBoundBytes,
           after.search.lowerBoundBytes, humanBytes);
    row("optimal", before.search.optimal ? "yes" : "no",
        after.search.optimal ? "yes" : "no");
    row("machine", machineOf(before), machineOf(after));
    if (machineOf(before) == machineOf(after) && before.machine &&
        before.machine->links.size() == after.machine->links.size())
      for (size_t l = 0; l < after.machine->links.size(); ++l)
        number(
            ("among " + std::to_string(after.machine->links[l].gpus) + " GPUs")
                .c_str(),
            before.machine->links[l].bytes, after.machine->links[l].bytes,
            humanBytes);
    number("parameters", before.parameterBytes, after.parameterBytes,
           humanBytes);
    number("flops", before.flops, after.flops, humanCount);
    if (any)
      text += "Totals\n" + table.text();
  }

  void list(const std::string &title, const std::string &columns,
            std::vector<Entry> entries) {
    if (entries.empty())
      return;
    std::stable_sort(
        entries.begin(), entries.end(),
        [](const Entry &a, const Entry &b) { return a.weight > b.weight; });
    Table table(columns);
    const size_t shown =
        std::min(entries.size(), size_t(std::max(options.limit, 0)));
    for (size_t i = 0; i < shown; ++i)
      table.add(std::move(entries[i].row));
    text += (text.empty() ? "" : "\n") + title + "\n" + table.text();
    if (shown < entries.size())
      text += "  and " + std::to_string(entries.size() - shown) + " more\n";
  }

  void peaks() {
    std::vector<Entry> entries;
    for (size_t w = 0;
         w < std::max(before.peakBytes.size(), after.peakBytes.size()); ++w) {
      const auto at = [&](const Plan &plan) {
        return w < plan.peakBytes.size() ? plan.peakBytes[w] : 0;
      };
      const int64_t a = at(before), b = at(after);
      if (a != b)
        entries.push_back({std::abs(b - a),
                           {"gpu" + std::to_string(w), humanBytes(a),
                            "-> " + humanBytes(b), change(a, b)}});
    }
    list("Peak memory", "lrll", std::move(entries));
  }

  static std::map<std::string, int> tensorsOf(const Plan &plan) {
    std::map<std::string, int> byName;
    const auto &tensors = plan.partitioned.program.tensors;
    for (size_t t = 0; t < tensors.size(); ++t)
      byName[tensors[t].name] = int(t);
    return byName;
  }

  static std::string cut(const Plan &plan, int tensor) {
    return toString(plan.partitioned.program.tensors[size_t(tensor)].type) +
           ", " + cutOf(plan.partitioned, tensor);
  }

  void tensors() {
    const auto olds = tensorsOf(before), news = tensorsOf(after);
    std::vector<Entry> changed, gone, added;
    const auto weight = [](const Plan &plan, int t) {
      return byteCount(plan.partitioned.program.tensors[size_t(t)].type)
          .value_or(0);
    };
    for (const auto &[name, t] : olds) {
      const auto other = news.find(name);
      if (other == news.end()) {
        gone.push_back({weight(before, t), {name, cut(before, t)}});
        continue;
      }
      const std::string a = cut(before, t), b = cut(after, other->second);
      if (a != b)
        changed.push_back({weight(after, other->second), {name, a, "-> " + b}});
    }
    for (const auto &[name, t] : news)
      if (!olds.count(name))
        added.push_back({weight(after, t), {name, cut(after, t)}});
    list("Tensors cut otherwise", "lll", std::move(changed));
    list("Tensors gone", "ll", std::move(gone));
    list("Tensors added", "ll", std::move(added));
  }

  void nodes() {
    const Traffic a = traffic(before.partitioned),
                  b = traffic(after.partitioned);
    std::set<std::string> names;
    for (const Traffic *each : {&a, &b})
      for (const auto &[node, bytes] : each->nodes)
        names.insert(node);
    std::vector<Entry> entries;
    for (const std::string &node : names) {
      const auto at = [&](const Traffic &traffic) {
        const auto found = traffic.nodes.find(node);
        return found == traffic.nodes.end() ? 0 : found->second.bytes();
      };
      if (at(a) != at(b))
        entries.push_back({std::abs(at(b) - at(a)),
                           {node, humanBytes(at(a)), "-> " + humanBytes(at(b)),
                            change(at(a), at(b))}});
    }
    list("Communication by node", "lrll", std::move(entries));
  }

  void instructions() {
    const auto count = [](const Plan &plan) {
      std::array<int64_t, 3> counts{};
      for (const Instruction &instruction :
           plan.partitioned.program.instructions)
        ++counts[size_t(instruction.op)];
      return counts;
    };
    const auto a = count(before), b = count(after);
    std::vector<Entry> entries;
    for (size_t op = 0; op < a.size(); ++op)
      if (a[op] != b[op])
        entries.push_back({0,
                           {name(Opcode(op)), std::to_string(a[op]),
                            "-> " + std::to_string(b[op])}});
    list("Instructions", "lrl", std::move(entries));
  }

  /// What the lists above do not show: offsets, order, waits, kernels. The
  /// texts decide whether plans are the same.
  void files() {
    std::vector<Entry> entries;
    const auto compare = [&](const std::string &name, const Json &a,
                             const Json &b) {
      if (a != b)
        entries.push_back({0, {name, firstDifference(a, b, "")}});
    };
    compare("plan.json", summaryToJson(before, {}), summaryToJson(after, {}));
    for (const auto &[folder, part] :
         {std::make_pair("", &Plan::partitioned),
          std::make_pair("unpartitioned/", &Plan::unpartitioned)}) {
      const Partitioned &a = before.*part, &b = after.*part;
      compare(std::string(folder) + "program.json", programToJson(a.program),
              programToJson(b.program));
      const auto worker = [](const Partitioned &part, size_t w) {
        return w < part.workers.size() ? workerToJson(part, int(w)) : Json();
      };
      for (size_t w = 0; w < std::max(a.workers.size(), b.workers.size()); ++w)
        compare(std::string(folder) + "gpu" + std::to_string(w) + ".json",
                worker(a, w), worker(b, w));
    }
    for (const Artifact &a : before.code)
      for (const Artifact &b : after.code)
        if (a.target == b.target && a.bytes != b.bytes)
          entries.push_back({0, {codeFile(a.target), "other code"}});
    list("Files that differ, and where first", "ll", std::move(entries));
  }

  static std::string shorten(const Json &value) {
    std::string text =
        value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() <= 60)
      return text;
    return value.is_array() ? "[...]" : value.is_object() ? "{...}" : "\"...\"";
  }

  static std::string firstDifference(const Json &a, const Json &b,
                                     const std::string &path) {
    const std::string from = path.empty() ? "" : path + ": ";
    if (a.is_object() && b.is_object()) {
      Json keys = a;
      keys.update(b);
      for (const auto &member : keys.items()) {
        const std::string inner =
            path + (path.empty() ? "" : ".") + member.key();
        const auto x = a.find(member.key()), y = b.find(member.key());
        if (x == a.end() || y == b.end())
          return inner + ": " + (x == a.end() ? "absent" : shorten(*x)) +
                 " -> " + (y == b.end() ? "absent" : shorten(*y));
        if (*x != *y)
          return firstDifference(*x, *y, inner);
      }
    }
    if (a.is_array() && b.is_array()) {
      for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        if (a[i] != b[i])
          return firstDifference(a[i], b[i],
                                 path + "[" + std::to_string(i) + "]");
      return from + std::to_string(a.size()) + " -> " +
             std::to_string(b.size()) + " elements";
    }
    return from + shorten(a) + " -> " + shorten(b);
  }

  const Plan &before, &after;
  const DiffOptions &options;
  std::string text;
};

} // namespace

Difference plan::diff(const Plan &before, const Plan &after,
                      const DiffOptions &options) {
  return Differ(before, after, options).run();
}
