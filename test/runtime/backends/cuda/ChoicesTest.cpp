// The file of what libraries have chosen: kept, checked, and never in the way.
#include "runtime/backends/cuda/Choices.h"

#include "dialects/support/File.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <vector>

using namespace smex;
using Catch::Matchers::Contains;
using cuda::Choices;
namespace fs = std::filesystem;

namespace {

const Choices::Question question = {"cuBLASLt 13.1.0", "a GPU", "matmul"};

/// A folder that is empty at first.
struct Folder {
  Folder() {
    const char *temporary = std::getenv("TEST_TMPDIR");
    path = fs::path(temporary ? temporary : "/tmp") / "choices";
    fs::remove_all(path);
    fs::create_directories(path);
  }
  std::string file() const { return (path / "choices.json").string(); }
  fs::path path;
};

/// What is asked of a file, and what was said.
struct Asked {
  std::string answer;
  bool isNew = false;
  std::vector<std::string> notes;
};
Asked ask(const std::string &file, const std::string &fresh,
          const Choices::Question &what = question, bool isRight = true) {
  Asked asked;
  Choices choices(
      file, [&](const std::string &note) { asked.notes.push_back(note); });
  auto answer = choices.choiceFor(
      what, [&](const std::string &) { return isRight; },
      [&]() -> Result<std::string> {
        asked.isNew = true;
        return fresh;
      });
  REQUIRE(answer);
  asked.answer = *answer;
  choices.save();
  return asked;
}

} // namespace

TEST_CASE("a choice is made once") {
  const Folder folder;
  const std::string bytes("\0\xff chosen\n", 10);
  const Asked first = ask(folder.file(), bytes);
  CHECK(first.isNew);
  CHECK(first.notes.empty());
  const Asked second = ask(folder.file(), "other");
  CHECK_FALSE(second.isNew);
  CHECK(second.answer == bytes);
  CHECK(second.notes.empty());
  // Of another library, GPU or request, another one; the first stays.
  Choices::Question others[] = {question, question, question};
  others[0].library += "1", others[1].device += "1", others[2].request += "1";
  for (const auto &each : others)
    CHECK(ask(folder.file(), "other", each).isNew);
  CHECK(ask(folder.file(), "other").answer == bytes);
}

TEST_CASE("a choice that the library refuses is made anew") {
  const Folder folder;
  ask(folder.file(), "old");
  const Asked asked = ask(folder.file(), "new", question, /*isRight=*/false);
  CHECK(asked.answer == "new");
  REQUIRE(asked.notes.size() == 1);
  CHECK_THAT(asked.notes[0], Contains("refused by cuBLASLt 13.1.0"));
  CHECK(ask(folder.file(), "other").answer == "new");
}

TEST_CASE("any bytes are a safe file: they are not used, and replaced") {
  const Folder folder;
  ask(folder.file(), "chosen");
  const auto good = readFile(folder.file());
  REQUIRE(good);
  std::vector<std::string> texts = {
      "",
      "{}",
      "[]",
      "null",
      "{\"format\": 1}",
      std::string(100, '{'),
      "{\"choices\": [], \"format\": 1, \"sha256\": 7}",
      "{\"choices\": [1], \"format\": 1}"};
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    std::string text = *good;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes)
      text[random() % text.size()] = char(random());
    if (text != *good)
      texts.push_back(text);
  }
  for (size_t i = 0; i < good->size(); i += 7)
    texts.push_back(good->substr(0, i));
  for (const std::string &text : texts) {
    INFO(text);
    REQUIRE(writeFile(folder.file(), text));
    const Asked asked = ask(folder.file(), "fresh");
    CHECK(asked.isNew);
    REQUIRE(asked.notes.size() == 1);
    CHECK_THAT(asked.notes[0], Contains("is not used"));
    CHECK(ask(folder.file(), "other").answer == "fresh");
  }
}

TEST_CASE("a file of another version is not used") {
  const Folder folder;
  REQUIRE(writeFile(folder.file(), "{\"choices\": [], \"format\": 2}"));
  const Asked asked = ask(folder.file(), "fresh");
  REQUIRE(asked.notes.size() == 1);
  CHECK_THAT(asked.notes[0], Contains("it is of another version"));
}

TEST_CASE("a link is neither read nor written") {
  const Folder folder;
  const std::string other = (folder.path / "other").string();
  REQUIRE(writeFile(other, "mine"));
  fs::create_symlink(other, folder.file());
  const Asked asked = ask(folder.file(), "fresh");
  CHECK(asked.isNew);
  REQUIRE(asked.notes.size() == 1);
  CHECK_THAT(asked.notes[0], Contains("it is a link"));
  CHECK(*readFile(other) == "mine");
}

TEST_CASE("a folder that cannot be written is no error, and said once") {
  const Folder folder;
  const std::string file = (folder.path / "none" / "choices.json").string();
  std::vector<std::string> notes;
  Choices choices(file,
                  [&](const std::string &note) { notes.push_back(note); });
  const auto choose = [&](const std::string &request) {
    const auto made = choices.choiceFor(
        {"library", "device", request},
        [](const std::string &) { return true; },
        []() -> Result<std::string> { return std::string("chosen"); });
    REQUIRE(made);
    choices.save();
  };
  choose("one");
  choose("two");
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Contains("are not kept"));
}

TEST_CASE("without a file, choices last as long as the run") {
  Choices choices;
  int made = 0;
  for (int i = 0; i < 3; ++i)
    CHECK(*choices.choiceFor(
              question, [](const std::string &) { return true; },
              [&]() -> Result<std::string> {
                ++made;
                return std::string("chosen");
              }) == "chosen");
  CHECK(made == 1);
  choices.save();
  // What cannot be chosen is not kept.
  const auto failed = choices.choiceFor(
      {"library", "device", "other"}, [](const std::string &) { return true; },
      []() -> Result<std::string> { return fail("none"); });
  CHECK_FALSE(failed);
}
