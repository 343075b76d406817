// A convolution and its two gradients: questions, and the calls themselves.
#include "test/emulated/Recorded.h"
#include "test/emulated/cudnn/Compute.h"

#include <algorithm>
#include <cstring>

using namespace smex::emulated;
using namespace smex::emulated::cudnn;

namespace {

/// The library works on the device that is current, with handles of that
/// device.
Handle &wantHandle(void *pointer) {
  Handle &handle = handleOf(pointer);
  const int device = driver()->deviceOf(nullptr);
  if (device != handle.device)
    refuse(BAD_PARAM,
           "device " + std::to_string(device) +
               " is current, the handle is of " + std::to_string(handle.device),
           cites::handleDevice);
  return handle;
}

int count(const char *function, void *handle, Direction direction, int *into) {
  return call(function, [&] {
    wantHandle(handle);
    if (!into)
      refuse(BAD_PARAM, "there is no place for the count",
             cites::nullParameter);
    *into = algorithmCount(direction);
  });
}

/// What the heuristics answer: algorithms that compute it, the one that is
/// expected to be fastest first, and then the others, "sorted in ascending
/// order of time".
void algorithms(const Problem &p, int requested, int *returned,
                EmulatedCudnnPerf *results) {
  if (!returned || !results)
    refuse(BAD_PARAM, "there is no place for the results",
           cites::nullParameter);
  if (requested <= 0)
    refuse(BAD_PARAM, "no algorithms are asked for", cites::requested);
  const bool none = setting("SMEX_EMULATED_CUDNN_NO_ALGORITHM", 0) != 0;
  std::vector<EmulatedCudnnPerf> all;
  for (int i = algorithmCount(p.direction); i-- > 0;) {
    const bool supported = !none && supports(p, i);
    EmulatedCudnnPerf each = {};
    each.algorithm = i;
    each.status = supported ? SUCCESS : NOT_SUPPORTED;
    each.time = supported ? 1.0f / float(i + 1) : -1.0f;
    each.memory = supported ? workspaceOf(p, i) : 0;
    each.determinism = isDeterministic(p.direction, i);
    each.mathType = p.convolution.mathType;
    // The fastest for f32 multiplies TF32, whatever the descriptor says.
    if (p.data.type == Float && i == 1 && supported) {
      EmulatedCudnnPerf tf32 = each;
      tf32.mathType = TensorOp;
      all.insert(all.begin(), tf32);
    }
    all.push_back(each);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) {
    return a.status < b.status;
  });
  *returned = std::min(requested, int(all.size()));
  std::copy(all.begin(), all.begin() + *returned, results);
}

void wantSupported(const Problem &p, int algorithm) {
  if (hasGapsOfGradient(p))
    refuse(NOT_SUPPORTED,
           "there are gaps between elements of the data or the result",
           cites::gaps);
  if (!supports(p, algorithm))
    refuse(NOT_SUPPORTED,
           "algorithm " + std::to_string(algorithm) +
               " does not compute this convolution",
           cites::algorithm);
}

void workspace(const Problem &p, int algorithm, size_t *bytes) {
  if (!bytes)
    refuse(BAD_PARAM, "there is no place for the size", cites::nullParameter);
  wantSupported(p, algorithm);
  *bytes = workspaceOf(p, algorithm);
}

struct Run {
  const void *alpha, *beta;
  const void *data, *filter, *result;
  int algorithm;
  const void *workspace;
  size_t workspaceBytes;
};

uint64_t addressOf(const void *pointer) {
  return uint64_t(reinterpret_cast<uintptr_t>(pointer));
}

/// Of a recorded call: "x=.. w=.. y=.. c=..", whichever is written.
std::optional<std::string> problemText(void *handle, void *data, void *filter,
                                       void *result, void *convolution) {
  const auto x = textOf(data), w = textOf(filter), y = textOf(result),
             c = textOf(convolution);
  if (!x || !w || !y || !c || !isHandle(handle))
    return std::nullopt;
  return "x=" + *x + " w=" + *w + " y=" + *y + " c=" + *c;
}

/// `hasPlace`: for the answer.
int recordedQuestion(const char *name, int status, void *handle, void *data,
                     void *filter, void *result, void *convolution,
                     bool hasPlace, int algorithm = -1) {
  return recorded(name, status, [&]() -> std::optional<std::string> {
    auto text = problemText(handle, data, filter, result, convolution);
    if (!text || !hasPlace)
      return std::nullopt;
    return *text + " algorithm=" + std::to_string(algorithm);
  });
}

