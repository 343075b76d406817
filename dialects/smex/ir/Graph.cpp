// The text of #smex.graph and #smex.edge_rows.
#include "dialects/smex/ir/AttributeText.h"
#include "dialects/smex/ir/Smex.h"

using namespace mlir;
using namespace smex;
using namespace smex::semantic;
using graph::BucketRoom;
using graph::GraphInputs;
using graph::GraphList;
using graph::InputRows;
using graph::LevelRoom;
using graph::PairRoom;

namespace {

using Named = std::pair<std::string, GraphList>;

void print(AsmPrinter &printer, const LevelRoom &room);
void print(AsmPrinter &printer, const Named &named);
ParseResult parse(AsmParser &parser, LevelRoom &room);
ParseResult parse(AsmParser &parser, Named &named);

void print(AsmPrinter &printer, const InputRows &rows) {
  printer << ' ' << rows.count;
  printOptionalName(printer, "of", rows.dimension);
  printOptionalNames(printer, "inputs", rows.inputs);
  printOptionalNames(printer, "outputs", rows.outputs);
}

ParseResult parse(AsmParser &parser, InputRows &rows) {
  return failure(parseNumber(parser, 0, largestNumber, rows.count) ||
                 parseOptionalName(parser, "of", rows.dimension) ||
                 parseOptionalNames(parser, "inputs", rows.inputs) ||
                 parseOptionalNames(parser, "outputs", rows.outputs));
}

void print(AsmPrinter &printer, const BucketRoom &room) {
  printer << room.nodes << " of " << room.width;
}

ParseResult parse(AsmParser &parser, BucketRoom &room) {
  return failure(parseNumber(parser, 0, largestNumber, room.nodes) ||
                 parser.parseKeyword("of") ||
                 parseNumber(parser, 0, largestNumber, room.width));
}

void print(AsmPrinter &printer, const PairRoom &room) {
  printer << room.edges << " from " << room.from;
}

ParseResult parse(AsmParser &parser, PairRoom &room) {
  return failure(parseNumber(parser, 0, largestNumber, room.edges) ||
                 parser.parseKeyword("from") ||
                 parseNumber(parser, 0, largestNumber, room.from));
}

template <typename Value>
void printList(AsmPrinter &printer, const std::vector<Value> &list) {
  printer << '[';
  llvm::interleaveComma(list, printer.getStream(),
                        [&](const Value &value) { print(printer, value); });
  printer << ']';
}

template <typename Value>
ParseResult parseList(AsmParser &parser, std::vector<Value> &list) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parse(parser, list.emplace_back());
  });
}

void print(AsmPrinter &printer, const LevelRoom &room) {
  printer << room.nodes;
  if (room.from.empty())
    return;
  printer << " with ";
  printList(printer, room.from);
}

ParseResult parse(AsmParser &parser, LevelRoom &room) {
  if (parseNumber(parser, 0, largestNumber, room.nodes))
    return failure();
  if (failed(parser.parseOptionalKeyword("with")))
    return success();
  return parseList(parser, room.from);
}

void print(AsmPrinter &printer, const Named &named) {
  const auto &[input, list] = named;
  printer.printString(input);
  printer << " is " << graph::name(list.kind);
  if (list.at)
    printer << " at " << list.at;
  if (list.from)
    printer << " from " << list.from;
}

ParseResult parse(AsmParser &parser, Named &named) {
  auto &[input, list] = named;
  StringRef word;
  if (parser.parseString(&input) || parser.parseKeyword("is"))
    return failure();
  const auto at = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  const auto kind = graph::parseListKind(std::string_view(word));
  if (!kind)
    return parser.emitError(at, "is no list of a graph's nodes or edges");
  list.kind = *kind;
  return failure(parseOptionalNumber(parser, "at", list.at) ||
                 parseOptionalNumber(parser, "from", list.from));
}

template <typename Value>
void printOptionalList(AsmPrinter &printer, StringRef keyword,
                       const std::vector<Value> &list) {
  if (list.empty())
    return;
  printer << ' ' << keyword << ' ';
  printList(printer, list);
}

template <typename Value>
ParseResult parseOptionalList(AsmParser &parser, StringRef keyword,
                              std::vector<Value> &list) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return parseList(parser, list);
}

ParseResult parseNodes(AsmParser &parser, GraphInputs &graph) {
  if (parser.parseKeyword("nodes") || parse(parser, graph.to))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("from")) &&
      parse(parser, graph.from.emplace()))
    return failure();
  if (failed(parser.parseOptionalKeyword("graphs")))
    return success();
  return failure(parse(parser, graph.batch.emplace()) ||
                 parser.parseKeyword("by") ||
                 parser.parseString(&graph.graphOf));
}

