#include "dialects/support/File.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <set>

using namespace smex;
namespace fs = std::filesystem;

namespace {
std::string freshFolder(const std::string &name) {
  fs::remove_all(name);
  fs::create_directories(name);
  return name + "/";
}

std::set<std::string> namesIn(const std::string &folder) {
  std::set<std::string> names;
  for (const auto &entry : fs::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

StagedDirectory staged(const std::string &target) {
  auto directory = StagedDirectory::create(target);
  INFO((directory ? "" : directory.error().message));
  REQUIRE(directory);
  return std::move(*directory);
}

void fill(const StagedDirectory &directory, const std::string &name) {
  REQUIRE(writeFile(directory.path() + "/" + name, name));
}
using Names = std::set<std::string>;
} // namespace

TEST_CASE("a folder appears as a whole, on commit") {
  const std::string folder = freshFolder("appears");
  StagedDirectory directory = staged(folder + "plan");
  fill(directory, "one");
  CHECK_FALSE(fs::exists(folder + "plan"));
  fill(directory, "two");
  REQUIRE(directory.commit());
  CHECK(namesIn(folder + "plan") == Names{"one", "two"});
  CHECK(namesIn(folder) == Names{"plan"});
}

TEST_CASE("an older folder stays until then, and goes as a whole") {
  const std::string folder = freshFolder("replaces");
  fs::create_directories(folder + "plan/inner");
  REQUIRE(writeFile(folder + "plan/old", "old"));
  StagedDirectory directory = staged(folder + "plan");
  fill(directory, "new");
  CHECK(namesIn(folder + "plan") == Names{"inner", "old"});
  REQUIRE(directory.commit());
  CHECK(namesIn(folder + "plan") == Names{"new"});
  CHECK(namesIn(folder) == Names{"plan"});
}

TEST_CASE("messages name the folder that will be, not the staging one") {
  const std::string folder = freshFolder("names");
  StagedDirectory directory = staged(folder + "plan/");
  REQUIRE(directory.makeFolder("inner"));
  REQUIRE(directory.write("inner/file", "bytes"));
  CHECK(directory.shown("a/b") == "names/plan/a/b");
  Status status = directory.write("none/file", "bytes");
  REQUIRE_FALSE(status);
  CHECK(status.error().message ==
        "names/plan/none/file: cannot write: No such file or directory");
  CHECK(status.error().fault == Fault::Environment);
  status = directory.makeFolder("inner");
  REQUIRE_FALSE(status);
  CHECK(status.error().message ==
        "names/plan/inner: cannot create: File exists");
  REQUIRE(directory.commit());
  CHECK(*readFile(folder + "plan/inner/file") == "bytes");
}

TEST_CASE("without commit nothing happened") {
  const std::string folder = freshFolder("dropped");
  fs::create_directories(folder + "plan");
  REQUIRE(writeFile(folder + "plan/old", "old"));
  {
    StagedDirectory directory = staged(folder + "plan");
    fill(directory, "new");
    fs::create_directories(directory.path() + "/deep/deeper");
  }
  CHECK(namesIn(folder) == Names{"plan"});
  CHECK(namesIn(folder + "plan") == Names{"old"});
}

TEST_CASE("whoever it was moved to removes it") {
  const std::string folder = freshFolder("moved");
  std::optional<StagedDirectory> outer;
  {
    StagedDirectory inner = staged(folder + "plan");
    outer = std::move(inner);
  }
  CHECK(namesIn(folder).size() == 1);
  fill(*outer, "file");
  outer.reset();
  CHECK(namesIn(folder).empty());
}

TEST_CASE("two at once do not meet, and the later commit stays") {
  const std::string folder = freshFolder("two");
  StagedDirectory first = staged(folder + "plan");
  StagedDirectory second = staged(folder + "plan");
  CHECK(first.path() != second.path());
  fill(first, "first");
  fill(second, "second");
  REQUIRE(first.commit());
  REQUIRE(second.commit());
  CHECK(namesIn(folder + "plan") == Names{"second"});
  CHECK(namesIn(folder) == Names{"plan"});
}

TEST_CASE("names with slashes, and folders that are not there yet") {
  const std::string folder = freshFolder("slashes");
  StagedDirectory directory = staged(folder + "a/b/plan//");
  fill(directory, "file");
  REQUIRE(directory.commit());
  CHECK(namesIn(folder + "a/b") == Names{"plan"});
  CHECK(namesIn(folder + "a/b/plan") == Names{"file"});
}

TEST_CASE("what cannot be replaced is named") {
  const std::string folder = freshFolder("refused");
  REQUIRE(writeFile(folder + "file", "data"));
  const auto error = [](const std::string &target) {
    const auto directory = StagedDirectory::create(target);
    REQUIRE_FALSE(directory);
    CHECK_THAT(directory.error().message, Catch::StartsWith(target + ": "));
    return directory.error();
  };
  for (const char *target : {"", ".", "..", "/", "refused/.", "refused/.."}) {
    INFO(target);
    CHECK(error(target).fault == Fault::Input);
  }
  CHECK(error(folder + "file").message ==
        "refused/file: exists and is not a folder");
  CHECK(error(folder + "file/plan").fault == Fault::Environment);
  CHECK(error("/proc/smex/plan").fault == Fault::Environment);
  CHECK(namesIn(folder) == Names{"file"});
}
