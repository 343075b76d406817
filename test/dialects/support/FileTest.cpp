#include "dialects/support/File.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

using namespace smex;
namespace fs = std::filesystem;

namespace {
/// An empty folder for one test case.
std::string freshFolder(const std::string &name) {
  fs::remove_all(name);
  fs::create_directories(name);
  return name + "/";
}

std::string contents(const std::string &path) {
  const auto bytes = readFile(path);
  INFO((bytes ? "" : bytes.error().message));
  REQUIRE(bytes);
  return *bytes;
}

size_t filesIn(const std::string &folder) {
  return size_t(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

Error readError(const std::string &path) {
  const auto bytes = readFile(path);
  REQUIRE_FALSE(bytes);
  return bytes.error();
}

/// No file may grow beyond this: a disk that is full, as far as write(2) can
/// tell.
struct SmallFiles {
  rlimit old;
  SmallFiles(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    REQUIRE(getrlimit(RLIMIT_FSIZE, &old) == 0);
    const rlimit limit{bytes, old.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~SmallFiles() { setrlimit(RLIMIT_FSIZE, &old); }
};
} // namespace

TEST_CASE("bytes come back as they were") {
  const std::string folder = freshFolder("bytes");
  for (const std::string &bytes :
       {std::string(), std::string("a\0\r\n\xff", 5), std::string(1 << 20, 'x'),
        std::string(65537, '\0')}) {
    REQUIRE(writeFile(folder + "file", bytes));
    CHECK(contents(folder + "file") == bytes);
  }
  CHECK(filesIn(folder) == 1);
}

TEST_CASE("what says it has no size is read to its end") {
  CHECK(contents("/proc/self/status").find("\nThreads:") != std::string::npos);
  const std::string folder = freshFolder("pipe");
  REQUIRE(mkfifo((folder + "pipe").c_str(), 0600) == 0);
  const std::string text(300000, 'p');
  std::thread writer([&] {
    FILE *pipe = std::fopen((folder + "pipe").c_str(), "w");
    std::fwrite(text.data(), 1, text.size(), pipe);
    std::fclose(pipe);
  });
  const auto read = readFile(folder + "pipe");
  writer.join();
  REQUIRE(read);
  CHECK(*read == text);
}

TEST_CASE("what is no file is named, with the reason") {
  const std::string folder = freshFolder("reasons");
  CHECK(readError(folder + "none").message ==
        "reasons/none: cannot open: No such file or directory");
  CHECK(readError(folder + "none").fault == Fault::Input);
  CHECK(readError("").message == ": cannot open: No such file or directory");
  CHECK(readError("reasons").message == "reasons: is a folder, not a file");
  CHECK(readError("/dev/zero").message == "/dev/zero: is a device, not a file");
  CHECK(readError("/dev/zero").fault == Fault::Input);
  REQUIRE(writeFile(folder + "file", "x"));
  CHECK(readError(folder + "file/inside").message ==
        "reasons/file/inside: cannot open: Not a directory");
  fs::create_symlink("loop", folder + "loop");
  CHECK(readError(folder + "loop").fault == Fault::Input);
}

TEST_CASE("a write that fails leaves the old file, and nothing else") {
  const std::string folder = freshFolder("full");
  REQUIRE(writeFile(folder + "file", "old"));
  Status status;
  {
    const SmallFiles limit(1000);
    status = writeFile(folder + "file", std::string(5000, 'n'));
  }
  REQUIRE_FALSE(status);
  CHECK(status.error().message == "full/file: cannot write: File too large");
  CHECK(status.error().fault == Fault::Environment);
  CHECK(contents(folder + "file") == "old");
  CHECK(filesIn(folder) == 1);
}

TEST_CASE("where nothing can be written is named") {
  const std::string folder = freshFolder("unwritable");
  fs::create_directories(folder + "taken/inside");
  for (const char *name : {"no/file", "taken"}) {
    const Status status = writeFile(folder + name, "new");
    REQUIRE_FALSE(status);
    CHECK_THAT(status.error().message,
               Catch::StartsWith(folder + name + ": cannot write: "));
    CHECK(status.error().fault == Fault::Environment);
  }
  CHECK(filesIn(folder) == 1);
  CHECK(fs::is_directory(folder + "taken/inside"));
}

TEST_CASE("a reader sees the old file or the new one") {
  const std::string file = freshFolder("atomic") + "file";
  REQUIRE(writeFile(file, std::string(100000, 'a')));
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 1; i < 100; ++i)
      if (!writeFile(file,
                     std::string(size_t(100000 - 500 * i), char('a' + i % 26))))
        break;
    done = true;
  });
  int torn = 0;
  do {
    const auto bytes = readFile(file);
    torn += !bytes || bytes->size() < 50000 ||
            bytes->find_first_not_of((*bytes)[0]) != std::string::npos;
  } while (!done);
  writer.join();
  CHECK(torn == 0);
}

TEST_CASE("a mapped file has the file's bytes") {
  const std::string folder = freshFolder("mapped");
  REQUIRE(writeFile(folder + "full", "some bytes"));
  REQUIRE(writeFile(folder + "empty", ""));
  auto full = MappedFile::open(folder + "full");
  REQUIRE(full);
  MappedFile moved = std::move(*full);
  fs::remove(folder + "full"); // what is mapped stays
  CHECK(std::string(reinterpret_cast<const char *>(moved.data()),
                    size_t(moved.size())) == "some bytes");
  const auto empty = MappedFile::open(folder + "empty");
  REQUIRE(empty);
  CHECK(empty->size() == 0);
  CHECK_FALSE(MappedFile::open(folder + "none"));
}

TEST_CASE("a staged file appears as a whole") {
  const std::string folder = freshFolder("staged");
  REQUIRE(writeFile(folder + "file", "old"));
  {
    auto dropped = StagedFile::create(folder + "file", 3);
    REQUIRE(dropped);
    dropped->data()[0] = std::byte('x');
  }
  CHECK(contents(folder + "file") == "old");
  CHECK(filesIn(folder) == 1);
  auto file = StagedFile::create(folder + "file", 4);
  REQUIRE(file);
  for (int i = 0; i < 4; ++i)
    file->data()[i] = std::byte('a' + i);
  CHECK(contents(folder + "file") == "old");
  REQUIRE(file->commit());
  CHECK(contents(folder + "file") == "abcd");
  CHECK(filesIn(folder) == 1);

  const auto nowhere = StagedFile::create(folder + "none/file", 4);
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().fault == Fault::Environment);
  CHECK_FALSE(StagedFile::create(folder + "large", int64_t(1) << 60));
  CHECK(filesIn(folder) == 1);
}
