#include "test/emulated/ptx/Harness.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace smex::ptx {

Harness::Harness(const std::string &text) {
  module = std::make_unique<LoadedModule>(
      text, [&](uint64_t size, uint64_t, const std::string &name) -> auto & {
        return memory.allocate(size, name);
      });
}

std::string Harness::example(const std::string &name) {
  std::ifstream file("test/emulated/ptx/examples/" + name);
  if (!file)
    throw std::runtime_error("no example " + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

uint64_t Harness::empty(uint64_t bytes, const std::string &name) {
  return memory.allocate(bytes, name).base;
}

LaunchResult Harness::start(const std::string &kernel,
                            const LaunchOptions &options,
                            const std::vector<uint8_t> &parameters) {
  const Program *program = module->kernel(kernel);
  if (!program)
    throw std::runtime_error("no kernel " + kernel);
  return launch(*program, options, parameters, memory);
}

std::string kernelWith(const std::string &body, const std::string &before) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n" + before +
         "\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, "
         ".param .u64 d)\n{\n"
         ".reg .pred %p<20>; .reg .b16 %rs<40>; .reg .b32 %r<40>;\n"
         ".reg .f32 %f<40>; .reg .b64 %rd<40>; .reg .f64 %fd<40>;\n" +
         body + "\nret;\n}\n";
}

} // namespace smex::ptx
