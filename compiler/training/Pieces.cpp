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
      lambda.body->kind != ExprKind::Read || lambda.body->otherwise)
    return std::nullopt;
  const std::vector<ExprRef> &index = lambda.body->children;
  std::optional<Piece> piece;
  size_t variable = 0; // of the result
  for (size_t d = 0; d < shape.size(); ++d) {
    std::optional<Piece> taken;
    if (index[d]->kind == ExprKind::Int) {
      taken = {int(d), index[d]->integer, 1, true};
    } else {
      const auto shift = shiftOf(index[d], int(variable));
      if (!shift)
        return std::nullopt;
      const int64_t extent = application.extents[variable++];
      if (extent != shape[d])
        taken = {int(d), *shift, extent};
    }
    if (piece && taken)
      return std::nullopt;
    piece = taken ? taken : piece;
  }
  return variable == application.extents.size() ? piece : std::nullopt;
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

tdl::Instance training::sideBySide(const std::vector<Piece> &pieces, DType type,
                                   std::vector<int64_t> shape) {
  const size_t axis = size_t(pieces[0].axis);
  tdl::Lambda lambda;
  lambda.result = type;
  for (size_t d = 0; d < shape.size(); ++d)
    lambda.outputs.push_back("i" + std::to_string(d));
  tdl::Application application;
  int64_t end = 0;
  for (size_t p = 0; p < pieces.size(); ++p) {
    lambda.operands.push_back({"x" + std::to_string(p), type,
                               int(shape.size()) - int(pieces[p].drops)});
    application.operands.push_back(int(p));
    end += pieces[p].count;
  }
  shape[axis] = end;
  // Out of a part's range, the element is one of the parts after it.
  for (size_t p = pieces.size(); p-- > 0;) {
    end -= pieces[p].count;
    std::vector<ExprRef> index;
    for (size_t d = 0; d < shape.size(); ++d)
      if (d != axis)
        index.push_back(tdl::indexVar(int(d)));
      else if (!pieces[p].drops)
        index.push_back(tdl::binary(BinaryOp::Sub, tdl::indexVar(int(d)),
                                    tdl::constant(end)));
    if (!pieces[p].drops)
      lambda.body = tdl::read(int(p), type, std::move(index), lambda.body);
    else if (!lambda.body)
      lambda.body = tdl::read(int(p), type, std::move(index));
    else
      lambda.body =
          tdl::select(tdl::binary(BinaryOp::Eq, tdl::indexVar(int(axis)),
                                  tdl::constant(end)),
                      tdl::read(int(p), type, std::move(index)), lambda.body);
  }
  application.lambda = tdl::canonicalize(std::move(lambda));
  application.extents = std::move(shape);
  return {{std::move(application)}, {~0}};
}
