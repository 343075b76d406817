// What all uses of oneDNN share.
#ifndef SMEX_RUNTIME_BACKENDS_CPU_ONEDNN_H
#define SMEX_RUNTIME_BACKENDS_CPU_ONEDNN_H

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>

namespace smex::runtime {

inline dnnl::engine &onednnEngine() {
  static dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

/// Each thread has its own.
inline dnnl::stream &onednnStream() {
  static thread_local dnnl::stream stream(onednnEngine());
  return stream;
}

inline dnnl::memory onednnMemory(const dnnl::memory::desc &desc,
                                 const std::byte *at) {
  return {desc, onednnEngine(), const_cast<std::byte *>(at)};
}

/// Scratch comes from the plan's workspace, not from the library's own pocket.
inline dnnl::primitive_attr onednnAttributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

/// oneDNN's reference implementations are for reading; ours are as slow and
/// need no library.
inline bool isReference(const char *implementation) {
  return std::string_view(implementation).find("ref") != std::string_view::npos;
}

} // namespace smex::runtime

#endif
