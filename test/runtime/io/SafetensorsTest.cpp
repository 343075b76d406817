#include "runtime/io/Safetensors.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <random>
#include <sys/stat.h>

using namespace smex;
using namespace smex::io;

namespace {
std::string file(const std::string &header, const std::string &data = "",
                 std::optional<uint64_t> length = {}) {
  const uint64_t says = length.value_or(header.size());
  std::string bytes(reinterpret_cast<const char *>(&says), sizeof says);
  return bytes + header + data;
}
std::string entry(const std::string &name, const std::string &dtype,
                  const std::string &shape, int64_t begin, int64_t end) {
  return "\"" + name + "\": {\"dtype\": \"" + dtype + "\", \"shape\": [" +
         shape + "], \"data_offsets\": [" + std::to_string(begin) + ", " +
         std::to_string(end) + "]}";
}
std::string messageOf(const std::string &bytes) {
  const auto header = parseSafetensors(bytes, "f");
  return header ? "" : header.error().message;
}
std::string messageOf(const std::string &entries, int dataBytes) {
  return messageOf(
      file("{" + entries + "}", std::string(size_t(dataBytes), '\0')));
}

const std::map<std::string, TensorType> everyType = {
    {"bool", {DType::Bool, {3}}}, {"f16", {DType::F16, {2, 1}}},
    {"bf16", {DType::BF16, {5}}}, {"f32", {DType::F32, {2, 3}}},
    {"f64", {DType::F64, {}}},    {"i8", {DType::I8, {1}}},
    {"i16", {DType::I16, {3}}},   {"i32", {DType::I32, {1, 1, 1}}},
    {"i64", {DType::I64, {2}}},   {"u8", {DType::U8, {7}}},
    {"u16", {DType::U16, {1}}},   {"u32", {DType::U32, {0, 4}}},
    {"u64", {DType::U64, {1}}},   {"Ünï \"code\"/x.y", {DType::F32, {1}}}};

/// A file of them, element bytes counting up.
std::string writeEvery(const std::string &path) {
  std::filesystem::remove(path); // of a run before
  auto writer = SafetensorsWriter::create(path, everyType, {{"by", "a test"}});
  INFO((writer ? "" : writer.error().message));
  REQUIRE(writer);
  for (const auto &[name, type] : everyType)
    for (int64_t i = 0; i < byteCount(type).value(); ++i)
      writer->data(name)[i] = std::byte(i + 1);
  CHECK_FALSE(std::filesystem::exists(path));
  REQUIRE(writer->commit());
  return *readFile(path);
}
} // namespace

TEST_CASE("every type there and back") {
  std::filesystem::remove("every.safetensors");
  writeEvery("every.safetensors");
  const auto opened = Safetensors::open("every.safetensors");
  INFO((opened ? "" : opened.error().message));
  REQUIRE(opened);
  CHECK(opened->header().metadata ==
        std::map<std::string, std::string>{{"by", "a test"}});
  REQUIRE(opened->header().tensors.size() == everyType.size());
  for (const auto &[name, entry] : opened->header().tensors) {
    INFO(name);
    CHECK(entry.type == everyType.at(name));
    CHECK(entry.offset % byteSize(entry.type.dtype) == 0);
    for (int64_t i = 0; i < byteCount(entry.type).value(); ++i)
      REQUIRE(opened->data(entry)[i] == std::byte(i + 1));
  }
}

TEST_CASE("a file as other programs write it") {
  // Padding with spaces, no order of names, an empty tensor, no tensor at all.
  const auto header =
      parseSafetensors(file("{" + entry("b", "F32", "2", 4, 12) + "," +
                                entry("e", "I64", "0", 4, 4) + "," +
                                entry("a", "BOOL", "4", 0, 4) +
                                ",\"__metadata__\":{\"format\":\"pt\"}}   ",
                            std::string(12, '\1')),
                       "f");
  REQUIRE(header);
  CHECK(header->metadata.at("format") == "pt");
  CHECK(header->tensors.at("b").type == TensorType{DType::F32, {2}});
  CHECK(header->tensors.at("b").offset - header->tensors.at("a").offset == 4);
  CHECK(messageOf(file("{}")) == "");
  CHECK(messageOf(file("{\"__metadata__\": {}}")) == "");
}

