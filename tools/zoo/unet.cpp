// U-Net, with padded convolutions, so that its result is as large as its input.
#include "tools/zoo/Layers.h"
#include "tools/zoo/Models.h"

using namespace smex;
using namespace smex::zoo;

static Value twice(ModelBuilder &g, Value x, const std::string &name,
                   int64_t channels) {
  for (const char *part : {"/conv1", "/conv2"}) {
    x = conv(g, x, name + part, channels, square(3, 1, 1), true);
    x = map(g, "Relu", x, name + part + "/relu");
  }
  return x;
}

static Status unet(ModelBuilder &g, const Sizes &s) {
  const int64_t levels = s["levels"], image = s["image"];
  if (image % (int64_t(1) << levels))
    return Error{"--image " + std::to_string(image) + ": with --levels " +
                     std::to_string(levels) + " it must be a multiple of " +
                     std::to_string(int64_t(1) << levels),
                 Fault::Usage};
  Value x = g.image("image", {s["batch"], 3, image, image});
  std::vector<Value> skips;
  for (int64_t level = 0; level < levels; ++level) {
    const std::string name = "down" + std::to_string(level);
    x = twice(g, x, name, s["channels"] << level);
    skips.push_back(x);
    x = pool(g, "MaxPool", x, name + "/pool", square(2, 2));
  }
  x = twice(g, x, "bottom", s["channels"] << levels);
  for (int64_t level = levels - 1; level >= 0; --level) {
    const std::string name = "up" + std::to_string(level), up = name + "/up";
    const int64_t channels = s["channels"] << level;
    // Each element of the result has one place in the kernel.
    const std::string weight =
        g.weight(up + "/weight", {x.width, channels, 2, 2}, x.width);
    x = g.node("ConvTranspose", up,
               {x.name, weight, g.filled(up + "/bias", {channels}, 0)},
               channels, {{"kernel_shape", {2, 2}}, {"strides", {2, 2}}});
    x = concat(g, {skips[level], x}, name + "/concat", 1);
    x = twice(g, x, name, channels);
  }
  g.output("logits", conv(g, x, "classifier", s["classes"], square(1), true));
  return {};
}

std::vector<Model> zoo::unetModels() {
  return {{"unet",
           "U-Net: a class for each pixel (logits' axis 1)",
           {{"levels", 4, 1, 10, "times that the image is halved"},
            {"channels", 64, 1, 1 << 16, "channels of the first level"},
            imageSize(512, 2),
            classesSize(2),
            batchSize(8)},
           unet}};
}
