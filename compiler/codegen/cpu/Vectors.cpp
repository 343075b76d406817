#include "compiler/codegen/cpu/Vectors.h"

#include "compiler/codegen/expression/Conditions.h"
#include "dialects/tdl/lambda/SlowOperations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>
#include <array>
#include <functional>

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

/// Decides hasVector for one expression.
class Vectorizable {
public:
  Vectorizable(const ExprRef &e, int variable) : variable(variable) {
    walkEvaluated(e, [&](const ExprRef &node) {
      if (node->kind == ExprKind::Read)
        evaluated.push_back(node);
    });
  }

  bool operator()(const ExprRef &e) const {
    if (!uses(e, variable))
      return true;
    if (e->type != DType::F32 && e->type != DType::F64)
      return false;
    switch (e->kind) {
    case ExprKind::Read:
      return isRow(*e);
    case ExprKind::Unary:
      return e->unary == tdl::UnaryOp::Neg && (*this)(e->children[0]);
    case ExprKind::Binary:
      return isArithmetic(e->binary) && both(e->children[0], e->children[1]);
    case ExprKind::Select:
      return isChoice(*e);
    default:
      return false;
    }
  }

private:
  static bool isArithmetic(BinaryOp op) {
    return op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mul ||
           op == BinaryOp::Div;
  }
  bool both(const ExprRef &a, const ExprRef &b) const {
    return (*this)(a) && (*this)(b);
  }

  bool isRow(const tdl::Expr &read) const {
    for (size_t d = 0; d + 1 < read.children.size(); ++d)
      if (uses(read.children[d], variable))
        return false;
    const auto last = linearIn(read.children.back(), variable);
    return !read.otherwise && last && last->factor == 1 &&
           !readsData(read.children.back());
  }

  /// Both sides are computed, which is sound where all that they read is read
  /// in any case.
  bool isChoice(const tdl::Expr &select) const {
    const ExprRef &condition = select.children[0];
    return condition->kind == ExprKind::Binary &&
           tdl::isComparison(condition->binary) &&
           condition->children[0]->type == select.type &&
           both(condition->children[0], condition->children[1]) &&
           both(select.children[1], select.children[2]) &&
           isEvaluated(select.children[1]) && isEvaluated(select.children[2]);
  }

  bool isEvaluated(const ExprRef &e) const {
    bool all = true;
    walk(e, [&](const ExprRef &node) {
      all &=
          node->kind != ExprKind::Read ||
          std::any_of(evaluated.begin(), evaluated.end(),
                      [&](const ExprRef &read) { return equal(read, node); });
    });
    return all;
  }

  const int variable;
  std::vector<ExprRef> evaluated; // reads, whatever conditions say
};

} // namespace

bool codegen::hasVector(const ExprRef &e, int variable) {
  return Vectorizable(e, variable)(e);
}

bool codegen::isSlow(const ExprRef &e) {
  bool found = false;
  walk(e, [&](const ExprRef &node) {
    found |= tdl::isSlow(*node) && readsData(node);
  });
  return found;
}

std::vector<ExprRef> codegen::coefficients(const ExprRef &e, int variable) {
  std::vector<ExprRef> found;
  const std::function<void(const ExprRef &)> collect =
      [&](const ExprRef &node) {
        if (!uses(node, variable)) {
          const auto same = [&](const ExprRef &other) {
            return equal(other, node);
          };
          if (node->type == e->type && isSlow(node) &&
              std::none_of(found.begin(), found.end(), same))
            found.push_back(node);
        } else if (node->kind == ExprKind::Unary ||
                   node->kind == ExprKind::Binary) {
          // Not where a condition decides: what it leaves out may be out of
          // range.
          for (const ExprRef &child : node->children)
            collect(child);
        }
      };
  collect(e);
  return found;
}

