// The nodes of a graph without cycles on the levels of a plan, which have room
// for so many nodes each and so many edges from each lower level.
//
// A node is as high as it can be: one level below the lowest node that it leads
// to. In a tree all edges then lead from a level to the next one, and a plan
// needs one list of edges per level. What is not connected with the rest, such
// as one of many trees, may as a whole lie lower: it is put on the highest
// levels that have room for it, the tallest first, so that many trees fit where
// they fit in all, and not each level's share of them.
#ifndef SMEX_RUNTIME_GRAPH_LEVELPLACES_H
#define SMEX_RUNTIME_GRAPH_LEVELPLACES_H

#include "dialects/smex/lists/Rooms.h"
#include "runtime/graph/Rows.h"

namespace smex::graph {

/// The room that a graph takes, all of it on the highest levels. O(V + E log
/// levels). Errors: a cycle (topologicalLevels).
Result<std::vector<LevelRoom>> levelsOf(const Graph &graph);

/// A level for each node; O(V + E log levels), and for each connected part that
/// is not on the highest levels, its height times the levels tried. Errors: a
/// cycle; a level, or a pair of levels, with too little room: the message says
/// which, and by how much.
Result<Numbers> levelsWithin(const Graph &graph,
                             const std::vector<LevelRoom> &rooms);

} // namespace smex::graph

#endif
