// The attributes that list boxes, pieces, rows and waits, and their text.
#include "dialects/exec/ir/Exec.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace smex;
using namespace smex::exec;

namespace {

using Words = std::vector<int64_t>;

void append(Words &words, const Box &box) {
  words.push_back(box.isAbsent() ? -1 : int64_t(box.size()));
  for (Interval side : box)
    words.insert(words.end(), {side.lo, side.hi});
}

void append(Words &words, Interval run) {
  words.insert(words.end(), {run.lo, run.hi});
}

void append(Words &words, const Piece &piece) {
  words.push_back(piece.worker);
  append(words, piece.box);
}

void append(Words &words, const Wait &wait) {
  words.insert(words.end(), {wait.instruction, int64_t(wait.steps)});
}

template <typename Value>
void append(Words &words, const std::vector<Value> &list) {
  words.push_back(int64_t(list.size()));
  for (const Value &value : list)
    append(words, value);
}

void print(AsmPrinter &printer, Interval side) {
  printer << side.lo << ':' << side.hi;
}

void print(AsmPrinter &printer, const Box &box) {
  if (box.isAbsent()) {
    printer << "nothing";
    return;
  }
  printer << '[';
  llvm::interleaveComma(box, printer.getStream(),
                        [&](Interval side) { print(printer, side); });
  printer << ']';
}

void print(AsmPrinter &printer, const Piece &piece) {
  printer << piece.worker << ' ';
  print(printer, piece.box);
}

void print(AsmPrinter &printer, const Wait &wait) {
  printer << wait.instruction;
  if (!wait.steps)
    return;
  printer << " over [";
  const char *separator = "";
  for (size_t s = 0; s <= stepLimit; ++s)
    if (wait.steps >> s & 1) {
      printer << separator << s;
      separator = ", ";
    }
  printer << ']';
}

/// Between square brackets, or, one for each worker, angle ones.
template <typename Value>
void print(AsmPrinter &printer, const std::vector<Value> &list,
           StringRef brackets = "[]") {
  printer << brackets.front();
  llvm::interleaveComma(list, printer.getStream(),
                        [&](const Value &value) { print(printer, value); });
  printer << brackets.back();
}

ParseResult parse(AsmParser &parser, Interval &side) {
  return failure(parser.parseInteger(side.lo) || parser.parseColon() ||
                 parser.parseInteger(side.hi));
}

/// A box that is absent gets its rank from the others of the list, where it
/// has any use.
ParseResult parse(AsmParser &parser, Box &box) {
  if (succeeded(parser.parseOptionalKeyword("nothing"))) {
    box = Box::absent(0);
    return success();
  }
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    Interval side;
    if (parse(parser, side))
      return failure();
    box.push_back(side);
    return success();
  });
}

ParseResult parse(AsmParser &parser, Piece &piece) {
  return failure(parser.parseInteger(piece.worker) || parse(parser, piece.box));
}

ParseResult parse(AsmParser &parser, Wait &wait) {
  if (parser.parseInteger(wait.instruction))
    return failure();
  if (failed(parser.parseOptionalKeyword("over")))
    return success();
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        const auto at = parser.getCurrentLocation();
        unsigned step = 0;
        if (parser.parseInteger(step))
          return failure();
        if (step > stepLimit)
          return parser.emitError(at, "there is no step ") << step;
        wait.steps |= StepSet(1) << step;
        return success();
      });
}

template <typename Value>
ParseResult
parse(AsmParser &parser, std::vector<Value> &list,
      AsmParser::Delimiter brackets = AsmParser::Delimiter::Square) {
  return parser.parseCommaSeparatedList(
      brackets, [&] { return parse(parser, list.emplace_back()); });
}

/// Storage of a list that is compared by value.
template <typename Value> struct ListStorage : AttributeStorage {
  using KeyTy = Value;

  explicit ListStorage(const Value &value) : value(value) {}
  bool operator==(const KeyTy &key) const { return value == key; }
  static llvm::hash_code hashKey(const KeyTy &key) {
    Words words;
    append(words, key);
    return llvm::hash_combine_range(words.begin(), words.end());
  }

  Value value;
};

} // namespace