Value codegen::emitVector(CpuKernel &kernel, const ExprRef &e, int variable,
                          Value mask, int64_t shift) {
  LocBuilder &b = kernel.b;
  if (!uses(e, variable))
    return broadcast(kernel, kernel.emit(e));
  const auto child = [&](size_t i) {
    return emitVector(kernel, e->children[i], variable, mask, shift);
  };
  if (e->kind == ExprKind::Unary)
    return arith::NegFOp::create(b, child(0));
  if (e->kind == ExprKind::Binary) {
    Value left = child(0);
    return emitBinary(b, e->binary, e->children[0]->type, left, child(1));
  }
  if (e->kind == ExprKind::Select) {
    Value condition =
        uses(e->children[0], variable) ? child(0) : kernel.emit(e->children[0]);
    Value yes = child(1);
    return arith::SelectOp::create(b, condition, yes, child(2));
  }
  auto type = accumulatorVector(kernel);
  Value memory = kernel.operands[size_t(e->operand)];
  Values indices = kernel.readIndices(*e);
  if (shift != 0) // last, so that it becomes part of the instruction
    indices.back() = kernel.add(indices.back(), kernel.constant(shift));
  if (!mask)
    return vector::LoadOp::create(b, type, memory, indices);
  Value nothing = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return vector::MaskedLoadOp::create(b, type, memory, indices, mask, nothing);
}

VectorType codegen::accumulatorVector(CpuKernel &kernel) {
  return VectorType::get({kernel.vector()}, kernel.accumulatorMemory());
}

Value codegen::broadcast(CpuKernel &kernel, Value scalar) {
  return vector::BroadcastOp::create(kernel.b, accumulatorVector(kernel),
                                     scalar);
}

Value codegen::maskOf(CpuKernel &kernel, Value count) {
  auto bits = VectorType::get({kernel.vector()}, kernel.b.getI1Type());
  return vector::CreateMaskOp::create(kernel.b, bits, count);
}

Value codegen::combineLanes(CpuKernel &kernel, Value lanes) {
  LocBuilder &b = kernel.b;
  const int64_t count = cast<VectorType>(lanes.getType()).getNumElements();
  for (int64_t half = count / 2; half > 0; half /= 2) {
    const auto part = [&](int64_t offset) {
      return vector::ExtractStridedSliceOp::create(
                 b, lanes, ArrayRef<int64_t>{offset}, ArrayRef<int64_t>{half},
                 ArrayRef<int64_t>{1})
          .getResult();
    };
    Value low = part(0);
    lanes = kernel.combine(low, part(half));
  }
  return vector::ExtractOp::create(b, lanes, ArrayRef<int64_t>{0});
}

Value codegen::combineLanesOfEach(CpuKernel &kernel, ArrayRef<Value> vectors) {
  // Two vectors become one with half of each one's lanes, three times. Shuffles
  // that stay within halves of 256 bits are cheaper, hence the order.
  using Lanes = std::array<int64_t, 8>;
  const auto merged = [&](Value x, Value y, Lanes low, Lanes high) {
    const auto pick = [&](const Lanes &lanes) -> Value {
      return vector::ShuffleOp::create(kernel.b, x, y, lanes);
    };
    Value first = pick(low);
    return kernel.combine(first, pick(high));
  };
  const auto pair = [&](size_t i) { // lanes 4 of i, 4 of i + 4
    return merged(vectors[i], vectors[i + 4], {0, 1, 2, 3, 8, 9, 10, 11},
                  {4, 5, 6, 7, 12, 13, 14, 15});
  };
  const auto four = [&](size_t i) { // lanes 2 of i, i + 1, i + 4, i + 5
    Value left = pair(i);
    return merged(left, pair(i + 1), {0, 1, 8, 9, 4, 5, 12, 13},
                  {2, 3, 10, 11, 6, 7, 14, 15});
  };
  Value left = four(0);
  return merged(left, four(2), {0, 2, 8, 10, 4, 6, 12, 14},
                {1, 3, 9, 11, 5, 7, 13, 15});
}

VectorVariable::VectorVariable(CpuKernel &kernel)
    : kernel(kernel), memory(kernel.scratch(accumulatorVector(kernel), 1)) {}

Value VectorVariable::get() {
  return memref::LoadOp::create(kernel.b, memory,
                                ValueRange{kernel.constant(0)});
}

void VectorVariable::set(Value value) {
  memref::StoreOp::create(kernel.b, value, memory,
                          ValueRange{kernel.constant(0)});
}