ParseResult parseEdges(AsmParser &parser, GraphInputs &graph) {
  if (parser.parseKeyword("edges") || parse(parser, graph.edges))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("types")))
    if (parseNumber(parser, 1, largestNumber, graph.edgeTypes) ||
        parser.parseKeyword("by") || parser.parseString(&graph.types))
      return failure();
  if (parseOptionalName(parser, "values", graph.values) ||
      parseOptionalName(parser, "added", graph.added))
    return failure();
  graph.selfLoops = succeeded(parser.parseOptionalKeyword("self_loops"));
  return success();
}

ParseResult parseRooms(AsmParser &parser, GraphInputs &graph) {
  const auto at = parser.getCurrentLocation();
  if (parseOptionalList(parser, "buckets", graph.rooms.buckets) ||
      parseOptionalList(parser, "levels", graph.rooms.levels) ||
      parseOptionalList(parser, "lists", graph.lists))
    return failure();
  graph.rooms.nodes = graph.to.count;
  graph.rooms.edges = graph.edges.count;
  if (const Status fits = graph::check(graph.rooms); !fits)
    return parser.emitError(at) << fits.error().message;
  for (const auto &[input, list] : graph.lists)
    if (!graph::typeOf(list, graph.rooms))
      return parser.emitError(at)
             << "has \"" << input << "\" as " << graph::nameOf(list)
             << ", for which it has no room";
  return success();
}

} // namespace

void GraphAttr::print(AsmPrinter &printer) const {
  const GraphInputs &graph = getValue();
  printer << '<';
  if (!graph.name.empty()) {
    printer.printString(graph.name);
    printer << ' ';
  }
  if (graph.layer == graph::ofBatch)
    printer << "batch ";
  else if (graph.layer)
    printer << "layer " << graph.layer << ' ';
  printer << "sources ";
  printer.printString(graph.sources);
  printer << " destinations ";
  printer.printString(graph.destinations);
  printer << " nodes";
  ::print(printer, graph.to);
  if (graph.from) {
    printer << " from";
    ::print(printer, *graph.from);
  }
  if (graph.batch) {
    printer << " graphs";
    ::print(printer, *graph.batch);
    printer << " by ";
    printer.printString(graph.graphOf);
  }
  printer << " edges";
  ::print(printer, graph.edges);
  if (!graph.types.empty()) {
    printer << " types " << graph.edgeTypes << " by ";
    printer.printString(graph.types);
  }
  printOptionalName(printer, "values", graph.values);
  printOptionalName(printer, "added", graph.added);
  printer << (graph.selfLoops ? " self_loops" : "");
  printOptionalList(printer, "buckets", graph.rooms.buckets);
  printOptionalList(printer, "levels", graph.rooms.levels);
  printOptionalList(printer, "lists", graph.lists);
  printer << '>';
}

Attribute GraphAttr::parse(AsmParser &parser, mlir::Type) {
  GraphInputs graph;
  if (parser.parseLess())
    return {};
  (void)parser.parseOptionalString(&graph.name);
  if (succeeded(parser.parseOptionalKeyword("batch")))
    graph.layer = graph::ofBatch;
  else if (succeeded(parser.parseOptionalKeyword("layer")) &&
           parseNumber(parser, 1, largestNumber, graph.layer))
    return {};
  if (parser.parseKeyword("sources") || parser.parseString(&graph.sources) ||
      parser.parseKeyword("destinations") ||
      parser.parseString(&graph.destinations) || parseNodes(parser, graph) ||
      parseEdges(parser, graph) || parseRooms(parser, graph) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), graph);
}

void EdgeRowsAttr::print(AsmPrinter &printer) const {
  const graph::EdgeRows &rows = getValue();
  printer << '<';
  if (!rows.graph.empty()) {
    printer.printString(rows.graph);
    printer << ' ';
  }
  printer << "given " << rows.fileEdges << " nodes [";
  llvm::interleaveComma(rows.nodes, printer.getStream());
  printer << "] edges";
  ::print(printer, rows.edges);
  printer << '>';
}

Attribute EdgeRowsAttr::parse(AsmParser &parser, mlir::Type) {
  graph::EdgeRows rows;
  if (parser.parseLess())
    return {};
  (void)parser.parseOptionalString(&rows.graph);
  if (parser.parseKeyword("given") ||
      parseNumber(parser, 0, largestNumber, rows.fileEdges) ||
      parser.parseKeyword("nodes") || parseNumbers(parser, rows.nodes) ||
      parser.parseKeyword("edges") || ::parse(parser, rows.edges) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), rows);
}
