// What is kept comes back as it was, what is damaged does not, and code is the
// same bytes whether it was kept or not.
#include "test/compiler/codegen/Harness.h"

#include "compiler/codegen/expression/Compiler.h"
#include "compiler/codegen/gpu/Codegen.h"
#include "dialects/support/File.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <unistd.h>

#include <fcntl.h>
#include <sys/stat.h>

using namespace smex;
using namespace smex::codegen;

namespace fs = std::filesystem;

namespace {

/// A folder that goes with the test.
struct Folder {
  Folder() { REQUIRE(mkdtemp(path.data())); }
  ~Folder() { fs::remove_all(path); }
  std::shared_ptr<const KernelCache> open() const {
    auto cache = KernelCache::open(path);
    REQUIRE(cache);
    return *cache;
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto &each : fs::directory_iterator(path))
      all.push_back(each.path());
    return all;
  }
  std::string path = (fs::temp_directory_path() / "kernels-XXXXXX").string();
};

std::string read(const fs::path &path) {
  const auto bytes = readFile(path.string());
  REQUIRE(bytes);
  return *bytes;
}

void write(const fs::path &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

KernelRequest request(const char *symbol, const char *lambda) {
  return {symbol, lambdaOf(lambda)};
}

std::vector<KernelRequest> requests() {
  return {request("a", "(x: f32[2]) -> f32: lambda i: Sum(lambda j: x[i, j])"),
          request("b", "(x: f32[1]) -> f32: lambda i: exp(x[i])"),
          request("c", "(x: f32[2]) -> f32: lambda i, j: x[j, i]")};
}

} // namespace

TEST_CASE("what is kept comes back, by its name alone") {
  const Folder folder;
  const auto cache = folder.open();
  const KernelCode code = {std::string("one\0\n", 5), "", "three"};
  CHECK(!cache->find("k"));
  cache->keep("k", code);
  cache->keep("empty", {});
  CHECK(cache->find("k") == code);
  CHECK(cache->find("empty") == KernelCode());
  CHECK(!cache->find("K"));
  CHECK(cache->found() == 2);
  CHECK(cache->missed() == 2);
  CHECK(folder.open()->find("k") == code); // by another process, as it were
  cache->keep("k", {"new"});
  CHECK(cache->find("k") == KernelCode{"new"});
}

TEST_CASE("what is damaged counts as not there, and is replaced") {
  const Folder folder;
  const auto cache = folder.open();
  const KernelCode code = {"first", "second"};
  cache->keep("k", code);
  REQUIRE(folder.files().size() == 1);
  const fs::path file = folder.files().front();
  const std::string sound = read(file);
  for (size_t at = 0; at < sound.size(); ++at) {
    std::string damaged = sound;
    damaged[at] = char(damaged[at] ^ 0x10);
    write(file, damaged);
    CHECK(!cache->find("k"));
    write(file, sound.substr(0, at));
    CHECK(!cache->find("k"));
  }
  write(file, sound + "x");
  CHECK(!cache->find("k"));
  cache->keep("k", code);
  CHECK(cache->find("k") == code);
}

TEST_CASE("a folder that cannot be used is an error; one that goes is not") {
  const Folder folder;
  write(folder.path + "/file", "");
  const auto inFile = KernelCache::open(folder.path + "/file/kernels");
  REQUIRE(!inFile);
  CHECK(inFile.error().fault == Fault::Environment);
  CHECK_THAT(inFile.error().message,
             Catch::Contains("/file/kernels: cannot hold code of kernels"));

  const auto cache = KernelCache::open(folder.path + "/new/kernels");
  REQUIRE(cache);
  fs::remove_all(folder.path + "/new");
  (*cache)->keep("k", {"code"});
  CHECK(!(*cache)->find("k"));
}

