#include "test/conformance/OperatorUses.h"

#include "dialects/tdl/lambda/Arithmetic.h"

#include <nlohmann/json.hpp>

#include <fstream>

using namespace smex;
using namespace smex::conformance;
using Json = nlohmann::json;

namespace {

/// "f32[2, 3]"; throws where it is no such text.
TensorType typeOf(const std::string &text) {
  const size_t bracket = text.find('[');
  const auto dtype = parseDType(text.substr(0, bracket));
  if (bracket == text.npos || !dtype)
    throw std::runtime_error("\"" + text + "\" is no type");
  return {*dtype,
          Json::parse(text.substr(bracket)).get<std::vector<int64_t>>()};
}

tdl::Attribute attributeOf(const Json &value) {
  if (value.is_number_integer())
    return value.get<int64_t>();
  if (value.is_number())
    return value.get<double>();
  if (value.is_string())
    return value.get<std::string>();
  if (value.is_object())
    return typeOf(value.at("type").get<std::string>() + "[]").dtype;
  for (const Json &each : value)
    if (each.is_number_float())
      return value.get<std::vector<double>>();
  return value.get<std::vector<int64_t>>();
}

OperatorUse useOf(const Json &line) {
  OperatorUse use{line.at("op").get<std::string>(), {}, {}};
  for (const Json &operand : line.at("operands"))
    use.operands.push_back(typeOf(operand.get<std::string>()));
  for (const auto &[name, value] : line.at("attributes").items())
    use.attributes[name] = attributeOf(value);
  return use;
}

} // namespace

Result<std::vector<OperatorUse>>
conformance::operatorUses(const std::string &file) {
  std::ifstream in(file);
  if (!in)
    return fail(file, ": cannot be read");
  std::vector<OperatorUse> all;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    try {
      all.push_back(useOf(Json::parse(line)));
    } catch (const std::exception &error) {
      return fail(file, ":", number, ": ", error.what());
    }
  }
  return all;
}

Tensor conformance::drawn(Random &random, const TensorType &type,
                          int64_t below) {
  Tensor tensor = makeTensor(type);
  const auto size = size_t(byteSize(type.dtype));
  for (size_t at = 0; at < tensor.bytes.size(); at += size) {
    const int64_t most =
        type.dtype == DType::Bool ? std::min<int64_t>(below, 2) : below;
    const tdl::Scalar value =
        isFloat(type.dtype) ? tdl::scalarOf(double(random.below(31) - 6) / 8)
                            : tdl::scalarOf(random.below(most));
    tdl::store(type.dtype, value, &tensor.bytes[at]);
  }
  return tensor;
}
