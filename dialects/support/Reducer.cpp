#include "dialects/support/Reducer.h"

using namespace smex;

std::string_view smex::name(Reducer reducer) {
  switch (reducer) {
  case Reducer::None:
    return "";
  case Reducer::Sum:
    return "Sum";
  case Reducer::Max:
    return "Max";
  case Reducer::Min:
    return "Min";
  case Reducer::Prod:
    return "Prod";
  }
  return "";
}

std::optional<Reducer> smex::parseReducer(std::string_view text) {
  for (Reducer r : {Reducer::Sum, Reducer::Max, Reducer::Min, Reducer::Prod})
    if (name(r) == text)
      return r;
  return std::nullopt;
}
