#include "compiler/frontend/onnx/Lengths.h"

#include "dialects/tdl/lambda/Opaque.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

using namespace smex;
using namespace smex::frontend;
using tdl::BinaryOp;
using tdl::Expr;
using tdl::ExprKind;
using tdl::ExprRef;

namespace {

/// A constant, and so much for each row.
struct Length {
  int64_t constant = 0;
  std::vector<int64_t> perRow; // of each node that chooses rows
  bool isFixed() const {
    return std::all_of(perRow.begin(), perRow.end(),
                       [](int64_t f) { return f == 0; });
  }
};

/// Why a model cannot be computed for any number of rows; caught in
/// withLengths.
struct Unclear {
  std::string reason;
};

template <typename... Parts> [[noreturn]] void refuse(Parts &&...parts) {
  throw Unclear{fail(std::forward<Parts>(parts)...).message};
}

using Numbers = std::vector<int64_t>; // one per model
using Same = std::vector<ExprRef>;    // what is in one place, per model

/// Models with another number of rows of one node, and all others.
constexpr size_t perNode = 3;

class Binder {
public:
  Binder(std::vector<SampledModel> given, std::vector<Numbers> rows)
      : all(std::move(given)), rows(std::move(rows)), base(all[0].model) {}

  Model run() {
    compareModels();
    lengths.resize(base.values.size());
    follows.resize(base.values.size());
    made = base;
    made.applications.clear();
    for (const Value &value : base.values)
      newNames.insert(value.name);
    for (int input : base.inputs)
      lengths[size_t(input)] = shapeOf(input, base.values[size_t(input)].name);
    for (size_t p = 0; p < base.parameters.size(); ++p)
      addParameter(p);
    for (size_t i = 0; i < base.applications.size(); ++i)
      addApplication(i);
    for (const Update &update : base.updates)
      if (!isFixed(lengths[size_t(update.value)]))
        refuse("\"", base.values[size_t(update.value)].name,
               "\" is kept for the next step");
    addOutputs();
    return std::move(made);
  }

  /// What has another shape than in the other models, or is decided in another
  /// way, where there are so many rows; "" for nothing.
  std::string differsFrom(const SampledModel &sample, const Numbers &n) const {
    for (const auto &[node, decision] : sample.decisions) {
      const auto known = all[0].decisions.find(node);
      if (known == all[0].decisions.end() || known->second != decision)
        return node;
    }
    for (const auto &[name, shape] : sample.shapes) {
      std::vector<const std::vector<int64_t> *> others;
      for (const SampledModel &each : all)
        if (const auto known = each.shapes.find(name);
            known != each.shapes.end() && known->second.size() == shape.size())
          others.push_back(&known->second);
      if (others.size() != all.size())
        return name;
      for (size_t d = 0; d < shape.size(); ++d) {
        Numbers extents;
        for (const auto *other : others)
          extents.push_back((*other)[d]);
        const auto line = lineThrough(extents);
        if (!line || at(*line, n) != shape[d])
          return name;
      }
    }
    return "";
  }

  /// Whether the first output has rows whose number is not known.
  bool firstHasRows() const {
    return !base.outputs.empty() &&
           !isFixed(lengths[size_t(base.outputs.front())]);
  }

private:
  static int64_t at(const Length &length, const Numbers &n) {
    __int128 sum = length.constant;
    for (size_t k = 0; k < length.perRow.size(); ++k)
      sum += __int128(length.perRow[k]) * n[k];
    return int64_t(sum);
  }

  static bool isFixed(const std::vector<Length> &shape) {
    return std::all_of(shape.begin(), shape.end(),
                       [](const Length &length) { return length.isFixed(); });
  }

