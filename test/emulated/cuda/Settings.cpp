#include "test/emulated/cuda/Settings.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace smex::emulated {
namespace {

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

uint64_t number(const char *name, const std::string &text) {
  size_t used = 0;
  uint64_t value = 0;
  try {
    value = std::stoull(text, &used, 0);
  } catch (const std::exception &) {
  }
  if (used != text.size() || text.empty() || text[0] == '-')
    throw std::runtime_error(std::string(name) + " is no number: " + text);
  return value;
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty())
      parts.push_back(part);
  return parts;
}

Settings::NamedWork namedWork(const char *variableName) {
  const std::string text = variable(variableName);
  if (text.empty())
    return {};
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos)
    throw std::runtime_error(std::string(variableName) +
                             " has no NAME:NUMBER: " + text);
  return {text.substr(0, colon), number(variableName, text.substr(colon + 1))};
}

/// "If one of the indices is invalid, only the devices whose index precedes the
/// invalid index are visible" (CUDA C++ Programming Guide, "CUDA Environment
/// Variables"). Names by UUID are no numbers, and so invalid here.
std::vector<unsigned> visibleDevices(unsigned devices) {
  std::vector<unsigned> visible;
  const char *list = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!list) {
    for (unsigned i = 0; i < devices; ++i)
      visible.push_back(i);
    return visible;
  }
  std::stringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) {
    char *end = nullptr;
    const long index = std::strtol(part.c_str(), &end, 10);
    if (end == part.c_str() || *end || index < 0 || index >= long(devices))
      break;
    visible.push_back(unsigned(index));
  }
  return visible;
}

void append(const std::string &path, const std::string &line) {
  if (path.empty())
    return;
  if (std::FILE *file = std::fopen(path.c_str(), "a")) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

} // namespace

Settings Settings::fromEnvironment() {
  Settings result;
  auto read = [](const char *name, auto &into) {
    std::string text = variable(name);
    if (!text.empty())
      into = static_cast<std::decay_t<decltype(into)>>(number(name, text));
  };
  read("SMEX_EMULATED_DEVICES", result.devices);
  const auto readAll = [](const char *name, auto &into) {
    const auto all = split(variable(name), ',');
    if (!all.empty())
      into.clear();
    for (const std::string &each : all)
      into.push_back(
          static_cast<typename std::decay_t<decltype(into)>::value_type>(
              number(name, each)));
  };
  readAll("SMEX_EMULATED_MEMORY", result.memories);
  read("SMEX_EMULATED_USED", result.used);
  result.visible = visibleDevices(result.devices);
  read("SMEX_EMULATED_DRIVER", result.driver);
  readAll("SMEX_EMULATED_ARCH", result.architectures);
  read("SMEX_EMULATED_PEER", result.peerAccess);
  read("SMEX_EMULATED_SEED", result.seed);
  result.log = variable("SMEX_EMULATED_LOG");
  result.record = variable("SMEX_EMULATED_RECORD");
  result.counts = variable("SMEX_EMULATED_COUNTS");
  for (const std::string &each : split(variable("SMEX_EMULATED_MISSING"), ','))
    result.missing.insert(each);
  if (const std::string file = variable("SMEX_EMULATED_LAUNCHES");
      !file.empty()) {
    std::ifstream stream(file);
    if (!stream)
      throw std::runtime_error("SMEX_EMULATED_LAUNCHES cannot be read: " +
                               file);
    std::ostringstream text;
    text << stream.rdbuf();
    result.knownLaunches = text.str();
  }
  result.hang = namedWork("SMEX_EMULATED_HANG");
  result.fault = namedWork("SMEX_EMULATED_FAULT");
  for (const std::string &each :
       split(variable("SMEX_EMULATED_FAIL_AT"), ',')) {
    std::vector<std::string> parts = split(each, ':');
    if (parts.size() != 3)
      throw std::runtime_error(
          "SMEX_EMULATED_FAIL_AT has no NAME:CALL:RESULT: " + each);
    result.failures.push_back(
        {parts[0], number("SMEX_EMULATED_FAIL_AT", parts[1]),
         static_cast<int>(number("SMEX_EMULATED_FAIL_AT", parts[2]))});
  }
  return result;
}

void note(const Settings &settings, const std::string &text) {
  append(settings.log, "emulated CUDA: " + text);
}

void record(const Settings &settings, const std::string &line) {
  append(settings.record, line);
}

void report(const Settings &settings, const std::string &text) {
  std::fprintf(stderr, "emulated CUDA: error: %s\n", text.c_str());
  note(settings, "error: " + text);
}

} // namespace smex::emulated
