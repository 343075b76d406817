#ifndef SMEX_TEST_EMULATED_PTX_DECODER_H
#define SMEX_TEST_EMULATED_PTX_DECODER_H

#include "test/emulated/ptx/Float.h"
#include "test/emulated/ptx/Program.h"

#include <optional>

namespace smex::ptx {

/// The modifiers of one instruction. Each has to be taken by its decoder:
/// what remains is unknown, and an error.
class Modifiers {
public:
  explicit Modifiers(const Statement &statement)
      : statement(statement), rest(statement.modifiers) {}

  bool take(std::string_view name);
  /// The first modifier that is a type.
  Type type();
  std::optional<Type> optionalType();
  /// The first modifier that is one of the names; its index.
  std::optional<unsigned> oneOf(std::initializer_list<const char *> names);
  /// The first of those that are left.
  std::string first();
  Rounding rounding(Rounding unnamed = Rounding::Nearest);
  Space space();
  void finish() const;

private:
  const Statement &statement;
  std::vector<std::string> rest;
};

class Decoder;
using DecodeFunction = void (*)(Decoder &, const Statement &, Modifiers &);
using OpcodeTable = std::unordered_map<std::string, DecodeFunction>;

// Each file of instructions enters its own.
void addArithmetic(OpcodeTable &);
void addBits(OpcodeTable &);
void addApproximations(OpcodeTable &);
void addComparisons(OpcodeTable &);
void addConversions(OpcodeTable &);
void addMoves(OpcodeTable &);
void addAccesses(OpcodeTable &);
void addAtomics(OpcodeTable &);
void addControl(OpcodeTable &);
void addWarps(OpcodeTable &);
void addBarriers(OpcodeTable &);
void addCarry(OpcodeTable &);
void addAsyncCopies(OpcodeTable &);
void addMatrices(OpcodeTable &);

/// Where a function's variables and parameters lie in its frame.
struct FrameLayout {
  std::unordered_map<std::string, FrameVariable> variables;
  uint64_t bytes = 0, align = 16;
};

/// Decodes one function. An instruction's decoder calls emit once, or several
/// times, with the cells that use and define give it.
class Decoder {
public:
  Decoder(const Module &module, Program &program, Code &code);

  void run();

  /// The cell of a source operand, read as a value of this type.
  uint32_t use(const Operand &operand, Type type);
  /// The cell of a register that the instruction writes.
  uint32_t define(const Operand &operand);
  /// The type that a register was declared with; none for other operands.
  std::optional<Type> registerType(const Operand &operand) const;
  uint32_t constant(uint64_t value);

  Instruction &emit(const Statement &statement, Handler run);
  /// d = op(a, b, c) with as many sources as the statement has.
  Instruction &emitOperation(const Statement &statement, Type type,
                             Handler run);
  /// Sets a (the base) and offset of an access, or throws.
  struct AddressParts {
    uint32_t base;
    int64_t offset;
  };
  AddressParts address(const Operand &operand, Space &space);
  /// Puts cells into the function's lists; the index of the first.
  uint32_t list(const std::vector<uint32_t> &cells);

  void expectOperands(const Statement &statement, size_t atLeast,
                      size_t atMost) const;
  uint32_t label(const Statement &statement, const std::string &name);
  uint32_t jumpTable(const Statement &statement, const std::string &name);
  uint32_t call(const Statement &statement, const Operand *results,
                const std::string &callee, const Operand *arguments);
  [[noreturn]] void fail(const std::string &what) const;
  /// What only GPUs of some architecture have, 90 for sm_90, in a text that is
  /// for older ones.
  void needs(unsigned architecture, const std::string &what) const;
  void keepAllReads() { program.keepsAllReads = true; }

private:
  void checkForm(const Statement &statement) const;
  void layOut();
  void finishBranches();
  uint32_t newCell() { return code.cells++; }
  uint32_t special(Special which);
  uint32_t frameAddress(uint64_t offset);
  uint32_t symbol(const std::string &name);
  uint32_t sharedAddress(uint32_t variable, uint64_t address);
  uint32_t variableAddress(const std::string &name, int64_t offset,
                           bool &found);
  void copies(std::vector<Call::Copy> &into, const Operand *list,
              const std::vector<Variable> &formal, const Code &callee,
              bool isResult);

  const Module &module;
  Program &program;
  Code &code;
  const Function &function;
  const Statement *current = nullptr;
  Code::Use pending;
  FrameLayout layout;
  std::unordered_map<std::string, uint32_t> registers;
  std::vector<Type> types;
  std::map<uint64_t, uint32_t> constants;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> sharedAddresses;
  std::map<Special, uint32_t> specials;
  std::map<uint64_t, uint32_t> frameAddresses;
  std::map<std::string, uint32_t> symbols;
  std::vector<uint32_t> starts; // of statements: index into the instructions
};

FrameLayout layOutFrame(const Function &function);

// Analyses, after decoding.
void findSuspects(Code &code);
void findOrigins(Program &program);

} // namespace smex::ptx

#endif
