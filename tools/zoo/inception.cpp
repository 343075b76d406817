// Inception v3, without the auxiliary classifier.
#include "tools/zoo/Layers.h"
#include "tools/zoo/Models.h"

#include <algorithm>

using namespace smex;
using namespace smex::zoo;

namespace {
/// One convolution of a branch: channels at full size, and its window.
struct Unit {
  int64_t channels;
  Window window;
};

class Inception {
public:
  Inception(ModelBuilder &g, int64_t stem) : g(g), stem(stem) {}

  Value unit(const Value &x, const std::string &name, const Unit &u) {
    const int64_t channels = std::max<int64_t>(1, u.channels * stem / 32);
    const Value y = convNorm(g, x, name, channels, u.window, 1e-3);
    return map(g, "Relu", y, name + "/relu");
  }
  Value branch(Value x, const std::string &name,
               const std::vector<Unit> &list) {
    for (size_t i = 0; i < list.size(); ++i)
      x = unit(x, name + "/" + std::to_string(i), list[i]);
    return x;
  }
  Value maxPool(const Value &x, const std::string &name) {
    return pool(g, "MaxPool", x, name, square(3, 2));
  }
  Value pooled(const Value &x, const std::string &name, int64_t channels) {
    const Value mean =
        pool(g, "AveragePool", x, name + "/pool", square(3, 1, 1));
    return unit(mean, name, {channels, square(1)});
  }

  Value a(const Value &x, const std::string &n, int64_t poolChannels);
  Value b(const Value &x, const std::string &n);
  Value c(const Value &x, const std::string &n, int64_t c7);
  Value d(const Value &x, const std::string &n);
  Value e(const Value &x, const std::string &n);

private:
  Value join(const std::string &name, const std::vector<Value> &parts) {
    return concat(g, parts, name, 1);
  }
  ModelBuilder &g;
  int64_t stem;
};

const Window one = square(1), three = square(3, 1, 1), halve = square(3, 2),
             row7 = {{1, 7}, {1, 1}, {0, 3}},
             column7 = {{7, 1}, {1, 1}, {3, 0}},
             row3 = {{1, 3}, {1, 1}, {0, 1}},
             column3 = {{3, 1}, {1, 1}, {1, 0}};

Value Inception::a(const Value &x, const std::string &n, int64_t poolChannels) {
  return join(n,
              {branch(x, n + "/one", {{64, one}}),
               branch(x, n + "/five", {{48, one}, {64, square(5, 1, 2)}}),
               branch(x, n + "/three", {{64, one}, {96, three}, {96, three}}),
               pooled(x, n + "/pooled", poolChannels)});
}

Value Inception::b(const Value &x, const std::string &n) {
  return join(n,
              {branch(x, n + "/three", {{384, halve}}),
               branch(x, n + "/double", {{64, one}, {96, three}, {96, halve}}),
               maxPool(x, n + "/pool")});
}

Value Inception::c(const Value &x, const std::string &n, int64_t c7) {
  return join(
      n,
      {branch(x, n + "/one", {{192, one}}),
       branch(x, n + "/seven", {{c7, one}, {c7, row7}, {192, column7}}),
       branch(
           x, n + "/double",
           {{c7, one}, {c7, column7}, {c7, row7}, {c7, column7}, {192, row7}}),
       pooled(x, n + "/pooled", 192)});
}

Value Inception::d(const Value &x, const std::string &n) {
  return join(n,
              {branch(x, n + "/three", {{192, one}, {320, halve}}),
               branch(x, n + "/seven",
                      {{192, one}, {192, row7}, {192, column7}, {192, halve}}),
               maxPool(x, n + "/pool")});
}

Value Inception::e(const Value &x, const std::string &n) {
  const auto fork = [&](const std::string &name, const Value &y) {
    return join(name, {unit(y, name + "/row", {384, row3}),
                       unit(y, name + "/column", {384, column3})});
  };
  const Value three1 = branch(x, n + "/three", {{384, one}});
  const Value double1 = branch(x, n + "/double", {{448, one}, {384, three}});
  return join(
      n, {branch(x, n + "/one", {{320, one}}), fork(n + "/three/fork", three1),
          fork(n + "/double/fork", double1), pooled(x, n + "/pooled", 192)});
}

Status build(ModelBuilder &g, const Sizes &s) {
  Inception net(g, s["channels"]);
  Value x = g.image("image", {s["batch"], 3, s["image"], s["image"]});
  x = net.branch(x, "stem1", {{32, halve}, {32, square(3)}, {64, three}});
  x = net.maxPool(x, "stem1/pool");
  x = net.branch(x, "stem2", {{80, one}, {192, square(3)}});
  x = net.maxPool(x, "stem2/pool");
  x = net.a(x, "a0", 32);
  x = net.a(x, "a1", 64);
  x = net.a(x, "a2", 64);
  x = net.b(x, "b");
  x = net.c(x, "c0", 128);
  x = net.c(x, "c1", 160);
  x = net.c(x, "c2", 160);
  x = net.c(x, "c3", 192);
  x = net.d(x, "d");
  x = net.e(x, "e0");
  x = net.e(x, "e1");
  x = globalAverage(g, x, "pooled");
  g.output("logits", dense(g, x, "classifier", s["classes"]));
  return {};
}
} // namespace

std::vector<Model> zoo::inceptionModels() {
  return {{"inception",
           "Inception v3",
           {{"channels", 32, 1, 1 << 12,
             "channels of the stem; all others in proportion"},
            imageSize(299, 75), // smaller ones vanish on the way
            classesSize(1000),
            batchSize(32)},
           build}};
}
