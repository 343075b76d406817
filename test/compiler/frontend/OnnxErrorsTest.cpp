// What is wrong with a model is said in one clear message each, and no model
// brings the program down.
#include "test/compiler/frontend/models.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

static OnnxModel chain() {
  OnnxModel m;
  m.input("x", {"2", "3"});
  m.node("Relu", {"x"}, {"h"}, "first");
  m.node("Exp", {"h"}, {"y"}, "second");
  m.output("y");
  return m;
}

TEST_CASE("a good model has no error") {
  CHECK(errorOf(chain().save(scratch("good"))) == "");
}

TEST_CASE("everything unsupported is listed at once") {
  OnnxModel m;
  m.input("x", {"2", "3"});
  m.node("Reshape", {"x", "x"}, {"a"}, "one");
  m.node("Relu", {"a"}, {"b"}, "behind");
  m.node("NoSuchThing", {"b"}, {"c"}, "two");
  m.node("Compress", {"x", "x"}, {"d"});
  m.output("c");
  m.output("d");
  const std::string path = m.save(scratch("unsupported"));
  const std::string error = errorOf(path);
  CHECK_THAT(error, Contains(path + ": node \"one\" (Reshape, opset 17)"));
  CHECK_THAT(
      error,
      Contains("node \"two\" (NoSuchThing, opset 17): there is no such"));
  CHECK_THAT(error, Contains("node \"Compress_0\" (Compress, opset 17)"));
  CHECK_THAT(error, !Contains("behind"));
}

TEST_CASE("the graph must be one") {
  SECTION("a cycle") {
    auto m = chain();
    m.node("Add", {"p", "x"}, {"q"}, "left");
    m.node("Neg", {"q"}, {"p"}, "right");
    CHECK_THAT(errorOf(m.save(scratch("cycle"))),
               Contains("cycle: ") && Contains("\"left\" (Add) -> ") &&
                   Contains("\"right\" (Neg)"));
  }
  SECTION("a name that nothing defines") {
    auto m = chain();
    m.node("Relu", {"nowhere"}, {"z"}, "lost");
    CHECK_THAT(errorOf(m.save(scratch("undefined"))),
               Contains("node \"lost\" (Relu) reads \"nowhere\""));
  }
  SECTION("a name defined twice") {
    auto m = chain();
    m.node("Abs", {"x"}, {"h"}, "again");
    CHECK_THAT(
        errorOf(m.save(scratch("twice"))),
        Contains("\"h\" is computed twice, by node \"first\" (Relu) and node "
                 "\"again\" (Abs)"));
  }
  SECTION("a result named as an input") {
    auto m = chain();
    m.node("Abs", {"h"}, {"x"}, "shadow");
    CHECK_THAT(errorOf(m.save(scratch("shadow"))), Contains("\"shadow\""));
  }
  SECTION("two inputs of one name") {
    auto m = chain();
    m.input("x", {"2", "3"});
    CHECK_THAT(errorOf(m.save(scratch("inputs"))),
               EndsWith("input \"x\" is there twice"));
  }
  SECTION("an output that nothing computes") {
    auto m = chain();
    m.output("z");
    CHECK_THAT(errorOf(m.save(scratch("output"))),
               EndsWith("output \"z\" is not computed by any node"));
  }
  SECTION("no outputs") {
    OnnxModel m;
    CHECK_THAT(errorOf(m.save(scratch("none"))), EndsWith("has no outputs"));
  }
}

TEST_CASE("nodes that are not in order are put in order") {
  OnnxModel m;
  m.input("x", {"2"});
  m.node("Exp", {"h"}, {"y"});
  m.node("Relu", {"x"}, {"h"});
  m.output("y");
  CHECK(errorOf(m.save(scratch("order"))) == "");
}

TEST_CASE("symbolic dimensions are listed with how to bind them") {
  OnnxModel m;
  m.input("x", {"batch", "3"});
  m.input("mask", {"batch", "some length"});
  m.node("Relu", {"x"}, {"y"});
  m.output("y");
  const std::string path = m.save(scratch("dims"));
  CHECK(errorOf(path) ==
        path + ": dimensions without a value: \"batch\" (of \"x\", "
               "\"mask\"), \"some length\" (of \"mask\"); bind them "
               "with --dim batch=N --dim 'some length'=N");
  frontend::ImportOptions options;
  options.dims = {{"batch", 4}, {"some length", 2}};
  CHECK(errorOf(path, options) == "");
  options.dims["btach"] = 1;
  CHECK_THAT(errorOf(path, options), Contains("has no dimension \"btach\""));
  options.dims = {{"batch", int64_t(1) << 62}, {"some length", 2}};
  CHECK_THAT(errorOf(path, options), Contains("impossible shape"));
  options.dims = {{"batch", -3}, {"some length", 2}};
  CHECK_THAT(errorOf(path, options), Contains("negative"));
}

