#include "runtime/plan/Load.h"

#include "test/runtime/plan/Damaged.h"

#include <catch2/catch.hpp>

using namespace smex;
using namespace smex::plan;

namespace {
/// plan.json's machine of one level of links.
Json machineWith(int64_t gpus, int64_t rate, int64_t bytes) {
  return {{"name", "two"},
          {"links",
           {{{"gpus", gpus}, {"bytes_per_second", rate}, {"bytes", bytes}}}}};
}

const char *longMap = "(x0: f32[2]) -> f32: lambda i0, i1: x0[i0, i1]";

// clang-format off
const std::vector<Change> changes = {
    // plan.json
    {"plan.json", "/format", "onnx", "\"format\" is not \"smex-plan\""},
    {"plan.json", "/version", 1, "version: the plan has format version 1, this smex reads version 23"},
    {"plan.json", "/version", 0, "format version 0"},
    {"plan.json", "/version", "1", "version: must be an integer"},
    {"plan.json", "/gpus", 3, "files: has no \"gpu2.json\""},
    {"plan.json", "/gpus", 1, "files: \"gpu1.json\" is no file of a plan for 1 GPUs"},
    {"plan.json", "/gpus", 0, "gpus: 0 is not in 1 .. 65536"},
    {"plan.json", "/gpus", 2.0, "gpus: must be an integer"},
    {"plan.json", "/gpus", 100000000000, "gpus: 100000000000 is not in 1 .. 65536"},
    {"plan.json", "/created", "today", "has a key \"created\", which this version"},
    {"plan.json", "/model/name", "/home/me/mlp.onnx", "model.name"},
    {"plan.json", "/model/sha256", "abc", "model.sha256"},
    {"plan.json", "/totals/peak_bytes", {576}, "totals.peak_bytes: 1 numbers for 2 GPUs"},
    {"plan.json", "/totals/flops", -1, "totals.flops: -1 is not in 0 .. "},
    {"plan.json", "/search/steps/0/ways", 0, "search.steps[0].ways: 0 is not in 1"},
    {"plan.json", "/targets", Json::array(), "files: \"kernels.x86-64-v3.so\" is no file of a plan"},
    {"plan.json", "/targets/0", "../x", "targets[0]: is no name of a target"},
    {"plan.json", "/targets/0", "x86-64-v4", "files: \"kernels.x86-64-v3.so\" is no file of a plan"},
    {"plan.json", "/targets/1", "x86-64-v3", "targets[1]: \"x86-64-v3\" is there twice"},
    {"plan.json", "/targets/1", "x86-64-v4", "files: has code for some targets, but no \"kernels.x86-64-v4.so\""},
    {"plan.json", "/machine", 1, "machine: must be an object"},
    {"plan.json", "/machine", {{"name", "two"}}, "machine: has no \"links\""},
    {"plan.json", "/machine", machineWith(2, 0, 256), "machine.links[0].bytes_per_second: 0 is not in 1"},
    {"plan.json", "/machine", machineWith(2, 1, -1), "machine.links[0].bytes: -1 is not in 0"},
    {"plan.json", "/machine", machineWith(3, 1, 0), "machine.links: groups of 3 GPUs, made of groups of 1, of 2 GPUs"},
    {"plan.json", "/machine", machineWith(1, 1, 0), "machine.links: groups of 1 GPUs, made of groups of 1, of 2 GPUs"},
    {"plan.json", "/machine", {{"name", "two"}, {"links", Json::array()}}, "machine.links: the largest group has 1 of 2 GPUs"},
    {"plan.json", "/search/optimal", 1, "search.optimal: must be true or false"},
    // program.json
    {"program.json", "/tensors/3/shape/1", -8, "tensors[3].shape[1]: -8 is not in 0 .. "},
    {"program.json", "/tensors/3/shape", {1 << 24, 1 << 24, 4}, "tensors[3].shape: has more than 281474976710656 bytes"},
    {"program.json", "/tensors/3/shape", {int64_t(1) << 40, int64_t(1) << 40}, "tensors[3].shape: has more"},
    {"program.json", "/tensors/3/shape", {0, int64_t(1) << 40, int64_t(1) << 40}, "tensors[3].shape: has more"},
    {"program.json", "/tensors/3/shape/0", (int64_t(1) << 48) + 1, "tensors[3].shape[0]: 281474976710657 is not in"},
    {"program.json", "/tensors/3/shape/0", 4.0, "tensors[3].shape[0]: must be an integer"},
    {"program.json", "/tensors/3/shape/0", UINT64_MAX, "tensors[3].shape[0]: 18446744073709551615 is not in"},
    {"program.json", "/tensors/3/shape", 4, "tensors[3].shape: must be an array"},
    {"program.json", "/tensors/3/dtype", "f8", "tensors[3]: \"f8\" is no element type"},
    {"program.json", "/tensors/3/name", "x", "tensors[3].name: \"x\" occurs twice"},
    {"program.json", "/tensors/3/name", "", "tensors[3].name: must be text"},
    {"program.json", "/tensors/3/name", "a\nb", "tensors[3].name: must be text"},
    {"program.json", "/buffers/4/tensor", 7, "buffers[4].tensor: there is no tensor 7, there are 7"},
    {"program.json", "/buffers/4/partial", false, "buffers[4]: \"partial\" is true or absent"},
    {"program.json", "/buffers/3/partial", 1, "buffers[3].partial: must be true or false"},
    {"program.json", "/buffers/4/partial", true, "is a partial result"},
    {"program.json", "/kernels/1/lambda", "lambda i: x[i]", "kernels[1].lambda: "},
    {"program.json", "/kernels/1/lambda", longMap, "instructions[2].operands: 2 operands for a lambda of 1"},
    {"program.json", "/kernels/1/symbol", "main()", "kernels[1].symbol"},
    {"program.json", "/kernels/1/symbol", "", "kernels[1].symbol"},
    {"program.json", "/kernels/1/kind", "magic", "kernels[1]: \"magic\" is no kind of kernel"},
    {"program.json", "/kernels/1/kind", "reference", "kernels[1]: has one of \"symbol\" and \"generated_for\""},
    {"program.json", "/kernels/0/roles", "mn", "kernels[0].roles: 2 roles for 3 index variables"},
    {"program.json", "/kernels/0/roles", "mnm", "kernels[0].roles: index variable r0 must be 'k'"},
    {"program.json", "/kernels/0/roles", "mkk", "kernels[0].roles: index variable i1"},
    {"program.json", "/instructions/0/kernel", 2, "instructions[0].kernel: there is no kernel 2"},
    {"program.json", "/instructions/0/kernel", 1, "instructions[0].operands: buffer 1 is f32[6, 8], but the lambda's operand 1 is f32 of rank 1"},
    {"program.json", "/instructions/0/operands", {0}, "instructions[0].operands: 1 operands for a lambda of 2"},
    {"program.json", "/instructions/0/operands/1", 9, "instructions[0].operands: there is no buffer 9"},
    {"program.json", "/instructions/0/operands/1", 3, "instructions[0].operands: buffer 3 is a partial result"},
    {"program.json", "/instructions/0/reductions", {6, 1}, "instructions[0].reductions: 2 extents for 1"},
    {"program.json", "/instructions/0/reductions", {5}, "gpu1.json: instructions[0].indices[2]: 3:6 is not in the reduction's range, 0:5"},
    {"program.json", "/buffers/3/element", "f32", "buffers[3].element: only partial results of f16 or bf16 may have another type, and that is f32"},
    {"program.json", "/buffers/3/element", "f8", "buffers[3]: \"f8\" is no element type"},
    {"program.json", "/instructions/2/to", 3, "instructions[2].to: a map of whole operands has no partial results"},
    {"program.json", "/instructions/2/to", 2, "instructions[2].to: buffer 2 is f32[8], but the lambda's result is f32 of rank 2"},
    {"program.json", "/instructions/1/from", 12, "instructions[1].from: there is no buffer 12"},
    {"program.json", "/instructions/1/from", 4, "instructions[1].from: must be a partial result"},
    {"program.json", "/instructions/3/from", 0, "instructions[3].from: is a part of tensor 0, but \"to\" of 4"},
    {"program.json", "/instructions/1/reducer", "Mean", "instructions[1].reducer: \"Mean\" is no reducer"},
    {"program.json", "/instructions/1/op", "copy", "instructions[1]: \"copy\" is no instruction"},
    {"program.json", "/instructions/1/op", "fetch", "instructions[1]: has a key \"reducer\""},
    {"program.json", "/inputs/0/buffer", 3, "inputs[0].buffer: is a partial result"},
    {"program.json", "/inputs/0/buffer", 1, "parameters[0].buffer: is another input or parameter too"},
    {"program.json", "/inputs/0/low", 0.5, "inputs[0].low: must be an integer"},
    {"program.json", "/inputs/0/high", UINT64_MAX, "inputs[0].high: 18446744073709551615 is not in"},
    {"program.json", "/inputs/0/low", 0, "inputs[0].high: the other end of the range"},
    {"program.json", "/outputs/0/low", 0, "outputs[0].high: the other end of the range"},
    {"program.json", "/outputs/0/ignore", 0, "outputs[0]: has a key \"ignore\""},
    {"program.json", "/inputs/0/name", "w", "parameters[0].name: \"w\" occurs twice"},
    {"program.json", "/outputs/0/buffer", -1, "outputs[0].buffer: -1 is not in 0 .. "},
    {"program.json", "/parameters/1/scale", -0.5, "parameters[1].scale: must be a number of at least 0"},
    {"program.json", "/parameters/1/drawn", false, "parameters[1]: \"drawn\" is true or absent"},
    {"program.json", "/parameters/1/constant", false, "parameters[1]: \"constant\" is true or absent"},
    {"program.json", "/parameters", {{{"buffer", 2}, {"drawn", true}, {"name", "b"}, {"scale", 0.25}}, {{"buffer", 1}, {"name", "w"}}, {{"buffer", 7}, {"name", "v"}}}, "parameters[1].buffer: is not in the order of the buffers"},
    {"program.json", "/parameters/0/drawn", true, "parameters[0]: has no \"scale\""},
    // program.json, how it is divided
    {"program.json", "/ways", {3}, "ways: the steps do not make groups of one of 2 GPUs"},
    {"program.json", "/ways", Json::array(), "ways: the steps do not make"},
    {"program.json", "/ways", {int64_t(1) << 32, int64_t(1) << 32}, "ways[0]: 4294967296 is not in 1 .. 65536"},
    {"program.json", "/regions/0", {{"listed", false}}, "regions[0]: \"listed\" is true or absent"},
    {"program.json", "/regions/0", {{"division", {{{"part", 1}}}}, {"extents", {4, 6}}}, "gpu0.json: boxes: has 12 entries, but program.json lists 11"},
    {"program.json", "/regions/12", {{"division", {{{"part", 2}}}}, {"extents", {4, 6}}}, "regions[12].division: step 1: no dimension 2"},
    {"program.json", "/regions/12", {{"division", {{{"part", 1}, {"weights", {1}}}}}, {"extents", {4, 6}}}, "regions[12].division: step 1: 1 weights for 2 groups"},
    {"program.json", "/regions/12", {{"division", {{{"part", 1}, {"weights", {0, 0}}}}}, {"extents", {4, 6}}}, "regions[12].division: step 1: all weights are 0"},
    {"program.json", "/regions/12", {{"division", {{{"part", 1}, {"bounds", {{4, 2}}}}}}, {"extents", {4, 6}}}, "regions[12].division: step 1: bounds that are not 1 ascending numbers"},
    {"program.json", "/regions/12", {{"division", {{{"part", 1}, {"bounds", {{4}}}, {"weights", {1, 1}}}}}, {"extents", {4, 6}}}, "regions[12].division[0]: has weights and bounds"},
    {"program.json", "/regions/12", {{"division", {{{"placed", 2}}}}, {"extents", {4, 6}}}, "regions[12].division: step 1: no group 2 of 2"},
    {"program.json", "/regions/12", {{"division", {{{"term", "Mean"}}}}, {"extents", {4, 6}}}, "regions[12].division[0]: \"Mean\" is no reducer"},
    {"program.json", "/regions/12", {{"division", {"half"}}, {"extents", {4, 6}}}, "regions[12].division[0]: must be \"whole\", or say a part"},
    {"program.json", "/regions/12", {{"division", Json::array()}, {"extents", {4, 6}}}, "regions[12].division: 0 divisions for 1 steps"},
    {"program.json", "/regions/12", {{"instruction", 5}}, "regions[12].instruction: there is no instruction 5, there are 5"},
    {"program.json", "/regions/12", {{"instruction", 1}}, "regions[12].instruction: instruction 1 is no compute"},
    {"program.json", "/regions/12", {{"instruction", 0}, {"operand", 2}}, "regions[12].operand: instruction 0 has no operand 2"},
    {"program.json", "/buffers/4/region", 12, "buffers[4].region: there is no region 12, there are 12"},
    {"program.json", "/buffers/4/region", 0, "instructions[1].pieces[0].box: [0:2, 0:8] is not in the buffer written, [0:4, 0:3]"},
    {"program.json", "/buffers/4/offset", 448, "gpu0.json: offsets: has 9 entries, but program.json lists 8"},
    {"program.json", "/instructions/0/indices", 12, "instructions[0].indices: there is no region 12"},
    {"program.json", "/instructions/1/indices", 9, "instructions[1]: has a key \"indices\""},
    {"program.json", "/instructions/1/listed", false, "instructions[1]: \"listed\" is true or absent"},
    {"program.json", "/instructions/0/listed", true, "instructions[0]: has a key \"listed\""},
    {"program.json", "/instructions/3/waits/0", {3, 0}, "instructions[3].waits[0]: instruction 3 does not come before"},
    {"program.json", "/instructions/3/waits/0", {5}, "instructions[3].waits[0]: instruction 5 does not come before"},
    {"program.json", "/instructions/3/waits/0", {2, 1}, "instructions[3].waits[0]: there are 1 steps only"},
    {"program.json", "/instructions/3/waits/0", {2, 0, 0}, "instructions[3].waits[0]: steps must ascend"},
    {"program.json", "/instructions/3/waits/0", {2, 64}, "instructions[3].waits[0]: steps must ascend, up to 63"},
    {"program.json", "/instructions/3/waits/0", Json::array(), "instructions[3].waits[0]: must be an instruction, and steps"},
    // gpuN.json
    {"gpu1.json", "/boxes/0/1", {3, 7}, "program.json: regions[0]: GPU 1 has [0:4, 3:7], which is not in f32[4, 6]"},
    {"gpu1.json", "/boxes/0/1", {6, 3}, "regions[0]: GPU 1 has [0:4, 6:3]"},
    {"gpu1.json", "/boxes/0/1", {-1, 3}, "boxes[0][1][0]: -1 is not in"},
    {"gpu1.json", "/boxes/0/1", {3}, "boxes[0][1]: must be an array of two integers"},
    {"gpu1.json", "/boxes/0", Json::array(), "regions[0]: GPU 1 has 0 ranges for a tensor of rank 2"},
    {"gpu1.json", "/boxes/12", nullptr, "gpu1.json: boxes: has 13 entries, but program.json lists 12"},
    {"gpu1.json", "/boxes", Json::array(), "gpu1.json: boxes: has 0 entries"},
    {"gpu1.json", "/offsets/8", 8, "buffers[8].offset: 32 bytes at 8 do not lie in the arena of 576 bytes, 64-byte aligned"},
    {"gpu1.json", "/offsets/8", 576, "buffers[8].offset: 32 bytes at 576"},
    {"gpu1.json", "/offsets/8", (int64_t(1) << 48), "buffers[8].offset: 32 bytes at"},
    {"gpu1.json", "/offsets/8", INT64_MAX, "offsets[8]: 9223372036854775807 is not in 0 .. 281474976710656"},
    {"gpu1.json", "/offsets/9", 0, "offsets: has 10 entries, but program.json lists 9"},
    {"gpu1.json", "/pieces", Json::array(), "pieces: has 0 entries, but program.json lists 2"},
    {"gpu1.json", "/arena_bytes", 448, "workspace: does not lie in the arena of 448 bytes"},
    {"gpu1.json", "/arena_bytes", -1, "arena_bytes: -1 is not in"},
    {"gpu1.json", "/staging_bytes", 64, "workspace: does not lie in the arena of 576 bytes before its 64 bytes of staging"},
    {"gpu1.json", "/staging_bytes", 32, "staging_bytes: 32 bytes are not the last ones of the arena of 576 bytes, 64-byte aligned"},
    {"gpu1.json", "/staging_bytes", 640, "staging_bytes: 640 bytes are not the last ones of the arena of 576 bytes"},
    {"gpu1.json", "/staging_bytes", 0, "staging_bytes: 0 is not in 1 .."},
    {"gpu1.json", "/workspace/offset", 1, "workspace: does not lie in the arena"},
    {"gpu0.json", "/workspace/bytes", int64_t(1) << 48, "workspace: does not lie in the arena"},
    {"gpu1.json", "/workspace/bytes", 0, "workspace.bytes: is 0, but 64 on worker 0"},
    {"gpu1.json", "/boxes/9", {{0, 4}, {0, 8}}, "instructions[0].indices: 2 ranges for 3 index variables"},
    {"gpu1.json", "/boxes/10/0", {1, 4}, "instructions[2].indices[0]: 1:4 is not in the result's buffer, 2:4"},
    {"gpu1.json", "/boxes/10/0", {4, 2}, "instructions[2].indices[0]: 4:2 is no range"},
    {"gpu1.json", "/pieces/1/1/worker", 2, "instructions[3].pieces[1].worker: there is no worker 2"},
    {"gpu1.json", "/pieces/1/1/box", {{2, 4}}, "instructions[3].pieces[1].box: 1 ranges for a tensor of rank 2"},
    {"gpu1.json", "/pieces/1/1/box/0", {2, 2}, "instructions[3].pieces[1].box: is empty"},
    {"gpu1.json", "/pieces/1/1/box/0", {1, 4}, "instructions[3].pieces[1].box: [1:4, 0:8] is not in the buffer read on worker 1, [2:4, 0:8]"},
    {"gpu1.json", "/pieces/0/1/box/0", {1, 4}, "instructions[1].pieces[1].box: [1:4, 0:8] is not in the buffer written, [2:4, 0:8]"},
    {"gpu1.json", "/pieces/1/1/box/1", {0, 7}, "instructions[3].pieces: no piece has [2:4, 7:8]"},
    {"gpu1.json", "/pieces/1/2", {{"box", {{0, 1}, {0, 1}}}, {"worker", 0}}, "instructions[3].pieces: 0 and 2 share elements"},
    {"gpu1.json", "/pieces/0", Json::array(), "instructions[1].pieces: no piece has [2:4, 0:8]"},
    {"gpu1.json", "/weights", Json::array(), "weights: parameter \"w\" has no stored values"},
    {"gpu1.json", "/weights/0/parameter", 3, "weights[0].parameter: there is no parameter 3"},
    {"gpu1.json", "/weights/0/parameter", 1, "weights[0].parameter: \"b\" is drawn, not stored"},
    {"gpu1.json", "/weights/1/parameter", 0, "weights[1].parameter: \"w\" is stored twice"},
    {"gpu1.json", "/weights/1/offset", 192, "weights[1].offset: is 192, not the next multiple of 64, 128"},
    {"gpu1.json", "/weights/1/offset", 64, "weights[1].offset: is 64, not"},
    {"unpartitioned/gpu0.json", "/weights", {{{"offset", 0}, {"parameter", 0}}}, "changed/unpartitioned/gpu0.json: weights: this program"},
    {"unpartitioned/gpu0.json", "/boxes/0/0", {0, 5}, "changed/unpartitioned/program.json: regions[0]: GPU 0 has [0:5"},
};
// clang-format on
} // namespace

