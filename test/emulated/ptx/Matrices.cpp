// mma and ldmatrix: a warp's product of small matrices. The products are exact
// and summed in double, then rounded once; a GPU sums in another order, with
// errors that no document bounds.
#include "test/emulated/ptx/Block.h"
#include "test/emulated/ptx/Operations.h"

namespace smex::ptx {
namespace {

/// Instruction::detail of mma.
enum : uint16_t { KMask = 31, BrainBit = 32, TensorBit = 64, HalfSumBit = 128 };

void runJoin(Thread &t, const Instruction &i) {
  t.block->join(t, static_cast<uint32_t>(t.r[i.e]));
}

void needAll(Block &block, unsigned warp, uint32_t members) {
  if (members != 0xffffffff) {
    unsigned lane = 0;
    while (!(members >> lane & 1))
      ++lane;
    block.threads[warp * 32 + lane].fault(
        FaultKind::Warp, "not all 32 lanes of the warp are there");
  }
}

struct Shape {
  unsigned k;
  bool brain, tensor, halfSum;
  // 32-bit registers of each operand.
  unsigned a() const { return k * (tensor ? 4 : 2) * 16 / 128; }
  unsigned b() const { return a() / 2; }
  unsigned c() const { return halfSum ? 2 : 4; }
};

Shape shapeOf(uint16_t detail) {
  return {unsigned(detail & KMask), (detail & BrainBit) != 0,
          (detail & TensorBit) != 0, (detail & HalfSumBit) != 0};
}

double element(uint64_t cell, unsigned part, const Shape &shape) {
  if (shape.tensor) // the lower 13 bits are not read
    return floatOf(cell & 0xffffe000);
  return decode(cell >> (16 * part) & 0xffff,
                shape.brain ? formatBF16 : formatF16);
}

/// Where the lanes' registers lie in the matrices: PTX ISA, "Matrix fragments
/// for mma.m16n8k4, k8 and k16".
void multiply(Block &block, unsigned warp, uint32_t members,
              const Instruction &i) {
  needAll(block, warp, members);
  const Shape shape = shapeOf(i.detail);
  double a[16][16] = {}, b[16][8] = {}, c[16][8] = {};
  auto lane = [&](unsigned number) -> Thread & {
    return block.threads[warp * 32 + number];
  };
  const uint32_t *cells = &lane(0).function().lists[i.list];
  const uint32_t *cellsA = cells + shape.c(), *cellsB = cellsA + shape.a(),
                 *cellsC = cellsB + shape.b();
  auto sumRow = [](unsigned number, unsigned part) {
    return number / 4 + (part >= 2 ? 8 : 0);
  };
  for (unsigned number = 0; number < 32; ++number) {
    Thread &t = lane(number);
    const unsigned group = number / 4, within = number % 4;
    const unsigned parts = shape.tensor ? 1 : 2;
    for (unsigned reg = 0; reg < shape.a(); ++reg)
      for (unsigned part = 0; part < parts; ++part)
        a[group + (reg & 1) * 8]
         [within * parts + part + (reg / 2) * 4 * parts] =
             element(t.r[cellsA[reg]], part, shape);
    for (unsigned reg = 0; reg < shape.b(); ++reg)
      for (unsigned part = 0; part < parts; ++part)
        b[within * parts + part + reg * 4 * parts][group] =
            element(t.r[cellsB[reg]], part, shape);
    for (unsigned part = 0; part < 4; ++part)
      c[sumRow(number, part)][within * 2 + (part & 1)] =
          shape.halfSum
              ? decode(t.r[cellsC[part / 2]] >> (16 * (part & 1)) & 0xffff,
                       formatF16)
              : floatOf(t.r[cellsC[part]]);
  }
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 8; ++column)
      for (unsigned k = 0; k < shape.k; ++k)
        c[row][column] += a[row][k] * b[k][column];
  for (unsigned number = 0; number < 32; ++number) {
    Thread &t = lane(number);
    auto result = [&](unsigned part) {
      return encode(c[sumRow(number, part)][number % 4 * 2 + (part & 1)],
                    shape.halfSum ? formatF16 : formatF32, Rounding::Nearest);
    };
    for (unsigned reg = 0; reg < shape.c(); ++reg)
      t.r[cells[reg]] = shape.halfSum
                            ? result(2 * reg) | result(2 * reg + 1) << 16
                            : result(reg);
  }
}

void decodeMma(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 4, 4);
  m.take("sync");
  m.take("aligned");
  auto size = m.oneOf({"m16n8k4", "m16n8k8", "m16n8k16"});
  if (!size || !m.take("row") || !m.take("col"))
    decoder.fail("expected mma.sync.aligned.m16n8k{4,8,16}.row.col");
  const Type d = m.type(), a = m.type(), b = m.type(), c = m.type();
  Shape shape{4u << *size, a == Type::BF16, a == Type::TF32, d == Type::F16};
  bool known = a == b && c == d && (d == Type::F32 || d == Type::F16) &&
               (a == Type::F16 || shape.brain || shape.tensor) &&
               (!shape.halfSum || a == Type::F16) &&
               (shape.tensor ? shape.k <= 8 : shape.k >= 8);
  if (!known)
    decoder.fail("no mma of these types");
  std::vector<uint32_t> cells;
  auto add = [&](const Operand &operand, unsigned count, bool isResult) {
    if (operand.kind != Operand::Vector || operand.list.size() != count)
      decoder.fail("expected a vector of " + std::to_string(count) +
                   " registers");
    for (const Operand &each : operand.list)
      cells.push_back(isResult ? decoder.define(each)
                               : decoder.use(each, Type::B32));
  };
  add(s.operands[0], shape.c(), true);
  add(s.operands[1], shape.a(), false);
  add(s.operands[2], shape.b(), false);
  add(s.operands[3], shape.c(), false);
  uint32_t e = decoder.constant(0xffffffff), list = decoder.list(cells);
  Instruction &result = decoder.emit(s, runJoin);
  result.e = e;
  result.list = list;
  result.detail = shape.k | (shape.brain ? BrainBit : 0) |
                  (shape.tensor ? TensorBit : 0) |
                  (shape.halfSum ? HalfSumBit : 0);
  result.collective = multiply;
}

