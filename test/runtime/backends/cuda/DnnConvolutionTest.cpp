// Parts of random convolutions and of their gradients as calls of cuDNN, which
// is emulated (test/emulated/cudnn), on buffers of one emulated GPU: the bits
// of the lambda's reference, and no byte beside.
#include "runtime/backends/cuda/Choices.h"
#include "runtime/backends/cuda/dnn/Convolution.h"
#include "runtime/backends/cuda/dnn/Dnn.h"

#include "kernels/cuda/Kernels.h"
#include "test/runtime/backends/GradientCase.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>

using namespace smex;
using namespace smex::runtime;
using cuda::Address;

namespace {

/// One for all cases.
cuda::Gpu &gpu() {
  static const std::unique_ptr<cuda::Gpu> opened = [] {
    const auto driver = cuda::Driver::get();
    if (!driver)
      FAIL(driver.error().message);
    const auto info = cuda::gpuInfo(**driver, 0);
    REQUIRE(info);
    // Not the machine's own GPU, where results are not what is tested here.
    REQUIRE(info->name.find("emulated") != std::string::npos);
    auto gpu = cuda::Gpu::open(**driver, 0);
    REQUIRE(gpu);
    auto own = cuda::LoadedCode::load(
        **driver, std::string(cuda::cudaKernels().front().second), "kernels");
    if (!own)
      FAIL(own.error().message);
    (*gpu)->own = std::move(*own);
    return std::move(*gpu);
  }();
  return *opened;
}

/// How the next calls are bound.
struct Mode {
  cuda::Choices *choices;
  bool reproducible;
};

Mode &mode() {
  static cuda::Choices kept;
  static Mode current{&kept, false};
  return current;
}

/// A call of the library as a kernel of the host: buffers go to the GPU and
/// come back.
class OnGpu : public BoundKernel {
public:
  static Result<BoundKernelPtr> bind(const Binding &binding) {
    auto made = std::make_unique<OnGpu>();
    std::vector<BufferView> views = binding.operands;
    views.push_back(binding.result);
    for (const BufferView &view : views)
      made->take(view);
    const cuda::Driver &driver = gpu().driver;
    Address workspace = 0;
    if (driver.memoryAllocate(&workspace, size_t(binding.workspace.bytes)) ||
        driver.streamCreate(&made->stream, cuda::streamNonBlocking))
      return fail("no memory or stream");
    made->owned.push_back(workspace);
    cuda::LibraryBinding on{binding.kernel,
                            binding.lambda,
                            binding.indices,
                            made->deviceOf(views.size() - 1),
                            {},
                            workspace,
                            binding.workspace.bytes,
                            gpu(),
                            *mode().choices,
                            mode().reproducible};
    for (size_t i = 0; i + 1 < views.size(); ++i)
      on.operands.push_back(made->deviceOf(i));
    auto call = cuda::dnn::bindConvolution(on);
    if (!call)
      return call.takeError();
    made->call = std::move(*call);
    return BoundKernelPtr(std::move(made));
  }

  ~OnGpu() override {
    call.reset();
    gpu().driver.streamDestroy(stream);
    for (Address address : owned)
      gpu().driver.memoryFree(address);
  }

  Status run() override {
    const cuda::Driver &driver = gpu().driver;
    for (const Buffer &buffer : buffers)
      if (buffer.bytes > 0 &&
          driver.copyToDevice(buffer.address, buffer.view.data, buffer.bytes,
                              stream))
        return fail("copying to the GPU");
    if (Status submitted = call->submit(stream); !submitted)
      return submitted;
    const Buffer &result = buffers.back();
    const cuda::Code copied = driver.copyToHost(
        result.view.data, result.address, result.bytes, stream);
    return driver.check(copied ? copied : driver.streamSynchronize(stream),
                        "what was submitted");
  }

private:
  struct Buffer {
    BufferView view;
    size_t bytes;
    Address address;
  };

  void take(const BufferView &view) {
    const size_t bytes = size_t(volume(view.box) * byteSize(view.type.dtype));
    Address address = 0;
    REQUIRE(gpu().driver.memoryAllocate(&address, std::max<size_t>(bytes, 1)) ==
            0);
    owned.push_back(address);
    buffers.push_back({view, bytes, address});
  }

  cuda::DeviceBuffer deviceOf(size_t i) const {
    return {buffers[i].address, buffers[i].view.box, buffers[i].view.type};
  }

