// smexc ops: the operators, their lambdas, the strategies found.
#include "dialects/support/File.h"
#include "dialects/tdl/analysis/Properties.h"
#include "dialects/tdl/analysis/Strategies.h"
#include "dialects/tdl/library/Library.h"
#include "tools/smexc/Command.h"

using namespace smex;
using namespace smex::tools;

namespace {

/// The library with the user's files; names are looked up there first.
struct Operators {
  tdl::Library own;

  const tdl::Library &libraryOf(const std::string &op) const {
    return own.contains(op) ? own : tdl::standardLibrary();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all = tdl::standardLibrary().names();
    for (const std::string &name : own.names())
      all.push_back(name);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
};

/// "MatMul", "mat_mul" and "matmul" are one name.
std::string plain(const std::string &name) {
  std::string letters;
  for (char c : name)
    if (c != '_')
      letters += char(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

std::string join(const std::vector<std::string> &list) {
  std::string text;
  for (const std::string &each : list)
    text += (text.empty() ? "" : ", ") + each;
  return text;
}

/// A use to show strategies on: the first of a few plain ones that the operator
/// takes. Strategies are symbolic, so extents do not matter; ranks do.
std::optional<tdl::Instance> sampleUse(const tdl::Library &library,
                                       const std::string &op) {
  const auto operands = library.operandNames(op);
  for (int64_t rank : {4, 3, 2, 1, 0})
    for (DType type : {DType::F32, DType::I64, DType::Bool, DType::U8})
      for (int64_t length : {rank - 2, rank, int64_t(1), int64_t(0)}) {
        tdl::Attributes attributes;
        for (std::string name : library.attributeNames(op)) {
          if (name.find('=') != std::string::npos)
            continue; // it has a default
          const size_t dots = name.find("...");
          if (dots == std::string::npos)
            attributes[name] = int64_t(1);
          else if (length >= 0)
            attributes[name.substr(0, dots)] =
                std::vector<int64_t>(size_t(length), name == "out..." ? 4 : 1);
        }
        const std::vector<TensorType> types(
            operands.size(), {type, std::vector<int64_t>(size_t(rank), 4)});
        if (auto instance = library.instantiate(op, types, attributes))
          return std::move(*instance);
      }
  return std::nullopt;
}

void describe(const tdl::Library &library, const std::string &op) {
  print(std::string(library.source(op)) + "\n");
  const auto instance = sampleUse(library, op);
  if (!instance) {
    std::printf(
        "\nIts strategies depend on its attributes: compile a model that "
        "uses it.\n");
    return;
  }
  for (const tdl::Application &application : instance->applications) {
    const tdl::Lambda &lambda = application.lambda;
    std::printf("\n%s\n  %s, %lld flops per point\n", toString(lambda).c_str(),
                analysis::isElementwise(lambda)        ? "element-wise"
                : analysis::isMap(lambda)              ? "map"
                : lambda.reducer != tdl::Reducer::None ? "reduction"
                                                       : "opaque",
                (long long)analysis::flopsPerPoint(lambda));
    for (const analysis::Strategy &strategy : analysis::strategies(lambda))
      std::printf("  %s\n", toString(strategy, lambda).c_str());
  }
}

int run(const std::string &name, const std::vector<std::string> &files) {
  Operators operators;
  for (const std::string &file : files) {
    const auto text = readFile(file);
    if (!text)
      return report(text.error());
    if (Status added = operators.own.add(file, *text); !added)
      return report(added.error());
  }
  if (name.empty()) {
    std::printf("%-28s %-36s %s\n", "operator", "operands", "attributes");
    for (const std::string &op : operators.names()) {
      const tdl::Library &library = operators.libraryOf(op);
      std::printf("%-28s %-36s %s\n", op.c_str(),
                  join(library.operandNames(op)).c_str(),
                  join(library.attributeNames(op)).c_str());
    }
    return 0;
  }
  bool found = false;
  for (const std::string &op : operators.names())
    if (plain(op) == plain(name)) {
      describe(operators.libraryOf(op), op);
      found = true;
    }
  if (!found)
    return report(
        fail("no operator is called \"", name, "\"; `smexc ops` lists them"));
  return 0;
}

} // namespace

int smex::tools::opsCommand(int argc, char **argv) {
  std::string name;
  std::vector<std::string> files;
  CLI::App app("operators, their lambdas, the strategies found", "smexc ops");
  app.add_option("NAME", name, "only this one, with its lambda and strategies");
  app.add_option("--ops", files, "FILE: more operators, as lambdas");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return parseError(app, e);
  }
  return run(name, files);
}
