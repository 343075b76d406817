#include "dialects/tdl/lambda/BlockRunner.h"

#include <algorithm>

using namespace smex;
using namespace smex::tdl;

using Code = Bytecode::Code;

std::string tdl::listText(const std::vector<int64_t> &numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + "]";
}

BlockRunner::BlockRunner(const Bytecode &program,
                         const std::vector<Source> &sources, int indexCount)
    : program(program), sources(sources),
      coordinates(size_t(indexCount) * width),
      registers(program.instructions.size() * width),
      branches(program.instructions.size() * 2 * width) {
  // Constants are the same in every block.
  for (size_t n = 0; n < program.instructions.size(); ++n) {
    const Bytecode::Instruction &i = program.instructions[n];
    if (i.code == Code::Constant)
      std::fill_n(registerOf(int(n)), width, i.value);
    if (i.code == Code::Extent)
      std::fill_n(
          registerOf(int(n)), width,
          scalarOf(sources[size_t(i.operand)].view->shape[size_t(i.dim)]));
  }
}

const Scalar *BlockRunner::evaluate(int instruction, Lanes lanes) {
  const Bytecode::Instruction &i = program.instructions[size_t(instruction)];
  const int *links = program.links.data() + i.first;
  Scalar *result = registerOf(instruction);
  switch (i.code) {
  case Code::Constant:
  case Code::Extent:
    break;
  case Code::Linear:
    if (i.count == 1 && i.value.integer == 0)
      if (const Bytecode::Term &term = program.terms[size_t(i.first)];
          term.factor == 1)
        return coordinate(term.index);
    linear(i, lanes, result);
    break;
  case Code::Read:
    read(instruction, lanes, result);
    break;
  case Code::Unary: {
    const Scalar *a = evaluate(links[0], lanes);
    for (Lane lane : lanes)
      result[lane] = tdl::evaluate(i.unary, i.type, a[lane]);
    break;
  }
  case Code::Binary:
    binary(i, lanes, result);
    break;
  case Code::Cast: {
    const Scalar *a = evaluate(links[0], lanes);
    for (Lane lane : lanes)
      result[lane] = convert(i.type, i.result, a[lane]);
    break;
  }
  case Code::And:
  case Code::Or:
  case Code::Select:
    choose(instruction, lanes, result);
    break;
  }
  return result;
}

BlockRunner::Lanes BlockRunner::where(int condition, Lanes lanes) {
  const Scalar *holds = evaluate(condition, lanes);
  // Of a condition nobody else needs the branches: see `choose`.
  Lane *kept = branchesOf(condition);
  int count = 0;
  for (Lane lane : lanes)
    if (holds[lane].integer)
      kept[count++] = lane;
  return {kept, count};
}

void BlockRunner::linear(const Bytecode::Instruction &i, Lanes lanes,
                         Scalar *result) const {
  for (Lane lane : lanes) {
    uint64_t sum = uint64_t(i.value.integer);
    const Bytecode::Term *term = program.terms.data() + i.first;
    for (int t = 0; t < i.count; ++t, ++term)
      sum += uint64_t(coordinates[size_t(term->index) * width + lane].integer) *
             uint64_t(term->factor);
    result[lane].integer = int64_t(sum);
  }
}

void BlockRunner::binary(const Bytecode::Instruction &i, Lanes lanes,
                         Scalar *result) {
  const int *links = program.links.data() + i.first;
  const Scalar *a = evaluate(links[0], lanes), *b = evaluate(links[1], lanes);
  // The two that most bodies are made of.
  if (i.type == DType::F32 && i.binary == BinaryOp::Mul) {
    for (Lane lane : lanes)
      result[lane].real = float(a[lane].real * b[lane].real);
    return;
  }
  if (i.type == DType::F32 && i.binary == BinaryOp::Add) {
    for (Lane lane : lanes)
      result[lane].real = float(a[lane].real + b[lane].real);
    return;
  }
  for (Lane lane : lanes) {
    Scalar value{};
    if (!tdl::evaluate(i.binary, i.type, a[lane], b[lane], value) && !failure)
      failure = Failure{lane, "integer division by zero", ""};
    result[lane] = value;
  }
}