  /// The line through numbers of all models, if they are on one. Model 1 + 3k
  /// has another number of rows of node k only.
  std::optional<Length> lineThrough(const Numbers &y) const {
    const size_t nodes = rows[0].size();
    Length line;
    line.perRow.assign(nodes, 0);
    line.constant = y[0];
    if (std::all_of(y.begin(), y.end(), [&](int64_t v) { return v == y[0]; }))
      return line;
    constexpr int64_t most = int64_t(1) << 50;
    for (int64_t value : y)
      if (value < -most || value > most)
        return std::nullopt;
    __int128 constant = y[0];
    for (size_t k = 0; k < nodes; ++k) {
      const int64_t step = rows[0][k] - rows[1 + perNode * k][k];
      const int64_t rise = y[0] - y[1 + perNode * k];
      if (rise % step != 0)
        return std::nullopt;
      line.perRow[k] = rise / step;
      constant -= __int128(line.perRow[k]) * rows[0][k];
    }
    if (constant < -most || constant > most)
      return std::nullopt;
    line.constant = int64_t(constant);
    for (size_t s = 0; s < y.size(); ++s)
      if (at(line, rows[s]) != y[s])
        return std::nullopt;
    return line;
  }

  template <typename Get> Numbers numbersOf(Get &&get) const {
    Numbers numbers;
    for (const SampledModel &each : all)
      numbers.push_back(get(each.model));
    return numbers;
  }

  Length lengthOf(const Numbers &y, const std::string &where) const {
    const auto line = lineThrough(y);
    if (!line)
      refuse("node \"", where, "\": an extent of ", y[0],
             " does not grow evenly with the rows");
    return *line;
  }

  std::vector<Length> shapeOf(int v, const std::string &where) const {
    std::vector<Length> shape;
    for (size_t d = 0; d < base.values[size_t(v)].type.shape.size(); ++d)
      shape.push_back(lengthOf(numbersOf([&](const Model &model) {
                                 return model.values[size_t(v)].type.shape[d];
                               }),
                               where));
    return shape;
  }

  /// The models must be alike but for numbers.
  void compareModels() const {
    for (const SampledModel &each : all) {
      const Model &model = each.model;
      if (each.decisions != all[0].decisions)
        refuse("a branch or a number of iterations depends on the rows");
      bool same = model.values.size() == base.values.size() &&
                  model.applications.size() == base.applications.size() &&
                  model.parameters.size() == base.parameters.size() &&
                  model.outputs == base.outputs && model.inputs == base.inputs;
      for (size_t k = 0; same && k < each.rows.size(); ++k)
        same = each.rows[k].count == all[0].rows[k].count;
      for (size_t v = 0; same && v < base.values.size(); ++v)
        same = model.values[v].name == base.values[v].name &&
               model.values[v].type.dtype == base.values[v].type.dtype &&
               model.values[v].type.rank() == base.values[v].type.rank();
      for (size_t p = 0; same && p < base.parameters.size(); ++p)
        same = model.parameters[p].value == base.parameters[p].value;
      if (!same)
        refuse("what is computed depends on the rows");
      for (size_t i = 0; i < base.applications.size(); ++i) {
        const Application &a = base.applications[i], &b = model.applications[i];
        if (a.node != b.node || a.operands != b.operands ||
            a.result != b.result || a.extents.size() != b.extents.size() ||
            a.lambda.reducer != b.lambda.reducer ||
            a.lambda.result != b.lambda.result ||
            a.lambda.rank() != b.lambda.rank() ||
            a.lambda.operands.size() != b.lambda.operands.size())
          refuse("node \"", a.node, "\": what it computes depends on the rows");
      }
    }
  }

  /// A stored value: the same in all models, or its beginning, as of 0, 1, 2 ..
  void addParameter(size_t p) {
    const int v = base.parameters[p].value;
    const std::string &name = base.values[size_t(v)].name;
    lengths[size_t(v)] = shapeOf(v, name);
    const TensorType &type = base.values[size_t(v)].type;
    for (const SampledModel &each : all) {
      const ParameterData &a = base.parameters[p].data,
                          &b = each.model.parameters[p].data;
      const TensorType &other = each.model.values[size_t(v)].type;
      if (a.kind != b.kind)
        refuse("constant \"", name, "\" depends on the rows");
      if (a.kind != ParameterData::Kind::Memory) {
        if (type != other)
          refuse("parameter \"", name, "\" depends on the rows");
        continue;
      }
      if ((a.bytes == b.bytes && type == other) ||
          beginsAlike(type, a.bytes, other, b.bytes))
        continue;
      refuse("constant \"", name, "\" depends on the rows");
    }
  }

