// Libraries that this test has built, loaded as those of a machine are.
#include "runtime/library/SharedLibrary.h"
#include "runtime/library/CutOff.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <dlfcn.h>
#include <fstream>
#include <thread>
#include <vector>

using namespace smex;
using namespace smex::runtime;

namespace {

/// X(member, entry point, result, parameters)
#define EACH_ENTRY(X)                                                          \
  X(add, known_add, int, (int a, int b))                                       \
  X(absent, known_absent, void, ())                                            \
  X(gone, known_gone, void, ())

struct Known {
  SharedLibrary library;
#define MEMBER(member, entry, result, parameters)                              \
  result(*member) parameters = nullptr;
  EACH_ENTRY(MEMBER)
#undef MEMBER
  int *object = nullptr;

  void find() { EACH_ENTRY(SMEX_FIND_ENTRY) }
};

const std::string file = "libknown.so.1";

bool isLoaded(const std::string &name) {
  void *handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (handle)
    ::dlclose(handle);
  return handle;
}

} // namespace

TEST_CASE("functions and objects are found, and the first that is missing") {
  auto opened = SharedLibrary::open(file);
  REQUIRE(opened);
  Known known;
  known.library = *opened;
  SharedLibrary &library = known.library;
  CHECK(library.file() == file);
  CHECK_THAT(library.path(), Catch::EndsWith("/" + file));
  library.find(known.add, "known_add");
  library.find(known.object, "known_object");
  CHECK(library.lacks().empty());
  REQUIRE(known.add);
  REQUIRE(known.object);
  CHECK(known.add(2, 3) == 5);
  CHECK(*known.object == 7);
  known.find();
  CHECK(known.absent == nullptr);
  CHECK(known.gone == nullptr);
  CHECK(known.add);
  CHECK(library.lacks() == "libknown.so.1 has no known_absent");
}

TEST_CASE("what cannot be loaded is the machine's fault, with its name") {
  const auto none = SharedLibrary::open("libnone-of-this-name.so.3");
  REQUIRE(!none);
  CHECK(none.error().fault == Fault::Environment);
  CHECK_THAT(none.error().message,
             Catch::Contains("libnone-of-this-name.so.3"));
  const std::string folder = std::getenv("TEST_TMPDIR");
  std::ofstream(folder + "/libbroken.so.1") << "no library";
  const auto broken = SharedLibrary::open(folder + "/libbroken.so.1");
  REQUIRE(!broken);
  CHECK_THAT(broken.error().message, Catch::Contains("/libbroken.so.1"));
}

TEST_CASE("a library that is cut off is refused, wherever it is") {
  CHECK(libraryFile(file) == "test/runtime/library/" + file);
  CHECK(libraryFile("/a/" + file) == "/a/" + file);
  CHECK(libraryFile("libnone-of-this-name.so.3").empty());
  // As every program's loader finds the C library.
  CHECK_THAT(libraryFile("libc.so.6"), Catch::EndsWith("/libc.so.6"));
  CHECK(whatIsCutOff(libraryFile("libc.so.6")).empty());
  CHECK(whatIsCutOff(libraryFile(file)).empty());
  CHECK(whatIsCutOff("none").empty());
  std::ifstream whole(libraryFile(file), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  const std::string cut =
      std::string(std::getenv("TEST_TMPDIR")) + "/libcut.so.1";
  for (size_t size = 0; size < bytes.size(); size += 509) {
    std::ofstream(cut, std::ios::binary) << bytes.substr(0, size);
    INFO(size);
    const std::string missing = whatIsCutOff(cut);
    const auto opened = SharedLibrary::open(cut); // or a signal ends this test
    if (opened)
      continue; // what is missing is not loaded: names for debuggers
    CHECK(opened.error().fault == Fault::Environment);
    CHECK_THAT(opened.error().message, Catch::Contains("/libcut.so.1"));
    if (size >= 4096)
      CHECK_THAT(missing, Catch::Contains("is cut off: it has " +
                                          std::to_string(size) + " bytes"));
  }
}

TEST_CASE("a library is loaded while there is a copy") {
  REQUIRE(!isLoaded("libother.so.1"));
  {
    SharedLibrary copy;
    {
      auto opened = SharedLibrary::open("libother.so.1");
      REQUIRE(opened);
      copy = *opened;
    }
    CHECK(isLoaded("libother.so.1"));
  }
  CHECK(!isLoaded("libother.so.1"));
}

TEST_CASE("symbols are everybody's only if that is asked for") {
  const auto own = SharedLibrary::open("libother.so.1");
  REQUIRE(own);
  CHECK(::dlsym(RTLD_DEFAULT, "other_add") == nullptr);
  const auto all =
      SharedLibrary::open("libother.so.1", SharedLibrary::Symbols::Everybodys);
  REQUIRE(all);
  CHECK(::dlsym(RTLD_DEFAULT, "other_add") != nullptr);
}

TEST_CASE("one thread loads, and all have the same") {
  struct Counted {
    int number = 0;
  };
  static std::atomic<int> calls{0};
  const auto get = [] {
    return loadOnce<Counted>([](Counted &made) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      made.number = ++calls;
      return Status();
    });
  };
  std::vector<const Counted *> seen(8);
  std::vector<std::thread> threads;
  for (auto &each : seen)
    threads.emplace_back([&] {
      const auto loaded = get();
      each = loaded ? *loaded : nullptr;
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(calls == 1);
  REQUIRE(seen[0]);
  CHECK(seen[0]->number == 1);
  for (const Counted *each : seen)
    CHECK(each == seen[0]);
}

TEST_CASE("what was wrong is said each time, and not tried again") {
  struct Broken {};
  static int calls = 0;
  const auto get = [] {
    return loadOnce<Broken>([](Broken &) -> Status {
      return libraryError("broken " + std::to_string(++calls));
    });
  };
  for (int time = 0; time < 2; ++time) {
    const auto loaded = get();
    REQUIRE(!loaded);
    CHECK(loaded.error().message == "broken 1");
    CHECK(loaded.error().fault == Fault::Environment);
  }
}

TEST_CASE("versions are written as their libraries' makers do") {
  CHECK(dottedVersion(22809) == "2.28.9");
  CHECK(dottedVersion(130100) == "13.1.0");
  CHECK(dottedVersion(8907, 1000) == "8.9.7");
  CHECK(dottedVersion(0) == "0.0.0");
}
