// A lambda's expressions as a flat array of instructions, for the interpreter.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_BYTECODE_H
#define SMEX_DIALECTS_TDL_LAMBDA_BYTECODE_H

#include "dialects/tdl/lambda/Arithmetic.h"

namespace smex::tdl {

struct Bytecode {
  enum class Code : uint8_t {
    Constant,
    Linear, // i64: a constant plus index variables times factors
    Extent,
    Read,
    Unary,
    Binary,
    And, // of conditions: the right side only if the left is true
    Or,
    Select,
    Cast,
  };
  struct Instruction {
    Code code;
    DType type; // of the operand of an operation, of the source of a cast
    DType result;
    UnaryOp unary{};
    BinaryOp binary{};
    int operand = -1, dim = -1;
    /// Children: instructions `links[first]`... For Linear: `terms[first]`...
    int first = 0, count = 0;
    int otherwise = -1;
    Scalar value{};
  };
  struct Term {
    int index;
    int64_t factor;
  };

  std::vector<Instruction> instructions;
  std::vector<int> links;
  std::vector<bool> readsData; // by link: whether the child reads an operand
  std::vector<Term> terms;

  /// Adds an expression without opaque functions; the number of its root.
  int add(const ExprRef &e);

private:
  bool addLinear(const ExprRef &e, Instruction &instruction);
};

} // namespace smex::tdl

#endif
