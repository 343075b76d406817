#include "dialects/tdl/lambda/Interpreter.h"

#include "dialects/tdl/lambda/Accumulated.h"

#include "dialects/tdl/lambda/BlockRunner.h"
#include "dialects/tdl/lambda/Opaque.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace smex;
using namespace smex::tdl;

namespace {

BinaryOp operationOf(Reducer reducer) {
  switch (reducer) {
  case Reducer::Max:
    return BinaryOp::Max;
  case Reducer::Min:
    return BinaryOp::Min;
  case Reducer::Prod:
    return BinaryOp::Mul;
  default:
    return BinaryOp::Add;
  }
}

/// What sums are kept in until they are whole.
DType accumulator(DType type) {
  if (type == DType::F16 || type == DType::BF16)
    return DType::F32;
  return type == DType::F32 ? DType::F64 : type;
}

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
      : lambda(lambda), terms(accumulated(lambda)), indices(indices),
        views(views), at(indices.size(), 0) {}

  Result<Tensor> run() {
    if (Status valid = prepare(); !valid)
      return valid.takeError();
    const Box outputs(indices.begin(), indices.begin() + lambda.rank());
    const TensorType type{lambda.result, extents(outputs)};
    if (!byteCount(type))
      return fail("a result of ", toString(type), " is too large");
    if (!elementCount(extents(indices)))
      return fail("the extents ", listText(extents(indices)), " are too large");
    Tensor result = makeTensor(type);
    if (lambda.reducer == Reducer::None)
      map(result);
    else
      reduce(result);
    if (problem)
      return std::move(*problem);
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
      if (int(view.shape.size()) != operand.rank ||
          view.box.size() != view.shape.size())
        return fail("operand '", operand.name, "' has rank ", operand.rank,
                    ", got shape ", listText(view.shape));
      if (!elementCount(view.shape) ||
          !contains(wholeBox(view.shape), view.box))
        return fail("operand '", operand.name, "' has shape ",
                    listText(view.shape), ", which does not hold ",
                    toString(view.box));
      sources.push_back({&view, operand.name, operand.type,
                         byteSize(operand.type),
                         rowMajorStrides(extents(view.box))});
    }
    if (lambda.body->kind == ExprKind::Opaque)
      prepareOpaque();
    else
      body = program.add(terms.body);
    if (lambda.guard)
      guard = program.add(lambda.guard);
    machine.emplace(program, sources, lambda.indexCount());
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

  /// Calls `visit(lanes)` for blocks of all coordinates, row-major, until one
  /// fails.
  template <typename F> void forEachBlock(F &&visit) {
    Odometer coordinates(indices.intervals().data(), at.data(), indices.size());
    std::vector<BlockRunner::Lane> numbers(BlockRunner::width);
    std::iota(numbers.begin(), numbers.end(), BlockRunner::Lane(0));
    for (bool more = coordinates.start(); more && !problem;) {
      int count = 0;
      for (; more && count < BlockRunner::width;
           more = coordinates.next(), ++count)
        for (size_t v = 0; v < at.size(); ++v)
          machine->coordinate(int(v))[count].integer = at[v];
      visit(BlockRunner::Lanes{numbers.data(), count});
      if (machine->failure && !problem)
        problem = fail(machine->failure->what, " at ",
                       place(machine->failure->lane), machine->failure->why);
    }
  }

  void map(Tensor &result) {
    std::byte *to = result.bytes.data();
    const int64_t size = byteSize(lambda.result);
    forEachBlock([&](BlockRunner::Lanes lanes) {
      if (function)
        return opaqueElements(lanes, to);
      const Scalar *values = machine->evaluate(body, lanes);
      for (BlockRunner::Lane lane : lanes) {
        store(lambda.result, values[lane], to);
        to += size;
      }
    });
  }

  /// The terms of a result follow each other: it is stored when they end.
  void reduce(Tensor &result) {
    const DType type = accumulator(terms.result);
    const BinaryOp op = operationOf(lambda.reducer);
    const ExprRef none = identity(lambda.reducer, type);
    const Scalar start =
        isFloat(type) ? scalarOf(none->real) : scalarOf(none->integer);
    std::vector<Scalar> sums(size_t(*elementCount(result.type.shape)), start);
    const Box range(indices.begin() + lambda.rank(), indices.end());
    const int64_t termCount = volume(range);
    int64_t first = 0; // of the block's coordinates
    forEachBlock([&](BlockRunner::Lanes lanes) {
      const BlockRunner::Lanes kept =
          guard < 0 ? lanes : machine->where(guard, lanes);
      const Scalar *values = machine->evaluate(body, kept);
      for (BlockRunner::Lane lane : kept) {
        Scalar &sum = sums[size_t((first + lane) / termCount)];
        const Scalar term = convert(terms.result, type, values[lane]);
        if (type == DType::F64 && op == BinaryOp::Add)
          sum.real += term.real; // most reductions
        else
          evaluate(op, type, sum, term, sum);
      }
      first += lanes.count;
    });
    std::byte *to = result.bytes.data();
    for (const Scalar &sum : sums) {
      store(lambda.result, convert(type, lambda.result, sum), to);
      to += byteSize(lambda.result);
    }
  }