/// a if c else b; c and b is b if c else false; c or b is true if c else b.
void BlockRunner::choose(int instruction, Lanes lanes, Scalar *result) {
  const Bytecode::Instruction &i = program.instructions[size_t(instruction)];
  const int *links = program.links.data() + i.first;
  const Scalar *condition = evaluate(links[0], lanes);
  Lane *yes = branchesOf(instruction), *no = yes + width;
  int yesCount = 0, noCount = 0;
  for (Lane lane : lanes) {
    if (condition[lane].integer)
      yes[yesCount++] = lane;
    else
      no[noCount++] = lane;
    if (i.code != Code::Select)
      result[lane] = condition[lane];
  }
  const auto take = [&](int from, Lanes some) {
    if (some.count == 0)
      return;
    const Scalar *values = evaluate(from, some);
    for (Lane lane : some)
      result[lane] = values[lane];
  };
  if (i.code != Code::Or)
    take(links[1], {yes, yesCount});
  if (i.code != Code::And)
    take(links[i.code == Code::Or ? 1 : 2], {no, noCount});
}

void BlockRunner::read(int instruction, Lanes lanes, Scalar *result) {
  const Bytecode::Instruction &i = program.instructions[size_t(instruction)];
  const Source &source = sources[size_t(i.operand)];
  const OperandView &view = *source.view;
  std::vector<const Scalar *> index;
  for (int d = 0; d < i.count; ++d)
    index.push_back(evaluate(program.links[size_t(i.first + d)], lanes));
  Lane *outside = branchesOf(instruction);
  int outsideCount = 0;
  for (Lane lane : lanes) {
    int64_t offset = 0;
    bool atHand = true;
    for (size_t d = 0; atHand && d < index.size(); ++d) {
      const int64_t at = index[d][lane].integer;
      atHand = at >= view.box[d].lo && at < view.box[d].hi;
      if (atHand)
        offset += (at - view.box[d].lo) * source.strides[d];
    }
    if (atHand) {
      result[lane] = load(source.type, source.at(offset));
      continue;
    }
    bool exists = true;
    for (size_t d = 0; d < index.size(); ++d)
      exists &=
          index[d][lane].integer >= 0 && index[d][lane].integer < view.shape[d];
    result[lane] = Scalar{};
    if (!exists && i.otherwise >= 0)
      outside[outsideCount++] = lane;
    else if (const auto nearest =
                 exists ? std::nullopt : insteadOf(i, index, lane))
      result[lane] = load(source.type, source.at(*nearest));
    else if (!failure)
      complain(i, index, lane);
  }
  if (outsideCount == 0)
    return;
  const Scalar *otherwise = evaluate(i.otherwise, {outside, outsideCount});
  for (int n = 0; n < outsideCount; ++n)
    result[outside[n]] = otherwise[outside[n]];
}

/// Data may lead out of an operand, where kernels read the last element that is
/// at hand instead.
std::optional<int64_t>
BlockRunner::insteadOf(const Bytecode::Instruction &i,
                       const std::vector<const Scalar *> &index,
                       Lane lane) const {
  const Source &source = sources[size_t(i.operand)];
  const OperandView &view = *source.view;
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    int64_t at = index[d][lane].integer;
    const Interval hand = view.box[d];
    if (program.readsData[size_t(i.first) + d] &&
        (at < 0 || at >= view.shape[d]))
      at = hand.hi - 1;
    if (at < hand.lo || at >= hand.hi)
      return std::nullopt;
    offset += (at - hand.lo) * source.strides[d];
  }
  return offset;
}

void BlockRunner::complain(const Bytecode::Instruction &i,
                           const std::vector<const Scalar *> &index,
                           Lane lane) {
  const Source &source = sources[size_t(i.operand)];
  std::vector<int64_t> at;
  bool exists = true;
  for (size_t d = 0; d < index.size(); ++d) {
    at.push_back(index[d][lane].integer);
    exists &= at[d] >= 0 && at[d] < source.view->shape[d];
  }
  failure = Failure{
      lane, source.name + listText(at),
      exists
          ? " is outside the part at hand, " + toString(source.view->box)
          : " is out of range: the shape is " + listText(source.view->shape)};
}