  /// Whether elements at the same coordinates are the same.
  static bool beginsAlike(const TensorType &a, const std::byte *x,
                          const TensorType &b, const std::byte *y) {
    std::vector<int64_t> common;
    for (size_t d = 0; d < a.shape.size(); ++d)
      common.push_back(std::min(a.shape[d], b.shape[d]));
    const auto count = elementCount(common);
    if (!count)
      return false;
    const int64_t size = byteSize(a.dtype);
    for (int64_t e = 0; e < *count; ++e) {
      int64_t rest = e, i = 0, j = 0, stepA = 1, stepB = 1;
      for (size_t d = common.size(); d-- > 0;) {
        const int64_t at = rest % common[d];
        rest /= common[d];
        i += at * stepA;
        j += at * stepB;
        stepA *= a.shape[d];
        stepB *= b.shape[d];
      }
      if (std::memcmp(x + i * size, y + j * size, size_t(size)) != 0)
        return false;
    }
    return true;
  }

  // One application.

  /// How many rows node k has chosen, in the current lambda.
  ExprRef countOf(size_t k) {
    auto [known, isNew] = counts.try_emplace(k, 0);
    if (isNew) {
      known->second = int(current.lambda.operands.size());
      current.lambda.operands.push_back({"n", DType::I64, 0});
      current.operands.push_back(all[0].rows[k].count);
    }
    return tdl::read(known->second, DType::I64, {});
  }

  ExprRef toExpr(const Length &length) {
    ExprRef sum = tdl::constant(length.constant);
    for (size_t k = 0; k < length.perRow.size(); ++k)
      if (length.perRow[k] != 0)
        sum = tdl::binary(BinaryOp::Add,
                          tdl::binary(BinaryOp::Mul, countOf(k),
                                      tdl::constant(length.perRow[k])),
                          sum);
    return sum;
  }

  bool readsCounts(const ExprRef &e) const {
    bool reads = false;
    tdl::walk(e, [&](const ExprRef &node) {
      reads |= node->kind == ExprKind::Read && node->operand >= given;
    });
    return reads;
  }

  [[noreturn]] void unclear() const {
    refuse("node \"", current.node,
           "\": what it computes depends on the rows in a way that is not a "
           "multiple of their number");
  }

  static ExprRef zero(DType type) {
    return isFloat(type) ? tdl::constant(0.0, type) : tdl::constant(0, type);
  }

  ExprRef number(const Same &es) {
    const Expr &first = *es[0];
    Numbers y;
    for (const ExprRef &e : es) {
      if (first.kind == ExprKind::Int) {
        y.push_back(e->integer);
        continue;
      }
      const double x = e->real;
      if (x != std::trunc(x) || std::fabs(x) > double(int64_t(1) << 50))
        unclear();
      y.push_back(int64_t(x));
    }
    const auto line = lineThrough(y);
    if (!line || first.type == DType::Bool)
      unclear();
    const ExprRef sum = toExpr(*line);
    return first.type == DType::I64 ? sum : tdl::cast(first.type, sum);
  }

  bool areEqual(const Same &es) const {
    return std::all_of(es.begin(), es.end(),
                       [&](const ExprRef &e) { return tdl::equal(e, es[0]); });
  }

  template <typename Get> Same part(const Same &es, Get &&get) const {
    Same parts;
    for (const ExprRef &e : es)
      parts.push_back(get(*e));
    return parts;
  }