TEST_CASE("what does not go with a division is found and named") {
  // clang-format off
  const std::vector<Change> changes = {
    {"program.json", "/regions/0/extents", {4, 7}, "buffers[0].region: region 0 is not one of a tensor of this shape"},
    {"program.json", "/regions/0/extents", {4}, "regions[0].division: step 1: no dimension 1"},
    {"program.json", "/buffers/0/region", 3, "buffers[0].region: region 3 is not one of a tensor of this shape"},
    {"program.json", "/regions/9/extents", {4, 8, 7}, "instructions[0].indices: region 9 is not one of these index variables"},
    {"program.json", "/instructions/0/indices", 3, "regions[3].instruction: its indices are no division and not listed"},
    {"program.json", "/instructions/2/indices", 6, "instructions[2].indices: region 6 is not one of these index variables"},
    {"program.json", "/regions/5/division/0", {{"term", "Sum"}}, "instructions[3].from: no division says who has what of buffer 5"},
    {"program.json", "/regions/9/division/0", {{"term", "Sum"}}, "instructions[1].from: no division says who has what of buffer 3"},
    {"program.json", "/buffers/3/region", 4, "is not in the result's buffer"},
    {"program.json", "/regions/3/instruction", 4, "buffers[3].region: region 3 is not one of a tensor of this shape"},
    {"program.json", "/ways", {2, 1}, "regions[0].division: 1 divisions for 2 steps"},
    {"program.json", "/instructions/3/collective/name", "gossip", "instructions[3].collective: \"gossip\" is no collective"},
    {"program.json", "/instructions/3/collective/over", Json::array(), "instructions[3].collective: is over one step at least, there are 1"},
    {"program.json", "/instructions/3/collective/over", {1}, "instructions[3].collective: is over one step at least, there are 1"},
    {"program.json", "/instructions/3/collective/over", {0, 0}, "instructions[3].collective: steps must ascend"},
    {"program.json", "/instructions/3/listed", true, "pieces: has 0 entries, but program.json lists 1"},
    {"program.json", "/instructions/0/collective", {{"name", "send"}, {"over", {0}}}, "instructions[0]: has a key \"collective\""},
    {"program.json", "/kernels/0/generated_for", {"sm_80"}, "kernels[0]: has no \"symbol\""},
    {"program.json", "/kernels/0/symbol", "kernel_0", "kernels[0]: has one of \"symbol\" and \"generated_for\""},
    {"gpu1.json", "/boxes/0", {{0, 1}}, "boxes: has 1 entries, but program.json lists 0"},
  };
  // clang-format on
  checkRefused(twoDivided(), changes);
}

