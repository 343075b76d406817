// A worker's part of a convolution becomes calls that cuDNN takes. What it does
// not take is brought into the workspace first, by a kernel of smex's own:
// pads that differ on both sides of a dimension, a filter that is a part of a
// larger one, memory that is not aligned; and, where cuDNN knows no algorithm
// for tensors with gaps, as of gradients, those. Where the workspace is too
// small, the part is cut.
#include "runtime/backends/cuda/dnn/Convolution.h"

#include "runtime/backends/convolution/ConvolutionPart.h"
#include "runtime/backends/cuda/dnn/Algorithms.h"
#include "runtime/backends/cuda/dnn/Brought.h"

#include <algorithm>

using namespace smex;
using namespace smex::cuda;
using namespace smex::cuda::dnn;
using runtime::ConvolutionPart;
using runtime::ConvolutionSite;
using runtime::Wanted;

namespace {

/// What cuDNN's fastest kernels want of addresses: they read 16 bytes at once,
/// and descriptors do not tell the library where tensors are.
constexpr Address alignment = 16;

/// One call of the library, and what goes around it.
struct Call {
  std::vector<Pad> before, after;
  bool runs = false; // or there is nothing to sum
  Descriptors descriptors;
  Algorithm algorithm;
  Address first = 0, second = 0, written = 0, workspace = 0;
  bool adds = false; // to what is there
};

Address addressOf(const std::byte *pointer) {
  return Address(reinterpret_cast<uintptr_t>(pointer));
}

class Convolution : public LibraryCall {
public:
  Convolution(const Dnn &dnn, Wanted wanted, const Gpu &gpu, Function pad,
              std::shared_ptr<WorkerHandle> handle)
      : family(familyOf(dnn, wanted)), wanted(wanted), dnn(dnn), gpu(gpu),
        padKernel(pad), handle(std::move(handle)) {}

  Status submit(Stream stream) override {
    for (Call &call : calls) {
      for (Pad &pad : call.before)
        if (Status put = launch(pad, stream); !put)
          return put;
      if (call.runs)
        if (Status ran =
                handle->with(stream, [&](Handle of) { return run(call, of); });
            !ran)
          return ran;
      for (Pad &pad : call.after)
        if (Status put = launch(pad, stream); !put)
          return put;
    }
    return {};
  }

  std::vector<Call> calls;

private:
  Status run(const Call &call, Handle of) const {
    const float one = 1, zero = 0;
    const Arguments all = argumentsOf(call.descriptors, wanted);
    const auto at = [](Address address) {
      return reinterpret_cast<void *>(uintptr_t(address));
    };
    const Code code =
        family.run(of, &one, all.first, at(call.first), all.second,
                   at(call.second), all.convolution, call.algorithm.number,
                   at(call.workspace), call.algorithm.workspaceBytes,
                   call.adds ? &one : &zero, all.written, at(call.written));
    return code == dnn::success ? Status() : dnn.check(code, family.name);
  }

  Status launch(Pad &pad, Stream stream) const {
    void *parameters[] = {&pad.piece};
    const cuda::Code code = gpu.driver.launchKernel(
        padKernel, pad.blocks, 1, 1, 256, 1, 1, 0, stream, parameters, nullptr);
    return code == cuda::success ? Status()
                                 : gpu.driver.check(code, "launching a kernel");
  }

  const Family family;
  const Wanted wanted;
  const Dnn &dnn;
  const Gpu &gpu;
  const Function padKernel;
  const std::shared_ptr<WorkerHandle> handle;
};

/// From a part to calls.
class Binder {
public:
  Binder(const Dnn &dnn, const ConvolutionSite &site,
         const LibraryBinding &binding, Handle handle)
      : dnn(dnn), site(site), binding(binding), handle(handle),
        elementBytes(byteSize(site.type)) {}

  /// One call, or several, for a piece of cutGroups.
  Status add(const Box &indices, std::vector<Call> &calls) {
    images = indices[0].size();
    return addPart(indices, calls.size(), calls);
  }

private:
  /// The gradient by the filter is cut along what it sums: the calls from
  /// `first` on add up.
  Status addPart(const Box &indices, size_t first, std::vector<Call> &calls) {
    auto part = runtime::partOf(site, indices);
    if (!part)
      return part.takeError();
    closeGaps(*part, indices);
    const bool adds = site.wanted == Wanted::Filter && calls.size() > first;
    const std::vector<Box> halves = cut(indices);
    // Tensor cores take tensors in another order, for which the library needs
    // workspace; what it does without may take a hundred times as long.
    const bool fastest = site.type != DType::F32 && !halves.empty() &&
                         indices[0].size() > std::max<int64_t>(1, images / 8);
    for (const bool withGaps : {true, false}) {
      auto call = callOf(*part, adds, withGaps, fastest);
      if (!call)
        return call.takeError();
      if (*call) {
        calls.push_back(std::move(**call));
        return {};
      }
    }
    if (halves.empty())
      return Error{"cuDNN has no algorithm for this convolution that does with "
                   "the plan's workspace of " +
                       std::to_string(binding.workspaceBytes) + " bytes",
                   Fault::Environment};
    for (const Box &half : halves)
      if (Status added = addPart(half, first, calls); !added)
        return added;
    return {};
  }