TEST_CASE("many keep the same at once") {
  const Folder folder;
  const KernelCode code = {std::string(100000, 'x')};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      const auto cache = KernelCache::open(folder.path);
      for (int i = 0; cache && i < 50; ++i)
        (*cache)->keep("k", code);
    });
  const auto cache = folder.open();
  int other = 0; // neither whole nor missing
  for (int i = 0; i < 200; ++i)
    if (const auto found = cache->find("k"); found && *found != code)
      ++other;
  for (std::thread &thread : threads)
    thread.join();
  CHECK(other == 0);
  CHECK(cache->find("k") == code);
  CHECK(folder.files().size() == 1);
}

TEST_CASE("what is older than a month goes, what is used stays") {
  const Folder folder;
  const auto cache = folder.open();
  cache->keep("old", {"code"});
  const fs::path old = folder.files().front();
  const timespec longAgo[2] = {{time(nullptr) - 40 * 24 * 3600, 0},
                               {time(nullptr) - 40 * 24 * 3600, 0}};
  const auto age = [&] {
    REQUIRE(utimensat(AT_FDCWD, old.c_str(), longAgo, 0) == 0);
  };
  age();
  CHECK(cache->find("old"));
  cache->prune();
  CHECK(cache->find("old"));
  age();
  for (const fs::path &file : folder.files())
    if (file != old) // when it was looked last
      fs::remove(file);
  cache->prune();
  CHECK(!cache->find("old"));
}

TEST_CASE("code is the same bytes, kept or not, and made of what is missing") {
  const Folder folder;
  const Result<std::string> plain = compileKernels(requests());
  REQUIRE(plain);
  CodegenOptions options;
  const auto made = [&](const std::vector<KernelRequest> &of) {
    options.cache = folder.open();
    const Result<std::string> code = compileKernels(of, options);
    REQUIRE(code);
    return *code;
  };
  made({requests()[1]});
  CHECK(options.cache->missed() == 1);
  CHECK((made(requests()) == *plain));
  CHECK(options.cache->found() == 1);
  CHECK(options.cache->missed() == 2);
  CHECK((made(requests()) == *plain));
  CHECK(options.cache->found() == 3);

  // Another name, another lambda, another level, another CPU.
  made({request("x", "(x: f32[1]) -> f32: lambda i: exp(x[i])")});
  CHECK(options.cache->missed() == 1);
  made({request("b", "(x: f64[1]) -> f64: lambda i: exp(x[i])")});
  CHECK(options.cache->missed() == 1);
  options.optLevel = 1;
  made(requests());
  CHECK(options.cache->missed() == 3);
  options.optLevel = 2;
  options.cpuArch = "x86-64-v4";
  made(requests());
  CHECK(options.cache->missed() == 3);
}

TEST_CASE("texts of GPUs are kept with their architectures and sizes") {
  const Folder folder;
  const std::vector<std::string> archs = {"sm_80", "sm_90"};
  const auto plain = compilePtx(requests(), archs);
  REQUIRE(plain);
  GpuOptions options;
  const auto made = [&](const std::vector<std::string> &of) {
    options.cache = folder.open();
    auto code = compilePtx(requests(), of, options);
    REQUIRE(code);
    return *code;
  };
  for (const int64_t found : {0, 3}) {
    const auto code = made(archs);
    REQUIRE(code.size() == 2);
    for (size_t a : {0, 1}) {
      CHECK((code[a].ptx == (*plain)[a].ptx));
      CHECK(code[a].launches == (*plain)[a].launches);
    }
    CHECK(options.cache->found() == found);
  }
  CHECK((made({"sm_90"}).front().ptx == plain->back().ptx));
  CHECK(options.cache->missed() == 3);
  options.processor.manyTerms *= 2;
  made(archs);
  CHECK(options.cache->missed() == 3);
}

TEST_CASE("the compiler's identity has a line for each library it runs with") {
  const std::string identity = compilerIdentity();
  CHECK(identity == compilerIdentity());
  std::istringstream lines(identity);
  std::set<std::string> all;
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    CHECK(line.size() >= 32); // 16 bytes at least
    CHECK(line.find_first_not_of("0123456789abcdef") == std::string::npos);
    all.insert(line);
  }
  // This program, LLVM, MLIR, the C library and the loader.
  CHECK(count >= 5);
  CHECK(int(all.size()) == count);
}
