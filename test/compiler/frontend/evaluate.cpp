#include "test/compiler/frontend/evaluate.h"

#include "compiler/frontend/onnx/Reader.h"
#include "dialects/tdl/lambda/Arithmetic.h"
#include "dialects/tdl/lambda/Interpreter.h"
#include "runtime/io/Npy.h"
#include "runtime/io/TensorProto.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>

using namespace smex;
using namespace smex::frontend;
namespace fs = std::filesystem;

static Result<Tensor> loadParameter(const TensorType &type,
                                    const ParameterData &data) {
  Tensor tensor = makeTensor(type);
  const auto size = std::streamsize(tensor.bytes.size());
  if (data.kind == ParameterData::Kind::Memory && size) {
    std::memcpy(tensor.bytes.data(), data.bytes, size);
  } else if (data.kind == ParameterData::Kind::File) {
    std::ifstream file(data.path, std::ios::binary);
    file.seekg(data.offset);
    if (!file.read(reinterpret_cast<char *>(tensor.bytes.data()), size))
      return fail(data.path, ": cannot be read");
  }
  if (data.transposed) {
    const Tensor stored = tensor;
    const size_t rows = size_t(type.shape[0]), columns = size_t(type.shape[1]);
    const size_t element = size_t(byteSize(type.dtype));
    for (size_t i = 0; i < rows * columns; ++i)
      std::memcpy(&tensor.bytes[i * element],
                  &stored.bytes[(i % columns * rows + i / columns) * element],
                  element);
  }
  return tensor;
}

Result<std::map<std::string, Tensor>>
smex::test::evaluate(const Model &model,
                     const std::map<std::string, Tensor> &inputs) {
  return evaluateVisiting(model, inputs, nullptr);
}

Result<std::map<std::string, Tensor>>
smex::test::evaluateVisiting(const Model &model,
                             const std::map<std::string, Tensor> &inputs,
                             const Visitor &visit) {
  std::vector<Tensor> values(model.values.size());
  std::vector<int> uses(model.values.size(), 0);
  for (int input : model.inputs) {
    const Value &value = model.values[input];
    const auto given = inputs.find(value.name);
    if (given == inputs.end())
      return fail("input \"", value.name, "\" is not given");
    if (given->second.type != value.type)
      return fail("input \"", value.name, "\" is ",
                  toString(given->second.type), ", not ", toString(value.type));
    values[input] = given->second;
  }
  for (const Parameter &parameter : model.parameters) {
    auto tensor =
        loadParameter(model.values[parameter.value].type, parameter.data);
    if (!tensor)
      return tensor.takeError();
    values[parameter.value] = std::move(*tensor);
  }
  for (const Application &a : model.applications)
    for (int operand : a.operands)
      ++uses[operand];
  for (int output : model.outputs)
    ++uses[output];
  for (const Application &a : model.applications) {
    if (Status legal = tdl::verify(a.lambda); !legal)
      return fail("node ", a.node, ": ", legal.error().message);
    std::vector<const Tensor *> operands;
    for (int operand : a.operands)
      operands.push_back(&values[operand]);
    if (visit)
      visit(a, operands);
    auto result = tdl::interpret(a.lambda, a.extents, operands);
    if (!result)
      return fail("node ", a.node, ": ", result.error().message);
    if (result->type != model.values[a.result].type)
      return fail("node ", a.node, ": computed ", toString(result->type),
                  ", declared ", toString(model.values[a.result].type));
    values[a.result] = std::move(*result);
    for (int operand : a.operands)
      if (--uses[operand] == 0)
        values[operand] = {};
  }
  std::map<std::string, Tensor> outputs;
  for (size_t i = 0; i < model.outputs.size(); ++i)
    outputs[model.outputNames[i]] = values[model.outputs[i]];
  return outputs;
}

std::string smex::test::difference(const Tensor &got, const Tensor &expected) {
  if (got.type != expected.type)
    return toString(got.type) + " instead of " + toString(expected.type);
  const DType type = got.type.dtype;
  const int64_t size = byteSize(type);
  const double relative = type == DType::BF16 ? 1e-2 : 1e-3;
  const double absolute = type == DType::BF16 ? 1e-2 : 1e-5;
  for (size_t at = 0; at < got.bytes.size(); at += size) {
    const tdl::Scalar a = tdl::load(type, &got.bytes[at]);
    const tdl::Scalar b = tdl::load(type, &expected.bytes[at]);
    bool same = a.integer == b.integer;
    if (isFloat(type))
      same =
          a.real == b.real || (std::isnan(a.real) && std::isnan(b.real)) ||
          (std::isfinite(b.real) &&
           std::abs(a.real - b.real) <= absolute + relative * std::abs(b.real));
    if (!same) {
      const auto text = [&](tdl::Scalar s) {
        return isFloat(type) ? std::to_string(s.real)
                             : std::to_string(s.integer);
      };
      return "element " + std::to_string(at / size) + " is " + text(a) +
             " instead of " + text(b);
    }
  }
  return "";
}

