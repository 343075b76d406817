// training_matches METRICS LOSSES PARAMETERS FOLDER: are the losses of
// --metrics those of LOSSES (.npy), to 1e-3 of each, and the tensors of
// PARAMETERS (--save-parameters) those of FOLDER (<name>.npy, where a name may
// have slashes), to 1e-3 of their norm?
// training_matches METRICS LOSSES TOLERANCE: the losses alone, to so much.
// Running statistics are left out: PyTorch's are of another moment.
#include "runtime/io/Npy.h"
#include "runtime/io/Safetensors.h"
#include "runtime/plan/Json.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

using namespace smex;
namespace fs = std::filesystem;

namespace {
double tolerance = 1e-3;
int failures = 0;

void complain(const Error &error) {
  std::fprintf(stderr, "FAILED: %s\n", error.message.c_str());
  ++failures;
}

double at(const Tensor &tensor, size_t i) {
  return tensor.type.dtype == DType::F64 ? tensor.data<double>()[i]
                                         : double(tensor.data<float>()[i]);
}

void compareLosses(const std::string &metrics, const std::string &expected) {
  const auto text = readFile(metrics);
  const auto losses = io::readNpy(expected);
  if (!text || !losses)
    return complain(text ? losses.error() : text.error());
  const auto json = plan::parseJson(*text);
  if (!json)
    return complain(json.error());
  const auto &steps = (*json)["steps"];
  if (int64_t(steps.size()) != losses->type.shape[0])
    return complain(fail(metrics, ": ", steps.size(), " steps, ",
                         losses->type.shape[0], " expected"));
  double worst = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const double want = at(*losses, i);
    const double got = steps[i]["loss"].is_number()
                           ? steps[i]["loss"].get<double>()
                           : std::nan("");
    const double apart = std::fabs(got - want) / std::fabs(want);
    if (!(apart <= tolerance))
      complain(
          fail("loss of step ", i + 1, ": ", got, ", ", want, " expected"));
    worst = std::max(worst, apart);
  }
  std::printf("losses within %.2g\n", worst);
}

void compareParameters(const std::string &saved, const std::string &folder) {
  const auto file = io::Safetensors::open(saved);
  if (!file)
    return complain(file.error());
  double worst = 0;
  int compared = 0;
  for (const auto &entry : fs::recursive_directory_iterator(folder)) {
    const std::string name =
        entry.path().lexically_relative(folder).replace_extension().string();
    if (entry.is_directory() || name.find("running_") != std::string::npos)
      continue;
    const auto expected = io::readNpy(entry.path().string());
    if (!expected) {
      complain(expected.error());
      continue;
    }
    const auto found = file->header().tensors.find(name);
    if (found == file->header().tensors.end() ||
        found->second.type != expected->type) {
      complain(fail(saved, ": no tensor \"", name, "\", ",
                    toString(expected->type)));
      continue;
    }
    Tensor tensor = makeTensor(expected->type);
    std::memcpy(tensor.bytes.data(), file->data(found->second),
                tensor.bytes.size());
    double norm = 0, apart = 0;
    for (int64_t i = 0; i < elementCount(tensor.type.shape).value(); ++i) {
      const double want = at(*expected, size_t(i));
      norm += want * want;
      apart += std::pow(at(tensor, size_t(i)) - want, 2);
    }
    const double relative = std::sqrt(apart) / std::sqrt(norm);
    if (!(relative <= tolerance))
      complain(fail("\"", name, "\" is ", relative, " of its norm apart"));
    worst = std::max(worst, relative);
    ++compared;
  }
  if (compared == 0)
    complain(fail(folder, ": has no parameters"));
  std::printf("%d parameters within %.2g of their norm\n", compared, worst);
}
} // namespace

int main(int argc, char **argv) {
  if (argc != 4 && argc != 5)
    return int(Fault::Usage);
  if (argc == 4)
    tolerance = std::atof(argv[3]);
  compareLosses(argv[1], argv[2]);
  if (argc == 5)
    compareParameters(argv[3], argv[4]);
  return failures ? int(Fault::Difference) : 0;
}
