#include "compiler/codegen/gpu/GpuKernel.h"

#include "compiler/codegen/gpu/Odometer.h"
#include "dialects/tdl/lambda/Accumulated.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;

GpuKernel::GpuKernel(LocBuilder &b, const std::string &symbol,
                     const tdl::Lambda &lambda, DType stored,
                     const GpuSchedule &schedule)
    : KernelBuilder(b, symbol, lambda, stored), schedule(schedule),
      thread(gpu::ThreadIdOp::create(b, gpu::Dimension::x)),
      block(gpu::BlockIdOp::create(b, gpu::Dimension::x)),
      blocks(gpu::GridDimOp::create(b, gpu::Dimension::x)) {
  takeScratch();
}

/// One more argument. LLVM takes memory that nothing else has a pointer to for
/// the thread's own, which no barrier changes: so this is not `noalias`.
void GpuKernel::takeScratch() {
  const plan::Launch launch = launchOf(schedule, lambda);
  if (!plan::hasScratch(launch))
    return;
  const auto type = MemRefType::get({ShapedType::kDynamic}, b.getI64Type());
  (void)function.insertArgument(function.getNumArguments(), type, {},
                                NameLoc::get(b.getStringAttr("scratch")));
  allScratch = function.getArguments().back();
  Value words = constant(launch.scratch.bytes / 8);
  for (const plan::Launch::Scratch::Extent &extent : launch.scratch.extents)
    words = mul(
        words, operandExtent[size_t(extent.operand)][size_t(extent.dimension)]);
  scratchBegin = mul(block, words);
}

Value GpuKernel::fromScratch(Type type, Value i) {
  Value word =
      memref::LoadOp::create(b, allScratch, ValueRange{add(scratchBegin, i)});
  return type == word.getType() ? word
                                : arith::BitcastOp::create(b, type, word);
}

void GpuKernel::toScratch(Value i, Value value) {
  if (value.getType() != b.getI64Type())
    value = arith::BitcastOp::create(b, b.getI64Type(), value);
  memref::StoreOp::create(b, value, allScratch,
                          ValueRange{add(scratchBegin, i)});
}

Value GpuKernel::mul(Value x, Value y) {
  return arith::MulIOp::create(b, x, y);
}
Value GpuKernel::divide(Value x, Value y) {
  return arith::DivUIOp::create(b, x, y);
}

