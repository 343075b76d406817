// GraphSAGE with reducers that see all messages of a node at once.
#include "tools/zoo/GraphLayers.h"

#include <cmath>

using namespace smex;
using namespace smex::zoo;

namespace {

/// What came in to the nodes of a bucket: [nodes, width, features], and how
/// many messages each node has.
struct Mailbox {
  Value messages;
  std::string lengths;
};

/// The attention of `queries` to the messages, added to what asks.
Value attend(ModelBuilder &g, const Value &queries, const Mailbox &mailbox,
             const std::string &name) {
  const int64_t width = queries.width;
  const auto projected = [&](const Value &x, const std::string &what) {
    return denseSequence(g, x, name + "/" + what, width, /*bias=*/false);
  };
  const Value q = projected(queries, "query"),
              k = projected(mailbox.messages, "key"),
              v = projected(mailbox.messages, "value");
  const Value turned = g.node("Transpose", name + "/keys", {k.name}, width,
                              {{"perm", {0, 2, 1}}});
  const Value scaled = multiply(
      g, g.node("MatMul", name + "/products", {q.name, turned.name}, 0),
      {g.constant(name + "/scale", 1 / std::sqrt(double(width)))},
      name + "/scores");
  const Value p = g.node("softmax_of_mailbox", name + "/softmax",
                         {scaled.name, mailbox.lengths}, 0);
  return add(g, queries,
             g.node("MatMul", name + "/heard", {p.name, v.name}, width), name);
}

/// Lee et al.'s set transformer, of one block: messages attend to each other,
/// and a seed, which is learnt, to them.
Value setTransformer(ModelBuilder &g, const Mailbox &mailbox,
                     const std::string &name) {
  const int64_t width = mailbox.messages.width;
  const Value others = attend(g, mailbox.messages, mailbox, name + "/block");
  const Value seen =
      add(g, others,
          map(g, "Relu", denseSequence(g, others, name + "/rows", width),
              name + "/rows/relu"),
          name + "/block/whole");
  const Value seed = {g.weight(name + "/seed", {1, 1, width}, width), width};
  return reshape(g, attend(g, seed, {seen, mailbox.lengths}, name + "/pooling"),
                 name + "/pooled", {-1, width});
}

Value median(ModelBuilder &g, const Mailbox &mailbox, const std::string &name) {
  return g.node("median_of_mailbox", name + "/median",
                {mailbox.messages.name, mailbox.lengths},
                mailbox.messages.width);
}

/// Zhang et al.'s: the messages with the largest last features, side by side.
Value sorted(ModelBuilder &g, const Mailbox &mailbox, const std::string &name,
             int64_t k) {
  const int64_t width = mailbox.messages.width;
  const Value key =
      g.node("Gather", name + "/key",
             {mailbox.messages.name, g.integer(name + "/last", width - 1)}, 0,
             {{"axis", 2}});
  const Value top = g.node("top_of_mailbox", name + "/top",
                           {mailbox.messages.name, key.name, mailbox.lengths},
                           width, {{"k", k}});
  Value flat = reshape(g, top, name + "/flat", {-1, k * width});
  flat.width = k * width;
  return dense(g, flat, name + "/joined", width);
}

/// Gao and Ji's: the sum of the messages with the largest scores, each times
/// tanh of its own.
Value best(ModelBuilder &g, const Mailbox &mailbox, const std::string &name,
           int64_t k) {
  const int64_t width = mailbox.messages.width;
  const Value score = g.node(
      "MatMul", name + "/score",
      {mailbox.messages.name, g.weight(name + "/score/weight", {width}, width)},
      0);
  const Value gate = map(g, "Tanh", score, name + "/gate");
  const Value column = reshape(g, gate, name + "/column", {0, 0, 1});
  const Value gated = multiply(g, mailbox.messages, column, name + "/gated");
  const Value top =
      g.node("top_of_mailbox", name + "/top",
             {gated.name, gate.name, mailbox.lengths}, width, {{"k", k}});
  return g.node("ReduceSum", name + "/sum",
                {top.name, g.integers(name + "/axis", {1})}, width,
                {{"keepdims", 0}});
}

Status sageMailbox(ModelBuilder &g, const Sizes &s) {
  g.inputGraph(ModelBuilder::SelfLoops::AsGiven);
  const std::string reducer = s.word("reducer");
  const auto reduced = [&](const Mailbox &mailbox, const std::string &name) {
    return reducer == "median"  ? median(g, mailbox, name)
           : reducer == "sort"  ? sorted(g, mailbox, name, s["top"])
           : reducer == "top-k" ? best(g, mailbox, name, s["top"])
                                : setTransformer(g, mailbox, name);
  };
  layersOnNodes(
      g, s, [&](const Value &x, const std::string &name, int64_t width) {
        const Value own = dense(g, x, name + "/own", width),
                    sent =
                        map(g, "Tanh", dense(g, x, name + "/sent", s["hidden"]),
                            name + "/sent/tanh"),
                    read = g.node("at_ends", name + "/messages",
                                  {sent.name, "sources"}, sent.width);
        const std::string mailbox = name + "/mailbox",
                          lengths = name + "/lengths";
        const Json reduce = g.body({mailbox, lengths}, [&] {
          return std::vector<Value>{
              reduced({{mailbox, sent.width}, lengths}, name + "/reducer")};
        });
        const Value heard =
            g.node("reduce_mailboxes", name + "/heard", {read.name}, sent.width,
                   {{"reduce", reduce}});
        return add(g, own,
                   dense(g, heard, name + "/neighbours", width, /*bias=*/false),
                   name);
      });
  return {};
}

} // namespace

std::vector<Model> zoo::graphMailboxModels() {
  return {{"sage-mailbox",
           "GraphSAGE with other reducers of neighbours, for --graph",
           {{"layers", 2, 1, 64, "layers"},
            {"features", 1433, 1, 1 << 20, "features of a node"},
            hiddenSize(16, "features of a hidden layer, and of messages"),
            {"top", 3, 1, 1 << 10, "messages that sort and top-k keep"},
            classesSize(7)},
           sageMailbox,
           {dropoutOf("the input of each layer")},
           {{"reducer",
             "what makes one of a node's messages",
             {"median", "sort", "top-k", "set-transformer"}}}}};
}