  /// A box in two, along images, or else along the places of the result (of the
  /// data, where that is wanted). Nothing: there is no smaller one.
  std::vector<Box> cut(const Box &indices) const {
    size_t side = 0;
    for (size_t d = 2; d < 2 + site.spatialRank() && indices[0].size() < 2; ++d)
      if (side == 0 || indices[d].size() > indices[side].size())
        side = d;
    const Interval whole = indices[side];
    if (whole.size() < 2)
      return {};
    const int64_t middle = whole.lo + whole.size() / 2;
    std::vector<Box> halves(2, indices);
    halves[0][side].hi = halves[1][side].lo = middle;
    return halves;
  }

  /// cuDNN rounds the number of a window's steps down, so that the data may
  /// have elements behind the last one: where these are all that is left of the
  /// buffer's rows, taking them in leaves no gaps. Where the data is wanted,
  /// they are zero.
  void closeGaps(ConvolutionPart &part, const Box &indices) const {
    if (part.isZero)
      return;
    for (size_t d = 0; d < part.problem.spatial.size(); ++d) {
      auto &s = part.problem.spatial[d];
      int64_t end = site.data.box[2 + d].hi;
      if (site.wanted == Wanted::Data)
        end = std::min(end, indices[2 + d].hi);
      const int64_t rest = end - part.dataBox[2 + d].hi;
      const int64_t over = s.padLow - s.padHigh() + rest;
      if (rest > 0 && over >= 0 && over < s.stride)
        s.in += rest;
    }
  }

  /// Nothing: the workspace, or cuDNN's counters, are too small for it, or it
  /// has no algorithm; `fastest`: or another one than the fastest.
  Result<std::optional<Call>> callOf(const ConvolutionPart &part, bool adds,
                                     bool withGaps, bool fastest) {
    Call call;
    call.adds = adds;
    Brought brought(binding.workspace, binding.workspaceBytes, elementBytes,
                    adds);
    if (part.isZero && adds)
      return std::optional<Call>(std::move(call));
    if (part.clear.size() > 0)
      call.before.push_back(zeros(viewOf(part.clear)));
    Geometry geometry = geometryOf(part);
    if (part.isZero) {
      if (site.wanted == Wanted::Result)
        call.before.push_back(zeros(geometry.result));
      return std::optional<Call>(std::move(call));
    }
    if (!withGaps && geometry.data.isDense() && geometry.result.isDense())
      return std::optional<Call>(); // the same was asked with gaps
    if (!bringAll(part, geometry, withGaps, brought) || !geometry.fits())
      return std::optional<Call>();
    call.before.insert(call.before.end(), brought.before.begin(),
                       brought.before.end());
    call.after = std::move(brought.after);
    auto descriptors = Descriptors::make(dnn, site.type, geometry);
    if (!descriptors)
      return descriptors.takeError();
    call.descriptors = std::move(*descriptors);
    const auto algorithm =
        choose(dnn, handle, binding,
               {site.wanted, site.type, geometry,
                binding.workspaceBytes - brought.used, fastest},
               call.descriptors);
    if (!algorithm)
      return algorithm.error();
    if (!*algorithm)
      return std::optional<Call>();
    call.algorithm = **algorithm;
    call.workspace = binding.workspace + Address(brought.used);
    const Address data = geometry.data.address,
                  filter = geometry.filter.address,
                  result = geometry.result.address;
    switch (site.wanted) {
    case Wanted::Result:
      call.first = data, call.second = filter, call.written = result;
      break;
    case Wanted::Data:
      call.first = filter, call.second = result, call.written = data;
      break;
    case Wanted::Filter:
      call.first = data, call.second = result, call.written = filter;
      break;
    }
    call.runs = true;
    return std::optional<Call>(std::move(call));
  }

  /// A box of what is written.
  View viewOf(const Box &box) const {
    const runtime::BufferView &buffer = site.wanted == Wanted::Data ? site.data
                                        : site.wanted == Wanted::Result
                                            ? site.result
                                            : site.filter;
    View view{addressOf(buffer.data), extents(box), buffer.strides()};
    for (size_t d = 0; d < box.size(); ++d)
      view.address += Address((box[d].lo - buffer.box[d].lo) * view.strides[d] *
                              elementBytes);
    return view;
  }

