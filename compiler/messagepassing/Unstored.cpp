#include "compiler/messagepassing/Unstored.h"

#include "dialects/tdl/analysis/Properties.h"
#include "dialects/tdl/lambda/SlowOperations.h"

#include <algorithm>

using namespace mlir;
using namespace smex;
using namespace smex::messagepassing;
using semantic::ApplyOp;
using semantic::ParameterOp;

namespace {

/// The price: operations that all readers together may spend per byte that is
/// not stored. An attention with 64 features per head comes to some 80. Today's
/// processors compute 10 to 60 operations while they move a byte from and to
/// memory: more is paid here, since memory is what a plan runs out of.
constexpr int64_t mostFlopsPerByte = 256;
/// The tensor is so many times as large as what it is made of, or it is stored:
/// then there is little to gain.
constexpr int64_t leastGain = 2;

/// Arithmetic per point, in sums.
int64_t workPerPoint(const tdl::Lambda &lambda) {
  int64_t work = analysis::flopsPerPoint(lambda);
  tdl::walk(lambda.body, [&](const tdl::ExprRef &e) {
    if (tdl::isSlow(*e) && tdl::readsData(e))
      work += tdl::slowOperation;
  });
  return work;
}

/// Data says which elements are read: those of an edge's ends.
bool readsByData(const tdl::Lambda &lambda) {
  bool found = false;
  tdl::walk(lambda.body, [&](const tdl::ExprRef &e) {
    if (e->kind == tdl::ExprKind::Read)
      found |= llvm::any_of(e->children, tdl::readsData);
  });
  return found;
}

/// Random numbers, and what is made of them alone: of a seed and of where the
/// element is.
bool isDrawn(ApplyOp apply) {
  return llvm::all_of(apply.getInputs(), [](mlir::Value operand) {
    return cast<RankedTensorType>(operand.getType()).getRank() == 0;
  });
}

/// Inputs, and lists of a graph.
bool isThereInAnyCase(mlir::Value value) {
  auto parameter = value.getDefiningOp<ParameterOp>();
  return isa<BlockArgument>(value) || (parameter && parameter.getConstant());
}

} // namespace

void Unstored::update() {
  do
    known.clear();
  while (storesOthers());
}

/// What no sum over edges reads is stored: a word's vector is found by data,
/// too, but is no message. Random numbers take long to draw: they are stored
/// where numbers of the same edges are. Tells if there is such a thing.
bool Unstored::storesOthers() {
  const size_t before = stored.size();
  for (Operation &op : main.getBody().front()) {
    auto apply = dyn_cast<ApplyOp>(op);
    if (!apply || !contains(apply.getResult()))
      continue;
    const bool isMessage =
        llvm::any_of(apply.getResult().getUsers(), [&](Operation *user) {
          auto reader = cast<ApplyOp>(user);
          if (contains(reader.getResult()))
            return true;
          const tdl::Lambda &lambda = lambdaOf(reader);
          return lambda.guard && tdl::readsData(lambda.guard) &&
                 (!isDrawn(apply) || computesMessages(reader));
        });
    if (!isMessage)
      stored.insert(apply.getResult());
  }
  return stored.size() != before;
}

/// Whether the reader computes anything but random numbers itself.
bool Unstored::computesMessages(ApplyOp reader) {
  return llvm::any_of(reader.getInputs(), [&](mlir::Value operand) {
    auto apply = operand.getDefiningOp<ApplyOp>();
    return apply && !isDrawn(apply) && contains(operand);
  });
}

bool Unstored::contains(mlir::Value value) {
  if (const auto found = known.find(value); found != known.end())
    return found->second.isUnstored;
  Facts facts = factsOf(value);
  const bool is = facts.isUnstored;
  known[value] = std::move(facts);
  return is;
}

bool Unstored::hasRoomFor(const Interchanged &sums, ApplyOp reader,
                          mlir::Value operand) {
  const int rank =
      int(cast<RankedTensorType>(reader.getResult().getType()).getRank());
  int64_t bytes = byteSize(sums.terms.lambda.result);
  for (int d = 0; d < sums.terms.lambda.rank(); ++d)
    bytes *=
        d < rank ? extentOf(reader.getResult(), d) : sums.extents[size_t(d)];
  return bytes <= bytesOf(known[operand].madeOf.getArrayRef());
}

