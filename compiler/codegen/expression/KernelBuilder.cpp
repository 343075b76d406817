#include "compiler/codegen/expression/KernelBuilder.h"

#include "compiler/codegen/expression/Conditions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;

MemRefType codegen::viewType(MLIRContext *context, DType type, int rank) {
  SmallVector<int64_t> shape(size_t(rank), ShapedType::kDynamic);
  Type element = memoryType(context, type);
  if (rank < 2)
    return MemRefType::get(shape, element);
  SmallVector<int64_t> strides(size_t(rank), ShapedType::kDynamic);
  strides.back() = 1;
  return MemRefType::get(shape, element,
                         StridedLayoutAttr::get(context, 0, strides));
}

std::vector<bool> codegen::mayShareMemory(const tdl::Lambda &lambda) {
  std::vector<bool> shared(1 + lambda.operands.size(), false);
  if (lambda.reducer != tdl::Reducer::None ||
      lambda.body->kind == ExprKind::Opaque)
    return shared;
  for (size_t i = 0; i < lambda.operands.size(); ++i)
    shared[1 + i] =
        lambda.operands[i].rank == lambda.rank() &&
        byteSize(lambda.operands[i].type) == byteSize(lambda.result);
  walk(lambda.body, [&](const ExprRef &e) {
    if (e->kind != ExprKind::Read)
      return;
    for (size_t d = 0; d < e->children.size(); ++d)
      if (e->children[d]->kind != ExprKind::Index ||
          e->children[d]->index != int(d))
        shared[1 + size_t(e->operand)] = false;
  });
  shared[0] = llvm::is_contained(shared, true);
  return shared;
}

void codegen::setLoopAnnotation(Operation *loop, bool vectorize) {
  MLIRContext *context = loop->getContext();
  LLVM::LoopVectorizeAttr disabled;
  LLVM::LoopInterleaveAttr interleave;
  if (vectorize)
    interleave = LLVM::LoopInterleaveAttr::get(
        context, IntegerAttr::get(IntegerType::get(context, 32), 2));
  else
    disabled = LLVM::LoopVectorizeAttr::get(
        context, BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  loop->setDiscardableAttr(
      "loop_annotation",
      LLVM::LoopAnnotationAttr::get(context, {}, disabled, interleave, {}, {},
                                    {}, {}, {}, {}, {}, {}, {}, {}, {}, {}));
}

KernelBuilder::KernelBuilder(LocBuilder &b, const std::string &symbol,
                             const tdl::Lambda &lambda, DType stored)
    : b(b), lambda(lambda), stored(stored) {
  MLIRContext *context = b.getContext();
  SmallVector<Type> types;
  SmallVector<std::string> names;
  const auto argument = [&](Type type, std::string name) {
    types.push_back(type);
    names.push_back(std::move(name));
  };
  argument(viewType(context, stored, lambda.rank()), "result");
  for (const tdl::Operand &operand : lambda.operands)
    argument(viewType(context, operand.type, operand.rank), operand.name);
  for (int i = 0; i < lambda.indexCount(); ++i)
    for (const char *side : {"lo_", "hi_"})
      argument(b.getIndexType(), side + lambda.indexName(i));
  for (int d = 0; d < lambda.rank(); ++d)
    argument(b.getIndexType(), "origin_" + std::to_string(d));
  for (const tdl::Operand &operand : lambda.operands)
    for (int d = 0; d < operand.rank; ++d)
      for (const char *what : {"_origin_", "_extent_"})
        argument(b.getIndexType(), operand.name + what + std::to_string(d));

  function = func::FuncOp::create(b, symbol, b.getFunctionType(types, {}));
  function.setPrivate();
  Block *entry = function.addEntryBlock();
  for (auto [value, name] : llvm::zip(entry->getArguments(), names))
    value.setLoc(NameLoc::get(b.getStringAttr(name)));
  const std::vector<bool> shared = mayShareMemory(lambda);
  for (size_t i = 0; i < shared.size(); ++i)
    if (!shared[i])
      function.setArgAttr(unsigned(i), LLVM::LLVMDialect::getNoAliasAttrName(),
                          b.getUnitAttr());
  b.setInsertionPointToStart(entry);

  unsigned next = 0;
  const auto take = [&] { return entry->getArgument(next++); };
  result = take();
  for (size_t i = 0; i < lambda.operands.size(); ++i)
    operands.push_back(take());
  for (int i = 0; i < lambda.indexCount(); ++i) {
    lo.push_back(take());
    hi.push_back(take());
  }
  at.resize(lo.size());
  for (int d = 0; d < lambda.rank(); ++d)
    resultOrigin.push_back(take());
  for (const tdl::Operand &operand : lambda.operands) {
    operandOrigin.emplace_back();
    operandExtent.emplace_back();
    for (int d = 0; d < operand.rank; ++d) {
      operandOrigin.back().push_back(take());
      operandExtent.back().push_back(take());
    }
  }
}

Value KernelBuilder::add(Value x, Value y) {
  return arith::AddIOp::create(b, x, y);
}
Value KernelBuilder::sub(Value x, Value y) {
  return arith::SubIOp::create(b, x, y);
}
Value KernelBuilder::min(Value x, Value y) {
  return arith::MinSIOp::create(b, x, y);
}
Value KernelBuilder::max(Value x, Value y) {
  return arith::MaxSIOp::create(b, x, y);
}
Value KernelBuilder::less(Value x, Value y) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, y);
}

