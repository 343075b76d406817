// Calls that are refused, and their neighbours that are not.
#include "test/emulated/cudnn/CaseShapes.h"

namespace smex::cases {
namespace {

constexpr int badParam = 2000, notSupported = 3000;

int tensorOf(Library &l, int type, std::vector<int> sizes,
             std::vector<int> strides) {
  void *of = nullptr;
  if (int code = l.cudnnCreateTensorDescriptor(&of))
    return code;
  const int code = l.cudnnSetTensorNdDescriptor(of, type, int(sizes.size()),
                                                sizes.data(), strides.data());
  l.cudnnDestroyTensorDescriptor(of);
  return code;
}

int filterOf(Library &l, int type, int format, std::vector<int> sizes) {
  void *of = nullptr;
  if (int code = l.cudnnCreateFilterDescriptor(&of))
    return code;
  const int code = l.cudnnSetFilterNdDescriptor(
      of, type, format, int(sizes.size()), sizes.data());
  l.cudnnDestroyFilterDescriptor(of);
  return code;
}

int convolutionOf(Library &l, const Shape &s) {
  void *of = nullptr;
  if (int code = l.cudnnCreateConvolutionDescriptor(&of))
    return code;
  int code = l.cudnnSetConvolutionNdDescriptor(
      of, int(s.pads.size()), s.pads.data(), s.strides.data(),
      s.dilations.data(), s.mode, s.computeType);
  code = code ? code : l.cudnnSetConvolutionGroupCount(of, s.groups);
  code = code ? code : l.cudnnSetConvolutionMathType(of, s.mathType);
  l.cudnnDestroyConvolutionDescriptor(of);
  return code;
}

/// The extents of the result, of which so many are asked for, all unless it is
/// said; -1 where they are not the shape's.
int outputOf(Library &l, const Shape &s, std::string &note, int wanted = 99) {
  const Descriptors d(l, s);
  if (d.status)
    return d.status;
  std::vector<int> sizes(s.data.size() + 1, -1);
  if (wanted == 99)
    wanted = int(s.data.size());
  if (int code = l.cudnnGetConvolutionNdForwardOutputDim(
          d.convolution, d.x, d.w, wanted, sizes.data()))
    return code;
  std::vector<int> expected(s.result.begin(), s.result.begin() + wanted);
  expected.resize(sizes.size(), -1);
  if (sizes == expected)
    return 0;
  note = "other extents:";
  for (int size : sizes)
    note += " " + std::to_string(size);
  return -1;
}

/// The workspace that an algorithm of the forward convolution needs: a call
/// that looks at all descriptors and touches no memory.
int workspaceOf(Library &l, const Shape &s, int algorithm = 0) {
  const Descriptors d(l, s);
  size_t bytes = 0;
  return d.status
             ? d.status
             : l.cudnnGetConvolutionForwardWorkspaceSize(
                   l.handle, d.x, d.w, d.convolution, d.y, algorithm, &bytes);
}

/// The same of both gradients; a status that differs is -1.
int gradientsOf(Library &l, const Shape &s) {
  const Descriptors d(l, s);
  size_t bytes = 0;
  if (d.status)
    return d.status;
  const int byData = l.cudnnGetConvolutionBackwardDataWorkspaceSize(
      l.handle, d.w, d.y, d.convolution, d.x, 0, &bytes);
  const int byFilter = l.cudnnGetConvolutionBackwardFilterWorkspaceSize(
      l.handle, d.x, d.y, d.convolution, d.w, 0, &bytes);
  return byData == byFilter ? byData : -1;
}

} // namespace

#define SMEX_CASE(name, expected, needsDevice, ...)                            \
  {                                                                            \
    name, expected, needsDevice,                                               \
        []([[maybe_unused]] Library &l,                                        \
           [[maybe_unused]] std::string &note) -> int { __VA_ARGS__ }          \
  }

std::vector<Case> refusals() {
  return {
    SMEX_CASE("a tensor of 4 dimensions", 0, false,
              return tensorOf(l, Float, {1, 2, 3, 4}, {24, 12, 4, 1});),
        SMEX_CASE("a tensor of 3 dimensions", 0, false,
                  return tensorOf(l, Float, {2, 3, 4}, {12, 4, 1});),
        SMEX_CASE("a tensor of bfloat16", 0, false,
                  return tensorOf(l, Bfloat16, {1, 2, 3, 4}, {24, 12, 4, 1});),
        SMEX_CASE("a tensor with gaps between rows", 0, false,
                  return tensorOf(l, Half, {1, 2, 3, 4}, {96, 48, 16, 1});),
        SMEX_CASE("a tensor with a stride of 0", badParam, false,
                  return tensorOf(l, Float, {2, 2, 3, 4}, {0, 12, 4, 1});),
        SMEX_CASE("a stride of 0 where there is one element", 0, false,
                  return tensorOf(l, Float, {1, 2, 3, 4}, {0, 12, 4, 1});),
        SMEX_CASE("a tensor with a negative stride", 0, false,
                  return tensorOf(l, Float, {1, 2, 3, 4}, {24, 12, 4, -1});),
        SMEX_CASE("a tensor of 1 dimension", badParam, false,
                  return tensorOf(l, Float, {4}, {1});),
        SMEX_CASE("a tensor of 9 dimensions", notSupported, false,
                  return tensorOf(l, Float, std::vector<int>(9, 1),
                                  std::vector<int>(9, 1));),
        SMEX_CASE("a tensor with an extent of 0", badParam, false,
                  return tensorOf(l, Float, {1, 0, 3, 4}, {24, 12, 4, 1});),
        SMEX_CASE("a tensor of a type that there is not", badParam, false,
                  return tensorOf(l, 99, {1, 2, 3, 4}, {24, 12, 4, 1});),
        SMEX_CASE("a tensor of integers of 64 bits", badParam, false,
                  return tensorOf(l, 10, {1, 2, 3, 4}, {24, 12, 4, 1});),
        SMEX_CASE("a tensor of 2^32 elements", notSupported, false,
                  return tensorOf(l, Float, {2048, 64, 128, 256},
                                  {2097152, 32768, 256, 1});),
        SMEX_CASE("2^31 - 1 elements, most of them in a gap", 0, false,
                  return tensorOf(l, Float, {2, 1, 1}, {2147483646, 1, 1});),
        SMEX_CASE("2^31 elements, most of them in a gap", notSupported, false,
                  return tensorOf(l, Float, {2, 1, 1}, {2147483647, 1, 1});),
        SMEX_CASE("3 * 2^30 elements, backwards", notSupported, false,
                  return tensorOf(l, Float, {4, 1, 1}, {-1073741824, 1, 1});),
        SMEX_CASE("a filter of 2^32 elements", 0, false,
                  return filterOf(l, Float, 0, {2048, 64, 128, 256});),
        SMEX_CASE("a filter of vectors of floats", badParam, false,
                  return filterOf(l, Float, 2, {6, 4, 3, 3});),
        SMEX_CASE("a filter of 4 dimensions", 0, false,
                  return filterOf(l, Float, 0, {6, 4, 3, 3});),
        SMEX_CASE("a filter of 2 dimensions", badParam, false,
                  return filterOf(l, Float, 0, {6, 4});),
        SMEX_CASE("a filter of 9 dimensions", notSupported, false,
                  return filterOf(l, Float, 0, std::vector<int>(9, 1));),
        SMEX_CASE("a filter with an extent of 0", badParam, false,
                  return filterOf(l, Float, 0, {6, 0, 3, 3});),
        SMEX_CASE("a filter of a format that there is not", badParam, false,
                  return filterOf(l, Float, 9, {6, 4, 3, 3});),
        SMEX_CASE("a convolution in 2 dimensions", 0, false,
                  return convolutionOf(l, Shape());),
        SMEX_CASE("a convolution in 7 dimensions", notSupported, false, Shape s;
                  s.pads = s.strides = s.dilations = std::vector<int>(7, 1);
                  return convolutionOf(l, s);),
        SMEX_CASE("a negative pad", badParam, false, Shape s; s.pads = {-1, 0};
                  return convolutionOf(l, s);),
        SMEX_CASE("a stride of 0", badParam, false, Shape s; s.strides = {0, 1};
                  return convolutionOf(l, s);),
        SMEX_CASE("a dilation of 0", badParam, false, Shape s;
                  s.dilations = {1, 0}; return convolutionOf(l, s);),
        SMEX_CASE("a mode that there is not", badParam, false, Shape s;
                  s.mode = 7; return convolutionOf(l, s);),
        SMEX_CASE("sums of bfloat16", badParam, false, Shape s;
                  s.computeType = Bfloat16; return convolutionOf(l, s);),
        SMEX_CASE("sums of integers of 8 bits", badParam, false, Shape s;
                  s.computeType = 3; return convolutionOf(l, s);),
        SMEX_CASE("sums of integers of 32 bits", 0, false, Shape s;
                  s.computeType = 4; return convolutionOf(l, s);),
        SMEX_CASE("sums of double", 0, false, Shape s; s.computeType = Double;
                  return convolutionOf(l, s);),
        SMEX_CASE("destroying nothing", 0, false,
                  return l.cudnnDestroy(nullptr) +
                         l.cudnnDestroyTensorDescriptor(nullptr) +
                         l.cudnnDestroyFilterDescriptor(nullptr) +
                         l.cudnnDestroyConvolutionDescriptor(nullptr);),
        SMEX_CASE("no place for a descriptor", badParam, false,
                  return l.cudnnCreateTensorDescriptor(nullptr);),
        SMEX_CASE("no descriptor to set", badParam, false, const int size = 1;
                  return l.cudnnSetTensorNdDescriptor(nullptr, Float, 1, &size,
                                                      &size);),
        SMEX_CASE("no groups", badParam, false, Shape s; s.groups = 0;
                  return convolutionOf(l, s);),
        SMEX_CASE("a math type that there is not", badParam, false, Shape s;
                  s.mathType = 9; return convolutionOf(l, s);),
        SMEX_CASE("the extents of a result", 0, false,
                  return outputOf(l, Shape(), note);),
        SMEX_CASE("the extents with strides, dilation and pads", 0, false,
                  Shape s;
                  s.data = {2, 4, 11, 13}; s.pads = {2, 0}; s.strides = {3, 2};
                  s.dilations = {1, 3}; s.result = {2, 6, 5, 4};
                  return outputOf(l, s, note);),
        SMEX_CASE("the extents in 3 dimensions, of groups", 0, false, Shape s;
                  s.data = {2, 4, 5, 6, 7}; s.filter = {6, 2, 3, 3, 3};
                  s.pads = {1, 0, 1}; s.strides = {2, 1, 1};
                  s.dilations = {1, 1, 2}; s.groups = 2;
                  s.result = {2, 6, 3, 4, 5}; return outputOf(l, s, note);),
        SMEX_CASE("some of the extents", 0, false,
                  return outputOf(l, Shape(), note, 3);),
        SMEX_CASE("more extents than there are", badParam, false,
                  return outputOf(l, Shape(), note, 5);),
        SMEX_CASE("the extents of results that groups do not divide", 0, false,
                  Shape s;
                  s.groups = 4; s.filter = {6, 1, 3, 3};
                  return outputOf(l, s, note);),
        SMEX_CASE("other channels than the filter has", badParam, false,
                  Shape s;
                  s.filter = {6, 5, 3, 3}; return outputOf(l, s, note);),
        SMEX_CASE("a filter larger than the padded data", badParam, false,
                  Shape s;
                  s.filter = {6, 4, 11, 3}; return outputOf(l, s, note);),
        SMEX_CASE("no handle", badParam, false, const Descriptors d(l, Shape());
                  size_t bytes = 0;
                  return l.cudnnGetConvolutionForwardWorkspaceSize(
                      nullptr, d.x, d.w, d.convolution, d.y, 0, &bytes);),
        SMEX_CASE("the workspace of the simplest algorithm", 0, true,
                  return workspaceOf(l, Shape());),
        SMEX_CASE("an algorithm that is not implemented", notSupported, true,
                  return workspaceOf(l, Shape(), 3);),
        SMEX_CASE("Winograd with strides", notSupported, true, Shape s;
                  s.strides = {2, 2}; s.setResult();
                  return workspaceOf(l, s, 6);),
        SMEX_CASE("Winograd with a window of 7", notSupported, true, Shape s;
                  s.filter = {6, 4, 7, 7}; s.setResult();
                  return workspaceOf(l, s, 6);),
        SMEX_CASE("a result with other extents", badParam, true, Shape s;
                  s.result = {2, 6, 7, 8}; return workspaceOf(l, s);),
        SMEX_CASE("the gradients of a result with other extents", badParam,
                  true, Shape s;
                  s.result = {2, 6, 7, 8}; return gradientsOf(l, s);),
        SMEX_CASE("the gradients' workspaces", 0, true,
                  return gradientsOf(l, Shape());),
        SMEX_CASE("results that groups do not divide", badParam, true, Shape s;
                  s.groups = 4; s.filter = {6, 1, 3, 3};
                  return workspaceOf(l, s);),
        SMEX_CASE("data whose rows overlap", badParam, true, Shape s;
                  s.dataStrides = {128, 32, 4, 1}; return workspaceOf(l, s);),
        SMEX_CASE("data whose rows have gaps", 0, true, Shape s;
                  s.dataStrides = {512, 128, 16, 1}; return workspaceOf(l, s);),
        SMEX_CASE("a result whose rows overlap", badParam, true, Shape s;
                  s.resultStrides = {192, 32, 4, 1}; return workspaceOf(l, s);),
        SMEX_CASE("pads that differ, as symmetric ones with one row too many",
                  badParam, true, Shape s;
                  s.result = {2, 6, 7, 7}; return workspaceOf(l, s);),
        SMEX_CASE("a stride that rounds the last row away", 0, true, Shape s;
                  s.strides = {2, 2}; s.result = {2, 6, 4, 4};
                  return workspaceOf(l, s);),
        SMEX_CASE("sums of double for float", notSupported, true, Shape s;
                  s.computeType = Double; return workspaceOf(l, s);),
        SMEX_CASE("half with sums of float", 0, true, Shape s; s.type = Half;
                  s.mathType = 1; return workspaceOf(l, s);),
        SMEX_CASE("bfloat16 with sums of float", 0, true, Shape s;
                  s.type = Bfloat16; s.mathType = 1; return workspaceOf(l, s);),
        SMEX_CASE("a negative stride in a convolution", badParam, true, Shape s;
                  s.dataStrides = {256, 64, -8, 1}; return workspaceOf(l, s);),
        SMEX_CASE(
            "a workspace that is too small", badParam, true,
            const Descriptors d(l, Shape());
            size_t bytes = 0;
            if (int code = l.cudnnGetConvolutionForwardWorkspaceSize(
                    l.handle, d.x, d.w, d.convolution, d.y, 2,
                    &bytes)) return code;
            if (bytes == 0) {
              note = "algorithm 2 needs no workspace: nothing was tried";
              return badParam;
            } uint64_t memory = 0;
            if (l.cuMemAlloc_v2(&memory, 1 << 16)) return -1;
            const float one = 1, zero = 0;
            void *at = reinterpret_cast<void *>(memory);
            const int code = l.cudnnConvolutionForward(
                l.handle, &one, d.x, at, d.w, at, d.convolution, 2, nullptr, 0,
                &zero, d.y, static_cast<char *>(at) + 32768);
            l.cuMemFree_v2(memory); return code;),
  };
}

} // namespace smex::cases