/// What grows with the graph counts as 1, if its size is not to decide.
int64_t Unstored::extentOf(mlir::Value value, int dimension) const {
  if (growth && growth->grows(value, dimension))
    return 1;
  return cast<RankedTensorType>(value.getType())
      .getDimSize(unsigned(dimension));
}

int64_t Unstored::bytesOf(mlir::Value value) const {
  const smex::TensorType type = semantic::tensorType(value.getType());
  int64_t bytes = byteSize(type.dtype);
  for (int d = 0; d < type.rank(); ++d)
    bytes *= extentOf(value, d);
  return bytes;
}

int64_t Unstored::bytesOf(ArrayRef<mlir::Value> values) const {
  int64_t bytes = 0;
  for (mlir::Value value : values)
    bytes += bytesOf(value);
  return bytes;
}

/// Then how much work an element is depends on the graph's size.
bool Unstored::sumsWhatGrows(ApplyOp apply) const {
  const int rank =
      int(cast<RankedTensorType>(apply.getResult().getType()).getRank());
  for (int i = rank; growth && i < int(apply.getExtents().size()); ++i)
    if (growth->grows(apply.getResult(), i))
      return true;
  return false;
}

/// Where its size is not to decide: in graphs of enough edges.
bool Unstored::isLargeFor(mlir::Value value,
                          ArrayRef<mlir::Value> madeOf) const {
  const int64_t bytes = bytesOf(value);
  if (!growth)
    return bytes >= leastGain * bytesOf(madeOf);
  const auto rankOf = [](mlir::Value of) {
    return int(cast<RankedTensorType>(of.getType()).getRank());
  };
  for (int d = 0; d < rankOf(value); ++d) {
    const int edges = growth->edgesOf(value, d);
    if (edges < 0)
      continue;
    int64_t others = 0; // which grow with the same edges
    for (mlir::Value each : madeOf)
      for (int e = 0; e < rankOf(each); ++e)
        if (growth->edgesOf(each, e) == edges) {
          others += bytesOf(each);
          break;
        }
    if (bytes >= leastGain * others)
      return true;
  }
  return false;
}

Unstored::Facts Unstored::factsOf(mlir::Value value) {
  Facts facts;
  auto apply = value.getDefiningOp<ApplyOp>();
  if (!apply || stored.contains(value) ||
      !llvm::all_of(value.getUsers(),
                    [](Operation *user) { return isa<ApplyOp>(user); }))
    return facts;
  const tdl::Lambda &lambda = lambdaOf(apply);
  const bool isSum = lambda.reducer == tdl::Reducer::Sum &&
                     lambda.body->kind != tdl::ExprKind::Opaque;
  if ((!isSum && !analysis::isMap(lambda)) || sumsWhatGrows(apply))
    return facts;
  bool ofEdges = readsByData(lambda) || isDrawn(apply);
  facts.work = workPerPoint(lambda);
  for (mlir::Value operand : apply.getInputs()) {
    if (contains(operand)) {
      const Facts &of = known[operand];
      ofEdges = true;
      facts.work += of.work;
      facts.madeOf.insert(of.madeOf.begin(), of.madeOf.end());
    } else if (!isThereInAnyCase(operand)) {
      facts.madeOf.insert(operand);
    }
  }
  constexpr int64_t tooMany = int64_t(1) << 20;
  for (size_t r = size_t(lambda.rank()); r < apply.getExtents().size(); ++r)
    facts.work = std::min(facts.work, tooMany) *
                 std::min(apply.getExtents()[r], tooMany);
  const auto readers = std::distance(value.use_begin(), value.use_end());
  const int64_t bytes = byteSize(semantic::tensorType(value.getType()).dtype);
  facts.isUnstored = ofEdges && isLargeFor(value, facts.madeOf.getArrayRef()) &&
                     facts.work * readers <= mostFlopsPerByte * bytes;
  return facts;
}