namespace smex::exec::detail {

#define SMEX_LIST_STORAGE(NAME, VALUE)                                         \
  struct NAME##AttrStorage : ListStorage<VALUE> {                              \
    using ListStorage::ListStorage;                                            \
    static NAME##AttrStorage *construct(AttributeStorageAllocator &allocator,  \
                                        const KeyTy &key) {                    \
      return new (allocator.allocate<NAME##AttrStorage>())                     \
          NAME##AttrStorage(key);                                              \
    }                                                                          \
  };
SMEX_LIST_STORAGE(Boxes, std::vector<Box>)
SMEX_LIST_STORAGE(Pieces, PieceLists)
SMEX_LIST_STORAGE(Rows, RowLists)
SMEX_LIST_STORAGE(Waits, WaitList)
#undef SMEX_LIST_STORAGE

} // namespace smex::exec::detail

BoxesAttr BoxesAttr::get(MLIRContext *context, const std::vector<Box> &value) {
  return Base::get(context, value);
}
const std::vector<Box> &BoxesAttr::getValue() const { return getImpl()->value; }
void BoxesAttr::print(AsmPrinter &printer) const {
  ::print(printer, getValue(), "<>");
}
Attribute BoxesAttr::parse(AsmParser &parser, mlir::Type) {
  std::vector<Box> boxes;
  if (::parse(parser, boxes, AsmParser::Delimiter::LessGreater))
    return {};
  size_t rank = 0;
  for (const Box &box : boxes)
    rank = std::max(rank, box.size());
  for (Box &box : boxes)
    if (box.isAbsent())
      box = Box::absent(rank);
  return get(parser.getContext(), boxes);
}

PiecesAttr PiecesAttr::get(MLIRContext *context, const PieceLists &value) {
  return Base::get(context, value);
}
const PieceLists &PiecesAttr::getValue() const { return getImpl()->value; }
void PiecesAttr::print(AsmPrinter &printer) const {
  ::print(printer, getValue(), "<>");
}
Attribute PiecesAttr::parse(AsmParser &parser, mlir::Type) {
  PieceLists pieces;
  if (::parse(parser, pieces, AsmParser::Delimiter::LessGreater))
    return {};
  return get(parser.getContext(), pieces);
}

RowsAttr RowsAttr::get(MLIRContext *context, const RowLists &value) {
  return Base::get(context, value);
}
const RowLists &RowsAttr::getValue() const { return getImpl()->value; }
void RowsAttr::print(AsmPrinter &printer) const {
  ::print(printer, getValue(), "<>");
}
Attribute RowsAttr::parse(AsmParser &parser, mlir::Type) {
  RowLists rows;
  if (::parse(parser, rows, AsmParser::Delimiter::LessGreater))
    return {};
  return get(parser.getContext(), rows);
}

WaitsAttr WaitsAttr::get(MLIRContext *context, const WaitList &value) {
  return Base::get(context, value);
}
const WaitList &WaitsAttr::getValue() const { return getImpl()->value; }
void WaitsAttr::print(AsmPrinter &printer) const {
  ::print(printer, getValue(), "<>");
}
Attribute WaitsAttr::parse(AsmParser &parser, mlir::Type) {
  WaitList waits;
  if (::parse(parser, waits, AsmParser::Delimiter::LessGreater))
    return {};
  return get(parser.getContext(), waits);
}

bool smex::exec::isRegions(Attribute attribute) {
  return isa<semantic::DivisionAttr, ReadAttr, ResultAttr, BoxesAttr>(
      attribute);
}

#define GET_ATTRDEF_CLASSES
#include "dialects/exec/ir/ExecAttrs.cpp.inc"

void ExecDialect::addOurAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/exec/ir/ExecAttrs.cpp.inc"
      >();
}
