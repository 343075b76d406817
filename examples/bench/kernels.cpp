// Generated kernels against the memory bandwidth that a triad reaches, on one
// core: an element-wise chain, a row sum, max pooling. Prints a table.
#include "compiler/codegen/cpu/Codegen.h"
#include "dialects/support/Box.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <dlfcn.h>
#include <functional>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace smex;

namespace {

using Kernel = void (*)(char *const *, const int64_t *);

/// The median of nine runs, in seconds.
double median(const std::function<void()> &run) {
  std::vector<double> seconds;
  for (int i = 0; i < 9; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + 4, seconds.end());
  return seconds[4];
}

/// The numbers of a call on whole dense tensors: see runtime/plan/README.md.
std::vector<int64_t>
numbersOf(const std::vector<int64_t> &extents,
          const std::vector<std::vector<int64_t>> &shapes) {
  std::vector<int64_t> numbers;
  for (int64_t extent : extents)
    numbers.insert(numbers.end(), {0, extent});
  for (size_t t = 0; t < shapes.size(); ++t) { // the result first
    int64_t stride = 1;
    std::vector<int64_t> strides(shapes[t].size());
    for (size_t d = shapes[t].size(); d-- > 0; stride *= shapes[t][d])
      strides[d] = stride;
    for (size_t d = 0; d < shapes[t].size(); ++d) {
      numbers.insert(numbers.end(), {0, strides[d]});
      if (t > 0)
        numbers.push_back(shapes[t][d]);
    }
  }
  return numbers;
}

struct Case {
  const char *name, *lambda;
  std::vector<int64_t> extents;
  std::vector<std::vector<int64_t>> shapes; // result, then operands
};

int64_t elements(const std::vector<int64_t> &shape) {
  return volume(wholeBox(shape));
}

} // namespace

int main() {
  const std::vector<Case> cases = {
      {"exp(x + y) * x",
       "(x: f32[1], y: f32[1]) -> f32: lambda i: exp(x[i] + y[i]) * x[i]",
       {1 << 24},
       {{1 << 24}, {1 << 24}, {1 << 24}}},
      {"relu(x + y)",
       "(x: f32[1], y: f32[1]) -> f32: lambda i: max(x[i] + y[i], 0.0)",
       {1 << 24},
       {{1 << 24}, {1 << 24}, {1 << 24}}},
      {"row sum",
       "(x: f32[2]) -> f32: lambda i: Sum(lambda k: x[i, k])",
       {4096, 4096},
       {{4096}, {4096, 4096}}},
      {"max pool 3x3 /2",
       "(x: f32[4]) -> f32: lambda n, c, i, j: Max(lambda k, l: x[n, c, i*2 + "
       "k - 1, j*2 + l - 1] else -inf)",
       {4, 64, 56, 56, 3, 3},
       {{4, 64, 56, 56}, {4, 64, 112, 112}}},
  };
  std::vector<codegen::KernelRequest> requests;
  for (size_t i = 0; i < cases.size(); ++i) {
    auto lambda = tdl::parseLambda(cases[i].lambda);
    if (!lambda) {
      std::fprintf(stderr, "%s: %s\n", cases[i].name,
                   lambda.error().message.c_str());
      return 1;
    }
    requests.push_back({"k" + std::to_string(i), std::move(*lambda)});
  }
  const auto start = std::chrono::steady_clock::now();
  auto object = codegen::compileKernels(requests);
  if (!object) {
    std::fprintf(stderr, "%s\n", object.error().message.c_str());
    return 1;
  }
  std::printf(
      "%zu kernels compiled in %.2f s\n\n", cases.size(),
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count());
  const int file = memfd_create("kernels", 0);
  if (write(file, object->data(), object->size()) != ssize_t(object->size()))
    return 4;
  void *library =
      dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 4;
  }

  const size_t n = size_t(1) << 24;
  std::vector<float> a(n, 1), b(n, 2), c(n);
  const double triad = 3e-9 * 4 * double(n) / median([&] {
                         for (size_t i = 0; i < n; ++i)
                           c[i] = a[i] + 3 * b[i];
                       });
  std::printf("%-20s%10s%12s\n", "one core", "GB/s", "of a triad");
  std::printf("%-20s%10.1f%12s\n", "triad", triad, "100 %");
  for (size_t k = 0; k < cases.size(); ++k) {
    const auto kernel = Kernel(dlsym(library, requests[k].symbol.c_str()));
    const auto numbers = numbersOf(cases[k].extents, cases[k].shapes);
    std::vector<std::vector<float>> tensors;
    std::vector<char *> pointers;
    int64_t bytes = 0;
    for (const auto &shape : cases[k].shapes) {
      tensors.emplace_back(size_t(elements(shape)), 0.5f);
      bytes += 4 * elements(shape);
    }
    for (auto &tensor : tensors)
      pointers.push_back(reinterpret_cast<char *>(tensor.data()));
    const double rate = 1e-9 * double(bytes) / median([&] {
                          kernel(pointers.data(), numbers.data());
                        });
    std::printf("%-20s%10.1f%10.0f %%\n", cases[k].name, rate,
                100 * rate / triad);
  }
  return 0;
}