TEST_CASE("initializers hold what their shapes ask for") {
  auto m = chain();
  auto &w = m.parameter("w", {2, 3});
  m.node("Add", {"h", "w"}, {"z"});
  SECTION("too few values") {
    w.add_float_data(1);
    CHECK_THAT(
        errorOf(m.save(scratch("few"))),
        EndsWith("initializer \"w\" holds 1 values, its shape asks for 6"));
  }
  SECTION("raw bytes of the wrong number") {
    w.set_raw_data("abc");
    CHECK_THAT(errorOf(m.save(scratch("raw"))), Contains("holds 3 bytes"));
  }
  SECTION("a negative extent") {
    w.set_dims(0, -2);
    CHECK_THAT(errorOf(m.save(scratch("negative"))),
               Contains("impossible shape"));
  }
  SECTION("extents that overflow") {
    w.set_dims(0, int64_t(1) << 40);
    w.set_dims(1, int64_t(1) << 40);
    CHECK_THAT(errorOf(m.save(scratch("overflow"))),
               Contains("impossible shape"));
  }
  SECTION("a type that is not supported") {
    w.set_data_type(onnx::TensorProto::COMPLEX64);
    CHECK_THAT(errorOf(m.save(scratch("complex"))), Contains("complex64"));
  }
}

TEST_CASE("operands that do not fit are refused by the node's name") {
  OnnxModel m;
  m.input("x", {"2", "3"});
  m.input("w", {"4", "5"});
  m.node("MatMul", {"x", "w"}, {"y"}, "fc");
  m.node("Relu", {}, {"z"}, "empty");
  setInt(m.node("Softmax", {"x"}, {"s"}, "far"), "axis", 7);
  setInt(m.node("Relu", {"x"}, {"t"}, "odd"), "alhpa", 7);
  m.output("y");
  const std::string error = errorOf(m.save(scratch("fit")));
  CHECK_THAT(error, Contains("node \"fc\" (MatMul, opset 17): "));
  CHECK_THAT(error, Contains("node \"empty\" (Relu, opset 17): "));
  CHECK_THAT(error, Contains("axis 7 is out of range for rank 2"));
  CHECK_THAT(error, Contains("attribute \"alhpa\""));
}

TEST_CASE("what must be known at compile time says how to make it so") {
  OnnxModel m;
  m.input("x", {"2", "3"});
  m.input("shape", {"1"}, DType::I64);
  m.node("Reshape", {"x", "shape"}, {"y"}, "flat");
  m.output("y");
  CHECK_THAT(errorOf(m.save(scratch("constant"))),
             Contains("operand 1, \"shape\"") && Contains("--constant"));
}

TEST_CASE("files that are no models") {
  const std::string folder = scratch("files");
  CHECK_THAT(errorOf(folder + "/missing.onnx"), Contains("No such file"));
  CHECK_THAT(errorOf(write(folder + "/a.onnx", "hello, this is text")),
             Contains("not an ONNX model"));
  CHECK_THAT(errorOf(write(folder + "/b.onnx", "")), Contains("no graph"));
  CHECK_THAT(errorOf(write(folder + "/c.txt", "")), Contains("neither"));
  std::filesystem::create_directory(folder + "/d.onnx");
  CHECK_THAT(errorOf(folder + "/d.onnx"), Contains("not a file"));
}

TEST_CASE("functions that call themselves come to an end") {
  auto m = chain();
  auto *function = m.proto.add_functions();
  function->set_name("F");
  function->set_domain("local");
  function->add_input("a");
  function->add_output("b");
  for (int i = 0; i < 2; ++i) {
    auto *node = function->add_node();
    node->set_op_type("F");
    node->set_domain("local");
    node->add_input("a");
    node->add_output(i ? "b" : "c");
  }
  m.node("F", {"x"}, {"z"}).set_domain("local");
  m.proto.add_opset_import()->set_domain("local");
  CHECK_THAT(errorOf(m.save(scratch("recursion"))), Contains("without end"));
}

TEST_CASE("attention and caches: what does not fit is said") {
  SECTION("past keys of a lower rank") {
    OnnxModel m(23);
    for (const char *name : {"q", "k", "v"})
      m.input(name, {"1", "2", "3", "4"});
    m.input("pk", {"2", "3"});
    m.input("pv", {"2", "3"});
    m.node("Attention", {"q", "k", "v", "", "pk", "pv"}, {"y", "a", "b"});
    m.output("y");
    CHECK_THAT(errorOf(m.save(scratch("past"))),
               Contains("past keys and values must have rank 4"));
  }
  SECTION("a window before there were any") {
    OnnxModel m(24);
    for (const char *name : {"q", "k", "v"})
      m.input(name, {"1", "2", "3", "4"});
    setInt(m.node("Attention", {"q", "k", "v"}, {"y"}), "left_window_size", 1);
    m.output("y");
    CHECK_THAT(errorOf(m.save(scratch("window"))),
               Contains("left_window_size"));
  }
  SECTION("a place behind the cache") {
    OnnxModel m(24);
    m.input("cache", {"2", "4", "3"});
    m.input("update", {"2", "2", "3"});
    m.ints("at", {2, 3});
    m.node("TensorScatter", {"cache", "update", "at"}, {"y"});
    m.output("y");
    CHECK_THAT(errorOf(m.save(scratch("place"))),
               Contains("it writes from place 3 on, where 2 is the last"));
  }
}

TEST_CASE("floats of 6 bits are refused by name") {
  OnnxModel m(28);
  m.input("x", {"4"});
  setInt(m.node("Cast", {"x"}, {"y"}), "to", 27);
  m.output("y");
  CHECK_THAT(errorOf(m.save(scratch("six"))),
             Contains("elements of type float6e2m3 are not supported"));
}
