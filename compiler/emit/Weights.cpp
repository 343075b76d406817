#include "compiler/emit/Weights.h"

#include "dialects/support/File.h"

#include <cstring>
#include <memory>

using namespace smex;
using namespace smex::emit;
using frontend::ParameterData;

Weights::Weights(const frontend::Model &model,
                 std::vector<DerivedParameter> list)
    : model(model) {
  for (DerivedParameter &each : list)
    derived[each.name] = std::move(each);
  for (const frontend::Parameter &parameter : model.parameters)
    byName[model.values[parameter.value].name] = &parameter;
}

namespace {

/// Calls `copy(element, count)` for every contiguous run of the box, in
/// row-major order, with its first element's number in the whole tensor.
template <typename F>
bool forEachRun(const std::vector<int64_t> &shape, const Box &box, F &&copy) {
  // Trailing dimensions that are whole join into one run.
  size_t inner = box.size();
  int64_t run = 1;
  while (inner > 0 && box[inner - 1] == Interval{0, shape[inner - 1]})
    run *= shape[--inner];
  const auto strides = rowMajorStrides(shape);
  Box outer(box.begin(), box.begin() + inner);
  if (inner > 0) {
    run *= outer.back().size();
    outer.back().hi = outer.back().lo + 1;
  }
  if (isEmpty(box))
    return true;
  std::vector<int64_t> at;
  for (Interval side : outer)
    at.push_back(side.lo);
  while (true) {
    int64_t element = 0;
    for (size_t d = 0; d < at.size(); ++d)
      element += at[d] * strides[d];
    if (!copy(element, run))
      return false;
    size_t d = at.size();
    while (d > 0 && ++at[d - 1] == outer[d - 1].hi) {
      at[d - 1] = outer[d - 1].lo;
      --d;
    }
    if (d == 0)
      return true;
  }
}

std::vector<std::byte> region(const std::byte *bytes, const TensorType &type,
                              const Box &box) {
  const int64_t element = byteSize(type.dtype);
  std::vector<std::byte> copied;
  copied.reserve(size_t(volume(box) * element));
  forEachRun(type.shape, box, [&](int64_t first, int64_t count) {
    const std::byte *from = bytes + first * element;
    copied.insert(copied.end(), from, from + count * element);
    return true;
  });
  return copied;
}

} // namespace

Result<const Tensor *> Weights::whole(const DerivedParameter &parameter) const {
  if (kept == &parameter)
    return &keptTensor;
  keptTensor = Tensor(); // before the next one, not beside it
  std::vector<Tensor> of;
  for (const std::string &name : parameter.recipe.of) {
    const TensorType &type = model.values[byName.at(name)->value].type;
    auto bytes = read(name, wholeBox(type.shape));
    if (!bytes)
      return bytes.takeError();
    of.push_back({type, std::move(*bytes)});
  }
  auto tensor = graph::derive(parameter.recipe, of, parameter.type);
  if (!tensor)
    return tensor.takeError();
  keptTensor = std::move(*tensor);
  kept = &parameter;
  return &keptTensor;
}

Result<std::vector<std::byte>> Weights::read(const std::string &name,
                                             const Box &box) const {
  if (const auto found = derived.find(name); found != derived.end()) {
    const auto tensor = whole(found->second);
    if (!tensor)
      return tensor.error();
    return region((*tensor)->bytes.data(), (*tensor)->type, box);
  }
  const frontend::Parameter &parameter = *byName.at(name);
  const TensorType &type = model.values[parameter.value].type;
  const ParameterData &data = parameter.data;
  if (data.transposed)
    return readTransposed(parameter, box);
  return readStored(data, type, name, box);
}

Result<std::vector<std::byte>>
Weights::readTransposed(const frontend::Parameter &parameter,
                        const Box &box) const {
  const frontend::Value &value = model.values[parameter.value];
  const TensorType stored{value.type.dtype,
                          {value.type.shape[1], value.type.shape[0]}};
  auto bytes = readStored(parameter.data, stored, value.name, {box[1], box[0]});
  if (!bytes)
    return bytes;
  const size_t element = size_t(byteSize(stored.dtype));
  const size_t rows = size_t(box[0].size()), columns = size_t(box[1].size());
  std::vector<std::byte> turned(bytes->size());
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      std::memcpy(&turned[(i * columns + j) * element],
                  &(*bytes)[(j * rows + i) * element], element);
  return turned;
}

Result<std::vector<std::byte>> Weights::readStored(const ParameterData &data,
                                                   const TensorType &type,
                                                   const std::string &name,
                                                   const Box &box) const {
  if (data.kind == ParameterData::Kind::Memory)
    return region(data.bytes, type, box);
  const int64_t element = byteSize(type.dtype);
  std::vector<std::byte> bytes;
  bytes.reserve(size_t(volume(box) * element));
  const auto file = InputFile::open(data.path);
  if (!file)
    return file.error();
  std::optional<Error> failed;
  const bool complete =
      forEachRun(type.shape, box, [&](int64_t first, int64_t count) {
        const size_t start = bytes.size(), wanted = size_t(count * element);
        bytes.resize(start + wanted);
        const auto got =
            file->readAt(data.offset + first * element, &bytes[start], wanted);
        if (!got)
          failed = got.error();
        return got && *got == wanted;
      });
  if (failed)
    return *failed;
  if (!complete)
    return fail(data.path, ": cannot read parameter \"", name,
                "\"; did the file change since the model was read?");
  return bytes;
}
