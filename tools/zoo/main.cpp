// smex-zoo NAME [sizes] -o MODEL: the papers' models at any size. See
// DESIGN.md, Commands.
#include "dialects/support/File.h"
#include "dialects/support/Program.h"
#include "dialects/support/Version.h"
#include "tools/zoo/Models.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>

using namespace smex;
using namespace smex::zoo;

namespace {

int usage(const std::string &message, const std::string &command) {
  return report({message + " (see " + command + " --help)", Fault::Usage});
}

void printHelp(const std::vector<Model> &all) {
  std::printf("smex-zoo: the papers' models at any size, as JSON, without "
              "stored weights.\n"
              "Usage: smex-zoo NAME [sizes] -o MODEL.json\n\n"
              "Models; smex-zoo NAME --help lists a model's sizes:\n");
  for (const Model &model : all)
    std::printf("  %-18s %s\n", model.name.c_str(), model.summary.c_str());
  std::printf("\nOptions:\n"
              "  -h,--help    Print this help message and exit\n"
              "  --version    Display program version information and exit\n");
}

/// The command that makes this model, whatever the defaults become.
std::string commandOf(const Model &model, const Sizes &sizes,
                      const std::string &type) {
  std::string text = "smex-zoo " + model.name;
  for (const Size &size : model.sizes)
    text += " --" + size.name + " " + std::to_string(sizes[size.name]);
  // Unlike sizes', their default is for good: nothing.
  for (const Fraction &each : model.fractions)
    if (const double value = sizes.fraction(each.name); value != 0)
      text += " --" + each.name + " " + Json(value).dump();
  for (const Choice &each : model.choices)
    if (sizes.word(each.name) != each.words.front())
      text += " --" + each.name + " " + sizes.word(each.name);
  for (const Flag &each : model.flags)
    if (sizes.flag(each.name))
      text += " --" + each.name;
  if (type != "f32")
    text += " --type " + type;
  return text;
}

int write(const Model &model, const Sizes &sizes, const std::string &type,
          const std::string &output) {
  ModelBuilder graph(type);
  if (Status built = model.build(graph, sizes); !built)
    return report(built.error());
  const auto text = graph.text(commandOf(model, sizes, type));
  if (!text)
    return report(text.error());
  if (Status written = writeFile(output, *text); !written)
    return report(written.error());
  print(output);
  std::printf(": %s, %lld weights, %zu nodes\n", model.name.c_str(),
              (long long)graph.weights(), graph.nodes());
  return 0;
}

/// Says what may be given, whatever is wrong with what was.
CLI::Validator wholeNumber(int64_t least, int64_t most) {
  const std::string range =
      std::to_string(least) + " to " + std::to_string(most);
  return CLI::Validator(
      [=](std::string &text) -> std::string {
        int64_t value = 0;
        const char *end = text.data() + text.size();
        const auto parsed = std::from_chars(text.data(), end, value);
        if (parsed.ec == std::errc() && parsed.ptr == end && value >= least &&
            value <= most)
          return "";
        return text + " is not a whole number, " + range;
      },
      range);
}

const CLI::Validator fraction(
    [](std::string &text) -> std::string {
      double value = -1;
      const char *end = text.data() + text.size();
      const auto parsed = std::from_chars(text.data(), end, value);
      // Rounded to single precision, it must not be 1 either.
      if (parsed.ec == std::errc() && parsed.ptr == end && value >= 0 &&
          float(value) < 1)
        return "";
      return text + " is not a number from 0 to less than 1";
    },
    "0 to less than 1");

/// `argv[0]` is the model's name.
int run(const Model &model, int argc, char **argv) {
  const std::string command = "smex-zoo " + model.name;
  CLI::App app(command + ": " + model.summary + ".", command);
  app.set_version_flag("--version", versionText);
  Sizes sizes;
  for (const Size &size : model.sizes) {
    int64_t &value = sizes.set(size.name) = size.value;
    auto *option = app.add_option("--" + size.name, value, size.help)
                       ->capture_default_str();
    if (size.choices.empty())
      option->check(wholeNumber(size.least, size.most));
    else
      option->check(CLI::IsMember(size.choices));
  }
  for (const Fraction &each : model.fractions)
    app.add_option("--" + each.name, sizes.setFraction(each.name), each.help)
        ->check(fraction)
        ->default_val(0.0);
  for (const Choice &each : model.choices)
    app.add_option("--" + each.name, sizes.setWord(each.name), each.help)
        ->check(CLI::IsMember(each.words))
        ->default_val(each.words.front());
  for (const Flag &each : model.flags)
    app.add_flag("--" + each.name, sizes.setFlag(each.name), each.help);
  std::string type = "f32", output;
  app.add_option("--type", type, "of all that is not an index")
      ->check(CLI::IsMember({"f32", "f16", "bf16"}))
      ->capture_default_str();
  app.add_option("-o,--output", output, "the model's file, ending in .json")
      ->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    return usage(error.what(), command);
  }
  const std::string ending = ".json";
  if (output.size() <= ending.size() ||
      output.compare(output.size() - ending.size(), ending.size(), ending))
    return usage("--output " + output +
                     ": must end in .json, which is how smexc knows its format",
                 command);
  return write(model, sizes, type, output);
}

int dispatch(int argc, char **argv) {
  const std::vector<Model> all = models();
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "--help" || name == "-h") {
    printHelp(all);
    return 0;
  }
  if (name == "--version") {
    std::printf("%s\n", versionText);
    return 0;
  }
  if (name.empty() || name[0] == '-')
    return usage("give a model's name first", "smex-zoo");
  const auto found =
      std::find_if(all.begin(), all.end(),
                   [&](const Model &model) { return model.name == name; });
  if (found == all.end())
    return usage("no model is called \"" + name + "\"", "smex-zoo");
  return run(*found, argc - 1, argv + 1);
}
} // namespace

int main(int argc, char **argv) {
  return runProgram("smex-zoo", [&] { return dispatch(argc, argv); });
}