Value KernelBuilder::equal(Value x, Value y) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y);
}
Value KernelBuilder::both(Value x, Value y) {
  return arith::AndIOp::create(b, x, y);
}

Value KernelBuilder::size(int variable) {
  const auto v = size_t(variable);
  return max(sub(hi[v], lo[v]), constant(0));
}

void KernelBuilder::loop(Value low, Value high, int64_t step,
                         llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, low, high, constant(step));
  if (isRare)
    setLoopAnnotation(loop, /*vectorize=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void KernelBuilder::when(Value condition, llvm::function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  body();
}

Value KernelBuilder::scratch(Type element, int64_t count) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.front());
  // Aligned for the widest vectors.
  return memref::AllocaOp::create(b, MemRefType::get({count}, element),
                                  b.getI64IntegerAttr(64));
}

Values KernelBuilder::resultIndices() {
  Values indices;
  for (int d = 0; d < lambda.rank(); ++d)
    indices.push_back(sub(at[size_t(d)], resultOrigin[size_t(d)]));
  return indices;
}

Values KernelBuilder::readIndices(const tdl::Expr &read) {
  Values indices;
  for (size_t d = 0; d < read.children.size(); ++d) {
    Value at = emitIndex(read.children[d]);
    // What data says may be anything: it must not lead out of the operand. As
    // an unsigned number, what is below 0 is beyond the end, too. There is an
    // element: no plan reads where there is none (strayRead, plan::load).
    if (readsData(read.children[d])) {
      Value most = sub(operandExtent[size_t(read.operand)][d], constant(1));
      at = arith::MinUIOp::create(b, at, max(most, constant(0)));
    }
    indices.push_back(sub(at, operandOrigin[size_t(read.operand)][d]));
  }
  return indices;
}

void KernelBuilder::store(Value value) {
  memref::StoreOp::create(b, toMemory(b, stored, value), result,
                          resultIndices());
}

Value KernelBuilder::emitTerm(const ExprRef &term) {
  Value value = emit(term);
  // A 16-bit value is an f32 in registers already.
  return toMemory(b, accumulator(), value);
}

void KernelBuilder::storeAccumulated(Value accumulated) {
  Value value = fromMemory(b, accumulator(), accumulated);
  store(emitCast(b, accumulator(), stored, value));
}

Value KernelBuilder::emitIndex(const ExprRef &e) {
  const auto child = [&](int i) { return emitIndex(e->children[size_t(i)]); };
  switch (e->kind) {
  case ExprKind::Index:
    return at[size_t(e->index)];
  case ExprKind::Extent:
    return operandExtent[size_t(e->operand)][size_t(e->dim)];
  case ExprKind::Int:
    return constant(e->integer);
  case ExprKind::Unary:
    if (e->unary == tdl::UnaryOp::Neg)
      return sub(constant(0), child(0));
    break;
  case ExprKind::Binary:
    switch (e->binary) {
    case BinaryOp::Add:
      return add(child(0), child(1));
    case BinaryOp::Sub:
      return sub(child(0), child(1));
    case BinaryOp::Mul:
      return arith::MulIOp::create(b, child(0), child(1));
    case BinaryOp::Min:
      return min(child(0), child(1));
    case BinaryOp::Max:
      return max(child(0), child(1));
    default:
      break;
    }
    break;
  default:
    break;
  }
  return arith::IndexCastOp::create(b, b.getIndexType(), emit(e));
}

Value KernelBuilder::emit(const ExprRef &e) {
  switch (e->kind) {
  case ExprKind::Index:
  case ExprKind::Extent:
    return arith::IndexCastOp::create(b, b.getI64Type(), emitIndex(e));
  case ExprKind::Int:
    return integerConstant(b, e->type, e->integer);
  case ExprKind::Float:
    return realConstant(b, e->type, e->real);
  case ExprKind::Read:
    return emitRead(e);
  case ExprKind::Unary: {
    Value of = emit(e->children[0]);
    if (Value value = instead ? instead(*e, of) : Value())
      return value;
    return emitUnary(b, e->unary, e->children[0]->type, of);
  }
  case ExprKind::Binary: {
    const DType type = e->children[0]->type;
    if (type == DType::Bool &&
        (e->binary == BinaryOp::And || e->binary == BinaryOp::Or))
      return emitLogic(*e);
    DivisionFacts facts;
    const ExprRef &divisor = e->children[1];
    facts.nonZero = divisor->kind == ExprKind::Int && divisor->integer != 0 &&
                    divisor->integer != -1;
    facts.nonNegative = type == DType::I64 && isNonNegative(e->children[0]) &&
                        isNonNegative(divisor);
    Value lhs = emit(e->children[0]), rhs = emit(divisor);
    if (Value value = instead ? instead(*e, {lhs, rhs}) : Value())
      return value;
    return emitBinary(b, e->binary, type, lhs, rhs, facts);
  }
  case ExprKind::Select:
    return emitSelect(*e);
  case ExprKind::Cast: {
    Value of = emit(e->children[0]);
    if (Value value = instead ? instead(*e, of) : Value())
      return value;
    return emitCast(b, e->children[0]->type, e->type, of);
  }
  case ExprKind::Opaque:
    break; // refused before
  }
  return {};
}

Value KernelBuilder::emitRead(const ExprRef &e) {
  if (elementAtHand)
    if (Value value = elementAtHand(e))
      return value;
  Value loaded =
      memref::LoadOp::create(b, operands[size_t(e->operand)], readIndices(*e));
  return fromMemory(b, e->type, loaded);
}

Value KernelBuilder::branch(Value condition, Type type,
                            llvm::function_ref<Value()> then,
                            llvm::function_ref<Value()> otherwise) {
  auto op = scf::IfOp::create(b, TypeRange{type}, condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&op.getThenRegion().front());
  scf::YieldOp::create(b, then());
  b.setInsertionPointToStart(&op.getElseRegion().front());
  scf::YieldOp::create(b, otherwise());
  return op.getResult(0);
}

Value KernelBuilder::emitSelect(const tdl::Expr &e) {
  Value condition = emit(e.children[0]);
  // A branch that is not taken may read out of range.
  if (!readsData(e.children[1]) && !readsData(e.children[2])) {
    Value a = emit(e.children[1]);
    return arith::SelectOp::create(b, condition, a, emit(e.children[2]));
  }
  return branch(
      condition, valueType(b.getContext(), e.type),
      [&] { return emit(e.children[1]); }, [&] { return emit(e.children[2]); });
}

Value KernelBuilder::emitLogic(const tdl::Expr &e) {
  const bool isAnd = e.binary == BinaryOp::And;
  Value lhs = emit(e.children[0]);
  // The right side is looked at only if the left one does not decide.
  if (readsData(e.children[1])) {
    const auto decided = [&] {
      return integerConstant(b, DType::Bool, !isAnd);
    };
    const auto rhs = [&] { return emit(e.children[1]); };
    if (isAnd)
      return branch(lhs, b.getI1Type(), rhs, decided);
    return branch(lhs, b.getI1Type(), decided, rhs);
  }
  Value rhs = emit(e.children[1]);
  if (isAnd)
    return arith::AndIOp::create(b, lhs, rhs);
  return arith::OrIOp::create(b, lhs, rhs);
}