  ExprRef merge(const Same &es) {
    if (!es[0]) {
      if (std::any_of(es.begin(), es.end(),
                      [](const ExprRef &e) { return bool(e); }))
        unclear();
      return nullptr;
    }
    const Expr &first = *es[0];
    for (const ExprRef &e : es)
      if (!e || e->kind != first.kind || e->type != first.type ||
          e->index != first.index || e->operand != first.operand ||
          e->dim != first.dim || e->unary != first.unary ||
          e->binary != first.binary || e->function != first.function ||
          e->arguments != first.arguments ||
          e->children.size() != first.children.size() ||
          e->slices.size() != first.slices.size())
        unclear();
    if (first.kind == ExprKind::Int || first.kind == ExprKind::Float)
      return areEqual(es) ? es[0] : number(es);
    if (first.kind == ExprKind::Extent) {
      const Length &length = lengthsOf(first.operand)[size_t(first.dim)];
      return length.isFixed() ? es[0] : toExpr(length);
    }
    std::vector<ExprRef> children;
    for (size_t c = 0; c < first.children.size(); ++c)
      children.push_back(
          merge(part(es, [&](const Expr &e) { return e.children[c]; })));
    ExprRef otherwise =
        merge(part(es, [](const Expr &e) { return e.otherwise; }));
    if (first.kind == ExprKind::Read)
      return element(first, std::move(children), std::move(otherwise));
    if (first.kind == ExprKind::Binary && first.type == DType::I64 &&
        (first.binary == BinaryOp::FloorDiv || first.binary == BinaryOp::Mod) &&
        readsCounts(children[1])) // of no rows, nothing counts
      children[1] = tdl::binary(BinaryOp::Max, children[1], tdl::constant(1));
    std::vector<Expr::Slice> slices = first.slices;
    for (size_t s = 0; s < slices.size(); ++s)
      for (size_t d = 0; d < slices[s].index.size(); ++d)
        slices[s].index[d] = merge(
            part(es, [&](const Expr &e) { return e.slices[s].index[d]; }));
    return tdl::withChildren(first, std::move(children), std::move(otherwise),
                             std::move(slices));
  }

  const std::vector<Length> &lengthsOf(int operand) const {
    return lengths[size_t(current.operands[size_t(operand)])];
  }

  /// `else` is for what is behind the rows that there are, too. What rows that
  /// do not count, or what follows from them where there are none, has as an
  /// index, may be anything: nothing is read out of range.
  ExprRef element(const Expr &read, std::vector<ExprRef> index,
                  ExprRef otherwise) {
    ExprRef inside;
    const std::vector<Length> &shape = lengthsOf(read.operand);
    bool isOpen = false;
    for (size_t d = 0; d < index.size(); ++d) {
      isOpen |= tdl::readsData(index[d]);
      if (!otherwise || shape[d].isFixed())
        continue;
      const ExprRef here =
          tdl::binary(BinaryOp::Lt, index[d], toExpr(shape[d]));
      inside = inside ? tdl::binary(BinaryOp::And, inside, here) : here;
    }
    const ExprRef made = tdl::read(read.operand, read.type, std::move(index),
                                   otherwise ? otherwise
                                   : isOpen  ? zero(read.type)
                                             : nullptr);
    return inside ? tdl::select(inside, made, otherwise) : made;
  }

  void addApplication(size_t i) {
    const Application &original = base.applications[i];
    current = original;
    given = int(original.lambda.operands.size());
    counts.clear();
    std::vector<Length> extents;
    for (size_t x = 0; x < original.extents.size(); ++x)
      extents.push_back(lengthOf(numbersOf([&](const Model &model) {
                                   return model.applications[i].extents[x];
                                 }),
                                 original.node));
    const int rank = original.lambda.rank();
    lengths[size_t(original.result)] = {extents.begin(),
                                        extents.begin() + rank};
    Same bodies, guards;
    for (const SampledModel &each : all) {
      bodies.push_back(each.model.applications[i].lambda.body);
      guards.push_back(each.model.applications[i].lambda.guard);
    }
    bool touched = !isFixed(extents) || !areEqual(bodies);
    for (const ExprRef &guard : guards)
      touched |= bool(guard) != bool(guards[0]) ||
                 (guard && !tdl::equal(guard, guards[0]));
    for (int operand : original.operands)
      touched |= !isFixed(lengths[size_t(operand)]) || follows[size_t(operand)];
    follows[size_t(original.result)] = touched;
    if (!touched) {
      made.applications.push_back(original);
      return;
    }
    current.lambda.body = merge(bodies);
    current.lambda.guard = merge(guards);
    if (current.lambda.body->kind == ExprKind::Opaque)
      padSlices();
    for (size_t x = size_t(rank); x < extents.size(); ++x) {
      if (extents[x].isFixed())
        continue;
      const ExprRef isThere =
          tdl::binary(BinaryOp::Lt, tdl::indexVar(int(x)), toExpr(extents[x]));
      ExprRef &guard = current.lambda.guard;
      guard = guard ? tdl::binary(BinaryOp::And, guard, isThere) : isThere;
    }
    finish(std::move(current));
  }

