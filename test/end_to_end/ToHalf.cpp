// to_half f16|bf16 FROM TO: a model (.onnx) whose f32 tensors have become f16
// or bf16: initializers, inputs, outputs, what it casts to, and constants in
// attributes; or an array (.npy) as an ONNX tensor (.pb), rounded likewise. An
// array of another type keeps it.
#include "dialects/support/File.h"
#include "runtime/io/Npy.h"

#include "onnx.pb.h"

#include <cstdio>
#include <cstring>

using namespace smex;

namespace {

class Conversion {
public:
  explicit Conversion(bool bfloat)
      : type(bfloat ? onnx::TensorProto::BFLOAT16 : onnx::TensorProto::FLOAT16),
        bfloat(bfloat) {}

  void tensor(onnx::TensorProto &tensor) const {
    if (tensor.data_type() != onnx::TensorProto::FLOAT)
      return;
    std::string bytes = tensor.raw_data();
    if (tensor.float_data_size() > 0)
      bytes.assign(reinterpret_cast<const char *>(tensor.float_data().data()),
                   size_t(tensor.float_data_size()) * sizeof(float));
    tensor.clear_float_data();
    tensor.set_data_type(type);
    tensor.set_raw_data(rounded(bytes));
  }

  void graph(onnx::GraphProto &graph) const {
    for (onnx::TensorProto &each : *graph.mutable_initializer())
      tensor(each);
    for (auto *list : {graph.mutable_input(), graph.mutable_output(),
                       graph.mutable_value_info()})
      for (onnx::ValueInfoProto &value : *list) {
        auto &of = *value.mutable_type()->mutable_tensor_type();
        if (of.elem_type() == onnx::TensorProto::FLOAT)
          of.set_elem_type(type);
      }
    for (onnx::NodeProto &node : *graph.mutable_node())
      for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
        if (attribute.has_t())
          tensor(*attribute.mutable_t());
        if (attribute.has_g())
          this->graph(*attribute.mutable_g());
        const bool isType =
            attribute.name() == "to" || attribute.name() == "dtype";
        if (isType && attribute.i() == onnx::TensorProto::FLOAT)
          attribute.set_i(type);
      }
    for (onnx::NodeProto &node : *graph.mutable_node())
      if (node.op_type() == "ConstantOfShape" && node.attribute_size() == 0) {
        // Without a value it is an f32 of 0.
        onnx::AttributeProto &value = *node.add_attribute();
        value.set_name("value");
        value.set_type(onnx::AttributeProto::TENSOR);
        value.mutable_t()->set_data_type(type);
        value.mutable_t()->add_dims(1);
        value.mutable_t()->set_raw_data(std::string(2, '\0'));
      }
  }

  std::string rounded(const std::string &floats) const {
    std::string bytes;
    for (size_t i = 0; i + sizeof(float) <= floats.size(); i += sizeof(float)) {
      float value;
      std::memcpy(&value, &floats[i], sizeof value);
      const uint16_t half = bfloat ? floatToBfloat(value) : floatToHalf(value);
      bytes += char(half & 0xff);
      bytes += char(half >> 8);
    }
    return bytes;
  }

private:
  const int type;
  const bool bfloat;
};

onnx::TensorProto protoOf(const Tensor &tensor) {
  onnx::TensorProto proto;
  for (int64_t extent : tensor.type.shape)
    proto.add_dims(extent);
  proto.set_data_type(
      tensor.type.dtype == DType::F32    ? onnx::TensorProto::FLOAT
      : tensor.type.dtype == DType::I32  ? onnx::TensorProto::INT32
      : tensor.type.dtype == DType::Bool ? onnx::TensorProto::BOOL
                                         : onnx::TensorProto::INT64);
  proto.set_raw_data(tensor.bytes.data(), tensor.bytes.size());
  return proto;
}

int complain(const Error &error) {
  std::fprintf(stderr, "to_half: error: %s\n", error.message.c_str());
  return int(error.fault);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    return int(Fault::Usage);
  const Conversion conversion(std::string(argv[1]) == "bf16");
  const std::string from = argv[2];
  std::string bytes;
  if (from.size() > 4 && from.substr(from.size() - 4) == ".npy") {
    const auto array = io::readNpy(from);
    if (!array)
      return complain(array.error());
    onnx::TensorProto proto = protoOf(*array);
    conversion.tensor(proto);
    bytes = proto.SerializeAsString();
  } else {
    const auto text = readFile(from);
    onnx::ModelProto model;
    if (!text)
      return complain(text.error());
    if (!model.ParseFromString(*text))
      return complain(fail(from, ": is no ONNX model"));
    conversion.graph(*model.mutable_graph());
    bytes = model.SerializeAsString();
  }
  const Status written = writeFile(argv[3], bytes);
  return written ? 0 : complain(written.error());
}
