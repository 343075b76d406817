// smexc: compiles models to plans, and looks into plans. See DESIGN.md,
// Commands.
#include "tools/smexc/Command.h"

#include "llvm/Support/ErrorHandling.h"

#include <cstring>
#include <filesystem>
#include <string>

using namespace smex;
using namespace smex::tools;

int smex::tools::parseError(const CLI::App &app, const CLI::ParseError &error) {
  if (error.get_exit_code() == 0)
    return app.exit(error);
  const std::string name = app.get_name().empty() ? "smexc" : app.get_name();
  return report(
      {std::string(error.what()) + " (see " + name + " --help)", Fault::Usage});
}

void smex::tools::declareSpare(CLI::App &app, double &spare) {
  app.add_option("--spare", spare,
                 "the share of each GPU's memory that a placement leaves free "
                 "for what it does not know, such as 0.1 (default: 0)")
      ->type_name("SHARE")
      ->check([](const std::string &text) {
        double share = -1;
        return CLI::detail::lexical_cast(text, share) && share >= 0 && share < 1
                   ? std::string()
                   : text + " is no share from 0 to less than 1";
      });
}

namespace {
struct Subcommand {
  const char *name;
  int (*run)(int, char **);
};
constexpr Subcommand subcommands[] = {
    {"inspect", inspectCommand}, {"check", checkCommand},
    {"diff", diffCommand},       {"ops", opsCommand},
    {"place", placeCommand},     {"simulate", simulateCommand},
};

} // namespace

std::string smex::tools::subcommandNames(const std::string &between) {
  std::string names;
  for (const Subcommand &each : subcommands)
    names += (names.empty() ? "" : between) + each.name;
  return names;
}

namespace {

/// A word that is no option, is not there as a file, and has no model's ending.
bool isMistakenWord(const std::string &word) {
  if (word.empty() || word[0] == '-' || word.find('/') != std::string::npos)
    return false;
  for (const char *ending : {".onnx", ".json"})
    if (word.size() > 5 &&
        word.compare(word.size() - 5, std::string::npos, ending) == 0)
      return false;
  std::error_code code;
  return !std::filesystem::exists(word, code);
}

int dispatch(int argc, char **argv) {
  for (const Subcommand &each : subcommands)
    if (argc > 1 && !std::strcmp(argv[1], each.name))
      return each.run(argc - 1, argv + 1);
  if (argc > 1 && isMistakenWord(argv[1])) {
    return report({std::string("\"") + argv[1] + "\" is neither a command (" +
                       subcommandNames(", ") +
                       ") nor a model, a file that ends in .onnx or .json",
                   Fault::Usage});
  }
  return compileCommand(argc, argv);
}
} // namespace

int main(int argc, char **argv) {
  return runProgram("smexc", [&] {
    // LLVM would end the program with a signal.
    llvm::install_bad_alloc_error_handler([](void *, const char *, bool) {
      quit({"not enough memory", Fault::Environment});
    });
    llvm::install_fatal_error_handler([](void *, const char *reason, bool) {
      quit({std::string("unexpected: ") + reason, Fault::Defect});
    });
    return dispatch(argc, argv);
  });
}