  /// A convolution in one dimension is one in two, the first of one element.
  Geometry geometryOf(const ConvolutionPart &part) const {
    const cpu::ConvolutionProblem &p = part.problem;
    Geometry g;
    g.groups = int(p.groups);
    g.data = {addressOf(part.data),
              {p.batch, p.groups * p.c},
              {p.data.batch, p.data.c}};
    g.result = {addressOf(part.result),
                {p.batch, p.groups * p.m},
                {p.result.batch, p.result.m}};
    g.filter = {addressOf(part.filter),
                {p.groups * p.m, p.c},
                {p.filter.m, p.filter.c}};
    if (p.spatial.size() == 1)
      addDimension(g, {1, 1, 1, 1, 1, 0, 1, 1, 1});
    for (const auto &s : p.spatial)
      addDimension(g, s);
    return g;
  }

  static void addDimension(Geometry &g,
                           const cpu::ConvolutionProblem::Spatial &s) {
    g.data.sizes.push_back(s.in);
    g.data.strides.push_back(s.dataStride);
    g.result.sizes.push_back(s.out);
    g.result.strides.push_back(s.resultStride);
    g.filter.sizes.push_back(s.kernel);
    g.filter.strides.push_back(s.filterStride);
    g.strides.push_back(int(s.stride));
    g.dilations.push_back(int(s.dilation));
    g.pads.push_back(int(s.padLow));
  }

  /// Brings into the workspace what cuDNN would not take where it is; without
  /// `withGaps`, tensors that have some, too. False: there is no room.
  bool bringAll(const ConvolutionPart &part, Geometry &g, bool withGaps,
                Brought &brought) {
    const auto bring = [&](View &view, bool isTaken, Wanted which) {
      return (isTaken && view.address % alignment == 0) ||
             brought.move(view, wholeOf(view), site.wanted == which);
    };
    const std::vector<Interval> kept = padAlike(part, g);
    const bool isThere =
        kept.empty() ? bring(g.data, withGaps || g.data.isDense(), Wanted::Data)
                     : brought.move(g.data, kept, site.wanted == Wanted::Data);
    return isThere && bring(g.filter, g.filter.isDense(), Wanted::Filter) &&
           bring(g.result, withGaps || g.result.isDense(), Wanted::Result);
  }

  /// cuDNN has one pad for both sides of a dimension. Where that can't be, the
  /// data gets the missing rows, which are zeros; or, where the data is what is
  /// wanted, rows that nobody wants. What of each dimension was there before;
  /// nothing: all of it.
  std::vector<Interval> padAlike(const ConvolutionPart &part, Geometry &g) {
    std::vector<Interval> kept = wholeOf(g.data);
    bool isPadded = false;
    const size_t front = g.pads.size() - part.problem.spatial.size();
    for (size_t d = 0; d < part.problem.spatial.size(); ++d) {
      const auto &s = part.problem.spatial[d];
      const int64_t low = s.padLow, high = s.padHigh();
      int64_t &size = g.data.sizes[2 + front + d];
      Interval &own = kept[2 + front + d];
      // The number of steps of the window is rounded down.
      if (low >= high && low - high < s.stride)
        continue;
      isPadded = true;
      size += std::abs(high - low);
      if (low > high) {
        own = {low - high, low - high + s.in};
        g.pads[front + d] = int(high);
      }
    }
    return isPadded ? kept : std::vector<Interval>();
  }

  const Dnn &dnn;
  const ConvolutionSite &site;
  const LibraryBinding &binding;
  const Handle handle;
  const int64_t elementBytes;
  int64_t images = 0; // of the piece at hand, before it is cut
};

} // namespace

Result<std::unique_ptr<LibraryCall>>
dnn::bindConvolution(const LibraryBinding &binding) {
  const auto dnn = Dnn::get();
  if (!dnn)
    return dnn.error();
  const auto viewOf = [](const DeviceBuffer &buffer) -> runtime::BufferView {
    return {reinterpret_cast<std::byte *>(uintptr_t(buffer.address)),
            buffer.box, buffer.type};
  };
  std::vector<runtime::BufferView> operands;
  for (const DeviceBuffer &operand : binding.operands)
    operands.push_back(viewOf(operand));
  if (operands.size() != 2)
    return fail("a convolution has two operands");
  const auto sited =
      runtime::siteOf(binding.kernel, binding.lambda, operands[0].type.dtype,
                      viewOf(binding.result), operands, binding.indices);
  if (!sited || sited->site.spatialRank() > 3)
    return fail("cuDNN has no convolution like \"", binding.kernel.lambda,
                "\"");
  auto pad = binding.gpu.own->find("smex_pad_" +
                                   std::to_string(byteSize(sited->site.type)));
  if (!pad)
    return pad.takeError();
  auto handle = WorkerHandle::of(**dnn, binding.gpu, binding.workspace);
  if (!handle)
    return handle.takeError();
  auto call = std::make_unique<Convolution>(**dnn, sited->site.wanted,
                                            binding.gpu, *pad, *handle);
  Binder binder(**dnn, sited->site, binding, (*handle)->get());
  for (const Box &piece : runtime::cutGroups(sited->site, sited->indices))
    if (Status added = binder.add(piece, call->calls); !added)
      return added.takeError();
  return std::unique_ptr<LibraryCall>(std::move(call));
}
