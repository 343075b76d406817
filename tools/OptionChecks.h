// What the values of several programs' options must be, beyond what CLI11
// knows.
#ifndef SMEX_TOOLS_OPTIONCHECKS_H
#define SMEX_TOOLS_OPTIONCHECKS_H

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdlib>

namespace smex::tools {

/// Or `--sample= --batch 1` would have another option as its value.
inline CLI::Validator isNoOption() {
  return {[](const std::string &value) {
            return value.compare(0, 2, "--") == 0 ? "a value is missing"
                                                  : std::string();
          },
          ""};
}

/// Or `--machine "$MACHINE"` of a variable that is not set would be as if the
/// option had not been given.
inline CLI::Validator isNotEmpty() {
  return {[](const std::string &value) {
            return value.empty() ? "a value is missing" : std::string();
          },
          ""};
}

/// From 0 to a thousand million; CLI::Range alone takes "nan".
inline CLI::Validator isSeconds() {
  return CLI::Range(0.0, 1e9) &
         CLI::Validator(
             [](std::string &text) {
               return std::isfinite(std::strtod(text.c_str(), nullptr))
                          ? ""
                          : text + " is no number";
             },
             "");
}

} // namespace smex::tools

#endif
