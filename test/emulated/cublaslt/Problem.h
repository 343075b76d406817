// What cublasLtMatmul is asked: read from its descriptors, and refused where it
// makes no sense.
#ifndef SMEX_TEST_EMULATED_CUBLASLT_PROBLEM_H
#define SMEX_TEST_EMULATED_CUBLASLT_PROBLEM_H

#include "test/emulated/cublaslt/Descriptors.h"

namespace smex::emulated::cublaslt {

/// Bytes of an element; 0 for types that are not emulated.
size_t sizeOf(int type);

/// A matrix as it lies in memory: element (i, j) of matrix b of the batch is at
/// i * rowStride + j * columnStride + b * batchStride elements.
struct Matrix {
  int type = 0;
  int order = 0;
  int64_t rows = 0, columns = 0, leading = 0;
  int64_t rowStride = 0, columnStride = 0, batchStride = 0;
  int32_t batch = 1;

  /// From its first element to behind its last, over the whole batch.
  int64_t spanOfOne() const {
    return (rows - 1) * rowStride + (columns - 1) * columnStride + 1;
  }
  bool operator==(const Matrix &other) const {
    return type == other.type && order == other.order && rows == other.rows &&
           columns == other.columns && leading == other.leading &&
           batchStride == other.batchStride && batch == other.batch;
  }
};

/// What is done with each element before it is rounded and stored.
struct Epilogue {
  uint32_t kind = EPILOGUE_DEFAULT;
  /// Of D's type, one element per row of D, packed; for each matrix of the
  /// batch so many elements further.
  uint64_t bias = 0;
  int64_t batchStride = 0;

  bool hasBias() const { return kind & EPILOGUE_BIAS; }
  bool isRelu() const { return kind & EPILOGUE_RELU; }
  bool isGelu() const { return kind & EPILOGUE_GELU; }
};

/// d = epilogue(alpha * op(a) * op(b) + beta * c)
struct Problem {
  int computeType = 0, scaleType = 0;
  int64_t m = 0, n = 0, k = 0;
  Matrix a, b, c, d; // a and b with their transposition done
  Epilogue epilogue;

  bool isDouble() const { return scaleType == R_64F; }
};

/// Throws a Refusal. `c` may be null: it is as `d` then.
Problem problemOf(void *operation, void *a, void *b, void *c, void *d);

} // namespace smex::emulated::cublaslt

#endif
