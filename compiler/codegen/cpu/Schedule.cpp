#include "compiler/codegen/cpu/Schedule.h"

#include "compiler/codegen/cpu/Digits.h"
#include "compiler/codegen/cpu/Vectors.h"
#include "compiler/codegen/expression/Conditions.h"
#include "compiler/codegen/expression/LoopOrder.h"
#include "compiler/codegen/expression/Scan.h"
#include "compiler/codegen/expression/Scatter.h"
#include "compiler/codegen/expression/Window.h"
#include "dialects/tdl/analysis/NestedProduct.h"
#include "dialects/tdl/lambda/Accumulated.h"

#include <algorithm>

using namespace smex;
using namespace smex::codegen;
using tdl::ExprKind;
using tdl::ExprRef;
using Form = Schedule::Form;

namespace {

bool hasCuts(const tdl::Lambda &lambda, const ExprRef &term) {
  const std::vector<bool> bound(lambda.outputs.size(), true);
  for (int i = 0; i < lambda.rank(); ++i)
    if (findCut(term, i, bound))
      return true;
  return false;
}

/// Data says which rows a map reads, and its last variable goes along them.
bool gathersRows(const tdl::Lambda &lambda, const ExprRef &term) {
  const int last = lambda.rank() - 1;
  bool found = false;
  if (last > 0 && isFloat(lambda.result))
    walk(term, [&](const ExprRef &e) {
      if (e->kind != ExprKind::Read)
        return;
      found |= std::any_of(e->children.begin(), e->children.end(),
                           [&](const ExprRef &index) {
                             return readsData(index) && !uses(index, last);
                           });
    });
  return found;
}

/// The output variable along which an operand lies in memory, where it is not
/// the result's last: a transposition.
int transposedVariable(const tdl::Lambda &lambda, const ExprRef &term) {
  const int last = lambda.rank() - 1;
  int variable = -1;
  walk(term, [&](const ExprRef &e) {
    if (e->kind != ExprKind::Read || readCost(e, last) <= 2)
      return;
    for (int i = 0; i < last; ++i)
      if (readCost(e, i) == 1)
        variable = i;
  });
  return variable;
}

/// What guards a term decides for all elements of a vector alike.
bool hasRows(const ExprRef &term, const ExprRef &nothing, int variable) {
  if (isGuarded(term, nothing))
    return !uses(term->children[0], variable) &&
           hasRows(term->children[1], nothing, variable);
  return uses(term, variable) && hasVector(term, variable);
}

/// A read's place in memory is data.
bool readsByData(const ExprRef &term) {
  bool found = false;
  walk(term, [&](const ExprRef &e) {
    if (e->kind == ExprKind::Read)
      for (const ExprRef &index : e->children)
        found |= readsData(index);
  });
  return found;
}

/// Conditions of the term use the variable, or a bound of its loops does.
bool inGuard(const ExprRef &term, const ExprRef &nothing, int variable) {
  return isGuarded(term, nothing) &&
         (uses(term->children[0], variable) ||
          inGuard(term->children[1], nothing, variable));
}

/// Without conditions that do not depend on the variable.
ExprRef guardedTerm(ExprRef term, const ExprRef &nothing, int variable) {
  while (isGuarded(term, nothing) && !uses(term->children[0], variable))
    term = term->children[1];
  return term;
}

std::vector<int> outputsOf(const tdl::Lambda &lambda) {
  std::vector<int> outputs;
  for (int i = 0; i < lambda.rank(); ++i)
    outputs.push_back(i);
  return outputs;
}

/// Vectors that the emitter makes itself, with what they read asked for ahead.
void useVectors(Schedule &schedule, const Processor &processor) {
  schedule.vector = processor.vector;
  schedule.ahead.passes = schedule.ahead.most = processor.ahead;
  schedule.ahead.perLine =
      processor.lineBytes / (processor.vector * byteSize(DType::F32));
  schedule.ahead.least = processor.leastAhead;
}

Schedule scheduleMap(const tdl::Lambda &lambda, const Processor &processor) {
  const ExprRef term = mapTerm(lambda);
  const int last = lambda.rank() - 1;
  Schedule schedule;
  schedule.order = outputsOf(lambda);
  if (lambda.rank() > 0)
    if (const auto digits = findDigits(lambda, term)) {
      schedule.form = Form::Digits;
      schedule.along = last;
      schedule.tiles = {digits->base};
      return schedule;
    }
  if (const int variable = transposedVariable(lambda, term); variable >= 0) {
    schedule.form = Form::Squares;
    schedule.along = variable;
    int64_t side = 64; // of elements that are narrow, too
    while (side * side * byteSize(lambda.result) > processor.squareBytes)
      side /= 2;
    schedule.tiles = {side};
    return schedule;
  }
  if (hasCuts(lambda, term)) {
    schedule.form = Form::Loops;
    return schedule;
  }
  if (gathersRows(lambda, term)) {
    schedule.form = Form::Gather;
    schedule.along = last;
    schedule.tiles = {processor.shortRow};
    useVectors(schedule, processor);
  }
  return schedule;
}

/// Vectors of accumulators are f32 or f64, and are stored as they are.
bool hasVectors(DType stored) {
  return stored == DType::F32 || stored == DType::F64;
}

/// Whether the terms are rows that data says the place of.
bool isRows(const tdl::Lambda &lambda, const ExprRef &term, int along) {
  return along >= 0 && readsByData(term) &&
         hasRows(term, tdl::identity(lambda.reducer, lambda.result), along);
}

/// Whether the terms lie along the only reduction, as vectors.
bool isDots(const tdl::Lambda &lambda, const ExprRef &term,
            const ReductionOrder &order) {
  if (order.output >= 0 || order.reductions.size() != 1)
    return false;
  const int along = order.reductions[0];
  const ExprRef inner =
      guardedTerm(term, tdl::identity(lambda.reducer, lambda.result), along);
  // A sum of an operand's elements alone is as fast without.
  return inner->kind != ExprKind::Read && uses(inner, along) &&
         hasVector(inner, along);
}

/// `lambda` has the type that terms accumulate in, `stored` is the result's.
Schedule scheduleReduction(const tdl::Lambda &lambda, DType stored,
                           const Processor &processor) {
  Schedule schedule;
  for (int r = lambda.rank(); r < lambda.indexCount(); ++r)
    schedule.order.push_back(r);
  if (findScatter(lambda)) {
    schedule.form = Form::Scatter;
    schedule.tiles = {processor.scatterTile};
    return schedule;
  }
  if (analysis::matchNestedProduct(lambda)) {
    schedule.form = Form::Nested;
    schedule.tiles = {processor.nestedRows, processor.nestedColumns};
    schedule.lanes = processor.nestedTerms;
    return schedule;
  }
  // It adds to results in memory, which have no room for longer sums.
  if (stored == lambda.result && findWindow(lambda)) {
    schedule.form = Form::Window;
    return schedule;
  }
  if (const auto scan = findScan(lambda)) {
    schedule.form = Form::Scan;
    schedule.along = scan->output;
    schedule.tiles = {processor.tile};
    return schedule;
  }
  const ExprRef term = termOf(lambda);
  const ReductionOrder order = chooseOrder(lambda, term);
  schedule.order = order.reductions;
  schedule.along = order.output;
  const int64_t lanes =
      processor.laneBytes / byteSize(accumulatorType(lambda.result));
  if (hasVectors(stored) && isRows(lambda, term, order.output)) {
    schedule.form = Form::Rows;
    const ExprRef nothing = tdl::identity(lambda.reducer, lambda.result);
    if (order.output > 0 && !inGuard(term, nothing, order.output - 1))
      schedule.across = order.output - 1;
    schedule.tiles = processor.blocks;
    int64_t size = 0;
    for (const ExprRef &slow :
         coefficients(guardedTerm(term, nothing, order.output), order.output))
      size += slow->size;
    if (size > 0)
      schedule.coefficients = processor.coefficients;
    if (size > processor.largeCoefficients) {
      schedule.masked = true;
      schedule.tiles = {schedule.tiles.front(), schedule.tiles.back()};
    }
    useVectors(schedule, processor);
    schedule.ahead.most = processor.mostAhead;
    schedule.ahead.bytes = processor.aheadBytes;
  } else if (hasVectors(stored) && isDots(lambda, term, order)) {
    schedule.form = Form::Dots;
    schedule.along = order.reductions[0];
    schedule.tiles = {processor.shortSum};
    schedule.lanes = lanes;
    useVectors(schedule, processor);
  } else if (order.output >= 0) {
    schedule.form = Form::Tile;
    schedule.tiles = {processor.tile};
    const ExprRef nothing = tdl::identity(lambda.reducer, lambda.result);
    // Few neighbours, as an edge's heads are: a loop as long as a vector.
    if (readsByData(term) && isSlow(term) &&
        !inGuard(term, nothing, order.output)) {
      schedule.tiles = {processor.vector};
      schedule.vector = processor.vector;
      schedule.coefficients = processor.coefficients;
    }
  } else {
    schedule.form = Form::Lanes;
    schedule.tiles = {processor.chunk};
    schedule.lanes = lanes;
  }
  return schedule;
}

const char *nameOf(Form form) {
  switch (form) {
  case Form::Generic:
    return "generic";
  case Form::Loops:
    return "loops";
  case Form::Gather:
    return "gather";
  case Form::Digits:
    return "digits";
  case Form::Squares:
    return "squares";
  case Form::Scatter:
    return "scatter";
  case Form::Window:
    return "window";
  case Form::Scan:
    return "scan";
  case Form::Rows:
    return "rows";
  case Form::Dots:
    return "dots";
  case Form::Tile:
    return "tile";
  case Form::Lanes:
    return "lanes";
  case Form::Nested:
    return "nested";
  }
  return "";
}

template <typename List> std::string listed(const List &list) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i)
    text += (i ? ", " : "") + std::to_string(list[i]);
  return text + "]";
}

} // namespace

Schedule codegen::chooseSchedule(const tdl::Lambda &lambda,
                                 const Processor &processor) {
  const tdl::Lambda terms = accumulated(lambda);
  return lambda.reducer == tdl::Reducer::None
             ? scheduleMap(terms, processor)
             : scheduleReduction(terms, lambda.result, processor);
}

std::string codegen::toString(const Schedule &schedule) {
  std::string text = nameOf(schedule.form);
  const auto number = [&](const char *name, int64_t value, int64_t none) {
    if (value != none)
      text += std::string(" ") + name + " " + std::to_string(value);
  };
  number("along", schedule.along, -1);
  number("across", schedule.across, -1);
  if (!schedule.order.empty())
    text += " order " + listed(schedule.order);
  if (!schedule.tiles.empty())
    text += " tiles " + listed(schedule.tiles);
  number("vector", schedule.vector, 0);
  number("lanes", schedule.lanes, 0);
  number("coefficients", schedule.coefficients, 0);
  number("masked", schedule.masked, 0);
  number("ahead", schedule.ahead.passes, 0);
  number("to", schedule.ahead.most, schedule.ahead.passes);
  return text;
}
