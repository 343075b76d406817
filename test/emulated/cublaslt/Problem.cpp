#include "test/emulated/cublaslt/Problem.h"

#include <cstdlib>
#include <limits>

namespace smex::emulated::cublaslt {
namespace {

using Kind = Descriptor::Kind;

/// `broadcasts`: it may have one column, or row, for all.
Matrix matrixOf(void *layout, const char *name, bool broadcasts = false) {
  const Descriptor &from = descriptorAt(layout, Kind::Layout, name);
  const std::string what = std::string("matrix ") + name;
  Matrix made;
  made.type = int(from.value<uint32_t>(MATRIX_LAYOUT_TYPE));
  made.order = from.value<int32_t>(MATRIX_LAYOUT_ORDER);
  made.rows = int64_t(from.value<uint64_t>(MATRIX_LAYOUT_ROWS));
  made.columns = int64_t(from.value<uint64_t>(MATRIX_LAYOUT_COLS));
  made.leading = from.value<int64_t>(MATRIX_LAYOUT_LD);
  made.batch = from.value<int32_t>(MATRIX_LAYOUT_BATCH_COUNT);
  made.batchStride = from.value<int64_t>(MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
  need(sizeOf(made.type) > 0, STATUS_NOT_SUPPORTED,
       what + " is of type " + std::to_string(made.type), cites::someTypes);
  need(made.order == ORDER_COL || made.order == ORDER_ROW, STATUS_NOT_SUPPORTED,
       what + " has order " + std::to_string(made.order), cites::someOrders);
  need(from.value<int64_t>(MATRIX_LAYOUT_PLANE_OFFSET) == 0 &&
           from.value<uint32_t>(MATRIX_LAYOUT_BATCH_MODE) == BATCH_MODE_STRIDED,
       STATUS_NOT_SUPPORTED, what + " has planes or an array of pointers",
       cites::noPlanes);
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  need(made.rows > 0 && made.columns > 0, STATUS_INVALID_VALUE,
       what + " has no elements", cites::empty);
  need(made.rows <= most && made.columns <= most, STATUS_NOT_SUPPORTED,
       what + " has too many rows or columns", cites::tooMany);
  need(made.batch > 0, STATUS_INVALID_VALUE, what + ": no batch",
       cites::batchCount);
  const bool isByColumns = made.order == ORDER_COL;
  need(made.leading >= (isByColumns ? made.rows : made.columns) ||
           (broadcasts && made.leading == 0),
       STATUS_INVALID_VALUE,
       what + ": its leading dimension of " + std::to_string(made.leading) +
           " is less than its " +
           (isByColumns ? std::to_string(made.rows) + " rows"
                        : std::to_string(made.columns) + " columns"),
       cites::leading);
  made.rowStride = isByColumns ? 1 : made.leading;
  made.columnStride = isByColumns ? made.leading : 1;
  return made;
}

void transpose(Matrix &matrix) {
  std::swap(matrix.rows, matrix.columns);
  std::swap(matrix.rowStride, matrix.columnStride);
}

bool sumsInFloats(int computeType) {
  return computeType == COMPUTE_32F || computeType == COMPUTE_32F_PEDANTIC ||
         computeType == COMPUTE_64F || computeType == COMPUTE_64F_PEDANTIC;
}

/// "cublasLtMatmul() supports the following computeType, scaleType,
/// Atype/Btype, and Ctype" (its documentation, "Datatypes Supported", table of
/// regular matrices): the rows that sum in f32 or f64. A and B have one type,
/// and so have C and D.
bool isSupported(int computeType, int scaleType, const Matrix &a,
                 const Matrix &d) {
  if (computeType == COMPUTE_64F || computeType == COMPUTE_64F_PEDANTIC)
    return scaleType == R_64F && a.type == R_64F && d.type == R_64F;
  if (scaleType != R_32F)
    return false;
  if (a.type == R_32F)
    return d.type == R_32F;
  return (a.type == R_16F || a.type == R_16BF) &&
         (d.type == a.type || d.type == R_32F);
}

/// "cublasLtEpilogue_t", and what is said of biases elsewhere.
Epilogue epilogueOf(const Descriptor &operation, const Matrix &d) {
  Epilogue made;
  made.kind = operation.value<uint32_t>(MATMUL_DESC_EPILOGUE);
  constexpr uint32_t auxiliary = EPILOGUE_GELU_AUX ^ EPILOGUE_GELU;
  const bool isOther = (made.kind & auxiliary) ||
                       made.kind == EPILOGUE_BGRADA ||
                       made.kind == EPILOGUE_BGRADB;
  need(made.kind == EPILOGUE_DEFAULT || made.kind == EPILOGUE_RELU ||
           made.kind == EPILOGUE_BIAS || made.kind == EPILOGUE_RELU_BIAS ||
           made.kind == EPILOGUE_GELU || made.kind == EPILOGUE_GELU_BIAS,
       STATUS_NOT_SUPPORTED, "the epilogue is " + std::to_string(made.kind),
       isOther ? cites::someEpilogues : cites::noEpilogue);
  // Newer documentation has it of a bias with an activation only.
  need(made.kind == EPILOGUE_DEFAULT || d.order == ORDER_COL,
       STATUS_NOT_SUPPORTED, "an epilogue of a result by rows",
       cites::epilogueByRows);
  if (!made.hasBias())
    return made;
  const int type = operation.value<int32_t>(MATMUL_DESC_BIAS_DATA_TYPE);
  need(type == -1 || type == d.type, STATUS_INVALID_VALUE,
       "a bias of another type than D", cites::biasType);
  made.bias = operation.value<uint64_t>(MATMUL_DESC_BIAS_POINTER);
  made.batchStride = operation.value<int64_t>(MATMUL_DESC_BIAS_BATCH_STRIDE);
  return made;
}

} // namespace

size_t sizeOf(int type) {
  switch (type) {
  case R_32F:
    return 4;
  case R_64F:
    return 8;
  case R_16F:
  case R_16BF:
    return 2;
  }
  return 0;
}

Problem problemOf(void *operation, void *a, void *b, void *c, void *d) {
  const Descriptor &from = descriptorAt(operation, Kind::Operation, "matmul");
  Problem made;
  made.computeType = from.value<int32_t>(MATMUL_DESC_COMPUTE_TYPE);
  made.scaleType = from.value<int32_t>(MATMUL_DESC_SCALE_TYPE);
  made.a = matrixOf(a, "A");
  made.b = matrixOf(b, "B");
  made.d = matrixOf(d, "D");
  // "If Cdesc is omitted, this function assumes it to be equal to Ddesc"
  // (cublasLtMatmul).
  made.c = c ? matrixOf(c, "C", true) : made.d;
  const auto transposes = [&](int attribute) {
    const int32_t how = from.value<int32_t>(attribute);
    need(how == OP_N || how == OP_T, STATUS_NOT_SUPPORTED,
         "transposition " + std::to_string(how), cites::someTranspositions);
    return how == OP_T;
  };
  need(!transposes(MATMUL_DESC_TRANSC), STATUS_NOT_SUPPORTED, "C is transposed",
       cites::transC);
  need(from.value<int32_t>(MATMUL_DESC_POINTER_MODE) == POINTER_MODE_HOST,
       STATUS_NOT_SUPPORTED, "scalars are on the device", cites::hostScalars);
  need(sumsInFloats(made.computeType), STATUS_NOT_SUPPORTED,
       "sums of type " + std::to_string(made.computeType), cites::someSums);
  need(made.a.type == made.b.type, STATUS_INVALID_VALUE,
       "A and B are of different types", cites::operandTypes);
  need(isSupported(made.computeType, made.scaleType, made.a, made.d),
       STATUS_NOT_SUPPORTED, "types that do not go together", cites::types);
  made.epilogue = epilogueOf(from, made.d);
  if (transposes(MATMUL_DESC_TRANSA))
    transpose(made.a);
  if (transposes(MATMUL_DESC_TRANSB))
    transpose(made.b);
  made.m = made.d.rows;
  made.n = made.d.columns;
  made.k = made.a.columns;
  need(made.a.rows == made.m && made.b.columns == made.n &&
           made.b.rows == made.k,
       STATUS_INVALID_VALUE, "these matrices have no product", cites::conflict);
  need(made.a.batch == made.d.batch && made.b.batch == made.d.batch,
       STATUS_INVALID_VALUE, "batches of different sizes", cites::conflict);
  need(made.c.type == made.d.type && made.c.rows == made.m &&
           made.c.columns == made.n && made.c.batch == made.d.batch &&
           made.c.order == made.d.order,
       STATUS_INVALID_VALUE, "C is no matrix as D is", cites::outOfPlace);
  const int64_t minor = made.d.order == ORDER_COL ? made.m : made.n;
  const int64_t apart = std::abs(made.d.batchStride);
  need(made.d.batch == 1 || apart >= made.d.spanOfOne() ||
           (apart >= minor &&
            (made.d.batch - 1) * apart + minor <= made.d.leading),
       STATUS_INVALID_VALUE, "the batch's results overlap", cites::overlap);
  return made;
}

} // namespace smex::emulated::cublaslt