TEST_CASE("what is wrong with a file, and where") {
  CHECK(messageOf("") == "f: truncated: no safetensors file has 0 bytes");
  CHECK(messageOf("1234567") ==
        "f: truncated: no safetensors file has 7 bytes");
  CHECK(messageOf(file("{}", "", 3)) ==
        "f: truncated: the header has 3 bytes, the file 10");
  CHECK(messageOf(file("{}", "", 100000001)) ==
        "f: not a safetensors file: its header would have 100000001 bytes, "
        "100000000 are allowed");
  CHECK(messageOf(file("{}", "", UINT64_MAX)) ==
        "f: not a safetensors file: its header would have "
        "18446744073709551615 bytes, 100000000 are allowed");
  for (const char *header : {"", "[]", " {}", "7"})
    CHECK(messageOf(file(header)) ==
          "f: not a safetensors file: the header is no object");
  for (const char *header : {"{", "{} {}", "{\"a\"}", "{\"\xff\": 1}"})
    CHECK_THAT(messageOf(file(header)),
               Catch::StartsWith("f: safetensors header: "));
  CHECK_THAT(messageOf(file("{\"a\": " + std::string(100000, '['))),
             Catch::Contains("nested more than 32 deep"));
  CHECK_THAT(messageOf(entry("a", "F32", "1", 0, 4) + "," +
                           entry("a", "F32", "1", 4, 8),
                       8),
             Catch::Contains("the key \"a\" occurs twice"));
  CHECK_THAT(messageOf("\"__metadata__\": {\"a\": 1}", 0),
             Catch::Contains("object of strings"));
  CHECK_THAT(messageOf("\"__metadata__\": []", 0),
             Catch::Contains("object of strings"));
}

TEST_CASE("what is wrong with a tensor") {
  const auto bad = [](const std::string &what) {
    return "f: tensor \"a\": " + what;
  };
  for (const char *json :
       {"\"a\": 1", "\"a\": {}",
        "\"a\": {\"dtype\": \"F32\", \"shape\": [], \"offsets\": [0, 4]}",
        "\"a\": {\"dtype\": \"F32\", \"shape\": [], \"data_offsets\": [0, 4], "
        "\"more\": 0}"})
    CHECK(messageOf(json, 4) ==
          bad("must have dtype, shape and data_offsets, and no more"));
  CHECK(messageOf("\"a\": {\"dtype\": 1, \"shape\": [], \"data_offsets\": "
                  "[0, 4]}",
                  4) == bad("dtype must be a string"));
  CHECK(messageOf(entry("a", "F8_E4M3", "4", 0, 4), 4) ==
        bad("element type F8_E4M3 is not supported"));
  for (const char *shape :
       {"-1", "1.0", "\"1\"", "null", "[1]", "18446744073709551615"})
    CHECK(messageOf(entry("a", "F32", shape, 0, 4), 4) ==
          bad("shape must be an array of integers of at least 0"));
  CHECK(messageOf("\"a\": {\"dtype\": \"F32\", \"shape\": 1, "
                  "\"data_offsets\": [0, 4]}",
                  4) ==
        bad("shape must be an array of integers of at least 0"));
  for (const char *offsets : {"[4, 0]", "[0]", "[0, 4, 8]", "[-4, 0]", "4"})
    CHECK(messageOf(std::string("\"a\": {\"dtype\": \"F32\", \"shape\": [], "
                                "\"data_offsets\": ") +
                        offsets + "}",
                    4) == bad("data_offsets must be a begin and an end"));
  CHECK(messageOf(entry("a", "F32", "2", 0, 4), 4) ==
        bad("f32[2] takes 8 bytes; its data_offsets hold 4"));
  CHECK(messageOf(entry("a", "F32", "4294967296, 4294967296", 0, 4), 4) ==
        bad("f32[4294967296, 4294967296] takes too many bytes; its "
            "data_offsets hold 4"));
  CHECK(messageOf(entry("a", "F32", "2", 0, 8), 7) ==
        bad("truncated: its data ends at byte 8, the file's at 7"));
  CHECK(messageOf(entry("a", "U8", "1", INT64_MAX - 1, INT64_MAX), 1) ==
        bad("truncated: its data ends at byte 9223372036854775807, the file's "
            "at 1"));
  CHECK(messageOf(entry("b", "F32", "2", 0, 8) + "," +
                      entry("a", "F32", "2", 4, 12),
                  12) == bad("its data overlaps that of tensor \"b\""));
  CHECK(messageOf(entry("b", "F32", "1", 0, 4) + "," +
                      entry("a", "F32", "1", 8, 12),
                  12) == bad("4 bytes before its data belong to no tensor"));
  CHECK(messageOf(entry("a", "F32", "1", 0, 4), 9) ==
        "f: 5 bytes after the last tensor belong to none");
}