/// Lane 8*m + r has the address of row r of matrix m.
void loadMatrices(Block &block, unsigned warp, uint32_t members,
                  const Instruction &i) {
  needAll(block, warp, members);
  uint16_t rows[4][8][8];
  auto lane = [&](unsigned number) -> Thread & {
    return block.threads[warp * 32 + number];
  };
  for (unsigned number = 0; number < 8u * i.count; ++number) {
    Thread &t = lane(number);
    std::memcpy(rows[number / 8][number % 8],
                t.access(i, t.r[i.a] + i.offset, 16, AccessKind::Read), 16);
  }
  const uint32_t *cells = &lane(0).function().lists[i.list];
  for (unsigned number = 0; number < 32; ++number)
    for (unsigned matrix = 0; matrix < i.count; ++matrix) {
      const auto &from = rows[matrix];
      unsigned row = number / 4, column = number % 4 * 2;
      uint32_t low = i.detail ? from[column][row] : from[row][column];
      uint32_t high = i.detail ? from[column + 1][row] : from[row][column + 1];
      lane(number).r[cells[matrix]] = low | high << 16;
    }
}

void decodeLoad(Decoder &decoder, const Statement &s, Modifiers &m) {
  decoder.expectOperands(s, 2, 2);
  m.take("sync");
  m.take("aligned");
  auto count = m.oneOf({"x1", "x2", "x4"});
  bool transposed = m.take("trans");
  Space space = m.space();
  if (!m.take("m8n8") || !count || m.type() != Type::B16 ||
      (space != Space::Shared && space != Space::Generic))
    decoder.fail("expected ldmatrix.sync.aligned.m8n8.x{1,2,4}.shared.b16");
  Decoder::AddressParts at = decoder.address(s.operands[1], space);
  if (s.operands[0].kind != Operand::Vector ||
      s.operands[0].list.size() != 1u << *count)
    decoder.fail("expected a register for each matrix");
  std::vector<uint32_t> cells;
  for (const Operand &each : s.operands[0].list)
    cells.push_back(decoder.define(each));
  uint32_t e = decoder.constant(0xffffffff), list = decoder.list(cells);
  Instruction &result = decoder.emit(s, runJoin);
  result.a = at.base;
  result.offset = at.offset;
  result.space = space;
  result.size = 2;
  result.e = e;
  result.list = list;
  result.count = 1u << *count;
  result.detail = transposed;
  result.collective = loadMatrices;
}

} // namespace

void addMatrices(OpcodeTable &table) {
  table["mma"] = decodeMma;
  table["ldmatrix"] = decodeLoad;
}

} // namespace smex::ptx
