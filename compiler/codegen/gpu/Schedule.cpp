#include "compiler/codegen/gpu/Schedule.h"

#include "compiler/codegen/expression/Conditions.h"
#include "compiler/codegen/expression/LoopOrder.h"
#include "compiler/codegen/expression/Scalars.h"
#include "compiler/codegen/expression/Scan.h"
#include "compiler/codegen/gpu/Neighbours.h"
#include "compiler/codegen/gpu/Nested.h"
#include "compiler/codegen/gpu/OpaqueLaunch.h"
#include "compiler/codegen/gpu/Product.h"
#include "compiler/codegen/gpu/ScatterVariables.h"
#include "compiler/codegen/gpu/Segment.h"
#include "dialects/tdl/lambda/Accumulated.h"

using namespace smex;
using namespace smex::codegen;
using plan::Launch;
using tdl::ExprRef;
using Form = GpuSchedule::Form;

namespace {

GpuSchedule scheduleScatter(const tdl::Lambda &lambda, const Scatter &scatter,
                            const GpuProcessor &processor) {
  GpuSchedule schedule;
  schedule.form = Form::Scatter;
  schedule.lanes =
      scatterVariables(lambda, scatter).lanes.empty() ? 1 : processor.warp;
  schedule.tile = processor.scatterBytes / schedule.lanes /
                  byteSize(accumulatorType(lambda.result));
  return schedule;
}

GpuSchedule scheduleProduct(const GpuProcessor &processor) {
  GpuSchedule schedule;
  schedule.form = Form::Product;
  schedule.tile = processor.tile;
  schedule.part = processor.part;
  schedule.depth = processor.depth;
  return schedule;
}

GpuSchedule scheduleNested(const GpuProcessor &processor) {
  GpuSchedule schedule;
  schedule.form = Form::Nested;
  schedule.tile = processor.nestedTile;
  schedule.threads =
      processor.nestedTile / processor.rowsOfWarp * processor.warp;
  return schedule;
}

GpuSchedule scheduleReduction(const tdl::Lambda &lambda,
                              const GpuProcessor &processor) {
  if (const auto scatter = findScatter(lambda))
    return scheduleScatter(lambda, *scatter, processor);
  if (findNested(lambda, processor.nestedTile))
    return scheduleNested(processor);
  if (findProduct(lambda))
    return scheduleProduct(processor);
  GpuSchedule schedule;
  if (const auto scan = findScan(lambda)) {
    schedule.form = Form::Scan;
    schedule.along = scan->output;
  } else if (findSegment(lambda)) {
    schedule.form = Form::Segments;
    schedule.threads = processor.segmentThreads;
    schedule.many = processor.longSegment;
    schedule.hub = std::max(
        {processor.hubSegment, processor.longSegment, 2 * processor.partOfHub});
    schedule.hubPart = processor.partOfHub;
  } else {
    const ExprRef term = termOf(lambda);
    const ReductionOrder order = chooseOrder(lambda, term);
    schedule.order = order.reductions;
    schedule.form = order.output >= 0 ? Form::Thread : Form::Warp;
    if (schedule.form == Form::Warp) {
      schedule.many = processor.manyTerms;
      if (isBox(lambda, term))
        schedule.vector = neighboursPerAccess(term, schedule.order.back(), 4,
                                              processor.accessBytes,
                                              /*mayAsk=*/false);
    } else if (isBox(lambda, term)) {
      schedule.many = processor.manyInColumn;
      schedule.columns = processor.sumColumns;
    }
    if (schedule.many > 0)
      schedule.threads = processor.sumThreads;
  }
  return schedule;
}

const char *nameOf(Form form) {
  switch (form) {
  case Form::Map:
    return "map";
  case Form::Thread:
    return "thread";
  case Form::Warp:
    return "warp";
  case Form::Scan:
    return "scan";
  case Form::Segments:
    return "segments";
  case Form::Scatter:
    return "scatter";
  case Form::Product:
    return "product";
  case Form::Nested:
    return "nested";
  case Form::Opaque:
    return "opaque";
  }
  return "";
}

} // namespace