  /// "i0 = 3, r0 = 1"
  std::string place(BlockRunner::Lane lane) {
    std::string text;
    for (int i = 0; i < lambda.indexCount(); ++i)
      text += (i ? ", " : "") + lambda.indexName(i) + " = " +
              std::to_string(machine->coordinate(i)[lane].integer);
    return text.empty() ? "the only element" : text;
  }

  /// Elements of the opaque function, of slices that are computed once.
  void opaqueElements(BlockRunner::Lanes lanes, std::byte *&to) {
    std::vector<const Scalar *> keys, index;
    for (int number : batch)
      keys.push_back(number < 0 ? nullptr : machine->evaluate(number, lanes));
    for (int number : resultIndex)
      index.push_back(machine->evaluate(number, lanes));
    for (BlockRunner::Lane lane : lanes) {
      if (machine->failure || problem)
        return;
      std::vector<int64_t> key;
      for (const Scalar *values : keys)
        key.push_back(values ? values[lane].integer : 0);
      const auto value = opaqueElement(key, index, lane);
      if (!value) {
        problem = fail("@", function->name, " at ", place(lane), ": ",
                       value.error().message);
        return;
      }
      store(lambda.result, *value, to);
      to += byteSize(lambda.result);
    }
  }

  Result<Scalar> opaqueElement(const std::vector<int64_t> &key,
                               const std::vector<const Scalar *> &index,
                               BlockRunner::Lane lane) {
    auto known = results.find(key);
    if (known == results.end()) {
      Result<Tensor> result = applyOpaque(key);
      if (!result)
        return result.takeError();
      known = results.emplace(key, std::move(*result)).first;
    }
    const Tensor &result = known->second;
    const std::vector<int64_t> strides = rowMajorStrides(result.type.shape);
    std::vector<int64_t> point;
    int64_t offset = 0;
    bool inside = true;
    for (size_t d = 0; d < index.size(); ++d) {
      point.push_back(index[d][lane].integer);
      inside &= point[d] >= 0 && point[d] < result.type.shape[d];
      if (inside)
        offset += point[d] * strides[d];
    }
    if (!inside)
      return fail("index ", listText(point), " is out of range: the shape is ",
                  listText(result.type.shape));
    return load(lambda.result,
                result.bytes.data() + offset * byteSize(lambda.result));
  }

  Result<Tensor> applyOpaque(const std::vector<int64_t> &key) {
    std::vector<Tensor> slices;
    SliceShapes shapes;
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
          return fail("slice ", toString(Box{side}), " of dimension ", d,
                      " of ", lambda.operands[size_t(slice.operand)].name,
                      " is outside ", toString(Box{view.box[d]}));
        part.push_back(side);
        if (!slice.index[d])
          type.shape.push_back(whole.hi);
      }
      shapes.push_back(type.shape);
      slices.push_back(copyPart(source, part, std::move(type)));
    }
    const auto defined = function->resultShape(shapes, lambda.body->arguments);
    if (!defined)
      return defined.error();
    return function->evaluate(slices, lambda.body->arguments);
  }

  static Tensor copyPart(const Source &source, const Box &part,
                         TensorType type) {
    Tensor slice = makeTensor(std::move(type));
    std::byte *to = slice.bytes.data();
    std::vector<int64_t> point(part.size());
    Odometer coordinates(part.intervals().data(), point.data(), part.size());
    if (!coordinates.start())
      return slice;
    do {
      int64_t offset = 0;
      for (size_t d = 0; d < part.size(); ++d)
        offset += (point[d] - source.view->box[d].lo) * source.strides[d];
      const std::byte *from = source.at(offset);
      to = std::copy(from, from + source.elementSize, to);
    } while (coordinates.next());
    return slice;
  }

  const Lambda &lambda;
  const Lambda terms; // the same before it is rounded
  const Box &indices;
  const std::vector<OperandView> &views;
  std::vector<Source> sources;
  Bytecode program;
  std::optional<BlockRunner> machine;
  int body = -1, guard = -1;
  /// The last coordinate of a block, one value per index variable.
  std::vector<int64_t> at;
  std::optional<Error> problem;

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
    views.push_back(
        {type.shape, wholeBox(type.shape), operands[i]->bytes.data()});
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