  std::vector<Buffer> buffers; // the result is the last one
  std::vector<Address> owned;
  cuda::Stream stream = nullptr;
  std::unique_ptr<cuda::LibraryCall> call;
};

/// Room for a filter and little more, so that parts are cut, or for all.
int64_t drawWorkspace(KernelCase &test, size_t rank, int64_t channels) {
  const bool isSmall = channels < 10;
  const int64_t least =
      rank < 3 ? (isSmall ? 1 << 14 : 1 << 20) : (isSmall ? 1 << 17 : 1 << 23);
  return test.draw(0, 2) ? least : 4 * least;
}

void checkForward(unsigned seed, DType type, int64_t channels, int64_t extent) {
  gpu();
  KernelCase test(seed);
  const ConvolutionCase p =
      randomConvolution(test, size_t(test.draw(1, 3)), channels, extent);
  INFO("seed " << seed);
  const auto lambda = tdl::parseLambda(p.lambda(type));
  REQUIRE(lambda);
  plan::Kernel kernel;
  kernel.kind = plan::KernelKind::Convolution;
  kernel.lambda = p.lambda(type);
  kernel.convolution = p.info;
  const size_t rank = p.info.strides.size();
  Box indices;
  for (int64_t size : p.result)
    indices.push_back(test.part(size));
  for (size_t d = 1; d < p.filter.size(); ++d)
    indices.push_back(test.part(p.filter[d]));
  Box filter{indices[1]};
  for (size_t i = 2 + rank; i < indices.size(); ++i)
    filter.push_back(indices[i]);
  const Box part = front(indices, 2 + rank), data = p.dataBox(indices);
  const std::vector<BufferView> operands = {
      test.buffer(type, p.data, test.holding(data, p.data)),
      test.buffer(type, p.filter, test.holding(filter, p.filter))};
  const BufferView result =
      test.buffer(type, p.result, test.holding(part, p.result));
  test.check(OnGpu::bind, kernel, *lambda, indices, result, operands,
             drawWorkspace(test, p.info.strides.size(), channels), 1);
}

bool checkBackward(unsigned seed, DType type, int64_t channels,
                   int64_t extent) {
  gpu();
  KernelCase test(seed);
  const ConvolutionCase p =
      randomConvolution(test, size_t(test.draw(1, 3)), channels, extent);
  const Gradient g = gradientOf(p, type, int(test.draw(0, 1)));
  INFO("seed " << seed << " roles " << g.kernel.roles);
  if (!plan::isGradient(g.kernel.kind))
    return false;
  Box indices;
  for (int64_t size : g.extents)
    indices.push_back(test.part(size));
  checkGradient(test, OnGpu::bind, g, type, indices,
                drawWorkspace(test, p.info.strides.size(), channels), 1);
  return true;
}

/// How many of the algorithms chosen for gradients, by the file of choices, are
/// those that NVIDIA calls non-deterministic:
/// CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 and
/// ..ALGO_3 (cudnnConvolutionBackward* in the API reference).
int countNonDeterministic(bool reproducible) {
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) +
                           (reproducible ? "/always.json" : "/any.json");
  cuda::Choices chosen(path);
  const Mode before = mode();
  mode() = {&chosen, reproducible};
  for (unsigned seed = 0; seed < 60; ++seed)
    checkBackward(seed, DType::F32, 4, 8);
  mode() = before;
  chosen.save();
  std::ifstream file(path);
  const auto json = nlohmann::json::parse(file);
  int count = 0;
  for (const auto &each : json.at("choices")) {
    const std::string request = each.at("request"), bytes = each.at("choice");
    if (bytes.empty()) // there is none that may be taken
      continue;
    const int algorithm = std::stoi(bytes.substr(0, 2), nullptr, 16);
    const bool isOfFilter = request.find("BackwardFilter") != std::string::npos;
    if (isOfFilter || request.find("BackwardData") != std::string::npos)
      count += algorithm == 0 || (isOfFilter && algorithm == 3);
  }
  return count;
}

constexpr DType floats[] = {DType::F32, DType::F16, DType::BF16};

} // namespace

TEST_CASE("convolutions of random shapes and parts") {
  for (DType type : floats)
    for (unsigned seed = 0; seed < 120; ++seed)
      checkForward(seed, type, 4, 8);
}

TEST_CASE("convolutions with more channels") {
  for (DType type : floats)
    for (unsigned seed = 0; seed < 15; ++seed)
      checkForward(5000 + seed, type, 20, 7);
}

TEST_CASE("gradients of random shapes and parts") {
  int bound = 0;
  for (DType type : floats)
    for (unsigned seed = 0; seed < 160; ++seed)
      bound += checkBackward(seed, type, 4, 8);
  CHECK(bound > 400);
}

TEST_CASE("gradients with more channels") {
  for (DType type : floats)
    for (unsigned seed = 0; seed < 15; ++seed)
      checkBackward(5000 + seed, type, 20, 7);
}

TEST_CASE("reproducible gradients are by deterministic algorithms alone") {
  CHECK(countNonDeterministic(/*reproducible=*/false) > 0);
  CHECK(countNonDeterministic(/*reproducible=*/true) == 0);
}

TEST_CASE("a part that the workspace has no room for says so") {
  gpu();
  KernelCase test(1);
  ConvolutionCase p;
  p.info = {{1, 1}, {1, 1}, {1, 1}, 1};
  p.data = {1, 2, 6, 6};
  p.filter = {2, 2, 3, 3};
  p.result = {1, 2, 6, 6};
  const auto lambda = tdl::parseLambda(p.lambda(DType::F32));
  REQUIRE(lambda);
  plan::Kernel kernel;
  kernel.kind = plan::KernelKind::Convolution;
  kernel.lambda = p.lambda(DType::F32);
  kernel.convolution = p.info;
  // The first row: a pad above it, and none below. It needs rows of its own.
  Box indices = wholeBox({1, 2, 6, 6, 2, 3, 3});
  indices[2] = {0, 1};
  const std::vector<BufferView> operands = {
      test.buffer(DType::F32, p.data, wholeBox(p.data)),
      test.buffer(DType::F32, p.filter, wholeBox(p.filter))};
  const BufferView result =
      test.buffer(DType::F32, p.result, wholeBox(p.result));
  const ThreadGroup group(1);
  const auto none = KernelObject::load({});
  const std::string target = "x86-64-v3";
  const Binding binding{kernel,        *lambda, indices, result, operands,
                        {nullptr, 16}, group,   target,  *none};
  const auto bound = OnGpu::bind(binding);
  REQUIRE(!bound);
  CHECK(bound.error().fault == Fault::Environment);
  CHECK(bound.error().message.find("workspace of 16 bytes") !=
        std::string::npos);
}
