// Bytes from outside: every truncation and many random changes of a model with
// a bit of everything give a model or a message.
#include "test/compiler/frontend/models.h"

#include <catch2/catch.hpp>

#include <random>

using namespace smex;
using namespace smex::test;

static std::string sample() {
  OnnxModel m;
  m.input("x", {"2", "3", "8", "8"});
  m.ints("shape", {2, -1});
  auto &w = m.parameter("w", {4, 3, 3, 3});
  w.set_raw_data(std::string(4 * 27 * 4, 'a'));
  auto &conv = m.node("Conv", {"x", "w"}, {"c"}, "conv");
  auto *pads = conv.add_attribute();
  pads->set_name("pads");
  pads->set_type(onnx::AttributeProto::INTS);
  for (int i = 0; i < 4; ++i)
    pads->add_ints(1);
  m.node("MaxPool", {"c"}, {"p"});
  auto *kernel = m.graph.mutable_node(1)->add_attribute();
  *kernel = *pads;
  kernel->set_name("kernel_shape");
  kernel->mutable_ints()->Truncate(2);
  m.node("Reshape", {"p", "shape"}, {"r"});
  setInt(m.node("Softmax", {"r"}, {"s"}), "axis", 1);
  m.node("Shape", {"s"}, {"n"});
  m.node("Gather", {"n", "n"}, {"g"});
  m.node("ReduceSum", {"s"}, {"y"});
  m.output("y");
  m.output("g");
  return m.proto.SerializeAsString();
}

TEST_CASE("truncated models") {
  const std::string folder = scratch("truncated"), bytes = sample();
  for (size_t size = 0; size < bytes.size(); ++size)
    (void)errorOf(write(folder + "/m.onnx", bytes.substr(0, size)));
  SUCCEED();
}

TEST_CASE("changed bytes") {
  const std::string folder = scratch("changed"), bytes = sample();
  std::mt19937 random(7);
  for (int i = 0; i < 1000; ++i) {
    std::string changed = bytes;
    for (int n = 1 + int(random() % 4); n > 0; --n)
      changed[random() % changed.size()] = char(random());
    (void)errorOf(write(folder + "/m.onnx", changed));
  }
  SUCCEED();
}

TEST_CASE("random bytes") {
  const std::string folder = scratch("random");
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    std::string bytes(random() % 300, ' ');
    for (char &c : bytes)
      c = char(random());
    (void)errorOf(write(folder + "/m.onnx", bytes));
    (void)errorOf(write(folder + "/m.json", bytes));
  }
  SUCCEED();
}

TEST_CASE("nesting without end") {
  const std::string folder = scratch("nesting");
  // Graphs in attributes of nodes of graphs: lengths from the inside out.
  std::string bytes;
  const auto wrap = [&](char tag) {
    std::string length;
    for (size_t n = bytes.size(); true; n >>= 7) {
      length += char((n & 127) | (n > 127 ? 128 : 0));
      if (n <= 127)
        break;
    }
    bytes = tag + length + bytes;
  };
  for (int i = 0; i < 3000; ++i) {
    wrap(0x32); // AttributeProto.g
    wrap(0x2a); // NodeProto.attribute
    wrap(0x0a); // GraphProto.node
  }
  wrap(0x3a); // ModelProto.graph
  CHECK(errorOf(write(folder + "/m.onnx", bytes)) != "");
  std::string json;
  for (int i = 0; i < 100000; ++i)
    json += "[";
  CHECK(errorOf(write(folder + "/m.json", json)) != "");
  CHECK(errorOf(write(folder + "/m.json", "{\"a\":" + json)) != "");
}
