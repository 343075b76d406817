#include "test/emulated/ptx/Forms.h"

#include <algorithm>
#include <vector>

namespace smex::ptx {
namespace {

/// Patterns name all combinations of what stands between braces.
struct Pattern {
  unsigned architecture;
  const char *text;
};

#define INTEGERS "{u16,u32,u64,s16,s32,s64}"
#define ALL_INTEGERS "{u8,u16,u32,u64,s8,s16,s32,s64}"
#define ROUNDED "{.rn,.rz,.rm,.rp}"
#define MAYBE_ROUNDED "{,.rn,.rz,.rm,.rp}"
#define TO_INTEGER "{.rni,.rzi,.rmi,.rpi}"
#define COMPARED                                                               \
  "{.eq,.ne,.lt,.le,.gt,.ge,.equ,.neu,.ltu,.leu,.gtu,.geu,.num,.nan}"
#define ATOMIC                                                                 \
  "{,.relaxed,.acquire,.release,.acq_rel}{,.cta,.gpu,.sys}{,.global,.shared}"
#define REDUCTION "{,.relaxed,.release}{,.cta,.gpu,.sys}{,.global,.shared}"

const Pattern patterns[] = {
    {80, "{add,sub}." INTEGERS},
    {80, "{add,sub}.sat.s32"},
    {80, "{add,sub}.cc.{u32,u64,s32,s64}"},
    {80, "{add,sub}" MAYBE_ROUNDED "{,.ftz}{,.sat}.f32"},
    {80, "{add,sub}" MAYBE_ROUNDED ".f64"},
    {80, "{add,sub}{,.rn}{,.ftz}{,.sat}.{f16,f16x2}"},
    {90, "{add,sub}{,.rn}.{bf16,bf16x2}"},
    {80, "{mul,mad}.{lo,hi}." INTEGERS},
    {80, "{mul,mad}.wide.{u16,u32,s16,s32}"},
    {80, "mad.hi.sat.s32"},
    {80, "mul" MAYBE_ROUNDED "{,.ftz}{,.sat}.f32"},
    {80, "mul" MAYBE_ROUNDED ".f64"},
    {80, "mul{,.rn}{,.ftz}{,.sat}.{f16,f16x2}"},
    {90, "mul{,.rn}.{bf16,bf16x2}"},
    {80, "{fma,mad}" ROUNDED "{,.ftz}{,.sat}.f32"},
    {80, "{fma,mad}" ROUNDED ".f64"},
    {80, "fma.rn{,.ftz}{,.sat,.relu}.{f16,f16x2}"},
    {80, "fma.rn{,.relu}.{bf16,bf16x2}"},
    {80, "{div,rem}." INTEGERS},
    {80, "div{.approx,.full,.rn,.rz,.rm,.rp}{,.ftz}.f32"},
    {80, "div" ROUNDED ".f64"},
    {80, "{sqrt,rcp}{.approx,.rn,.rz,.rm,.rp}{,.ftz}.f32"},
    {80, "{sqrt,rcp}" ROUNDED ".f64"},
    {80, "rcp.approx.ftz.f64"},
    {80, "{abs,neg}.{s16,s32,s64}"},
    {80, "{abs,neg}{,.ftz}.{f16,f16x2,f32}"},
    {80, "{abs,neg}.{bf16,bf16x2,f64}"},
    {80, "{min,max}." INTEGERS},
    {80, "{min,max}{,.ftz}{,.NaN}.{f16,f16x2,f32}"},
    {80, "{min,max}{,.NaN}.{bf16,bf16x2}"},
    {80, "{min,max}.f64"},
    {80, "copysign.{f32,f64}"},
    {80, "sad." INTEGERS},

    {80, "{and,or,xor,not}.{pred,b16,b32,b64}"},
    {80, "{cnot,shl}.{b16,b32,b64}"},
    {80, "{popc,clz,brev}.{b32,b64}"},
    {80, "shr.{b16,b32,b64}"},
    {80, "shr." INTEGERS},
    {80, "{bfind,bfind.shiftamt,bfe}.{u32,u64,s32,s64}"},
    {80, "selp.{b16,b32,b64,f32,f64}"},
    {80, "selp." INTEGERS},
    {80, "mov.{pred,b16,b32,b64,f32,f64}"},
    {80, "mov." INTEGERS},
    {80, "setp{.eq,.ne}{,.and,.or,.xor}.{b16,b32,b64}"},
    {80, "setp{.eq,.ne,.lt,.le,.gt,.ge}{,.and,.or,.xor}." INTEGERS},
    {80, "setp{.lo,.ls,.hi,.hs}{,.and,.or,.xor}.{u16,u32,u64}"},
    {80, "setp" COMPARED "{,.and,.or,.xor}{,.ftz}.{f16,f32}"},
    {80, "setp" COMPARED "{,.ftz}.f16x2"},
    {80, "setp" COMPARED "{,.and,.or,.xor}.f64"},
    {90, "setp" COMPARED "{,.and,.or,.xor}.bf16"},
    {90, "setp" COMPARED ".bf16x2"},

    {80, "{ex2,lg2,sin,cos,rsqrt}.approx{,.ftz}.f32"},
    {80, "tanh.approx.f32"},
    {80, "{ex2,tanh}.approx.{f16,f16x2}"},
    {90, "ex2.approx.ftz.{bf16,bf16x2}"},
    {90, "tanh.approx.{bf16,bf16x2}"},
    {80, "rsqrt.approx{,.ftz}.f64"},

    {80, "cvt." ALL_INTEGERS "." ALL_INTEGERS},
    {80, "cvt.sat.u8.{s8,s16,s32,s64,u16,u32,u64}"},
    {80, "cvt.sat.u16.{s8,s16,s32,s64,u32,u64}"},
    {80, "cvt.sat.u32.{s8,s16,s32,s64,u64}"},
    {80, "cvt.sat.u64.{s8,s16,s32,s64}"},
    {80, "cvt.sat.s8.{s16,s32,s64,u8,u16,u32,u64}"},
    {80, "cvt.sat.s16.{s32,s64,u16,u32,u64}"},
    {80, "cvt.sat.s32.{s64,u32,u64}"},
    {80, "cvt.sat.s64.u64"},
    // What a wider float holds exactly is not rounded, all else is.
    {80, "cvt{,.sat}.f16.f16"},
    {80, "cvt{,.ftz}{,.sat}.f32.{f16,f32}"},
    {80, "cvt{,.sat}.f64.{f16,f64}"},
    {80, "cvt{,.ftz}{,.sat}.f64.f32"},
    {80, "cvt" ROUNDED "{,.sat}.f16.f64"},
    {80, "cvt" ROUNDED "{,.sat}.{f16,f64}." ALL_INTEGERS},
    {80, "cvt" ROUNDED "{,.ftz}{,.sat}.f16.f32"},
    {80, "cvt" ROUNDED "{,.ftz}{,.sat}.f32.f64"},
    {80, "cvt" ROUNDED "{,.ftz}{,.sat}.f32." ALL_INTEGERS},
    {80, "cvt{.rn,.rz}{,.relu}.{f16,f16x2,bf16,bf16x2}.f32"},
    {80, "cvt.rna.tf32.f32"},
    {80, "cvt" TO_INTEGER "{,.sat}.f16.f16"},
    {80, "cvt" TO_INTEGER "{,.sat}.f64.f64"},
    {80, "cvt" TO_INTEGER "{,.ftz}{,.sat}.f32.f32"},
    {80, "cvt" TO_INTEGER "{,.sat}." ALL_INTEGERS ".{f16,f64}"},
    {80, "cvt" TO_INTEGER "{,.ftz}{,.sat}." ALL_INTEGERS ".f32"},
    {80, "cvt.f32.bf16"},
    {90, "cvt" ROUNDED ".bf16.{f16,f64,u16,u32,u64,s16,s32,s64}"},
    {90, "cvt.bf16.bf16"},
    {90, "cvt.f64.bf16"},
    {90, "cvt" ROUNDED ".f16.bf16"},
    {90, "cvt" TO_INTEGER ".{bf16,u16,u32,u64,s16,s32,s64}.bf16"},

    {80, "atom" ATOMIC ".{and,or,xor,exch}.{b32,b64}"},
    {80, "atom" ATOMIC ".cas.{b16,b32,b64}"},
    {80, "atom" ATOMIC ".add.{u32,u64,s32,f32,f64}"},
    {80, "atom" ATOMIC ".{inc,dec}.u32"},
    {80, "atom" ATOMIC ".{min,max}.{u32,u64,s32,s64}"},
    {80, "atom" ATOMIC ".add.noftz.{f16,f16x2}"},
    {90, "atom" ATOMIC ".add.noftz.{bf16,bf16x2}"},
    {80, "red" REDUCTION ".{and,or,xor}.{b32,b64}"},
    {80, "red" REDUCTION ".add.{u32,u64,s32,f32,f64}"},
    {80, "red" REDUCTION ".{inc,dec}.u32"},
    {80, "red" REDUCTION ".{min,max}.{u32,u64,s32,s64}"},
    {80, "red" REDUCTION ".add.noftz.{f16,f16x2}"},
    {90, "red" REDUCTION ".add.noftz.{bf16,bf16x2}"},
};

std::vector<std::string> namedBy(const std::string &pattern) {
  const size_t open = pattern.find('{');
  if (open == std::string::npos)
    return {pattern};
  const size_t close = pattern.find('}', open);
  std::vector<std::string> names;
  for (size_t at = open + 1; at <= close;) {
    const size_t end = std::min(pattern.find(',', at), close);
    const std::string choice = pattern.substr(at, end - at);
    for (const std::string &rest : namedBy(pattern.substr(close + 1)))
      names.push_back(pattern.substr(0, open) + choice + rest);
    at = end + 1;
  }
  return names;
}

} // namespace

const std::map<std::string, unsigned> &forms() {
  static const std::map<std::string, unsigned> all = [] {
    std::map<std::string, unsigned> result;
    for (const Pattern &pattern : patterns)
      for (const std::string &name : namedBy(pattern.text))
        result.emplace(name, pattern.architecture);
    return result;
  }();
  return all;
}

bool hasForms(const std::string &opcode) {
  const auto first = forms().lower_bound(opcode + ".");
  return first != forms().end() &&
         first->first.compare(0, opcode.size() + 1, opcode + ".") == 0;
}

} // namespace smex::ptx
