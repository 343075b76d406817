// How a plan's kernels are launched on GPUs, and their code, out of place.
#include "runtime/plan/Load.h"

#include "test/runtime/plan/Damaged.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::plan;

TEST_CASE("what is wrong with how kernels are launched is found and named") {
  // clang-format off
  const std::vector<Change> changes = {
    {"kernels.sm_80.json", "/launches/0/threads", 1025, "launches[0].threads: 1025 is not in 1 .. 1024"},
    {"kernels.sm_80.json", "/launches/0/per_block", 0, "launches[0].per_block: 0 is not in 1"},
    {"kernels.sm_80.json", "/launches/0/item/0/along", {2}, "launches: \"kernel_0\": is of a lambda that has no index variable 2"},
    {"kernels.sm_80.json", "/launches/0/item/0/along", {1, 1}, "launches: \"kernel_0\": index variable 1 is there twice"},
    {"kernels.sm_80.json", "/launches/0/terms", {1}, "launches: \"kernel_0\": index variable 1 is the result's, where a reduction's are wanted"},
    {"kernels.sm_80.json", "/launches/0/threads", 128, "launches: \"kernel_0\": threads is 128, but kernels.sm_80.ptx demands others"},
    {"kernels.sm_80.json", "/launches/0/in_memory", true, "launches: \"kernel_0\": in_memory is true, but a kernel has room for 512 parameters, and the lambda has 20 arguments"},
    {"kernels.sm_80.json", "/launches/0/symbol", "kernel_7", "launches: has no \"kernel_0\""},
    {"kernels.sm_80.json", "/launches/1", {{"symbol", "kernel_7"}, {"threads", 1}, {"per_block", 1}, {"item", Json::array()}}, "launches: \"kernel_7\" is no kernel of the plan"},
    {"kernels.sm_80.json", "/launches/0/grid", 1, "launches[0]: has a key \"grid\""},
    {"kernels.sm_80.json", "/launches/1", {{"symbol", "kernel_0"}, {"threads", 1}, {"per_block", 1}, {"item", Json::array()}}, "\"kernel_0\" is there twice"},
    {"kernels.sm_80.json", "/launches/0/scratch", {{"bytes", 0}, {"extents", Json::array()}}, "launches[0].scratch.bytes: 0 is not in 1"},
    {"kernels.sm_80.json", "/launches/0/scratch", {{"bytes", 12}, {"extents", Json::array()}}, "launches: \"kernel_0\": scratch: 12 bytes are no number of words of 8 bytes"},
    {"kernels.sm_80.json", "/launches/0/scratch", {{"bytes", 8}, {"extents", {{{"operand", 2}, {"dimension", 0}}}}}, "launches: \"kernel_0\": scratch: the lambda has no dimension 0 of an operand 2"},
    {"kernels.sm_80.json", "/launches/0/scratch", {{"bytes", 8}, {"extents", {{{"operand", 1}, {"dimension", 1}}}}}, "launches: \"kernel_0\": scratch: the lambda has no dimension 1 of an operand 1"},
    {"kernels.sm_80.json", "/launches/0/scratch", {{"bytes", 8}, {"extents", Json::array()}}, "launches: \"kernel_0\": has 20 parameters in kernels.sm_80.ptx, and 21 arguments"},
    {"kernels.sm_80.json", "/launches/0/parts", {{"along", 1}, {"columns", {0}}, {"least", 8}, {"size", 0}}, "launches[0].parts.size: 0 is not in 1"},
    {"kernels.sm_80.json", "/launches/0/parts", {{"along", 1}, {"columns", {0}}, {"least", 0}, {"size", 4}}, "launches[0].parts.least: 0 is not in 1"},
    {"kernels.sm_80.json", "/launches/0/parts", {{"along", 1}, {"columns", {0}}, {"size", 4}}, "launches[0].parts: has no \"least\""},
    {"kernels.sm_80.json", "/launches/0/parts", {{"along", 1}, {"columns", {0}}, {"least", 8}, {"size", 4}}, "launches: \"kernel_0\": index variable 1 is the result's, where a reduction's are wanted"},
    {"kernels.sm_80.json", "/launches/0/parts", {{"along", 2}, {"columns", {0}}, {"least", 8}, {"size", 4}}, "launches: \"kernel_0\": is of a lambda that has no index variable 2"},
    {"plan.json", "/targets/1", "sm_90", "files: \"kernels.sm_80.json\" is no file of a plan"},
  };
  // clang-format on
  Launch launch;
  launch.item = {{{0, 1}, 1}};
  checkRefused(onGpus(launch), changes);
}

