// Residual networks: ResNet and its widened form for ImageNet, and WRN, with
// basic blocks that normalize first, for CIFAR.
#include "tools/zoo/Layers.h"
#include "tools/zoo/Models.h"

using namespace smex;
using namespace smex::zoo;

namespace {

/// What the last normalization of a block starts from. From 1, samples become
/// so alike with depth that normalization magnifies rounding a thousandfold.
constexpr double branchScale = 0.25;

/// Two convolutions 3x3, or 1x1, 3x3 and 1x1 to four times the width.
Value block(ModelBuilder &g, const Value &x, const std::string &name,
            int64_t width, int64_t stride, bool bottleneck) {
  const int64_t channels = bottleneck ? 4 * width : width;
  Value y = x;
  const auto step = [&](const char *part, const Window &window) {
    const std::string unit = name + "/" + part;
    y = map(g, "Relu", convNorm(g, y, unit, width, window), unit + "/relu");
  };
  if (bottleneck) {
    step("reduce", square(1));
    step("spatial", square(3, stride, 1));
    y = convNorm(g, y, name + "/expand", channels, square(1), 1e-5,
                 branchScale);
  } else {
    step("first", square(3, stride, 1));
    y = convNorm(g, y, name + "/second", channels, square(3, 1, 1), 1e-5,
                 branchScale);
  }
  const Value shortcut =
      stride == 1 && x.width == channels
          ? x
          : convNorm(g, x, name + "/projection", channels, square(1, stride));
  return map(g, "Relu", add(g, y, shortcut, name + "/sum"), name + "/relu");
}

struct Depth {
  int64_t depth;
  bool bottleneck;
  int64_t blocks[4];
};
constexpr Depth depths[] = {
    {18, false, {2, 2, 2, 2}},  {34, false, {3, 4, 6, 3}},
    {50, true, {3, 4, 6, 3}},   {101, true, {3, 4, 23, 3}},
    {152, true, {3, 8, 36, 3}},
};

/// ResNet of He et al., every convolution `width` times wider.
Status residual(ModelBuilder &g, const Sizes &s, int64_t width) {
  const Depth *depth = depths;
  while (depth->depth != s["depth"])
    ++depth;
  const int64_t channels = s["channels"] * width, image = s["image"];
  Value x = g.image("image", {s["batch"], 3, image, image});
  x = convNorm(g, x, "stem", channels, square(7, 2, 3));
  x = map(g, "Relu", x, "stem/relu");
  x = pool(g, "MaxPool", x, "stem/pool", square(3, 2, 1));
  for (int64_t group = 0; group < 4; ++group)
    for (int64_t i = 0; i < depth->blocks[group]; ++i)
      x = block(
          g, x, "group" + std::to_string(group) + "/block" + std::to_string(i),
          channels << group, group > 0 && i == 0 ? 2 : 1, depth->bottleneck);
  x = globalAverage(g, x, "pooled");
  g.output("logits", dense(g, x, "classifier", s["classes"]));
  return {};
}

Status resnet(ModelBuilder &g, const Sizes &s) { return residual(g, s, 1); }
Status wresnet(ModelBuilder &g, const Sizes &s) {
  return residual(g, s, s["width"]);
}

/// Normalization, relu and convolution, twice.
Value wideUnit(ModelBuilder &g, const Value &x, const std::string &name,
               int64_t width, int64_t stride, double rate) {
  const Value before =
      map(g, "Relu", batchNorm(g, x, name + "/norm1"), name + "/relu1");
  Value y = conv(g, before, name + "/conv1", width, square(3, stride, 1));
  y = map(g, "Relu", batchNorm(g, y, name + "/norm2"), name + "/relu2");
  y = dropout(g, y, name + "/dropped", rate);
  y = conv(g, y, name + "/conv2", width, square(3, 1, 1));
  const Value shortcut =
      stride == 1 && x.width == width
          ? x
          : conv(g, before, name + "/projection", width, square(1, stride));
  return add(g, y, shortcut, name + "/sum");
}

Status wrn(ModelBuilder &g, const Sizes &s) {
  const int64_t channels = s["channels"], image = s["image"];
  Value x = g.image("image", {s["batch"], 3, image, image});
  x = conv(g, x, "stem", channels, square(3, 1, 1));
  for (int64_t group = 0; group < 3; ++group)
    for (int64_t i = 0; i < s["units"]; ++i)
      x = wideUnit(
          g, x, "group" + std::to_string(group) + "/unit" + std::to_string(i),
          (channels * s["width"]) << group, group > 0 && i == 0 ? 2 : 1,
          s.fraction("dropout"));
  x = map(g, "Relu", batchNorm(g, x, "norm"), "relu");
  x = globalAverage(g, x, "pooled");
  g.output("logits", dense(g, x, "classifier", s["classes"]));
  return {};
}

Size channelsSize(int64_t value) {
  return {"channels", value, 1, 1 << 16, "channels of the stem, unwidened"};
}
Size widthSize(int64_t value) {
  return {"width", value, 1, 1 << 12, "how many times wider than the original"};
}
} // namespace

std::vector<Model> zoo::residualModels() {
  return {
      {"resnet",
       "ResNet for ImageNet",
       {{"depth", 50, 18, 152, "layers", {18, 34, 50, 101, 152}},
        channelsSize(64),
        imageSize(224, 1),
        classesSize(1000),
        batchSize(32)},
       resnet},
      {"wresnet",
       "Tofu's WResNet: ResNet with wider convolutions",
       {{"depth", 50, 50, 152, "layers", {50, 101, 152}},
        widthSize(4),
        channelsSize(64),
        imageSize(224, 1),
        classesSize(1000),
        batchSize(32)},
       wresnet},
      {"wrn",
       "ParDNN's WRN: wide residual network for CIFAR-100",
       {{"units", 101, 1, 4096, "residual units in each of the three groups"},
        widthSize(14),
        channelsSize(16),
        imageSize(32, 1),
        classesSize(100),
        batchSize(1)},
       wrn,
       {dropoutOf("what lies between a unit's convolutions")}},
  };
}
