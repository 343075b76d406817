#include "runtime/backends/cuda/dnn/Algorithms.h"

using namespace smex;
using namespace smex::cuda;
using namespace smex::cuda::dnn;
using runtime::Wanted;

Family dnn::familyOf(const Dnn &dnn, Wanted wanted) {
  switch (wanted) {
  case Wanted::Result:
    break;
  case Wanted::Data:
    return {"cudnnConvolutionBackwardData", dnn.byDataCount,
            dnn.byDataAlgorithms, dnn.byDataWorkspace, dnn.byData};
  case Wanted::Filter:
    return {"cudnnConvolutionBackwardFilter", dnn.byFilterCount,
            dnn.byFilterAlgorithms, dnn.byFilterWorkspace, dnn.byFilter};
  }
  return {"cudnnConvolutionForward", dnn.forwardCount, dnn.forwardAlgorithms,
          dnn.forwardWorkspace, dnn.forward};
}

Arguments dnn::argumentsOf(const Descriptors &descriptors, Wanted wanted) {
  const Descriptor data = descriptors.data(), filter = descriptors.filter(),
                   result = descriptors.result(),
                   convolution = descriptors.convolution();
  switch (wanted) {
  case Wanted::Result:
    break;
  case Wanted::Data:
    return {filter, result, convolution, data};
  case Wanted::Filter:
    return {data, result, convolution, filter};
  }
  return {data, filter, convolution, result};
}

Result<std::optional<Algorithm>> dnn::choose(const Dnn &dnn, Handle handle,
                                             Wanted wanted,
                                             const Descriptors &descriptors,
                                             DType type, int64_t workspaceBytes,
                                             bool reproducible) {
  const Family family = familyOf(dnn, wanted);
  const Arguments all = argumentsOf(descriptors, wanted);
  int count = 0;
  if (Status counted =
          dnn.check(family.count(handle, &count),
                    std::string("the number of algorithms of ") + family.name);
      !counted)
    return counted.takeError();
  std::vector<AlgorithmPerf> found(size_t(std::max(count, 1)));
  if (Status asked =
          dnn.check(family.algorithms(handle, all.first, all.second,
                                      all.convolution, all.written,
                                      int(found.size()), &count, found.data()),
                    std::string("the algorithms of ") + family.name);
      !asked)
    return asked.takeError();
  found.resize(size_t(std::clamp(count, 0, int(found.size()))));
  // The fastest is in front.
  for (const AlgorithmPerf &each : found) {
    const bool converts = each.mathType == tensorOpMathAllowConversion ||
                          (type == DType::F32 && each.mathType == tensorOpMath);
    if (each.status != success || converts ||
        each.memory > size_t(workspaceBytes) ||
        (reproducible && each.determinism != isDeterministic))
      continue;
    // An algorithm is one with its math type, which the function that runs it
    // takes from the descriptor. For f32, what is said there stands: no TF32.
    if (type != DType::F32)
      if (Status set =
              dnn.check(dnn.setMathType(all.convolution, each.mathType),
                        "cudnnSetConvolutionMathType");
          !set)
        return set.takeError();
    size_t bytes = 0;
    if (family.workspace(handle, all.first, all.second, all.convolution,
                         all.written, each.algorithm, &bytes) == success &&
        bytes <= size_t(workspaceBytes))
      return std::optional<Algorithm>({each.algorithm, bytes});
  }
  return std::optional<Algorithm>();
}