TEST_CASE("a file that cannot be opened or written") {
  const auto messageFor = [](const std::string &path) {
    const auto opened = Safetensors::open(path);
    REQUIRE_FALSE(opened);
    return opened.error().message;
  };
  CHECK(messageFor("nowhere") ==
        "nowhere: cannot open: No such file or directory");
  CHECK(messageFor(".") == ".: is a folder, not a file");
  CHECK(messageFor("/dev/zero") ==
        "/dev/zero: is a device or pipe, not a file");
  std::filesystem::remove("pipe");
  REQUIRE(::mkfifo("pipe", 0600) == 0);
  CHECK(messageFor("pipe") == "pipe: is a device or pipe, not a file");

  const auto made = SafetensorsWriter::create("nowhere/f", everyType);
  REQUIRE_FALSE(made);
  CHECK(made.error().message ==
        "nowhere/f: cannot write: No such file or directory");
  CHECK(made.error().fault == Fault::Environment);
  const auto odd =
      SafetensorsWriter::create("f", {{"__metadata__", {DType::F32, {}}}});
  REQUIRE_FALSE(odd);
  CHECK_THAT(odd.error().message, Catch::Contains("\"__metadata__\""));
}

TEST_CASE("a file that was not committed is not there") {
  const std::filesystem::path folder = "uncommitted";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  {
    auto writer = SafetensorsWriter::create((folder / "f").string(), everyType);
    REQUIRE(writer);
    CHECK_FALSE(std::filesystem::is_empty(folder));
  }
  CHECK(std::filesystem::is_empty(folder));
}

TEST_CASE("no byte string is a danger") {
  const std::string good = writeEvery("fuzz.safetensors");
  for (size_t length = 0; length < good.size(); ++length)
    CHECK(messageOf(good.substr(0, length)) != "");
  std::mt19937 random(7);
  const auto upTo = [&](size_t n) { return size_t(random() % n); };
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = good;
    for (size_t i = upTo(4) + 1; i > 0; --i) {
      // Most damage goes to the header, where it has meaning.
      const size_t at = upTo(upTo(8) ? good.size() - 64 : good.size());
      switch (upTo(4)) {
      case 0:
        bytes[at % bytes.size()] = char(random());
        break;
      case 1: // digits make other numbers
        bytes[at % bytes.size()] = char('0' + upTo(10));
        break;
      case 2:
        bytes.erase(at % bytes.size(), upTo(20));
        break;
      default:
        bytes.insert(at % bytes.size(),
                     bytes.substr(upTo(bytes.size()), upTo(20)));
      }
      if (bytes.empty())
        break;
    }
    const auto header = parseSafetensors(bytes, "f");
    if (!header) {
      CHECK(header.error().message.rfind("f: ", 0) == 0);
      CHECK(header.error().message.find('\n') == std::string::npos);
      continue;
    }
    for (const auto &[name, entry] : header->tensors) {
      const auto size = byteCount(entry.type);
      REQUIRE((size && entry.offset >= 8 &&
               entry.offset + *size <= int64_t(bytes.size())));
    }
  }
}
