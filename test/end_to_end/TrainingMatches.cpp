// training_matches METRICS LOSSES PARAMETERS EXPECTED [TOLERANCE]: are the
// losses of --metrics those of LOSSES (.npy), to TOLERANCE (1e-3) of each, and
// the tensors of PARAMETERS (--save-parameters) those of EXPECTED, to as much
// of their norm? That is a folder (<name>.npy, where a name may have slashes)
// or a safetensors file, in which dimensions of extent 1 do not count.
// training_matches METRICS LOSSES TOLERANCE: the losses alone, to so much, of
// as many steps as METRICS has. Running statistics are left out: PyTorch's are
// of another moment. Likewise elements that are expected to be NaN.
#include "runtime/io/Npy.h"
#include "runtime/io/Safetensors.h"
#include "runtime/plan/Json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

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

void compareLosses(const std::string &metrics, const std::string &expected,
                   bool all) {
  const auto text = readFile(metrics);
  const auto losses = io::readNpy(expected);
  if (!text || !losses)
    return complain(text ? losses.error() : text.error());
  const auto json = plan::parseJson(*text);
  if (!json)
    return complain(json.error());
  const auto &steps = (*json)["steps"];
  const int64_t most = losses->type.shape[0];
  if (all ? int64_t(steps.size()) != most
          : steps.empty() || int64_t(steps.size()) > most)
    return complain(
        fail(metrics, ": ", steps.size(), " steps, ", most, " expected"));
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

std::vector<int64_t> withoutOnes(const TensorType &type) {
  std::vector<int64_t> shape = type.shape;
  shape.erase(std::remove(shape.begin(), shape.end(), 1), shape.end());
  return shape;
}

Result<Tensor> readTensor(const io::Safetensors &file, const std::string &name,
                          const TensorType &expected, bool exactly) {
  const auto found = file.header().tensors.find(name);
  if (found == file.header().tensors.end() ||
      found->second.type.dtype != expected.dtype ||
      (exactly ? found->second.type.shape != expected.shape
               : withoutOnes(found->second.type) != withoutOnes(expected)))
    return fail("no tensor \"", name, "\", ", toString(expected));
  Tensor tensor = makeTensor(found->second.type);
  std::memcpy(tensor.bytes.data(), file.data(found->second),
              tensor.bytes.size());
  return tensor;
}

/// How far apart they are, as a part of the norm of what is expected.
double compare(const std::string &name, const Tensor &got,
               const Tensor &expected) {
  double norm = 0, apart = 0;
  for (int64_t i = 0; i < elementCount(expected.type.shape).value(); ++i) {
    const double want = at(expected, size_t(i));
    if (std::isnan(want))
      continue;
    norm += want * want;
    apart += std::pow(at(got, size_t(i)) - want, 2);
  }
  const double relative = apart == 0 ? 0 : std::sqrt(apart) / std::sqrt(norm);
  if (!(relative <= tolerance))
    complain(fail("\"", name, "\" is ", relative, " of its norm apart"));
  return relative;
}

void compareParameters(const std::string &saved, const std::string &expected) {
  const auto file = io::Safetensors::open(saved);
  if (!file)
    return complain(file.error());
  std::map<std::string, Tensor> all;
  const bool folder = fs::is_directory(expected);
  if (folder) {
    for (const auto &entry : fs::recursive_directory_iterator(expected)) {
      const std::string name = entry.path()
                                   .lexically_relative(expected)
                                   .replace_extension()
                                   .string();
      if (entry.is_directory() || name.find("running_") != std::string::npos)
        continue;
      auto tensor = io::readNpy(entry.path().string());
      if (tensor)
        all[name] = std::move(*tensor);
      else
        complain(tensor.error());
    }
  } else {
    const auto reference = io::Safetensors::open(expected);
    if (!reference)
      return complain(reference.error());
    for (const auto &[name, entry] : reference->header().tensors)
      all[name] = std::move(*readTensor(*reference, name, entry.type, true));
  }
  double worst = 0;
  for (const auto &[name, tensor] : all) {
    const auto got = readTensor(*file, name, tensor.type, folder);
    if (got)
      worst = std::max(worst, compare(name, *got, tensor));
    else
      complain(fail(saved, ": ", got.error().message));
  }
  if (all.empty())
    complain(fail(expected, ": has no parameters"));
  std::printf("%zu parameters within %.2g of their norm\n", all.size(), worst);
}
} // namespace

int main(int argc, char **argv) {
  if (argc < 4 || argc > 6)
    return int(Fault::Usage);
  if (argc % 2 == 0)
    tolerance = std::atof(argv[argc - 1]);
  compareLosses(argv[1], argv[2], /*all=*/argc == 5);
  if (argc >= 5)
    compareParameters(argv[3], argv[4]);
  return failures ? int(Fault::Difference) : 0;
}
