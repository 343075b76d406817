#include "compiler/frontend/onnx/Nesting.h"

#include "onnx.pb.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <climits>
#include <optional>
#include <vector>

using namespace smex;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

namespace {
enum class Kind {
  Model,
  Training,
  Function,
  Graph,
  Node,
  Attribute,
  ValueInfo,
  Type,
  Element, // of a sequence or an optional
  Map,
};

/// A field that may lead to a message of the same kind again.
struct Field {
  Kind of;
  int number;
  Kind holds;
};
constexpr Field fields[] = {
    {Kind::Model, onnx::ModelProto::kGraphFieldNumber, Kind::Graph},
    {Kind::Model, onnx::ModelProto::kTrainingInfoFieldNumber, Kind::Training},
    {Kind::Model, onnx::ModelProto::kFunctionsFieldNumber, Kind::Function},
    {Kind::Training, onnx::TrainingInfoProto::kInitializationFieldNumber,
     Kind::Graph},
    {Kind::Training, onnx::TrainingInfoProto::kAlgorithmFieldNumber,
     Kind::Graph},
    {Kind::Function, onnx::FunctionProto::kNodeFieldNumber, Kind::Node},
    {Kind::Graph, onnx::GraphProto::kNodeFieldNumber, Kind::Node},
    {Kind::Graph, onnx::GraphProto::kInputFieldNumber, Kind::ValueInfo},
    {Kind::Graph, onnx::GraphProto::kOutputFieldNumber, Kind::ValueInfo},
    {Kind::Graph, onnx::GraphProto::kValueInfoFieldNumber, Kind::ValueInfo},
    {Kind::Node, onnx::NodeProto::kAttributeFieldNumber, Kind::Attribute},
    {Kind::Attribute, onnx::AttributeProto::kGFieldNumber, Kind::Graph},
    {Kind::Attribute, onnx::AttributeProto::kGraphsFieldNumber, Kind::Graph},
    {Kind::Attribute, onnx::AttributeProto::kTpFieldNumber, Kind::Type},
    {Kind::Attribute, onnx::AttributeProto::kTypeProtosFieldNumber, Kind::Type},
    {Kind::ValueInfo, onnx::ValueInfoProto::kTypeFieldNumber, Kind::Type},
    {Kind::Type, onnx::TypeProto::kSequenceTypeFieldNumber, Kind::Element},
    {Kind::Type, onnx::TypeProto::kOptionalTypeFieldNumber, Kind::Element},
    {Kind::Type, onnx::TypeProto::kMapTypeFieldNumber, Kind::Map},
    {Kind::Element, onnx::TypeProto_Sequence::kElemTypeFieldNumber, Kind::Type},
    {Kind::Map, onnx::TypeProto_Map::kValueTypeFieldNumber, Kind::Type},
};

/// Messages below these that hold none of them: a type's tensor, its shape, its
/// dimension.
constexpr size_t leaves = 3;

std::optional<Kind> heldBy(Kind of, uint32_t tag) {
  if (WireFormatLite::GetTagWireType(tag) !=
      WireFormatLite::WIRETYPE_LENGTH_DELIMITED)
    return std::nullopt;
  for (const Field &field : fields)
    if (field.of == of &&
        field.number == WireFormatLite::GetTagFieldNumber(tag))
      return field.holds;
  return std::nullopt;
}

struct Level {
  Kind kind;
  CodedInputStream::Limit outer; // the end of the message around it
};
} // namespace

bool frontend::nestsTooDeeply(
    google::protobuf::io::ZeroCopyInputStream &model) {
  CodedInputStream in(&model);
  in.SetTotalBytesLimit(INT_MAX);
  // A stack of its own: recursion is what is being guarded against.
  std::vector<Level> levels = {{Kind::Model, 0}};
  for (;;) {
    const uint32_t tag = in.ReadTag();
    uint32_t length;
    if (tag == 0) { // the end of a message, or damage
      if (!in.ConsumedEntireMessage() || levels.size() == 1)
        return false;
      in.PopLimit(levels.back().outer);
      levels.pop_back();
    } else if (const auto kind = heldBy(levels.back().kind, tag)) {
      if (!in.ReadVarint32(&length) || length > uint32_t(INT_MAX))
        return false;
      levels.push_back({*kind, in.PushLimit(int(length))});
      if (levels.size() - 1 + leaves > size_t(maxNesting))
        return true;
    } else if (!WireFormatLite::SkipField(&in, tag)) {
      return false;
    }
  }
}
