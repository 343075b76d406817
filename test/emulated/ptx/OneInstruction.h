#ifndef SMEX_TEST_EMULATED_PTX_ONEINSTRUCTION_H
#define SMEX_TEST_EMULATED_PTX_ONEINSTRUCTION_H

#include "test/emulated/ptx/Harness.h"

namespace smex::ptx {

/// Runs one instruction on many operands: `text` has D, A, B and C where the
/// registers go ("add.s32 D, A, B;"), of the given widths in bits (16, 32 or
/// 64). Returns the results' bits.
inline std::vector<uint64_t>
evaluate(const std::string &text, unsigned resultBits, unsigned sourceBits,
         const std::vector<std::array<uint64_t, 3>> &operands) {
  auto name = [](unsigned bits, int number) {
    return (bits == 16   ? "%rs"
            : bits == 32 ? "%r"
                         : "%rd") +
           std::to_string(number);
  };
  std::string body = R"(
    ld.param.u64 %rd30, [a];
    ld.param.u64 %rd31, [b];
    mov.u32 %r30, %tid.x;
    mov.u32 %r31, %ctaid.x;
    mad.lo.s32 %r32, %r31, 64, %r30;
    mul.wide.u32 %rd32, %r32, 8;
    add.s64 %rd31, %rd31, %rd32;
    mul.wide.u32 %rd32, %r32, 24;
    add.s64 %rd30, %rd30, %rd32;
  )";
  std::string source = std::to_string(sourceBits),
              result = std::to_string(resultBits);
  for (int i = 0; i < 3; ++i)
    body += "ld.global.b" + source + " " + name(sourceBits, i + 1) +
            ", [%rd30+" + std::to_string(8 * i) + "];\n";
  for (size_t i = 0; i < text.size(); ++i) {
    bool alone = (i == 0 || !(isalnum(text[i - 1]) || text[i - 1] == '%')) &&
                 (i + 1 == text.size() || !isalnum(text[i + 1]));
    if (alone && text[i] == 'D')
      body += name(resultBits, 10);
    else if (alone && text[i] >= 'A' && text[i] <= 'C')
      body += name(sourceBits, text[i] - 'A' + 1);
    else
      body += text[i];
  }
  body += "\nst.global.b" + result + " [%rd31], " + name(resultBits, 10) + ";";
  Harness harness(kernelWith(body));
  std::vector<uint64_t> flat;
  for (const auto &each : operands)
    flat.insert(flat.end(), each.begin(), each.end());
  uint32_t blocks = (operands.size() + 63) / 64;
  flat.resize(blocks * 64 * 3);
  uint64_t in = harness.buffer(flat);
  uint64_t out = harness.buffer(std::vector<uint64_t>(blocks * 64));
  harness.run("k", shape(blocks, 64), in, out, uint64_t(0), uint64_t(0));
  std::vector<uint64_t> results = harness.read<uint64_t>(out, operands.size());
  return results;
}

} // namespace smex::ptx

#endif
