#include "dialects/tdl/lambda/Interpreter.h"

#include "dialects/tdl/lambda/Opaque.h"
#include "dialects/tdl/lambda/Program.h"

#include <algorithm>
#include <map>

using namespace smex;
using namespace smex::tdl;

namespace {

std::string list(const std::vector<int64_t> &numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + "]";
}

BinaryOp operationOf(Reducer reducer) {
  switch (reducer) {
  case Reducer::Max: return BinaryOp::Max;
  case Reducer::Min: return BinaryOp::Min;
  case Reducer::Prod: return BinaryOp::Mul;
  default: return BinaryOp::Add;
  }
}

/// What sums are kept in until they are whole.
DType accumulator(DType type) {
  if (type == DType::F16 || type == DType::BF16)
    return DType::F32;
  return type == DType::F32 ? DType::F64 : type;
}

/// An operand, with what is needed to find an element.
struct Source {
  const OperandView *view;
  DType type;
  int64_t elementSize;
  std::vector<int64_t> strides; // of the part, in elements
};

/// The coordinates of a box, row-major: call `next` until it is false.
class Odometer {
public:
  Odometer(const Interval *box, int64_t *at, size_t rank)
      : box(box), at(at), rank(rank) {}
  /// False: the box is empty.
  bool start() {
    bool some = true;
    for (size_t d = 0; d < rank; ++d) {
      at[d] = box[d].lo;
      some &= !box[d].empty();
    }
    return some;
  }
  bool next() {
    for (size_t d = rank; d-- > 0;) {
      if (++at[d] < box[d].hi)
        return true;
      at[d] = box[d].lo;
    }
    return false;
  }

private:
  const Interval *box;
  int64_t *at;
  size_t rank;
};

class Interpreter {
public:
  Interpreter(const Lambda &lambda, const Box &indices,
              const std::vector<OperandView> &views)
      : lambda(lambda), indices(indices), views(views),
        at(indices.size(), 0) {}

  Result<Tensor> run() {
    if (Status valid = prepare(); !valid)
      return valid.takeError();
    const Box outputs(indices.begin(), indices.begin() + lambda.rank());
    const TensorType type{lambda.result, extents(outputs)};
    if (!byteCount(type))
      return fail("a result of ", toString(type), " is too large");
    Tensor result = makeTensor(type);
    std::byte *to = result.bytes.data();
    Odometer coordinates(indices.data(), at.data(), size_t(lambda.rank()));
    if (!coordinates.start())
      return result;
    do {
      const Scalar value = lambda.reducer != Reducer::None ? reduce()
                           : isOpaque                      ? opaqueElement()
                                                           : evaluate(body);
      if (problem)
        return std::move(*problem);
      store(lambda.result, value, to);
      to += byteSize(lambda.result);
    } while (coordinates.next());
    return result;
  }

private:
  Status prepare() {
    if (Status valid = verify(lambda); !valid)
      return valid;
    if (int(indices.size()) != lambda.indexCount())
      return fail("the lambda has ", lambda.indexCount(),
                  " index variables, got ranges for ", indices.size());
    if (views.size() != lambda.operands.size())
      return fail("the lambda has ", lambda.operands.size(), " operands, got ",
                  views.size());
    for (size_t i = 0; i < views.size(); ++i) {
      const Operand &operand = lambda.operands[i];
      const OperandView &view = views[i];
      if (int(view.shape.size()) != operand.rank || view.box.size() != view.shape.size())
        return fail("operand '", operand.name, "' has rank ", operand.rank,
                    ", got shape ", list(view.shape));
      if (!elementCount(view.shape) || !contains(wholeBox(view.shape), view.box))
        return fail("operand '", operand.name, "' has shape ", list(view.shape),
                    ", which does not hold ", toString(view.box));
      sources.push_back({&view, operand.type, byteSize(operand.type),
                         rowMajorStrides(extents(view.box))});
    }
    isOpaque = lambda.body->kind == ExprKind::Opaque;
    if (!isOpaque)
      body = program.add(lambda.body);
    else
      prepareOpaque();
    if (lambda.guard)
      guard = program.add(lambda.guard);
    return {};
  }

  void prepareOpaque() {
    function = findOpaque(lambda.body->function);
    for (const Expr::Slice &slice : lambda.body->slices)
      for (const ExprRef &e : slice.index)
        batch.push_back(e ? program.add(e) : -1);
    for (const ExprRef &e : lambda.body->children)
      resultIndex.push_back(program.add(e));
  }

