#include "test/emulated/ptx/FormKernel.h"

#include "test/emulated/ptx/Forms.h"
#include "test/emulated/ptx/Types.h"

#include <sstream>
#include <vector>

namespace smex::ptx {
namespace {
std::string registerOf(Type type, int number) {
  const char *names[] = {"%h", "%r", "%d", "%q"};
  const unsigned bytes = bytesOf(type);
  const char *name = type == Type::Pred  ? "%p"
                     : type == Type::F32 ? "%f"
                     : type == Type::F64 ? "%g"
                     : bytes <= 2        ? names[0]
                     : bytes == 4        ? names[1]
                     : bytes == 8        ? names[2]
                                         : names[3];
  return name + std::to_string(number);
}

Type twice(Type type) {
  return type == Type::U16   ? Type::U32
         : type == Type::S16 ? Type::S32
         : type == Type::U32 ? Type::U64
                             : Type::S64;
}

/// The operands, the result first.
std::vector<std::string> operandsOf(const std::string &form) {
  std::vector<std::string> words;
  std::stringstream text(form);
  for (std::string word; std::getline(text, word, '.');)
    words.push_back(word);
  const std::string &opcode = words[0];
  const Type type = *typeNamed(words.back());
  const auto has = [&](const char *modifier) {
    return form.find(std::string(".") + modifier + ".") != std::string::npos;
  };
  const auto is = [&](std::initializer_list<const char *> names) {
    for (const char *name : names)
      if (opcode == name)
        return true;
    return false;
  };
  const auto source = [&](int number) { return registerOf(type, number); };
  if (opcode == "cvt") {
    const Type to = *typeNamed(words[words.size() - 2]);
    std::vector<std::string> operands{registerOf(to, 1), source(2)};
    if (to == Type::F16x2 || to == Type::BF16x2)
      operands.push_back(source(3));
    return operands;
  }
  if (opcode == "setp") {
    std::vector<std::string> operands{"%p1", source(2), source(3)};
    if (type == Type::F16x2 || type == Type::BF16x2)
      operands[0] = "%p1|%p2";
    if (has("and") || has("or") || has("xor"))
      operands.push_back("%p3");
    return operands;
  }
  if (opcode == "atom" && has("cas"))
    return {source(1), "[%d1]", source(2), source(3)};
  if (opcode == "atom")
    return {source(1), "[%d1]", source(2)};
  if (opcode == "red")
    return {"[%d1]", source(2)};
  if (opcode == "selp")
    return {source(1), source(2), source(3), "%p1"};
  if (is({"shl", "shr"}))
    return {source(1), source(2), "%r3"};
  if (opcode == "bfe")
    return {source(1), source(2), "%r3", "%r4"};
  if (is({"popc", "clz", "bfind"}))
    return {"%r1", source(2)};
  const Type result = has("wide") ? twice(type) : type;
  if (is({"fma", "mad"}))
    return {registerOf(result, 1), source(2), source(3), registerOf(result, 4)};
  if (opcode == "sad")
    return {source(1), source(2), source(3), source(4)};
  if (is({"add", "sub", "mul", "div", "rem", "min", "max", "copysign", "and",
          "or", "xor"}))
    return {registerOf(result, 1), source(2), source(3)};
  return {source(1), source(2)};
}

} // namespace

std::string kernelOfForms(unsigned architecture) {
  std::ostringstream text;
  text << ".version 7.8\n.target sm_" << architecture
       << "\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n"
          ".reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<10>;\n"
          ".reg .b64 %d<10>; .reg .f32 %f<10>; .reg .f64 %g<10>;\n";
  for (const auto &[form, from] : forms()) {
    if (from > architecture)
      continue;
    text << form;
    const char *separator = " ";
    for (const std::string &operand : operandsOf(form)) {
      text << separator << operand;
      separator = ", ";
    }
    text << ";\n";
  }
  text << "ret;\n}\n";
  return text.str();
}

} // namespace smex::ptx
