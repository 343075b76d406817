// External data: found inside the model's folder, and nowhere else.
#include "test/compiler/frontend/models.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::test;
using Catch::Matchers::Contains;

static OnnxModel withData(const std::map<std::string, std::string> &entries) {
  OnnxModel m;
  m.input("x", {"2"});
  auto &w = m.parameter("w", {2});
  w.set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto &[key, value] : entries) {
    auto *entry = w.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  m.node("Add", {"x", "w"}, {"y"});
  m.output("y");
  return m;
}

TEST_CASE("a part of a file") {
  const std::string folder = scratch("part");
  write(folder + "/weights.bin", std::string(24, 'a'));
  auto m = withData(
      {{"location", "weights.bin"}, {"offset", "16"}, {"length", "8"}});
  auto model = frontend::importModel(m.save(folder), {});
  REQUIRE(model);
  REQUIRE(model->parameters.size() == 1);
  const auto &data = model->parameters[0].data;
  CHECK(data.kind == frontend::ParameterData::Kind::File);
  CHECK(data.offset == 16);
  CHECK(std::filesystem::equivalent(data.path, folder + "/weights.bin"));
  CHECK(model->files.size() == 2);
}

TEST_CASE("data that is not there, or not in the folder") {
  const std::string folder = scratch("outside");
  std::filesystem::create_directories(folder + "/model");
  write(folder + "/secret.bin", std::string(8, 's'));
  write(folder + "/model/short.bin", "1234");
  std::filesystem::create_symlink("../secret.bin", folder + "/model/link.bin");
  std::filesystem::create_directory_symlink("..", folder + "/model/up");
  const auto error = [&](std::map<std::string, std::string> entries) {
    return errorOf(withData(entries).save(folder + "/model"));
  };
  CHECK_THAT(error({{"location", folder + "/secret.bin"}}),
             Contains("relative"));
  CHECK_THAT(error({{"location", "../secret.bin"}}), Contains("outside"));
  CHECK_THAT(error({{"location", "x/../../secret.bin"}}), Contains("outside"));
  CHECK_THAT(error({{"location", "link.bin"}}), Contains("leads out"));
  CHECK_THAT(error({{"location", "up/secret.bin"}}), Contains("leads out"));
  CHECK_THAT(error({{"location", "missing.bin"}}), Contains("not there"));
  CHECK_THAT(error({{"location", ""}}), Contains("file name"));
  CHECK_THAT(error({{"location", "."}}), Contains("\"w\""));
  CHECK_THAT(error({}), Contains("file name"));
  CHECK_THAT(error({{"location", "short.bin"}}), Contains("which has 4"));
  CHECK_THAT(error({{"location", "short.bin"}, {"length", "4"}}),
             Contains("asks for 8"));
  CHECK_THAT(error({{"location", "short.bin"}, {"offset", "-8"}}),
             Contains("offset"));
  CHECK_THAT(
      error({{"location", "short.bin"}, {"offset", "9223372036854775807"}}),
      Contains("which has 4"));
}
