// Single values of a JSON model.
#include "compiler/frontend/json/Translator.h"

#include "dialects/support/Text.h"

#include <cmath>

using namespace smex;
using namespace smex::frontend;

void Translator::error(const Place &place, const std::string &message) {
  errors.push_back(
      file + ": " +
      cleanedLine((place.path.empty() ? "" : place.path + ": ") + message));
}

void Translator::error(const Place &place, const Error &reason) {
  error(place, reason.message);
  if (reason.fault != Fault::Input)
    fault = reason.fault;
}

bool Translator::object(Place place, std::initializer_list<const char *> keys) {
  if (!place.json.is_object()) {
    error(place, "must be an object");
    return false;
  }
  for (const auto &item : place.json.items()) {
    bool known = false;
    std::string all;
    for (const char *key : keys) {
      known |= item.key() == key;
      all += (all.empty() ? "" : ", ") + std::string(key);
    }
    if (!known)
      error(place, "\"" + item.key() + "\" is none of " + all);
  }
  return true;
}

std::string Translator::text(Place place) {
  if (!place.json.is_string()) {
    error(place, "must be text");
    return "";
  }
  return place.json.get<std::string>();
}

int64_t Translator::integer(Place place) {
  const Json &json = place.json;
  if (json.is_number_unsigned() && json.get<uint64_t>() > uint64_t(INT64_MAX)) {
    error(place, "is out of range");
    return 0;
  }
  if (json.is_number_integer())
    return json.get<int64_t>();
  if (json.is_boolean())
    return json.get<bool>();
  error(place, "must be an integer");
  return 0;
}

/// JSON has no infinities: they are text.
double Translator::real(Place place) {
  if (place.json.is_number())
    return place.json.get<double>();
  if (place.json.is_boolean())
    return place.json.get<bool>();
  if (place.json == "inf" || place.json == "-inf")
    return place.json == "inf" ? INFINITY : -INFINITY;
  if (place.json == "nan")
    return NAN;
  error(place, "must be a number");
  return 0;
}

DType Translator::dtype(Place place) {
  const std::string name = text(place);
  const auto type = parseDType(name);
  if (!type && place.json.is_string())
    error(place, "\"" + name +
                     "\" is no element type; those are bool, i8 to i64, "
                     "u8 to u64, f16, bf16, f32, f64");
  return type.value_or(DType::F32);
}

void Translator::opsets(Place place,
                        std::vector<std::pair<std::string, int64_t>> &list) {
  if (place.json.contains("opset"))
    list.push_back({"", integer(place.at("opset"))});
  if (!place.json.contains("domains"))
    return;
  const Place domains = place.at("domains");
  if (!domains.json.is_object())
    return error(domains, "must be an object");
  for (const auto &item : domains.json.items())
    list.push_back({item.key(), integer(domains.at(item.key()))});
}
