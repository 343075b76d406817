#include "compiler/codegen/gpu/RowReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace smex;
using namespace smex::codegen;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

class RowReads {
public:
  explicit RowReads(int term) : term(term) {}

  std::vector<RowRead> found;

  void find(const ExprRef &e, const ExprRef &guard) {
    if (e->kind == ExprKind::Read)
      return add(e, guard);
    if (e->kind == ExprKind::Select)
      return findInBranches(*e, guard);
    const bool isLogic =
        e->kind == ExprKind::Binary && e->type == DType::Bool &&
        (e->binary == BinaryOp::And || e->binary == BinaryOp::Or);
    for (const ExprRef &child : e->children) {
      find(child, guard);
      if (isLogic) // the right side may not be looked at
        return;
    }
  }

private:
  bool isOfRow(const ExprRef &e) const {
    bool is = true;
    tdl::walk(e, [&](const ExprRef &part) {
      is &= part->kind != ExprKind::Index || part->index != term;
      // What has no place is not in memory, but at hand, and the term's.
      is &= part->kind != ExprKind::Read || !part->children.empty();
    });
    return is;
  }

  void add(const ExprRef &read, const ExprRef &guard) {
    if (!isOfRow(read) || read->otherwise ||
        llvm::any_of(read->children, tdl::readsData))
      return;
    for (RowRead &other : found)
      if (tdl::equal(other.read, read)) {
        if (!guard || !other.guard)
          other.guard = nullptr;
        else if (!tdl::equal(guard, other.guard))
          other.guard = tdl::binary(BinaryOp::Or, other.guard, guard);
        return;
      }
    found.push_back({read, guard});
  }

  void findInBranches(const tdl::Expr &e, const ExprRef &guard) {
    const ExprRef &condition = e.children[0];
    find(condition, guard);
    if (!isOfRow(condition))
      return;
    const auto both = [&](const ExprRef &other) {
      return guard ? tdl::binary(BinaryOp::And, guard, other) : other;
    };
    find(e.children[1], both(condition));
    find(e.children[2], both(tdl::unary(tdl::UnaryOp::Not, condition)));
  }

  const int term;
};

} // namespace

std::vector<RowRead> codegen::findRowReads(const ExprRef &expression,
                                           int term) {
  RowReads reads(term);
  reads.find(expression, nullptr);
  return std::move(reads.found);
}

Value RowRead::load(GpuKernel &kernel) const {
  if (!guard)
    return kernel.emit(read);
  LocBuilder &b = kernel.b;
  const Type type = valueType(b.getContext(), read->type);
  auto branch = scf::IfOp::create(b, TypeRange{type}, kernel.emit(guard),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard inside(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  scf::YieldOp::create(b, kernel.emit(read));
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  Value nothing = arith::ConstantOp::create(b, type, b.getZeroAttr(type));
  scf::YieldOp::create(b, nothing);
  return branch.getResult(0);
}