TEST_CASE("code of GPUs that does not take what it is given is named") {
  Launch launch;
  launch.item = {{{0, 1}, 1}};
  const std::string name = "plan/kernels.sm_80.json: launches: ",
                    kernel = name + "\"kernel_0\": ";
  const std::string head = ptxHead("kernel_0", 20, 256);
  const auto said = [&](const std::string &ptx) {
    Plan plan = onGpus(launch);
    plan.code[1].bytes = ptx;
    const Status valid = validate(plan);
    return valid ? "" : valid.error().message;
  };
  const auto with = [&](const std::string &from, const std::string &to) {
    std::string text = head;
    text.replace(text.find(from), from.size(), to);
    return said(text);
  };
  CHECK(said(head) == "");
  CHECK(said("// a kernel\n.version 8.0\n" + head) == "");
  CHECK(said("ptx") == kernel + "is no kernel of kernels.sm_80.ptx");
  CHECK(said("/* " + head + " */") ==
        kernel + "is no kernel of kernels.sm_80.ptx");
  CHECK(said(".entry \"" + head) ==
        kernel + "is no kernel of kernels.sm_80.ptx");
  CHECK(said(head + head) ==
        name + "kernels.sm_80.ptx: \"kernel_0\" is there twice");
  for (int64_t count : {0, 1, 19, 21, 5000})
    CHECK(said(ptxHead("kernel_0", count, 256)) ==
          kernel + "has " + std::to_string(count) +
              " parameters in kernels.sm_80.ptx, and 20 arguments");
  for (const char *type :
       {".u32", ".b8", ".v4 .b32", ".v2 .u64", ".u64 .u64", ""})
    CHECK(with(".u64 kernel_0_param_5",
               std::string(type) + " kernel_0_param_5") ==
          kernel +
              "has parameters in kernels.sm_80.ptx that are not of 8 bytes");
  CHECK(with("kernel_0_param_19", "kernel_0_param_19[2]") ==
        kernel + "has parameters in kernels.sm_80.ptx that are not of 8 bytes");
  for (const char *threads :
       {"128", "16, 16", "1, 256", "x", "99999999999999999999"})
    CHECK_THAT(
        with("256", threads),
        Catch::Contains("threads is 256, but kernels.sm_80.ptx demands"));
  CHECK(with(".reqntid 256", ".reqntid 256, 1, 1") == "");
  // Every beginning of it, and every byte another one: nothing is read outside.
  for (size_t length = 0; length < head.size(); ++length)
    said(head.substr(0, length));
  for (size_t at = 0; at < head.size(); ++at) {
    std::string changed = head;
    changed[at] = char(changed[at] ^ (1 << at % 8));
    said(changed);
  }

  // One pointer more, to memory that the workspace must have.
  Launch scratch = launch;
  scratch.scratch = {8, {{0, 0}, {0, 1}}};
  Plan plan = onGpus(scratch);
  std::vector<Partitioned *> parts = {&plan.unpartitioned, &plan.partitioned};
  int64_t needed = 0;
  for (Partitioned *part : parts)
    for (const Instruction &each : part->program.instructions)
      if (each.op == Opcode::Compute &&
          part->program.kernels[size_t(each.kernel)].symbol == "kernel_0") {
        const std::vector<int64_t> &shape =
            part->program
                .tensors[size_t(
                    part->program.buffers[size_t(each.operands[0])].tensor)]
                .type.shape;
        needed =
            std::max(needed, 8 * shape[0] * shape[1] * mostBlocksWithScratch);
      }
  REQUIRE(needed > 0);
  const auto withWorkspace = [&](int64_t bytes) {
    for (Partitioned *part : parts)
      for (Worker &worker : part->workers) {
        worker.arenaBytes = (worker.arenaBytes + 63) / 64 * 64 + bytes;
        worker.workspaceOffset = worker.arenaBytes - bytes;
        worker.workspaceBytes = bytes;
      }
    const Status valid = validate(plan);
    return valid ? "" : valid.error().message;
  };
  CHECK_THAT(withWorkspace(0),
             Catch::Contains("kernel_0\": takes ") &&
                 Catch::Contains(" bytes of scratch memory for instruction ") &&
                 Catch::Contains("whose workspace has 0"));
  CHECK(withWorkspace(needed) == "");

  Launch inMemory = launch;
  inMemory.inMemory = true;
  CHECK(validate(onGpus(inMemory, 100)));
  const Status many = validate(onGpus(launch, 100));
  REQUIRE_FALSE(many);
  CHECK(many.error().message ==
        kernel + "in_memory is false, but a kernel has room for 512 "
                 "parameters, and the lambda has 720 arguments");
}