/// The messages in a field of a message, which this schema does not know.
static std::vector<std::string> fieldsOf(const std::string &message,
                                         uint32_t field) {
  std::vector<std::string> found;
  google::protobuf::io::CodedInputStream stream(
      reinterpret_cast<const uint8_t *>(message.data()), int(message.size()));
  while (const uint32_t tag = stream.ReadTag()) {
    uint64_t number;
    uint32_t length;
    std::string bytes;
    if ((tag & 7) == 0 && stream.ReadVarint64(&number))
      continue;
    if ((tag & 7) != 2 || !stream.ReadVarint32(&length) ||
        !stream.ReadString(&bytes, int(length)))
      break;
    if (tag >> 3 == field)
      found.push_back(std::move(bytes));
  }
  return found;
}

/// A tensor's name and file; of a sequence or an optional those of each tensor
/// in it, which gets a file of its own.
static void addValues(const onnx::ValueInfoProto &info, const std::string &file,
                      std::vector<std::string> &names,
                      std::vector<std::string> &files) {
  const bool optional = info.type().has_optional_type();
  const onnx::TypeProto &type =
      optional ? info.type().optional_type().elem_type() : info.type();
  if (!optional && !type.has_sequence_type()) {
    names.push_back(info.name());
    files.push_back(file);
    return;
  }
  std::ostringstream stream;
  stream << std::ifstream(file, std::ios::binary).rdbuf();
  std::string message = stream.str();
  std::vector<std::string> tensors = {message};
  if (type.has_sequence_type()) {
    if (optional) { // OptionalProto.sequence_value
      const auto value = fieldsOf(message, 5);
      message = value.empty() ? "" : value[0];
    }
    tensors = fieldsOf(message, 3); // SequenceProto.tensor_values
  } else {
    tensors = fieldsOf(message, 3); // OptionalProto.tensor_value
    // Some cases have the tensor itself.
    if (tensors.empty() && io::parseTensorProto(message, file))
      tensors = {message};
  }
  const char *root = std::getenv("TEST_TMPDIR");
  const fs::path folder = (root ? fs::path(root) : fs::temp_directory_path()) /
                          ("elements_" + std::to_string(getpid()));
  fs::create_directories(folder);
  for (size_t i = 0; i < tensors.size(); ++i) {
    names.push_back(type.has_sequence_type()
                        ? info.name() + "." + std::to_string(i)
                        : info.name());
    static int number = 0;
    files.push_back(folder / (std::to_string(number++) + ".pb"));
    std::ofstream(files.back(), std::ios::binary) << tensors[i];
  }
}

std::string smex::test::Case::load(const std::string &path) {
  folder = path;
  auto model = readModelProto(folder + "/model.onnx");
  if (!model)
    return model.error().message;
  std::set<std::string> initializers;
  for (const auto &tensor : (*model)->graph().initializer())
    initializers.insert(tensor.name());
  const std::string data = folder + "/test_data_set_0/";
  int number = 0;
  for (const auto &input : (*model)->graph().input()) {
    if (initializers.count(input.name()))
      continue;
    const std::string file = data + "input_" + std::to_string(number++) + ".pb";
    const size_t before = inputNames.size();
    addValues(input, file, inputNames, inputFiles);
    if (!input.type().has_tensor_type())
      options.dims[input.name()] = int64_t(inputNames.size() - before);
  }
  number = 0;
  for (const auto &output : (*model)->graph().output())
    addValues(output, data + "output_" + std::to_string(number++) + ".pb",
              outputNames, outputFiles);
  if (fs::exists(folder + "/inputs")) { // arrays by name
    for (size_t i = 0; i < inputNames.size(); ++i)
      inputFiles[i] = folder + "/inputs/" + inputNames[i] + ".npy";
    for (size_t i = 0; i < outputNames.size(); ++i)
      outputFiles[i] = folder + "/outputs/output" + std::to_string(i) + ".npy";
  }
  return "";
}

static Result<Tensor> readArray(const std::string &file) {
  return file.substr(file.size() - 3) == ".pb" ? io::readTensorProto(file)
                                               : io::readNpy(file);
}

/// ONNX's own data has bfloat16 as its bits.
static void asDeclared(Tensor &tensor, DType declared) {
  if (tensor.type.dtype == DType::U16 && declared == DType::BF16)
    tensor.type.dtype = declared;
}

