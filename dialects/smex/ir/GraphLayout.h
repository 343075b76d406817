// The part "layout" of the attribute smex.graph: rooms for groups of nodes, and
// the inputs that hold what is where in them (dialects/smex/lists/Rooms.h).
#ifndef SMEX_DIALECTS_SMEX_IR_GRAPHLAYOUT_H
#define SMEX_DIALECTS_SMEX_IR_GRAPHLAYOUT_H

#include "dialects/smex/lists/Rooms.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <utility>

namespace smex::semantic {

struct GraphLayout {
  graph::Rooms rooms;
  std::vector<std::pair<std::string, graph::GraphList>> lists; // by input
};

/// The whole attribute's `nodes` are left out; `edges` are in it.
mlir::DictionaryAttr toAttribute(const GraphLayout &layout,
                                 mlir::MLIRContext *context);

/// The same back, with the graph's `nodes`; nothing where the attribute says
/// something else, or of lists that its rooms do not have.
std::optional<GraphLayout> layoutOf(mlir::DictionaryAttr attribute,
                                    int64_t nodes);

} // namespace smex::semantic

#endif
