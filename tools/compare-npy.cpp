// compare-npy A B: are two .npy files the same array, up to rounding?
#include "dialects/support/Program.h"
#include "dialects/support/Version.h"
#include "runtime/io/Compare.h"
#include "runtime/io/ReadTensor.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <optional>

using namespace smex;

static int compare(int argc, char **argv) {
  CLI::App app("Compares two arrays: A with the reference B.", "compare-npy");
  std::string files[2];
  std::optional<double> tolerance;
  app.add_option("A", files[0], "an array, .npy or ONNX .pb")->required();
  app.add_option("B", files[1], "what it should be")->required();
  app.add_option("--tolerance", tolerance,
                 "largest difference, as a part of B's largest magnitude; "
                 "default: 1e-4, of f16 0.0078125, of bf16 0.0625")
      ->check(CLI::NonNegativeNumber);
  app.add_flag_callback(
      "--version", [] { throw CLI::CallForVersion(versionText, 0); },
      "print the version");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::CallForVersion &) {
    std::cout << versionText << "\n";
    return 0;
  } catch (const CLI::ParseError &error) {
    return report({error.what(), Fault::Usage});
  }

  Tensor tensors[2];
  for (int i = 0; i < 2; ++i) {
    auto tensor = io::readTensor(files[i]);
    if (!tensor)
      return report(tensor.error());
    tensors[i] = std::move(*tensor);
  }
  const io::Comparison result =
      io::compare(tensors[0], tensors[1],
                  tolerance.value_or(io::toleranceOf(tensors[1].type.dtype)));
  print(files[0] + " and " + files[1] +
        (result.same ? " agree: " : " differ: ") + result.text + "\n");
  return result.same ? 0 : int(Fault::Difference);
}

int main(int argc, char **argv) {
  return runProgram("compare-npy", [&] { return compare(argc, argv); });
}
