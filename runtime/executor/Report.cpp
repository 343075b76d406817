#include "runtime/executor/Report.h"

#include "runtime/io/Npy.h"
#include "runtime/plan/Format.h"
#include "runtime/plan/Json.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

using namespace smex;
using namespace smex::runtime;
using plan::Json;

std::string
runtime::metricsJson(const std::string &backend,
                     const std::vector<std::string> &devices,
                     const RunResult &result, int firstStep,
                     const std::optional<MeasuredBalance> &balance) {
  Json steps = Json::array();
  for (size_t i = 0; i < result.seconds.size(); ++i) {
    steps.push_back({{"seconds", result.seconds[i]}});
    if (i >= result.losses.size())
      continue;
    steps.back()["loss"] = nullptr; // infinity and NaN have no spelling
    if (std::isfinite(result.losses[i]))
      steps.back()["loss"] = result.losses[i];
  }
  Json metrics = {{"backend", backend},
                  {"communication_bytes", result.communicationBytes},
                  {"peak_bytes", result.peakBytes},
                  {"received_bytes", result.receivedBytes},
                  {"steps", steps}};
  if (!devices.empty())
    metrics["devices"] = devices;
  result.hostTraffic.writeTo(metrics);
  if (std::any_of(result.hostPeakBytes.begin(), result.hostPeakBytes.end(),
                  [](int64_t bytes) { return bytes > 0; }))
    metrics["host_peak_bytes"] = result.hostPeakBytes;
  if (result.epilogues > 0)
    metrics["epilogues"] = result.epilogues;
  if (firstStep > 0)
    metrics["first_step"] = firstStep;
  if (balance)
    metrics["balance"] = {{"measured", balance->measured},
                          {"moves", balance->moves},
                          {"predicted", balance->predicted}};
  return plan::canonicalJson(metrics);
}

std::string runtime::traceJson(const plan::Program &program,
                               const std::vector<std::string> &devices,
                               const RunResult &result) {
  Json events = Json::array();
  for (size_t w = 0; w < result.peakBytes.size(); ++w)
    events.push_back({{"name", "thread_name"},
                      {"ph", "M"},
                      {"pid", 0},
                      {"tid", w},
                      {"args", {{"name", "gpu" + std::to_string(w)}}}});
  for (const TraceEvent &event : result.trace) {
    const plan::Instruction &what =
        program.instructions[size_t(event.instruction)];
    events.push_back({{"name", what.node},
                      {"cat", plan::name(what.op)},
                      {"ph", "X"},
                      {"pid", 0},
                      {"tid", event.worker},
                      {"ts", event.start * 1e6},
                      {"dur", event.seconds * 1e6},
                      {"args", {{"instruction", event.instruction}}}});
  }
  Json trace = {{"displayTimeUnit", "ms"}, {"traceEvents", events}};
  if (!devices.empty())
    trace["otherData"] = {{"devices", devices}};
  return plan::canonicalJson(trace);
}

Result<std::vector<std::string>>
runtime::outputFiles(const std::vector<plan::Port> &outputs) {
  constexpr size_t longest = 200; // file systems take 255 bytes
  std::vector<std::string> files;
  std::map<std::string, const std::string *> used; // whose names these are
  for (const plan::Port &port : outputs) {
    std::string name = port.name;
    for (char &c : name)
      if (c == '/' || c == '\\' || uint8_t(c) < 0x20 || c == 0x7f)
        c = '_';
    if (name.empty() || name[0] == '.') // hidden, or a way out
      name = "_" + name;
    if (name.size() > longest) {
      size_t end = longest;
      while (end > 0 && (uint8_t(name[end]) & 0xc0) == 0x80)
        --end; // not inside a UTF-8 character
      name.resize(end);
    }
    const auto [first, isNew] = used.emplace(name, &port.name);
    if (!isNew)
      return fail("outputs \"", *first->second, "\" and \"", port.name,
                  "\" would both be written to ", name,
                  ".npy: rename one of them in the model");
    files.push_back(name + ".npy");
  }
  return files;
}

Result<std::vector<std::string>>
runtime::writeOutputs(const std::string &directory,
                      const std::vector<plan::Port> &outputs,
                      const RunResult &result) {
  std::error_code code;
  std::filesystem::create_directories(directory, code);
  if (code) {
    Error error = fail(directory, ": cannot create: ", code.message());
    error.fault = Fault::Environment;
    return error;
  }
  const auto names = outputFiles(outputs);
  if (!names)
    return names.error();
  std::vector<std::string> files;
  for (const std::string &name : *names) {
    const std::string path = (std::filesystem::path(directory) / name).string();
    Status written = io::writeNpy(path, result.outputs[files.size()]);
    if (!written)
      return written.takeError();
    files.push_back(path);
  }
  return files;
}
