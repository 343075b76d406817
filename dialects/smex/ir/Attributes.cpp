// The attributes that hold a plain struct: what stores it. Their text is in a
// file for each kind.
#include "dialects/smex/ir/Smex.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace smex;
using namespace smex::semantic;

namespace {

// Hashes: of what tells most values from others; all of it is compared.

llvm::hash_code hashOf(const Divisions &divisions) {
  std::vector<int64_t> words;
  for (const Division &division : divisions)
    division.appendTo(words);
  return llvm::hash_combine_range(words.begin(), words.end());
}

llvm::hash_code hashOf(const graph::Recipe &recipe) {
  return llvm::hash_combine(
      recipe.derivation,
      llvm::hash_combine_range(recipe.of.begin(), recipe.of.end()));
}

llvm::hash_code hashOf(const std::vector<PartRange> &ranges) {
  std::vector<int64_t> words;
  for (const PartRange &range : ranges)
    words.insert(words.end(), {range.low, range.high});
  return llvm::hash_combine_range(words.begin(), words.end());
}

llvm::hash_code hashOf(const graph::EdgeRows &rows) {
  return llvm::hash_combine(rows.graph, rows.fileEdges, rows.edges.count);
}

llvm::hash_code hashOf(const graph::GraphInputs &graph) {
  return llvm::hash_combine(graph.name, graph.sources, graph.destinations);
}

} // namespace

#define SMEX_VALUE_ATTRIBUTE(NAME, VALUE)                                      \
  struct semantic::detail::NAME##AttrStorage : AttributeStorage {              \
    using KeyTy = VALUE;                                                       \
    explicit NAME##AttrStorage(const KeyTy &value) : value(value) {}           \
    bool operator==(const KeyTy &key) const { return value == key; }           \
    static llvm::hash_code hashKey(const KeyTy &key) { return hashOf(key); }   \
    static NAME##AttrStorage *construct(AttributeStorageAllocator &allocator,  \
                                        const KeyTy &key) {                    \
      return new (allocator.allocate<NAME##AttrStorage>())                     \
          NAME##AttrStorage(key);                                              \
    }                                                                          \
    KeyTy value;                                                               \
  };                                                                           \
  NAME##Attr NAME##Attr::get(MLIRContext *context, const VALUE &value) {       \
    return Base::get(context, value);                                          \
  }                                                                            \
  const VALUE &NAME##Attr::getValue() const { return getImpl()->value; }
SMEX_VALUE_ATTRIBUTE(Division, Divisions)
SMEX_VALUE_ATTRIBUTE(Recipe, graph::Recipe)
SMEX_VALUE_ATTRIBUTE(PartRanges, std::vector<PartRange>)
SMEX_VALUE_ATTRIBUTE(Graph, graph::GraphInputs)
SMEX_VALUE_ATTRIBUTE(EdgeRows, graph::EdgeRows)
#undef SMEX_VALUE_ATTRIBUTE

#define GET_ATTRDEF_CLASSES
#include "dialects/smex/ir/SmexAttrs.cpp.inc"

void SmexDialect::addOurAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/smex/ir/SmexAttrs.cpp.inc"
      >();
}
