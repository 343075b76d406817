// Runs Bytecode for a block of coordinates at a time, one instruction after
// the other: the price of finding out what to do is paid once per block.
// Values that are not needed are not computed, as in Python: every evaluation
// is for a list of lanes, and a choice divides its lanes among its branches.
#ifndef SMEX_DIALECTS_TDL_LAMBDA_BLOCKRUNNER_H
#define SMEX_DIALECTS_TDL_LAMBDA_BLOCKRUNNER_H

#include "dialects/tdl/lambda/Bytecode.h"
#include "dialects/tdl/lambda/Interpreter.h"

#include <optional>

namespace smex::tdl {

/// An operand, with what is needed to find an element.
struct Source {
  const OperandView *view;
  std::string name;
  DType type;
  int64_t elementSize;
  std::vector<int64_t> strides; // of the part at hand, in elements

  const std::byte *at(int64_t offset) const {
    return view->bytes + offset * elementSize;
  }
};

class BlockRunner {
public:
  using Lane = uint16_t;
  static constexpr int width = 128;

  struct Lanes {
    const Lane *numbers;
    int count;
    const Lane *begin() const { return numbers; }
    const Lane *end() const { return numbers + count; }
  };

  /// What went wrong first, and at which of the block's coordinates.
  struct Failure {
    Lane lane;
    std::string what; // "x[4]", to be followed by the place
    std::string why;  // " is out of range: ..."
  };

  BlockRunner(const Bytecode &program, const std::vector<Source> &sources,
              int indexCount);

  /// Values of an index variable, per lane: to be set before `evaluate`.
  Scalar *coordinate(int index) { return &coordinates[size_t(index) * width]; }
  /// Values of an instruction for these lanes; valid until it runs again.
  const Scalar *evaluate(int instruction, Lanes lanes);
  /// Those lanes of a condition where it is true.
  Lanes where(int condition, Lanes lanes);

  std::optional<Failure> failure;

private:
  Scalar *registerOf(int instruction) {
    return &registers[size_t(instruction) * width];
  }
  /// Room for the lanes of two branches of an instruction.
  Lane *branchesOf(int instruction) {
    return &branches[size_t(instruction) * 2 * width];
  }

  void linear(const Bytecode::Instruction &i, Lanes lanes,
              Scalar *result) const;
  void binary(const Bytecode::Instruction &i, Lanes lanes, Scalar *result);
  void choose(int instruction, Lanes lanes, Scalar *result);
  void read(int instruction, Lanes lanes, Scalar *result);
  std::optional<int64_t> insteadOf(const Bytecode::Instruction &i,
                                   const std::vector<const Scalar *> &index,
                                   Lane lane) const;
  void complain(const Bytecode::Instruction &i,
                const std::vector<const Scalar *> &index, Lane lane);

  const Bytecode &program;
  const std::vector<Source> &sources;
  std::vector<Scalar> coordinates, registers;
  std::vector<Lane> branches;
};

/// "[1, 2]"
std::string listText(const std::vector<int64_t> &numbers);

} // namespace smex::tdl

#endif
