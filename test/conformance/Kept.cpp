#include "test/conformance/Kept.h"

#include "dialects/support/File.h"
#include "runtime/executor/Report.h"
#include "runtime/io/Npy.h"
#include "runtime/plan/Json.h"
#include "runtime/plan/Save.h"
#include "runtime/plan/Target.h"
#include "runtime/plan/Totals.h"

#include <algorithm>
#include <filesystem>

using namespace smex;
using namespace smex::conformance;
namespace fs = std::filesystem;

namespace {
/// Whether each kernel has code for GPUs, or is a library's.
bool isForGpus(const plan::Plan &plan) {
  const auto target = std::find_if(
      plan.code.begin(), plan.code.end(), [](const plan::Artifact &each) {
        return plan::kindOf(each.target) == plan::TargetKind::Cuda;
      });
  if (target == plan.code.end())
    return false;
  const plan::Program &program = plan.partitioned.program;
  return std::none_of(program.instructions.begin(), program.instructions.end(),
                      [&](const plan::Instruction &each) {
                        if (each.op != plan::Opcode::Compute)
                          return false;
                        const plan::Kernel &kernel =
                            program.kernels[size_t(each.kernel)];
                        return !plan::isGenerated(kernel, target->target) &&
                               (kernel.kind == plan::KernelKind::Reference ||
                                kernel.kind == plan::KernelKind::Generated);
                      });
}

/// A tensor of bf16, which NumPy does not have, as ONNX's TensorProto: fields
/// dims, data_type and raw_data.
std::string tensorProto(const Tensor &tensor) {
  std::string text;
  const auto number = [&](uint64_t value) {
    for (; value >= 128; value >>= 7)
      text += char(value % 128 + 128);
    text += char(value);
  };
  for (int64_t extent : tensor.type.shape) {
    number(1 << 3);
    number(uint64_t(extent));
  }
  number(2 << 3);
  number(16); // BFLOAT16
  number(9 << 3 | 2);
  number(tensor.bytes.size());
  text.append(reinterpret_cast<const char *>(tensor.bytes.data()),
              tensor.bytes.size());
  return text;
}

Status writeInput(const std::string &file, const Tensor &tensor) {
  return tensor.type.dtype == DType::BF16 ? writeFile(file, tensorProto(tensor))
                                          : io::writeNpy(file, tensor);
}
} // namespace

Status Kept::keep(const std::string &name, const plan::Plan &plan,
                  const std::vector<runtime::Feed> &feeds,
                  const runtime::RunOptions &options,
                  const runtime::RunResult &result) {
  const plan::Program &program = plan.partitioned.program;
  if (!program.parameters.empty() || !isForGpus(plan)) {
    ++left;
    return {};
  }
  const fs::path to = fs::path(folder) / std::to_string(kept++);
  std::error_code code;
  fs::create_directories(to / "inputs", code);
  if (code)
    return fail(to.string(), ": ", code.message());
  // A plan of the suite's own has no totals.
  plan::Plan whole = plan;
  const plan::Totals totals = plan::totals(plan.partitioned);
  whole.communicationBytes = totals.communicationBytes;
  whole.peakBytes = totals.peakBytes;
  if (Status saved = plan::save(whole, to / "plan"); !saved)
    return saved;
  plan::Json inputs = plan::Json::array();
  for (size_t i = 0; i < feeds.size(); ++i) {
    const Tensor &value = feeds[i].value;
    const std::string file = "inputs/" + std::to_string(i) +
                             (value.type.dtype == DType::BF16 ? ".pb" : ".npy");
    if (Status written = writeInput(to / file, value); !written)
      return written;
    inputs.push_back({program.inputs[i].name, file});
  }
  const auto files =
      runtime::writeOutputs(to / "expected", program.outputs, result);
  if (!files)
    return files.error();
  const plan::Json about = {{"name", name},
                            {"steps", options.steps},
                            {"inputs", inputs},
                            {"communication_bytes", result.communicationBytes},
                            {"peak_bytes", result.peakBytes}};
  return writeFile(to / "case.json", about.dump(1));
}