  Scalar reduce() {
    const DType type = accumulator(lambda.result);
    const BinaryOp op = operationOf(lambda.reducer);
    const ExprRef start = identity(lambda.reducer, type);
    Scalar sum = isFloat(type) ? scalarOf(start->real) : scalarOf(start->integer);
    const size_t rank = size_t(lambda.rank());
    Odometer terms(indices.data() + rank, at.data() + rank, indices.size() - rank);
    if (!terms.start())
      return convert(type, lambda.result, sum);
    do {
      if (guard >= 0 && !evaluate(guard).integer)
        continue;
      const Scalar term = convert(lambda.result, type, evaluate(body));
      tdl::evaluate(op, type, sum, term, sum);
    } while (!problem && terms.next());
    return convert(type, lambda.result, sum);
  }

  Scalar evaluate(int number) {
    using Code = Program::Code;
    const Program::Instruction &i = program.instructions[size_t(number)];
    const int *links = program.links.data() + i.first;
    switch (i.code) {
    case Code::Constant: return i.value;
    case Code::Linear: {
      uint64_t sum = uint64_t(i.value.integer);
      const Program::Term *term = program.terms.data() + i.first;
      for (int t = 0; t < i.count; ++t, ++term)
        sum += uint64_t(at[size_t(term->index)]) * uint64_t(term->factor);
      return scalarOf(int64_t(sum));
    }
    case Code::Extent:
      return scalarOf(views[size_t(i.operand)].shape[size_t(i.dim)]);
    case Code::Read: return read(i);
    case Code::Unary: return tdl::evaluate(i.unary, i.type, evaluate(links[0]));
    case Code::Binary: {
      const Scalar a = evaluate(links[0]), b = evaluate(links[1]);
      // The two that most bodies are made of.
      if (i.type == DType::F32 && i.binary == BinaryOp::Mul)
        return scalarOf(double(float(a.real * b.real)));
      if (i.type == DType::F32 && i.binary == BinaryOp::Add)
        return scalarOf(double(float(a.real + b.real)));
      Scalar result{};
      if (!tdl::evaluate(i.binary, i.type, a, b, result) && !problem)
        problem = fail("integer division by zero at ", place());
      return result;
    }
    case Code::And: return evaluate(links[0]).integer ? evaluate(links[1]) : scalarOf(int64_t(0));
    case Code::Or: return evaluate(links[0]).integer ? scalarOf(int64_t(1)) : evaluate(links[1]);
    case Code::Select: return evaluate(links[evaluate(links[0]).integer ? 1 : 2]);
    case Code::Cast: return convert(i.type, i.result, evaluate(links[0]));
    }
    return i.value;
  }

  Scalar read(const Program::Instruction &i) {
    const Source &source = sources[size_t(i.operand)];
    const OperandView &view = *source.view;
    int64_t offset = 0;
    bool inside = true, atHand = true;
    for (int d = 0; d < i.count; ++d) {
      const int64_t index =
          evaluate(program.links[size_t(i.first + d)]).integer;
      const size_t dim = size_t(d);
      inside &= index >= 0 && index < view.shape[dim];
      atHand &= index >= view.box[dim].lo && index < view.box[dim].hi;
      if (atHand)
        offset += (index - view.box[dim].lo) * source.strides[dim];
    }
    if (atHand)
      return load(source.type, view.bytes + offset * source.elementSize);
    if (!inside && i.otherwise >= 0)
      return evaluate(i.otherwise);
    if (!problem)
      complain(i, inside);
    return Scalar{};
  }

  void complain(const Program::Instruction &i, bool inside) {
    std::vector<int64_t> index;
    for (int d = 0; d < i.count; ++d)
      index.push_back(evaluate(program.links[size_t(i.first + d)]).integer);
    if (problem) // an index itself is at fault
      return;
    const OperandView &view = views[size_t(i.operand)];
    problem = fail(lambda.operands[size_t(i.operand)].name, list(index), " at ",
                   place(),
                   inside ? " is outside the part at hand, " + toString(view.box)
                          : " is out of range: the shape is " + list(view.shape));
  }

  /// "i0 = 3, r0 = 1"
  std::string place() const {
    std::string text;
    for (int i = 0; i < lambda.indexCount(); ++i)
      text += (i ? ", " : "") + lambda.indexName(i) + " = " + std::to_string(at[size_t(i)]);
    return text.empty() ? "the only element" : text;
  }