GpuSchedule codegen::chooseGpuSchedule(const tdl::Lambda &lambda,
                                       const GpuProcessor &processor) {
  const tdl::Lambda terms = accumulated(lambda);
  GpuSchedule schedule;
  if (lambda.body->kind == tdl::ExprKind::Opaque)
    schedule.form = Form::Opaque;
  else if (lambda.reducer != tdl::Reducer::None)
    schedule = scheduleReduction(terms, processor);
  else if (lambda.rank() > 0)
    schedule.vector =
        neighboursPerAccess(termOf(lambda), lambda.rank() - 1,
                            byteSize(lambda.result), processor.accessBytes,
                            /*mayAsk=*/true);
  if (schedule.threads == 0)
    schedule.threads = processor.threads;
  if (schedule.order.empty())
    for (int r = lambda.rank(); r < lambda.indexCount(); ++r)
      schedule.order.push_back(r);
  return schedule;
}

plan::Launch codegen::launchOf(const GpuSchedule &schedule,
                               const tdl::Lambda &lambda) {
  constexpr int64_t warp = 32;
  Launch launch;
  launch.threads = schedule.threads;
  launch.perBlock = schedule.threads;
  if (schedule.form == Form::Product) {
    const Product product = *findProduct(accumulated(lambda));
    launch.item = {{product.batch, 1},
                   {product.rows.variables, schedule.tile},
                   {product.columns.variables, schedule.tile}};
    launch.perBlock = 1;
    return launch;
  }
  if (schedule.form == Form::Nested) {
    const analysis::NestedProduct product = *findNested(lambda, schedule.tile);
    launch.item = {{product.batch, 1}, {{product.row}, schedule.tile}};
    if (product.column >= 0)
      launch.item.push_back({{product.column}, schedule.tile});
    launch.perBlock = 1;
    return launch;
  }
  if (schedule.form == Form::Scatter) {
    const tdl::Lambda terms = accumulated(lambda);
    const Scatter scatter = *findScatter(terms);
    const ScatterVariables variables = scatterVariables(terms, scatter);
    launch.item = {{variables.batch, 1},
                   {scatter.outputs, schedule.tile},
                   {variables.lanes, schedule.lanes}};
    launch.perBlock = 1;
    return launch;
  }
  if (schedule.form == Form::Opaque)
    return opaqueLaunch(lambda, schedule.threads);
  launch.item = {{{}, 1},
                 {{}, schedule.form == Form::Map ? schedule.vector : 1}};
  for (int i = 0; i < lambda.rank(); ++i)
    if (schedule.form != Form::Scan || i != schedule.along)
      launch.item[i + 1 == lambda.rank()].along.push_back(i);
  if (schedule.form == Form::Warp || schedule.form == Form::Thread) {
    launch.terms = schedule.order;
    launch.many = schedule.many;
    if (schedule.form == Form::Warp) {
      launch.perBlock = schedule.threads / warp;
    } else if (schedule.many > 0) {
      launch.item.back().size = schedule.columns;
      launch.perBlock = schedule.threads / schedule.columns;
    }
  }
  if (schedule.form == Form::Segments) {
    const Segment segment = *findSegment(accumulated(lambda));
    launch.parts = {segment.reduction, schedule.hubPart, schedule.hub, {}};
    for (int i = 0; i < lambda.rank(); ++i)
      if (i != segment.output)
        launch.parts.columns.push_back(i);
  }
  launch.persistent = schedule.form == Form::Map ||
                      schedule.form == Form::Warp ||
                      schedule.form == Form::Thread;
  return launch;
}

std::string codegen::toString(const GpuSchedule &schedule) {
  std::string text = nameOf(schedule.form);
  const auto number = [&](const char *name, int64_t value, int64_t none) {
    if (value != none)
      text += std::string(" ") + name + " " + std::to_string(value);
  };
  number("along", schedule.along, -1);
  for (size_t i = 0; i < schedule.order.size(); ++i)
    text += (i ? ", " : " order [") + std::to_string(schedule.order[i]);
  if (!schedule.order.empty())
    text += "]";
  number("vector", schedule.vector, 1);
  number("threads", schedule.threads, 0);
  number("many", schedule.many, 0);
  number("hub", schedule.hub, 0);
  number("hub-part", schedule.hubPart, 0);
  number("columns", schedule.columns, 0);
  number("lanes", schedule.lanes, 0);
  number("tile", schedule.tile, 0);
  number("part", schedule.part, 0);
  number("depth", schedule.depth, 0);
  return text;
}