  void finish(Application application) {
    application.lambda = tdl::canonicalize(std::move(application.lambda));
    if (Status valid = tdl::verify(application.lambda); !valid)
      refuse("node \"", application.node, "\": ", valid.error().message);
    made.applications.push_back(std::move(application));
  }

  /// What an opaque function takes whole, has what changes nothing where no
  /// rows are.
  void padSlices() {
    const ExprRef body = current.lambda.body;
    const tdl::OpaqueFunction *function = tdl::findOpaque(body->function);
    for (const Expr::Slice &slice : body->slices) {
      std::vector<bool> dims;
      for (size_t d = 0; d < slice.index.size(); ++d)
        dims.push_back(!slice.index[d] &&
                       !lengthsOf(slice.operand)[d].isFixed());
      if (std::count(dims.begin(), dims.end(), true) == 0)
        continue;
      if (!function || !function->padding)
        refuse("node \"", current.node, "\": @", body->function,
               " of rows whose number is not known");
      Application outer = std::move(current);
      std::map<size_t, int> outerCounts = std::move(counts);
      const int outerGiven = given;
      const int padded = withoutRest(outer.operands[size_t(slice.operand)],
                                     dims, *function->padding, outer.node);
      current = std::move(outer);
      counts = std::move(outerCounts);
      given = outerGiven;
      current.operands[size_t(slice.operand)] = padded;
    }
  }

  /// The value with this element behind the rows that there are.
  int withoutRest(int v, const std::vector<bool> &dims, double rest,
                  const std::string &node) {
    const Value value = made.values[size_t(v)];
    const int rank = int(value.type.shape.size());
    current = Application();
    current.node = node;
    current.operands = {v};
    current.extents = value.type.shape;
    current.lambda.operands = {{"x", value.type.dtype, rank}};
    current.lambda.result = value.type.dtype;
    given = 1;
    counts.clear();
    std::vector<ExprRef> index;
    for (int d = 0; d < rank; ++d) {
      current.lambda.outputs.push_back("i" + std::to_string(d));
      index.push_back(tdl::indexVar(d));
    }
    ExprRef inside;
    for (int d = 0; d < rank; ++d)
      if (dims[size_t(d)]) {
        const ExprRef here = tdl::binary(BinaryOp::Lt, index[size_t(d)],
                                         toExpr(lengths[size_t(v)][size_t(d)]));
        inside = inside ? tdl::binary(BinaryOp::And, inside, here) : here;
      }
    const DType type = value.type.dtype;
    current.lambda.body =
        tdl::select(inside, tdl::read(0, type, std::move(index)),
                    isFloat(type) ? tdl::constant(rest, type)
                                  : tdl::constant(int64_t(rest), type));
    std::string name = value.name + ".rows";
    while (!newNames.insert(name).second)
      name += "_2";
    current.result = int(made.values.size());
    made.values.push_back({name, value.type});
    lengths.push_back(lengths[size_t(v)]);
    const int result = current.result;
    finish(std::move(current));
    return result;
  }

  void addOutputs() {
    std::set<size_t> shown; // nodes whose rows an output has
    for (int &output : made.outputs) {
      const std::vector<Length> shape = lengths[size_t(output)];
      if (isFixed(shape))
        continue;
      std::vector<bool> dims;
      for (const Length &length : shape) {
        dims.push_back(!length.isFixed());
        for (size_t k = 0; k < length.perRow.size(); ++k)
          if (length.perRow[k] != 0)
            shown.insert(k);
      }
      output = withoutRest(output, dims, 0, base.values[size_t(output)].name);
    }
    for (size_t k : shown) {
      made.outputs.push_back(all[0].rows[k].count);
      made.outputNames.push_back(all[0].rows[k].node + ".count");
    }
  }