  /// Element of the opaque function, of slices that are computed once.
  Scalar opaqueElement() {
    std::vector<int64_t> key;
    for (int number : batch)
      key.push_back(number < 0 ? 0 : evaluate(number).integer);
    std::vector<int64_t> index;
    for (int number : resultIndex)
      index.push_back(evaluate(number).integer);
    if (problem)
      return Scalar{};
    auto known = results.find(key);
    if (known == results.end()) {
      Result<Tensor> result = applyOpaque(key);
      if (!result) {
        problem = fail("@", function->name, " at ", place(), ": ",
                       result.error().message);
        return Scalar{};
      }
      known = results.emplace(std::move(key), std::move(*result)).first;
    }
    const Tensor &result = known->second;
    const std::vector<int64_t> strides = rowMajorStrides(result.type.shape);
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      if (index[d] < 0 || index[d] >= result.type.shape[d]) {
        problem = fail("@", function->name, " at ", place(), ": index ", list(index),
                       " is out of range: the shape is ", list(result.type.shape));
        return Scalar{};
      }
      offset += index[d] * strides[d];
    }
    return load(lambda.result, result.bytes.data() + offset * byteSize(lambda.result));
  }

  Result<Tensor> applyOpaque(const std::vector<int64_t> &key) {
    std::vector<Tensor> slices;
    size_t position = 0;
    for (const Expr::Slice &slice : lambda.body->slices) {
      const Source &source = sources[size_t(slice.operand)];
      const OperandView &view = *source.view;
      Box part;
      TensorType type{source.type, {}};
      for (size_t d = 0; d < slice.index.size(); ++d, ++position) {
        const Interval whole{0, view.shape[d]};
        const Interval side =
            slice.index[d] ? Interval{key[position], key[position] + 1} : whole;
        if (!whole.contains(side) || !view.box[d].contains(side))
          return fail("slice ", toString(Box{side}), " of dimension ", d, " of ",
                      lambda.operands[size_t(slice.operand)].name, " is outside ",
                      toString(Box{view.box[d]}));
        part.push_back(side);
        if (!slice.index[d])
          type.shape.push_back(whole.hi);
      }
      slices.push_back(copyPart(source, part, std::move(type)));
    }
    return function->evaluate(slices, lambda.body->arguments);
  }

  static Tensor copyPart(const Source &source, const Box &part, TensorType type) {
    Tensor slice = makeTensor(std::move(type));
    std::byte *to = slice.bytes.data();
    std::vector<int64_t> point(part.size());
    Odometer coordinates(part.data(), point.data(), part.size());
    if (!coordinates.start())
      return slice;
    do {
      int64_t offset = 0;
      for (size_t d = 0; d < part.size(); ++d)
        offset += (point[d] - source.view->box[d].lo) * source.strides[d];
      const std::byte *from = source.view->bytes + offset * source.elementSize;
      to = std::copy(from, from + source.elementSize, to);
    } while (coordinates.next());
    return slice;
  }

  const Lambda &lambda;
  const Box &indices;
  const std::vector<OperandView> &views;
  std::vector<Source> sources;
  Program program;
  int body = -1, guard = -1;
  /// The value of every index variable.
  std::vector<int64_t> at;
  std::optional<Error> problem;

  bool isOpaque = false;
  const OpaqueFunction *function = nullptr;
  std::vector<int> batch, resultIndex; // instructions; -1: a whole dimension
  std::map<std::vector<int64_t>, Tensor> results;
};

} // namespace

Result<Tensor> tdl::interpret(const Lambda &lambda, const Box &indices,
                              const std::vector<OperandView> &operands) {
  return Interpreter(lambda, indices, operands).run();
}

Result<Tensor> tdl::interpret(const Lambda &lambda,
                              const std::vector<int64_t> &extents,
                              const std::vector<const Tensor *> &operands) {
  if (operands.size() != lambda.operands.size())
    return fail("the lambda has ", lambda.operands.size(), " operands, got ",
                operands.size());
  std::vector<OperandView> views;
  for (size_t i = 0; i < operands.size(); ++i) {
    const TensorType &type = operands[i]->type;
    if (type.dtype != lambda.operands[i].type)
      return fail("operand '", lambda.operands[i].name, "' has type ",
                  name(lambda.operands[i].type), ", got ", toString(type));
    views.push_back({type.shape, wholeBox(type.shape), operands[i]->bytes.data()});
  }
  return interpret(lambda, wholeBox(extents), views);
}

void tdl::combine(Reducer reducer, Tensor &a, const Tensor &b) {
  const DType type = a.type.dtype;
  const DType wide = accumulator(type);
  const BinaryOp op = operationOf(reducer);
  for (size_t at = 0; at < a.bytes.size(); at += size_t(byteSize(type))) {
    Scalar sum{};
    evaluate(op, wide, convert(type, wide, load(type, &a.bytes[at])),
             convert(type, wide, load(type, &b.bytes[at])), sum);
    store(type, convert(wide, type, sum), &a.bytes[at]);
  }
}
