#include "runtime/backends/cuda/dnn/Algorithms.h"

#include "runtime/backends/cuda/Choices.h"

#include <algorithm>
#include <cstring>

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

namespace {

/// An algorithm is one with its math type, which the function that runs it
/// takes from the descriptor. As it is kept: 8 bytes; none of them: there is no
/// algorithm.
struct Choice {
  int32_t algorithm, mathType;
};

class Choosing {
public:
  Choosing(const Dnn &dnn, Handle handle, const LibraryBinding &binding,
           const Asked &asked, const Descriptors &descriptors)
      : dnn(dnn), handle(handle), binding(binding), asked(asked),
        family(familyOf(dnn, asked.wanted)),
        all(argumentsOf(descriptors, asked.wanted)) {}

  Result<std::optional<Algorithm>> run() {
    const auto isRight = [&](const std::string &bytes) {
      return bytes.empty() || settled(bytes);
    };
    auto known = binding.choices.choiceFor(
        {dnn.name(), binding.gpu.info.name, request()}, isRight,
        [&] { return ask(); });
    if (!known)
      return known.takeError();
    return settled(*known);
  }

private:
  std::string request() const {
    std::string text =
        std::string(family.name) + " of " + std::string(smex::name(asked.type));
    const auto list = [&](const char *what, const auto &numbers) {
      text += std::string(" ") + what;
      for (const auto &number : numbers)
        text += " " + std::to_string(number);
    };
    const auto view = [&](const char *what, const View &of) {
      list(what, of.sizes);
      list("by", of.strides);
    };
    view("data", asked.geometry.data);
    view("filter", asked.geometry.filter);
    view("result", asked.geometry.result);
    list("pads", asked.geometry.pads);
    list("strides", asked.geometry.strides);
    list("dilations", asked.geometry.dilations);
    return text + " groups " + std::to_string(asked.geometry.groups) +
           " workspace " + std::to_string(asked.workspaceBytes) +
           (asked.fastest ? " fastest" : "") +
           (binding.reproducible ? " reproducible" : "");
  }

  /// The algorithm of a choice, if it is one that fits.
  std::optional<Algorithm> settled(const std::string &bytes) const {
    Choice choice;
    if (bytes.size() != sizeof choice)
      return std::nullopt;
    std::memcpy(&choice, bytes.data(), sizeof choice);
    // For f32, what is said there stands: no TF32.
    if (asked.type != DType::F32 &&
        dnn.setMathType(all.convolution, choice.mathType) != cuda::dnn::success)
      return std::nullopt;
    size_t needed = 0;
    if (family.workspace(handle, all.first, all.second, all.convolution,
                         all.written, choice.algorithm,
                         &needed) != cuda::dnn::success ||
        needed > size_t(asked.workspaceBytes))
      return std::nullopt;
    return Algorithm{choice.algorithm, needed};
  }

  Result<std::string> ask() const {
    int count = 0;
    if (Status counted = dnn.check(family.count(handle, &count),
                                   std::string("the number of algorithms of ") +
                                       family.name);
        !counted)
      return counted.takeError();
    std::vector<AlgorithmPerf> found(size_t(std::max(count, 1)));
    if (Status done =
            dnn.check(family.algorithms(
                          handle, all.first, all.second, all.convolution,
                          all.written, int(found.size()), &count, found.data()),
                      std::string("the algorithms of ") + family.name);
        !done)
      return done.takeError();
    found.resize(size_t(std::clamp(count, 0, int(found.size()))));
    // The fastest is in front.
    for (const AlgorithmPerf &each : found) {
      const bool converts =
          each.mathType == tensorOpMathAllowConversion ||
          (asked.type == DType::F32 && each.mathType == tensorOpMath);
      if (each.status != cuda::dnn::success || converts ||
          (binding.reproducible && each.determinism != isDeterministic))
        continue;
      if (each.memory > size_t(asked.workspaceBytes)) {
        if (asked.fastest)
          break;
        continue;
      }
      const Choice choice{each.algorithm, each.mathType};
      std::string bytes(reinterpret_cast<const char *>(&choice), sizeof choice);
      if (settled(bytes))
        return bytes;
    }
    return std::string();
  }

  const Dnn &dnn;
  const Handle handle;
  const LibraryBinding &binding;
  const Asked &asked;
  const Family family;
  const Arguments all;
};

} // namespace

Result<std::optional<Algorithm>> dnn::choose(const Dnn &dnn, Handle handle,
                                             const LibraryBinding &binding,
                                             const Asked &asked,
                                             const Descriptors &descriptors) {
  return Choosing(dnn, handle, binding, asked, descriptors).run();
}
