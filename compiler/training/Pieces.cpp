#include "compiler/training/Pieces.h"

using namespace smex;
using namespace smex::training;
using tdl::BinaryOp;
using tdl::ExprKind;
using tdl::ExprRef;

/// b where the expression is index variable d, plus b.
static std::optional<int64_t> shiftOf(const ExprRef &e, int d) {
  const auto isVariable = [&](const ExprRef &part) {
    return part->kind == ExprKind::Index && part->index == d;
  };
  if (isVariable(e))
    return 0;
  if (e->kind == ExprKind::Binary && e->binary == BinaryOp::Add &&
      isVariable(e->children[0]) && e->children[1]->kind == ExprKind::Int)
    return e->children[1]->integer;
  return std::nullopt;
}

std::optional<Piece> training::pieceOf(const frontend::Application &application,
                                       const std::vector<int64_t> &shape) {
  const tdl::Lambda &lambda = application.lambda;
  if (lambda.reducer != tdl::Reducer::None || lambda.operands.size() != 1 ||
      lambda.body->kind != ExprKind::Read || lambda.body->otherwise ||
      application.extents.size() != shape.size())
    return std::nullopt;
  std::optional<Piece> piece;
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto shift = shiftOf(lambda.body->children[d], int(d));
    if (!shift)
      return std::nullopt;
    if (application.extents[d] == shape[d])
      continue;
    if (piece)
      return std::nullopt;
    piece = {int(d), *shift, application.extents[d]};
  }
  return piece;
}

bool training::coverAll(const std::vector<Piece> &pieces,
                        const std::vector<int64_t> &shape) {
  // A few are added up as well, together with what they are made of.
  constexpr size_t many = 4;
  if (pieces.size() < many)
    return false;
  int64_t covered = 0;
  for (const Piece &piece : pieces) {
    if (piece.axis != pieces[0].axis || piece.first != covered)
      return false;
    covered += piece.count;
  }
  return covered == shape[size_t(pieces[0].axis)];
}

tdl::Instance training::sideBySide(const std::vector<int64_t> &counts, int axis,
                                   DType type, std::vector<int64_t> shape) {
  tdl::Lambda lambda;
  lambda.result = type;
  for (size_t d = 0; d < shape.size(); ++d)
    lambda.outputs.push_back("i" + std::to_string(d));
  tdl::Application application;
  int64_t end = 0;
  for (size_t p = 0; p < counts.size(); ++p) {
    lambda.operands.push_back(
        {"x" + std::to_string(p), type, int(shape.size())});
    application.operands.push_back(int(p));
    end += counts[p];
  }
  shape[size_t(axis)] = end;
  // Out of a part's range, the element is one of the parts after it.
  for (size_t p = counts.size(); p-- > 0;) {
    end -= counts[p];
    std::vector<ExprRef> index;
    for (size_t d = 0; d < shape.size(); ++d)
      index.push_back(int(d) == axis
                          ? tdl::binary(BinaryOp::Sub, tdl::indexVar(int(d)),
                                        tdl::constant(end))
                          : tdl::indexVar(int(d)));
    lambda.body = tdl::read(int(p), type, std::move(index), lambda.body);
  }
  application.lambda = tdl::canonicalize(std::move(lambda));
  application.extents = std::move(shape);
  return {{std::move(application)}, {~0}};
}