  const std::vector<SampledModel> all;
  const std::vector<Numbers> rows; // per model, of each node
  const Model &base;
  Model made;
  std::vector<std::vector<Length>> lengths; // per value and dimension
  std::vector<bool> follows;                // from chosen rows: what a value is
  std::set<std::string> newNames;

  Application current;
  int given = 0;                // its operands, before any was added
  std::map<size_t, int> counts; // its operands that are numbers of rows
};

/// What neither outputs nor updates need.
void dropUnused(Model &model) {
  std::vector<bool> needed(model.values.size());
  for (int output : model.outputs)
    needed[size_t(output)] = true;
  for (const Update &update : model.updates)
    needed[size_t(update.value)] = true;
  std::vector<Application> kept;
  for (size_t i = model.applications.size(); i-- > 0;) {
    Application &application = model.applications[i];
    if (!needed[size_t(application.result)])
      continue;
    for (int operand : application.operands)
      needed[size_t(operand)] = true;
    kept.push_back(std::move(application));
  }
  std::reverse(kept.begin(), kept.end());
  model.applications = std::move(kept);
}

Result<Model> bindRows(SampledModel base, const ImportWithRows &import,
                       bool training) {
  const std::vector<CountedRows> nodes = base.rows;
  Numbers room;
  for (const CountedRows &node : nodes)
    room.push_back(node.room);
  std::vector<SampledModel> models;
  std::vector<Numbers> rows = {room};
  models.push_back(std::move(base));
  const auto with = [&](const Numbers &n) {
    std::map<std::string, int64_t> numbers;
    for (size_t k = 0; k < nodes.size(); ++k)
      numbers[nodes[k].node] = n[k];
    return import(numbers);
  };
  const auto add = [&](const Numbers &n) {
    auto model = with(n);
    if (!model)
      refuse(model.error().message);
    if (model->rows.size() != nodes.size())
      refuse("what is computed depends on the rows");
    models.push_back(std::move(*model));
    rows.push_back(n);
  };
  // Few rows, half of them, and all but one: what bends in between shows, and
  // what goes in steps.
  Numbers half = room;
  for (size_t k = 0; k < nodes.size(); ++k) {
    Numbers n = room;
    n[k] = 3;
    add(n);
    n[k] = half[k] = room[k] >= 7 ? (3 + room[k]) / 2 : 2 * room[k] + 1;
    add(n);
    n[k] = room[k] >= 7 ? room[k] - 1 : 2 * room[k] + 2;
    add(n);
  }
  if (nodes.size() > 1)
    add(half);
  Binder binder(std::move(models), rows);
  Model model = binder.run();
  // Lambdas of one row, or none, may differ from others, but not the extents of
  // what they give. What cannot be imported so has no such rows.
  for (size_t k = 0; k < nodes.size(); ++k)
    for (int64_t few : {1, 0}) {
      Numbers n = room;
      n[k] = few;
      const auto sample = with(n);
      if (!sample)
        continue;
      if (const std::string name = binder.differsFrom(*sample, n);
          !name.empty())
        refuse("\"", name, "\" is another one where there ", few ? "is" : "are",
               " ", few, few ? " row" : " rows");
    }
  if (training && binder.firstHasRows())
    refuse("a loss of output \"", model.outputNames.front(),
           "\" would count rows that are not there: let the model compute its "
           "loss, and give that as its first output");
  dropUnused(model);
  return std::move(model);
}

} // namespace

Result<Model> smex::frontend::withLengths(SampledModel base,
                                          const ImportWithRows &import,
                                          bool training) {
  if (base.rows.empty())
    return std::move(base.model);
  std::string nodes;
  for (const CountedRows &node : base.rows)
    nodes += (nodes.empty() ? "\"" : ", \"") + node.node + "\"";
  try {
    return bindRows(std::move(base), import, training);
  } catch (const Unclear &unclear) {
    return fail("the number of rows of ", nodes,
                " depends on values, and a plan is static: ", unclear.reason,
                "; bind the inputs that they are made of with --constant "
                "NAME=FILE");
  }
}