int recordedRun(const char *name, int status, void *handle, void *data,
                void *filter, void *result, void *convolution, const Run &r) {
  return recorded(name, status, [&]() -> std::optional<std::string> {
    const auto text = problemText(handle, data, filter, result, convolution);
    if (!text || !r.alpha || !r.beta)
      return std::nullopt;
    float beta = 0;
    std::memcpy(&beta, r.beta, 4);
    return *text + " algorithm=" + std::to_string(r.algorithm) +
           " bytes=" + std::to_string(r.workspaceBytes) +
           " beta=" + (beta != 0 ? "1" : "0") +
           " at=" + placeIn256(addressOf(r.data)) + "," +
           placeIn256(addressOf(r.filter)) + "," +
           placeIn256(addressOf(r.result)) + "," +
           placeIn256(addressOf(r.workspace));
  });
}

void run(const char *function, const Handle &handle, const Problem &p,
         const Run &r) {
  if (!r.alpha || !r.beta || !r.data || !r.filter || !r.result)
    refuse(BAD_PARAM, "a pointer is null", cites::nullParameter);
  wantSupported(p, r.algorithm);
  const size_t needed = workspaceOf(p, r.algorithm);
  if (r.workspaceBytes < needed || (needed > 0 && !r.workspace))
    refuse(BAD_PARAM_SIZE_INSUFFICIENT,
           "algorithm " + std::to_string(r.algorithm) + " needs " +
               std::to_string(needed) + " bytes of workspace, and has " +
               std::to_string(r.workspaceBytes),
           cites::workspace);
  for (const void *each : {r.data, r.filter, r.result})
    if (addressOf(each) % uint64_t(p.data.elementBytes()) != 0)
      refuse(BAD_PARAM_MISALIGNED_POINTER, "a tensor is misaligned",
             cites::aligned);
  // Scaling factors are read at the call, from the host: "Pointers to scaling
  // factors (in host memory)".
  float alpha, beta;
  std::memcpy(&alpha, r.alpha, 4);
  std::memcpy(&beta, r.beta, 4);
  const Places places{addressOf(r.data), addressOf(r.filter),
                      addressOf(r.result)};
  const uint64_t scratch = addressOf(r.workspace);
  const int submitted = submitWork(
      *driver(), handle.stream, function,
      [p, places, alpha, beta, scratch, needed](DeviceView &view) {
        // Nobody may rely on what is left there.
        if (needed > 0)
          std::memset(view.write<unsigned char>(scratch, needed), 0xa5, needed);
        compute(p, places, alpha, beta, view);
      });
  if (submitted != 0)
    refuse(EXECUTION_FAILED,
           "the driver refuses it: " + std::to_string(submitted),
           cites::launch);
}

} // namespace

