#ifndef SMEX_TEST_EMULATED_PTX_MODULE_H
#define SMEX_TEST_EMULATED_PTX_MODULE_H

#include "test/emulated/ptx/Error.h"
#include "test/emulated/ptx/Types.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace smex::ptx {

/// An operand as it is written.
struct Operand {
  enum Kind {
    Name,      // a register, a special register, a variable or a label
    Integer,   // bits
    Float32,   // bits
    Float64,   // bits
    Address,   // [name + bits] or [bits], name empty
    Vector,    // {a, b}
    List,      // (a, b) of a call
    Underscore // _, a result that nobody wants
  };
  Kind kind = Name;
  std::string name;
  uint64_t bits = 0;
  bool negated = false;      // !%p1
  std::string other;         // %r1|%p1: the name behind the bar
  std::vector<Operand> list; // of Vector and List
};

/// One instruction as it is written.
struct Statement {
  std::string opcode;                 // the first word: ld, add
  std::vector<std::string> modifiers; // global, u32
  std::string guard;                  // the predicate of @%p1, or empty
  bool guardNegated = false;
  std::vector<Operand> operands;
  int line = 0;
  std::string text;
};

/// A variable, or a parameter of a function.
struct Variable {
  struct Relocation {
    uint64_t offset; // where the address is stored, 8 bytes
    std::string symbol;
    int64_t addend;
    bool generic;
    int line;
  };
  std::string name;
  Space space = Space::Global;
  Type type = Type::B8;
  uint64_t align = 1;
  uint64_t size = 0; // bytes
  bool isExtern = false;
  bool unsized = false; // name[], its size is set by the launch
  std::vector<uint8_t> initial;
  std::vector<Relocation> relocations;
  int line = 0;
};

struct Function {
  std::string name;
  bool isEntry = false;
  bool isDeclaration = false;
  std::vector<Variable> parameters, results, variables;
  std::unordered_map<std::string, Type> registers;
  std::vector<Statement> body;
  std::unordered_map<std::string, size_t> labels; // index into body
  std::unordered_map<std::string, std::vector<std::string>> branchTargets;
  Dim3 requiredThreads{}; // .reqntid, zeros where there is none
  Dim3 maximalThreads{};  // .maxntid
  int line = 0;
};

/// A PTX text, parsed: names are resolved to declarations, so that a name
/// declared in an inner { } is unique in its function ("param0#2").
struct Module {
  unsigned version = 0; // 78 for 7.8
  std::string target;   // sm_80
  std::vector<Variable> variables;
  std::vector<Function> functions;

  const Function *function(std::string_view name) const;
  const Variable *variable(std::string_view name) const;
};

/// Throws ParseError.
Module parse(std::string_view source);

} // namespace smex::ptx

#endif
