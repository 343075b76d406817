// What emulated libraries report while a program of cases runs, and whether
// each refusal cites something.
#ifndef SMEX_TEST_EMULATED_REPORTS_H
#define SMEX_TEST_EMULATED_REPORTS_H

#include "test/emulated/Citation.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace smex::emulated {

inline bool isCited(const std::string &report) {
  const auto has = [&](const std::string &text) {
    return report.find(text) != std::string::npos;
  };
#define SMEX_EMULATED_NAMED(name, text)                                        \
  if (has(std::string("(") + text + ", "))                                     \
    return true;
  SMEX_EMULATED_DOCUMENTS(SMEX_EMULATED_NAMED)
#undef SMEX_EMULATED_NAMED
  for (const char *begin :
       {seenOf, unsaidBegin, stricterBegin, notEmulatedBegin})
    if (has(std::string("(") + begin))
      return true;
  return false;
}

/// Reads on in SMEX_EMULATED_LOG, which it sets if nobody has: made before the
/// driver is loaded.
class Reports {
public:
  Reports() {
    if (!std::getenv("SMEX_EMULATED_LOG")) {
      own = "/tmp/emulated-" + std::to_string(getpid()) + ".log";
      setenv("SMEX_EMULATED_LOG", own.c_str(), 1);
    }
    path = std::getenv("SMEX_EMULATED_LOG");
    news(); // of programs before this one
  }
  ~Reports() {
    if (!own.empty())
      std::remove(own.c_str());
  }
  Reports(const Reports &) = delete;

  /// Errors that have been reported since the last time, a line each.
  std::vector<std::string> news() {
    std::vector<std::string> lines;
    std::ifstream log(path);
    log.seekg(read);
    for (std::string line; std::getline(log, line);) {
      read += std::streamoff(line.size()) + 1;
      if (line.find("error: ") != std::string::npos)
        lines.push_back(line);
    }
    return lines;
  }
  /// What is wrong with the reports of a call that was refused; empty: there is
  /// one, and it says where NVIDIA says so, or that it does not.
  std::string wrongWithRefusal() {
    const std::vector<std::string> lines = news();
    if (lines.empty())
      return "nothing is reported";
    for (const std::string &line : lines)
      if (!isCited(line))
        return "no citation: " + line;
    return "";
  }

private:
  std::string path, own;
  std::streamoff read = 0;
};

} // namespace smex::emulated

#endif
