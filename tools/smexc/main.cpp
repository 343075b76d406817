// smexc: compiles models to plans, and looks into plans. See DESIGN.md,
// Commands.
#include "tools/smexc/Command.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>

using namespace smex;
using namespace smex::tools;

int smex::tools::report(const Error &error) {
  size_t start = 0;
  while (start <= error.message.size()) {
    size_t end = error.message.find('\n', start);
    if (end == std::string::npos)
      end = error.message.size();
    std::fprintf(stderr, "smexc: error: %.*s\n", int(end - start),
                 error.message.c_str() + start);
    start = end + 1;
  }
  return int(error.fault);
}

int smex::tools::parseError(const CLI::App &app, const CLI::ParseError &error) {
  if (error.get_exit_code() == 0)
    return app.exit(error);
  const std::string name = app.get_name().empty() ? "smexc" : app.get_name();
  return report(
      {std::string(error.what()) + " (see " + name + " --help)", Fault::Usage});
}

namespace {
struct Subcommand {
  const char *name;
  int (*run)(int, char **);
};
constexpr Subcommand subcommands[] = {
    {"inspect", inspectCommand},   {"check", checkCommand},
    {"diff", diffCommand},         {"ops", opsCommand},
    {"simulate", simulateCommand},
};

int dispatch(int argc, char **argv) {
  for (const Subcommand &each : subcommands)
    if (argc > 1 && !std::strcmp(argv[1], each.name))
      return each.run(argc - 1, argv + 1);
  return compileCommand(argc, argv);
}
} // namespace

int main(int argc, char **argv) {
  try {
    return dispatch(argc, argv);
  } catch (const std::bad_alloc &) {
    return report({"not enough memory", Fault::Environment});
  } catch (const std::exception &e) {
    return report({std::string("unexpected: ") + e.what(), Fault::Defect});
  }
}
