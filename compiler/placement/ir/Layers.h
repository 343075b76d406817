// The layers of a model, as names say them: nodes of the scope that a name
// begins with, the part before the first slash of "layer3/step0/gates", if they
// have parameters. Of one node, the gradients are in its layer.
#ifndef SMEX_COMPILER_PLACEMENT_IR_LAYERS_H
#define SMEX_COMPILER_PLACEMENT_IR_LAYERS_H

#include "compiler/partition/Graph.h"

namespace smex::placement {

/// From 0, in the order of the layers' first nodes. What belongs to none is
/// where the last of what it reads is, or else where it is read.
struct ModelLayers {
  std::vector<int> ofTensor, ofOperator;
};

ModelLayers layersOf(const partition::OperatorGraph &graph);

} // namespace smex::placement

#endif