Result<Model> smex::test::Case::import() {
  const std::string path = folder + "/model.onnx";
  auto model = importModel(path, options);
  for (int attempt = 0; attempt < 2 && !model; ++attempt) {
    const auto before = options.constants;
    // First what can be a shape, axes, pads, sizes or scales; then all.
    for (size_t i = 0; i < inputNames.size(); ++i)
      if (auto value = readArray(inputFiles[i]); value) {
        const bool small = value->type.rank() <= 1 &&
                           (value->type.dtype == DType::I64 ||
                            value->type.dtype == DType::Bool || i > 0);
        if (small || attempt == 1)
          options.constants[inputNames[i]] = inputFiles[i];
      }
    if (options.constants == before)
      continue;
    model = importModel(path, options);
  }
  return model;
}

/// Where values say how many rows there are, the rows behind them are zeros,
/// and their number is an output of its own: without these rows.
static void cropRows(Tensor &got, const Tensor &expected,
                     const std::set<int64_t> &counts) {
  if (got.type == expected.type || got.type.dtype != expected.type.dtype ||
      got.type.rank() != expected.type.rank())
    return;
  for (size_t d = 0; d < got.type.shape.size(); ++d)
    if (got.type.shape[d] != expected.type.shape[d] &&
        (!counts.count(expected.type.shape[d]) ||
         got.type.shape[d] < expected.type.shape[d]))
      return;
  Tensor cropped = makeTensor(expected.type);
  const int64_t size = byteSize(got.type.dtype);
  const int64_t count = elementCount(got.type.shape).value();
  for (int64_t e = 0; e < count; ++e) {
    int64_t rest = e, to = 0, step = 1;
    bool inside = true;
    for (size_t d = got.type.shape.size(); d-- > 0;) {
      const int64_t at = rest % got.type.shape[d];
      rest /= got.type.shape[d];
      inside &= at < expected.type.shape[d];
      to += at * step;
      step *= expected.type.shape[d];
    }
    const std::byte *from = got.bytes.data() + e * size;
    if (inside)
      std::copy(from, from + size, cropped.bytes.data() + to * size);
    else if (std::any_of(from, from + size,
                         [](std::byte b) { return b != std::byte(0); }))
      return;
  }
  got = std::move(cropped);
}

std::string smex::test::Case::check(const Model &model,
                                    const Evaluator &run) const {
  std::map<std::string, Tensor> inputs;
  for (size_t i = 0; i < inputNames.size(); ++i) {
    if (options.constants.count(inputNames[i]))
      continue;
    auto value = readArray(inputFiles[i]);
    if (!value)
      return value.error().message;
    for (int input : model.inputs)
      if (model.values[input].name == inputNames[i])
        asDeclared(*value, model.values[input].type.dtype);
    inputs[inputNames[i]] = std::move(*value);
  }
  auto outputs = run(model, inputs);
  if (!outputs)
    return outputs.error().message;
  std::set<int64_t> counts;
  for (auto each = outputs->begin(); each != outputs->end();) {
    const std::string end = ".count", &name = each->first;
    const bool isCount =
        name.size() > end.size() &&
        name.compare(name.size() - end.size(), end.size(), end) == 0 &&
        std::find(outputNames.begin(), outputNames.end(), name) ==
            outputNames.end();
    if (isCount)
      counts.insert(*each->second.data<int64_t>());
    each = isCount ? outputs->erase(each) : std::next(each);
  }
  if (outputs->size() != outputNames.size())
    return "gives " + std::to_string(outputs->size()) + " outputs instead of " +
           std::to_string(outputNames.size());
  for (size_t i = 0; i < outputNames.size(); ++i) {
    auto expected = readArray(outputFiles[i]);
    if (!expected)
      return expected.error().message;
    asDeclared(*expected, (*outputs)[outputNames[i]].type.dtype);
    cropRows((*outputs)[outputNames[i]], *expected, counts);
    const std::string problem =
        difference((*outputs)[outputNames[i]], *expected);
    if (!problem.empty())
      return "output " + outputNames[i] + ": " + problem;
  }
  return "";
}

void smex::test::visitCases(const std::string &folder, const Visitor &visit) {
  std::vector<std::string> folders;
  std::error_code ignored;
  for (const auto &entry : std::filesystem::directory_iterator(folder, ignored))
    folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  for (const std::string &path : folders) {
    Case c;
    if (!c.load(path).empty())
      continue;
    const auto model = c.import();
    if (model)
      c.check(*model, [&](const Model &m, const auto &inputs) {
        return evaluateVisiting(m, inputs, visit);
      });
  }
}
