#include "runtime/backends/cpu/LibraryShape.h"

using namespace smex;
using namespace smex::runtime;
using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
using Problem = cpu::ConvolutionProblem;

namespace {
dnnl::memory::data_type typeOf(DType type) {
  return type == DType::BF16 ? dnnl::memory::data_type::bf16
                             : dnnl::memory::data_type::f32;
}
} // namespace

Desc runtime::resultDesc(const Problem &p, DType type) {
  Dims dims{p.batch, p.groups * p.m}, strides{p.result.batch, p.result.m};
  for (const auto &s : p.spatial)
    dims.push_back(s.out), strides.push_back(s.resultStride);
  return {dims, typeOf(type), strides};
}
Desc runtime::dataDesc(const Problem &p, DType type) {
  Dims dims{p.batch, p.groups * p.c}, strides{p.data.batch, p.data.c};
  for (const auto &s : p.spatial)
    dims.push_back(s.in), strides.push_back(s.dataStride);
  return {dims, typeOf(type), strides};
}
Desc runtime::filterDesc(const Problem &p, DType type) {
  Dims dims{p.m, p.c}, strides{p.filter.m, p.filter.c};
  for (const auto &s : p.spatial)
    dims.push_back(s.kernel), strides.push_back(s.filterStride);
  if (p.groups > 1) {
    dims.insert(dims.begin(), p.groups);
    strides.insert(strides.begin(), p.filter.group);
  }
  return {dims, typeOf(type), strides};
}

Desc runtime::anyLayout(const Desc &desc) {
  return {desc.dims(), desc.data_type(), dnnl::memory::format_tag::any};
}

dnnl::reorder runtime::reorderOf(const Desc &from, const Desc &to) {
  return dnnl::reorder({onednnEngine(), from, onednnEngine(), to});
}

void runtime::skipUnread(Problem &p) {
  int64_t around = p.data.c;
  for (auto &s : p.spatial) {
    const int64_t next = s.dataStride;
    if (s.kernel == 1 && s.padLow == 0 && s.padHigh() == 0 &&
        next * s.stride * s.out <= around) {
      s.in = s.out;
      s.dataStride *= s.stride;
      s.stride = s.dilation = 1;
    }
    around = next;
  }
}

std::vector<int64_t> runtime::sizesOf(const Problem &p, bool filterOnly) {
  std::vector<int64_t> key = {p.groups, p.m, p.c};
  for (const auto &s : p.spatial) {
    key.push_back(s.kernel);
    if (!filterOnly)
      key.insert(key.end(), {s.out, s.in, s.padLow});
  }
  if (!filterOnly)
    key.push_back(p.batch);
  return key;
}

LibraryGeometry::LibraryGeometry(const Problem &p) {
  for (const auto &s : p.spatial) {
    strides.push_back(s.stride);
    dilations.push_back(s.dilation - 1); // oneDNN counts what is skipped
    low.push_back(s.padLow);
    high.push_back(s.padHigh());
  }
}

dnnl::convolution_forward::primitive_desc
runtime::forwardHint(const Problem &p, DType type, const Desc &filter) {
  const LibraryGeometry g(p);
  return {{dnnl::prop_kind::forward_training,
           dnnl::algorithm::convolution_direct, anyLayout(dataDesc(p, type)),
           filter, anyLayout(resultDesc(p, type)), g.strides, g.dilations,
           g.low, g.high},
          onednnEngine()};
}

template <typename Primitive, typename PrimitiveDesc>
void LibraryShape::take(const PrimitiveDesc &desc, const Desc &given,
                        const Desc &wanted) {
  implementation = desc.impl_info_str();
  primitive = Primitive(desc);
  filter = desc.weights_desc();
  scratch = desc.scratchpad_desc();
  brings = source != given;
  puts = target != wanted;
  if (brings) {
    bring = reorderOf(given, source);
    bytes += aligned(source.get_size());
  }
  resultAt = bytes;
  if (puts) {
    put = reorderOf(target, wanted);
    bytes += aligned(target.get_size());
  }
  scratchAt = bytes;
  bytes += aligned(scratch.get_size());
}

LibraryShape::LibraryShape(const Problem &p, DType type, Wanted wanted,
                           const Desc &layout)
    : forward(wanted == Wanted::Result), data(dataDesc(p, type)),
      result(resultDesc(p, type)) {
  const LibraryGeometry g(p);
  if (forward) {
    const dnnl::convolution_forward::primitive_desc desc(
        {dnnl::prop_kind::forward_inference,
         dnnl::algorithm::convolution_direct, anyLayout(data), layout,
         anyLayout(result), g.strides, g.dilations, g.low, g.high},
        onednnAttributes(), onednnEngine());
    source = desc.src_desc();
    target = desc.dst_desc();
    take<dnnl::convolution_forward>(desc, data, result);
  } else {
    const dnnl::convolution_backward_data::primitive_desc desc(
        {dnnl::algorithm::convolution_direct, anyLayout(data), layout,
         anyLayout(result), g.strides, g.dilations, g.low, g.high},
        onednnAttributes(), onednnEngine(),
        forwardHint(p, type, anyLayout(layout)));
    source = desc.diff_dst_desc();
    target = desc.diff_src_desc();
    take<dnnl::convolution_backward_data>(desc, result, data);
  }
}

void LibraryShape::run(const ConvolutionPart &part, const std::byte *weights,
                       std::byte *workspace) const {
  dnnl::stream &stream = onednnStream();
  const dnnl::memory given = forward ? onednnMemory(data, part.data)
                                     : onednnMemory(result, part.result);
  const dnnl::memory wanted = forward ? onednnMemory(result, part.result)
                                      : onednnMemory(data, part.data);
  const dnnl::memory from = brings ? onednnMemory(source, workspace) : given;
  const dnnl::memory to =
      puts ? onednnMemory(target, workspace + resultAt) : wanted;
  if (brings)
    bring.execute(stream, {{DNNL_ARG_FROM, given}, {DNNL_ARG_TO, from}});
  primitive.execute(stream, {{forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST, from},
                             {DNNL_ARG_WEIGHTS, onednnMemory(filter, weights)},
                             {forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC, to},
                             {DNNL_ARG_SCRATCHPAD,
                              onednnMemory(scratch, workspace + scratchAt)}});
  if (puts)
    put.execute(stream, {{DNNL_ARG_FROM, to}, {DNNL_ARG_TO, wanted}});
}