TEST_CASE("what no kernel can compute is named") {
  const auto said = [](const std::string &body, bool isEmpty) {
    Plan plan = twoWorkers();
    for (Partitioned *part : {&plan.partitioned, &plan.unpartitioned})
      for (Kernel &kernel : part->program.kernels)
        if (kernel.symbol == "kernel_0")
          kernel.lambda =
              "(x0: f32[2], x1: f32[1]) -> f32: lambda i0, i1: " + body;
    if (isEmpty) // the bias, x1
      plan.partitioned.program.tensors[2].type.shape = {0};
    const Status valid = validate(plan);
    return valid ? "" : valid.error().message;
  };
  CHECK(said("x0[i0, i1] + x1[i64(x0[i0, i1])]", false) == "");
  CHECK_THAT(said("x0[i0, i1] + x1[i64(x0[i0, i1])]", true),
             Catch::Contains("instructions[2].operands") &&
                 Catch::Contains("dimension 0 of buffer 2 has 0 elements"));
  CHECK_THAT(said("x0[i0, i1] + (x1[i64(x0[i0, i1])] else 0.0)", true),
             !Catch::Contains("instructions[2].operands"));
  CHECK(said("@topk_values(x0[i0, :], 8, 1)[i1]", false) == "");
  CHECK_THAT(said("@topk_values(x0[i0, :], 9, 1)[i1]", false),
             Catch::Contains("instructions[2].kernel: @topk_values: k is 9") &&
                 Catch::Contains("of 8 elements"));
  CHECK_THAT(said("@topk_values(x0[i0, :], 3, 1)[i1]", false),
             Catch::Contains("has 3 results, and number 7 is asked for"));
}

TEST_CASE("every number out of place is found and named") {
  checkRefused(twoWorkers(), changes);
}