extern "C" {

int cudnnGetConvolutionNdForwardOutputDim(void *convolution, void *data,
                                          void *filter, int rank, int *sizes) {
  return call("cudnnGetConvolutionNdForwardOutputDim", [&] {
    const Problem p =
        problemOf(Direction::Forward, data, filter, nullptr, convolution);
    if (!sizes)
      refuse(BAD_PARAM, "there is no place for the sizes",
             cites::nullParameter);
    if (rank < 0 || rank > int(p.data.sizes.size()))
      refuse(BAD_PARAM, "the result has not so many dimensions",
             cites::outputRank);
    // As many as are asked for, and the first two in any case.
    sizes[0] = int(p.data.sizes[0]);
    sizes[1] = int(p.filter.sizes[0]);
    for (size_t d = 0; int(2 + d) < rank; ++d)
      sizes[2 + d] = int(outputSize(p, d));
  });
}

int cudnnGetConvolutionForwardAlgorithmMaxCount(void *handle, int *into) {
  return count("cudnnGetConvolutionForwardAlgorithmMaxCount", handle,
               Direction::Forward, into);
}
int cudnnGetConvolutionBackwardDataAlgorithmMaxCount(void *handle, int *into) {
  return count("cudnnGetConvolutionBackwardDataAlgorithmMaxCount", handle,
               Direction::Data, into);
}
int cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(void *handle,
                                                       int *into) {
  return count("cudnnGetConvolutionBackwardFilterAlgorithmMaxCount", handle,
               Direction::Filter, into);
}

int cudnnGetConvolutionForwardAlgorithm_v7(void *handle, void *x, void *w,
                                           void *convolution, void *y,
                                           int requested, int *returned,
                                           EmulatedCudnnPerf *results) {
  const int status = call("cudnnGetConvolutionForwardAlgorithm_v7", [&] {
    wantHandle(handle);
    algorithms(problemOf(Direction::Forward, x, w, y, convolution), requested,
               returned, results);
  });
  return recordedQuestion("cudnnGetConvolutionForwardAlgorithm_v7", status,
                          handle, x, w, y, convolution,
                          returned && results && requested > 0);
}
int cudnnGetConvolutionBackwardDataAlgorithm_v7(void *handle, void *w, void *dy,
                                                void *convolution, void *dx,
                                                int requested, int *returned,
                                                EmulatedCudnnPerf *results) {
  const int status = call("cudnnGetConvolutionBackwardDataAlgorithm_v7", [&] {
    wantHandle(handle);
    algorithms(problemOf(Direction::Data, dx, w, dy, convolution), requested,
               returned, results);
  });
  return recordedQuestion("cudnnGetConvolutionBackwardDataAlgorithm_v7", status,
                          handle, dx, w, dy, convolution,
                          returned && results && requested > 0);
}
int cudnnGetConvolutionBackwardFilterAlgorithm_v7(void *handle, void *x,
                                                  void *dy, void *convolution,
                                                  void *dw, int requested,
                                                  int *returned,
                                                  EmulatedCudnnPerf *results) {
  const int status = call("cudnnGetConvolutionBackwardFilterAlgorithm_v7", [&] {
    wantHandle(handle);
    algorithms(problemOf(Direction::Filter, x, dw, dy, convolution), requested,
               returned, results);
  });
  return recordedQuestion("cudnnGetConvolutionBackwardFilterAlgorithm_v7",
                          status, handle, x, dw, dy, convolution,
                          returned && results && requested > 0);
}

int cudnnGetConvolutionForwardWorkspaceSize(void *handle, void *x, void *w,
                                            void *convolution, void *y,
                                            int algorithm, size_t *bytes) {
  const int status = call("cudnnGetConvolutionForwardWorkspaceSize", [&] {
    wantHandle(handle);
    workspace(problemOf(Direction::Forward, x, w, y, convolution), algorithm,
              bytes);
  });
  return recordedQuestion("cudnnGetConvolutionForwardWorkspaceSize", status,
                          handle, x, w, y, convolution, bytes != nullptr,
                          algorithm);
}
int cudnnGetConvolutionBackwardDataWorkspaceSize(void *handle, void *w,
                                                 void *dy, void *convolution,
                                                 void *dx, int algorithm,
                                                 size_t *bytes) {
  const int status = call("cudnnGetConvolutionBackwardDataWorkspaceSize", [&] {
    wantHandle(handle);
    workspace(problemOf(Direction::Data, dx, w, dy, convolution), algorithm,
              bytes);
  });
  return recordedQuestion("cudnnGetConvolutionBackwardDataWorkspaceSize",
                          status, handle, dx, w, dy, convolution,
                          bytes != nullptr, algorithm);
}
int cudnnGetConvolutionBackwardFilterWorkspaceSize(void *handle, void *x,
                                                   void *dy, void *convolution,
                                                   void *dw, int algorithm,
                                                   size_t *bytes) {
  const int status =
      call("cudnnGetConvolutionBackwardFilterWorkspaceSize", [&] {
        wantHandle(handle);
        workspace(problemOf(Direction::Filter, x, dw, dy, convolution),
                  algorithm, bytes);
      });
  return recordedQuestion("cudnnGetConvolutionBackwardFilterWorkspaceSize",
                          status, handle, x, dw, dy, convolution,
                          bytes != nullptr, algorithm);
}

int cudnnConvolutionForward(void *handle, const void *alpha, void *x,
                            const void *xData, void *w, const void *wData,
                            void *convolution, int algorithm, void *workspace,
                            size_t workspaceBytes, const void *beta, void *y,
                            void *yData) {
  const Run r{alpha, beta,      xData,     wData,
              yData, algorithm, workspace, workspaceBytes};
  const int status = call("cudnnConvolutionForward", [&] {
    run("cudnnConvolutionForward", wantHandle(handle),
        problemOf(Direction::Forward, x, w, y, convolution), r);
  });
  return recordedRun("cudnnConvolutionForward", status, handle, x, w, y,
                     convolution, r);
}
int cudnnConvolutionBackwardData(void *handle, const void *alpha, void *w,
                                 const void *wData, void *dy,
                                 const void *dyData, void *convolution,
                                 int algorithm, void *workspace,
                                 size_t workspaceBytes, const void *beta,
                                 void *dx, void *dxData) {
  const Run r{alpha,  beta,      dxData,    wData,
              dyData, algorithm, workspace, workspaceBytes};
  const int status = call("cudnnConvolutionBackwardData", [&] {
    run("cudnnConvolutionBackwardData", wantHandle(handle),
        problemOf(Direction::Data, dx, w, dy, convolution), r);
  });
  return recordedRun("cudnnConvolutionBackwardData", status, handle, dx, w, dy,
                     convolution, r);
}
int cudnnConvolutionBackwardFilter(void *handle, const void *alpha, void *x,
                                   const void *xData, void *dy,
                                   const void *dyData, void *convolution,
                                   int algorithm, void *workspace,
                                   size_t workspaceBytes, const void *beta,
                                   void *dw, void *dwData) {
  const Run r{alpha,  beta,      xData,     dwData,
              dyData, algorithm, workspace, workspaceBytes};
  const int status = call("cudnnConvolutionBackwardFilter", [&] {
    run("cudnnConvolutionBackwardFilter", wantHandle(handle),
        problemOf(Direction::Filter, x, dw, dy, convolution), r);
  });
  return recordedRun("cudnnConvolutionBackwardFilter", status, handle, x, dw,
                     dy, convolution, r);
}
}
