// triad THREADS: the GB/s that so many threads reach on arrays of 256 MiB,
// c = a + 3 * b, the median of nine runs. 12 bytes are counted per element.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

int main(int argc, char **argv) {
  const size_t threads = size_t(argc == 2 ? std::atoi(argv[1]) : 0);
  if (threads < 1 || threads > 4096) {
    std::fprintf(stderr, "triad: error: give a number of threads, 1 to 4096\n");
    return 2;
  }
  const size_t n = size_t(1) << 26;
  std::vector<float> a(n, 1), b(n, 2), c(n);
  std::vector<double> seconds;
  for (int run = 0; run < 9; ++run) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> workers;
    for (size_t t = 0; t < threads; ++t)
      workers.emplace_back([&, t] {
        const size_t end = n * (t + 1) / threads;
        for (size_t i = n * t / threads; i < end; ++i)
          c[i] = a[i] + 3 * b[i];
      });
    for (std::thread &worker : workers)
      worker.join();
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    seconds.push_back(took.count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + 4, seconds.end());
  std::printf("%.1f\n", 12e-9 * double(n) / seconds[4]);
  return c[n / 2] == 7 ? 0 : 70;
}
