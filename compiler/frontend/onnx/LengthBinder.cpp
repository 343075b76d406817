#include "compiler/frontend/onnx/LengthBinder.h"

#include "dialects/tdl/lambda/Conjuncts.h"
#include "dialects/tdl/lambda/Opaque.h"

#include <cstring>

using namespace smex;
using namespace smex::frontend;
using tdl::BinaryOp;
using tdl::Expr;
using tdl::ExprKind;
using tdl::ExprRef;

Model LengthBinder::run() {
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
      refuseLengths("\"", base.values[size_t(update.value)].name,
                    "\" is kept for the next step");
  addOutputs();
  return std::move(made);
}

std::string LengthBinder::differsFrom(const SampledModel &sample,
                                      const Numbers &n) const {
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
      const auto line = lineThrough(extents, rows);
      if (!line || at(*line, n) != shape[d])
        return name;
    }
  }
  return "";
}

bool LengthBinder::firstHasRows() const {
  return !base.outputs.empty() &&
         !isFixed(lengths[size_t(base.outputs.front())]);
}

Length LengthBinder::lengthOf(const Numbers &y,
                              const std::string &where) const {
  const auto line = lineThrough(y, rows);
  if (!line)
    refuseLengths("node \"", where, "\": an extent of ", y[0],
                  " does not grow evenly with the rows");
  return *line;
}

std::vector<Length> LengthBinder::shapeOf(int v,
                                          const std::string &where) const {
  std::vector<Length> shape;
  for (size_t d = 0; d < base.values[size_t(v)].type.shape.size(); ++d)
    shape.push_back(lengthOf(numbersOf([&](const Model &model) {
                               return model.values[size_t(v)].type.shape[d];
                             }),
                             where));
  return shape;
}

void LengthBinder::compareModels() const {
  for (const SampledModel &each : all) {
    const Model &model = each.model;
    if (each.decisions != all[0].decisions)
      refuseLengths("a branch or a number of iterations depends on the rows");
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
      refuseLengths("what is computed depends on the rows");
    for (size_t i = 0; i < base.applications.size(); ++i) {
      const Application &a = base.applications[i], &b = model.applications[i];
      if (a.node != b.node || a.operands != b.operands ||
          a.result != b.result || a.extents.size() != b.extents.size() ||
          a.lambda.reducer != b.lambda.reducer ||
          a.lambda.result != b.lambda.result ||
          a.lambda.rank() != b.lambda.rank() ||
          a.lambda.operands.size() != b.lambda.operands.size())
        refuseLengths("node \"", a.node,
                      "\": what it computes depends on the rows");
    }
  }
}

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

void LengthBinder::addParameter(size_t p) {
  const int v = base.parameters[p].value;
  const std::string &name = base.values[size_t(v)].name;
  lengths[size_t(v)] = shapeOf(v, name);
  const TensorType &type = base.values[size_t(v)].type;
  for (const SampledModel &each : all) {
    const ParameterData &a = base.parameters[p].data,
                        &b = each.model.parameters[p].data;
    const TensorType &other = each.model.values[size_t(v)].type;
    if (a.kind != b.kind)
      refuseLengths("constant \"", name, "\" depends on the rows");
    if (a.kind != ParameterData::Kind::Memory) {
      if (type != other)
        refuseLengths("parameter \"", name, "\" depends on the rows");
      continue;
    }
    if ((a.bytes == b.bytes && type == other) ||
        beginsAlike(type, a.bytes, other, b.bytes))
      continue;
    refuseLengths("constant \"", name, "\" depends on the rows");
  }
}

void LengthBinder::addApplication(size_t i) {
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
  lengths[size_t(original.result)] = {extents.begin(), extents.begin() + rank};
  Same bodies, guards;
  for (const SampledModel &each : all) {
    bodies.push_back(each.model.applications[i].lambda.body);
    guards.push_back(each.model.applications[i].lambda.guard);
  }
  bool touched =
      !isFixed(extents) ||
      !std::all_of(bodies.begin(), bodies.end(),
                   [&](const ExprRef &e) { return tdl::equal(e, bodies[0]); });
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
    current.lambda.guard = tdl::both(current.lambda.guard, isThere);
  }
  finish(std::move(current));
}

void LengthBinder::finish(Application application) {
  application.lambda = tdl::canonicalize(std::move(application.lambda));
  if (Status valid = tdl::verify(application.lambda); !valid)
    refuseLengths("node \"", application.node, "\": ", valid.error().message);
  made.applications.push_back(std::move(application));
}

void LengthBinder::padSlices() {
  const ExprRef body = current.lambda.body;
  const tdl::OpaqueFunction *function = tdl::findOpaque(body->function);
  for (const Expr::Slice &slice : body->slices) {
    std::vector<bool> dims;
    for (size_t d = 0; d < slice.index.size(); ++d)
      dims.push_back(!slice.index[d] && !lengthsOf(slice.operand)[d].isFixed());
    if (std::count(dims.begin(), dims.end(), true) == 0)
      continue;
    if (!function || !function->padding)
      refuseLengths("node \"", current.node, "\": @", body->function,
                    " of rows whose number is not known");
    Application outer = std::move(current);
    std::map<size_t, int> outerCounts = std::move(counts);
    const int outerGiven = given;
    const int padded = withoutRest(outer.operands[size_t(slice.operand)], dims,
                                   *function->padding, outer.node);
    current = std::move(outer);
    counts = std::move(outerCounts);
    given = outerGiven;
    current.operands[size_t(slice.operand)] = padded;
  }
}

int LengthBinder::withoutRest(int v, const std::vector<bool> &dims, double rest,
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
    if (dims[size_t(d)])
      inside =
          tdl::both(inside, tdl::binary(BinaryOp::Lt, index[size_t(d)],
                                        toExpr(lengths[size_t(v)][size_t(d)])));
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

void LengthBinder::addOutputs() {
  std::set<size_t> shown; // those whose rows an output has
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
  const std::vector<CountedRows> &nodes = all[0].rows;
  for (size_t k = 0; k < nodes.size(); ++k) {
    if (!nodes[k].bound && !shown.count(k))
      continue;
    made.outputs.push_back(nodes[k].count);
    made.outputNames.push_back(nodes[k].node + ".count");
    if (!nodes[k].bound)
      continue;
    const auto [most, isNew] =
        made.mostRows.try_emplace(nodes[k].count, *nodes[k].bound);
    most->second = std::min(most->second, *nodes[k].bound);
  }
}