void GpuKernel::strided(Value low, Value high, Value step,
                        llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, low, high, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

Values GpuKernel::repeat(ValueRange at,
                         llvm::function_ref<Value(ValueRange)> condition,
                         llvm::function_ref<Values(ValueRange)> body) {
  const auto inside = [&](OpBuilder &builder,
                          llvm::function_ref<void()> build) {
    const OpBuilder::InsertPoint here = builder.saveInsertionPoint();
    OpBuilder::InsertionGuard guard(b);
    b.restoreInsertionPoint(here);
    build();
  };
  auto loop = scf::WhileOp::create(
      b, at.getTypes(), at,
      [&](OpBuilder &builder, Location, ValueRange now) {
        inside(builder,
               [&] { scf::ConditionOp::create(b, condition(now), now); });
      },
      [&](OpBuilder &builder, Location, ValueRange now) {
        inside(builder, [&] { scf::YieldOp::create(b, body(now)); });
      });
  return Values(loop.getResults().begin(), loop.getResults().end());
}

Value GpuKernel::count(ArrayRef<int> variables) {
  Value count = constant(1);
  for (int v : variables)
    count = mul(count, size(v));
  return count;
}

Values GpuKernel::sizes(ArrayRef<int> variables) {
  Values sizes;
  for (int variable : variables)
    sizes.push_back(size(variable));
  return sizes;
}

Values GpuKernel::digits(ArrayRef<int> variables, Value i) {
  Values values = Odometer(*this, sizes(variables)).digitsOf(i);
  for (auto [variable, value] : llvm::zip(variables, values))
    value = add(lo[size_t(variable)], value);
  return values;
}

void GpuKernel::place(ArrayRef<int> variables, const Values &values) {
  for (auto [variable, value] : llvm::zip(variables, values))
    at[size_t(variable)] = value;
}

void GpuKernel::forget(ArrayRef<int> variables) {
  for (int variable : variables)
    at[size_t(variable)] = nullptr;
}

void GpuKernel::atPlaces(ArrayRef<int> variables, ArrayRef<Value> places,
                         llvm::function_ref<void()> body) {
  for (auto [variable, value] : llvm::zip(variables, places))
    at[size_t(variable)] = add(lo[size_t(variable)], value);
  body();
  forget(variables);
}

void GpuKernel::atTuple(ArrayRef<int> variables, Value i,
                        llvm::function_ref<void()> body) {
  atPlaces(variables, Odometer(*this, sizes(variables)).digitsOf(i), body);
}

void GpuKernel::eachTuple(ArrayRef<int> variables, int64_t groupSize,
                          llvm::function_ref<void()> body) {
  const int64_t groups = schedule.threads / groupSize;
  Value first = mul(block, constant(groups)),
        step = mul(blocks, constant(groups));
  if (groups > 1) {
    Value group = groupSize == 1 ? thread : divide(thread, constant(groupSize));
    first = add(first, group);
  }
  counted(sizes(variables), first, count(variables), step,
          [&](const Values &places) { atPlaces(variables, places, body); });
}

void GpuKernel::eachTile(ArrayRef<int> batch, Value rows, Value columns,
                         llvm::function_ref<void(Value, Value)> body) {
  Value tile = constant(schedule.tile), less = constant(schedule.tile - 1);
  Value across = divide(add(columns, less), tile),
        down = divide(add(rows, less), tile);
  Value perBatch = mul(across, down);
  strided(block, mul(count(batch), perBatch), blocks, [&](Value i) {
    Value tuple = divide(i, perBatch);
    Value number = sub(i, mul(tuple, perBatch));
    Value y = divide(number, across);
    Value x = sub(number, mul(y, across));
    atTuple(batch, tuple, [&] { body(mul(y, tile), mul(x, tile)); });
  });
}

SmallVector<int> GpuKernel::outputs() const {
  SmallVector<int> outputs;
  for (int i = 0; i < lambda.rank(); ++i)
    outputs.push_back(i);
  return outputs;
}

Value GpuKernel::get(Value cell) {
  return memref::LoadOp::create(b, cell, ValueRange{constant(0)});
}
void GpuKernel::set(Value cell, Value value) {
  memref::StoreOp::create(b, value, cell, ValueRange{constant(0)});
}
void GpuKernel::addTerm(Value cell, const tdl::ExprRef &term) {
  Value value = emitTerm(term);
  set(cell, combine(get(cell), value));
}

Value GpuKernel::shared(Type element, int64_t count) {
  const std::string name =
      (function.getName() + ".shared" + std::to_string(sharedCount++)).str();
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  const auto type =
      MemRefType::get({count}, element, MemRefLayoutAttrInterface(), space);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(function);
  memref::GlobalOp::create(b, name, b.getStringAttr("private"), type,
                           /*initial_value=*/b.getUnitAttr(),
                           /*constant=*/false, b.getI64IntegerAttr(16));
  b.setInsertionPointToStart(&function.front());
  return memref::GetGlobalOp::create(b, type, name);
}

void GpuKernel::barrier() { gpu::BarrierOp::create(b); }

Value GpuKernel::fromLane(Value v, int64_t distance) {
  // Registers of 32 bits go from lane to lane.
  Type type = v.getType();
  const unsigned bits = type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(bits), word = b.getI32Type();
  if (type != integer)
    v = arith::BitcastOp::create(b, integer, v);
  const auto move = [&](Value w) -> Value {
    return gpu::ShuffleOp::create(b, w, int32_t(distance), 32,
                                  gpu::ShuffleMode::DOWN)
        .getShuffleResult();
  };
  if (bits < 32) {
    v = move(arith::ExtUIOp::create(b, word, v));
    v = arith::TruncIOp::create(b, integer, v);
  } else if (bits == 32) {
    v = move(v);
  } else {
    Value shift = arith::ConstantOp::create(b, b.getI64IntegerAttr(32));
    Value high =
        arith::TruncIOp::create(b, word, arith::ShRUIOp::create(b, v, shift));
    Value low = move(arith::TruncIOp::create(b, word, v));
    high = arith::ExtUIOp::create(b, integer, move(high));
    low = arith::ExtUIOp::create(b, integer, low);
    v = arith::OrIOp::create(b, arith::ShLIOp::create(b, high, shift), low);
  }
  if (type != integer)
    v = arith::BitcastOp::create(b, type, v);
  return v;
}

static void buildForm(GpuKernel &kernel) {
  switch (kernel.schedule.form) {
  case GpuSchedule::Form::Map:
    buildGpuMap(kernel);
    break;
  case GpuSchedule::Form::Thread:
    buildGpuThreads(kernel);
    break;
  case GpuSchedule::Form::Warp:
    buildGpuWarps(kernel);
    break;
  case GpuSchedule::Form::Scan:
    buildGpuScan(kernel);
    break;
  case GpuSchedule::Form::Product:
    buildGpuProduct(kernel);
    break;
  case GpuSchedule::Form::Nested:
    buildGpuNested(kernel);
    break;
  case GpuSchedule::Form::Segments:
    buildGpuSegments(kernel);
    break;
  case GpuSchedule::Form::Scatter:
    buildGpuScatter(kernel);
    break;
  case GpuSchedule::Form::Opaque:
    buildGpuOpaque(kernel);
    break;
  }
}

static func::FuncOp build(LocBuilder &b, const std::string &symbol,
                          const tdl::Lambda &lambda,
                          const GpuSchedule &schedule,
                          void (*fill)(GpuKernel &)) {
  OpBuilder::InsertionGuard guard(b);
  const tdl::Lambda terms = accumulated(lambda);
  GpuKernel kernel(b, symbol, terms, lambda.result, schedule);
  fill(kernel);
  func::ReturnOp::create(b);
  return kernel.function;
}

func::FuncOp codegen::buildGpuKernel(LocBuilder &b, const std::string &symbol,
                                     const tdl::Lambda &lambda,
                                     const GpuSchedule &schedule) {
  return build(b, symbol, lambda, schedule, buildForm);
}

func::FuncOp codegen::buildGpuParts(LocBuilder &b, const std::string &symbol,
                                    const tdl::Lambda &lambda,
                                    const GpuSchedule &schedule) {
  return build(b, symbol, lambda, schedule, buildGpuSegmentParts);
}
