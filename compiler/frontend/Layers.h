// Layers of a graph network that each have edges of their own (smexc
// --sample-layers), as GraphSAGE and FastGCN define them: what one layer
// samples of a graph is nothing to the others.
#ifndef SMEX_COMPILER_FRONTEND_LAYERS_H
#define SMEX_COMPILER_FRONTEND_LAYERS_H

#include "compiler/frontend/Model.h"

namespace smex::frontend {

/// Gives each layer inputs of its own for the ends of edges and for what the
/// graph's file has of each, and the model a graph (Model::graphs) for each
/// layer; all number the same nodes. Where samples bound a layer's edges, it
/// has room for no more than that (LayerRooms.h).
///
/// Which layer an application is of follows from how values get to the outputs.
/// A value passes along edges where it is read at the sources: `x[src[e]]`. How
/// many times it does so, at most, before an output, is its distance: what is
/// at a node is computed once, by the edges of the layer that far from the last
/// one, which serves all later ones, too. What is of edges, or follows from
/// edges alone, as degrees do, is computed for each layer that reads it, by
/// that layer's edges; at a source, by those of the layer before, which lead
/// to it (the first layer has none before it: by its own).
///
/// Results with a row per edge, and what is summed up of these, as a loss is,
/// are of a list of edges of their own, of which samples are drawn
/// (graph::ofBatch): so are labels. Inputs with a row per edge are each layer's
/// own, too; one that a single layer reads keeps its name.
///
/// Lists of what is where in mailboxes are of a layer's edges, and as long in
/// each.
///
/// Errors: a graph that is given with the model, none, or one in topological
/// order, or with results of graphs; a graph that layers read and `samples`
/// says nothing of, or one that is not there; other than `samples` has numbers
/// of layers; messages against the direction of edges; what reads edges by
/// other than their number, or nodes by both ends at once; results of edges by
/// which of them were added.
Status separateLayers(Model &model, const LayerSamples &samples);

} // namespace smex::frontend

#endif
