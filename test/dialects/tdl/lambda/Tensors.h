// Small tensors, written down and compared.
#ifndef SMEX_TEST_DIALECTS_TDL_LAMBDA_TENSORS_H
#define SMEX_TEST_DIALECTS_TDL_LAMBDA_TENSORS_H

#include "dialects/tdl/lambda/Arithmetic.h"
#include "dialects/tdl/lambda/Interpreter.h"

namespace smex::tdl {

/// A tensor of any type; the values convert to it.
inline Tensor tensor(DType type, std::vector<int64_t> shape,
                     const std::vector<double> &values) {
  Tensor result = makeTensor({type, std::move(shape)});
  for (size_t i = 0; i < values.size(); ++i)
    store(type, convert(DType::F64, type, scalarOf(values[i])),
          result.bytes.data() + int64_t(i) * byteSize(type));
  return result;
}

inline Tensor f32(std::vector<int64_t> shape,
                  const std::vector<double> &values) {
  return tensor(DType::F32, std::move(shape), values);
}
inline Tensor i64(std::vector<int64_t> shape,
                  const std::vector<double> &values) {
  return tensor(DType::I64, std::move(shape), values);
}

/// 0, 1, 2, ...
inline Tensor counting(DType type, std::vector<int64_t> shape) {
  std::vector<double> values(size_t(*elementCount(shape)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = double(i);
  return tensor(type, std::move(shape), values);
}

inline std::vector<double> values(const Tensor &t) {
  std::vector<double> result;
  const DType type = t.type.dtype;
  for (size_t at = 0; at < t.bytes.size(); at += size_t(byteSize(type)))
    result.push_back(convert(type, DType::F64, load(type, &t.bytes[at])).real);
  return result;
}

} // namespace smex::tdl

#endif
