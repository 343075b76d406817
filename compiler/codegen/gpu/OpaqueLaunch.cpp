#include "compiler/codegen/gpu/OpaqueLaunch.h"

using namespace smex;
using namespace smex::codegen;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

/// What a block needs that takes whole slices: words of 8 bytes for each
/// element of the last slice, or for each of its rows.
struct Needs {
  const char *function;
  int64_t words;
  bool isOfRows = false;
};
constexpr Needs perSlice[] = {
    {"nonzero_places", 0},           // counts are in shared memory
    {"det", 1},                      // the matrix as it is eliminated
    {"unique_numbers", 2, true},     // an order of rows, merged from another
    {"unsuppressed_boxes", 2, true}, // the same of boxes
};

const Needs *needsOf(const tdl::Lambda &lambda) {
  for (const Needs &each : perSlice)
    if (lambda.body->function == each.function)
      return &each;
  return nullptr;
}

} // namespace

OpaqueWork codegen::workOf(const tdl::Lambda &lambda) {
  return needsOf(lambda) ? OpaqueWork::PerSlice : OpaqueWork::PerElement;
}

std::vector<int> codegen::sliceVariables(const tdl::Lambda &lambda) {
  const std::vector<ExprRef> &place = lambda.body->children;
  std::vector<int> variables;
  for (int i = 0; i < lambda.rank(); ++i)
    if (place.empty() || place[0]->kind != ExprKind::Index ||
        place[0]->index != i)
      variables.push_back(i);
  return variables;
}

plan::Launch codegen::opaqueLaunch(const tdl::Lambda &lambda, int64_t threads) {
  plan::Launch launch;
  launch.threads = threads;
  launch.item = {{sliceVariables(lambda), 1}};
  launch.perBlock = 1;
  const Needs *needs = needsOf(lambda);
  if (!needs || needs->words == 0)
    return launch;
  launch.scratch.bytes = 8 * needs->words;
  const tdl::Expr::Slice &slice = lambda.body->slices.back();
  for (size_t d = 0; d < slice.index.size(); ++d)
    if (!slice.index[d] && (!needs->isOfRows || launch.scratch.extents.empty()))
      launch.scratch.extents.push_back({slice.operand, int(d)});
  return launch;
}
