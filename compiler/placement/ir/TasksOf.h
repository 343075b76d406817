// The semantic graph as placement sees it: what takes how long on a machine,
// and what its memory is.
#ifndef SMEX_COMPILER_PLACEMENT_IR_TASKSOF_H
#define SMEX_COMPILER_PLACEMENT_IR_TASKSOF_H

#include "compiler/machine/Machine.h"
#include "compiler/machine/Profile.h"
#include "compiler/partition/ir/Passes.h"
#include "compiler/placement/TaskGraph.h"

namespace smex::placement {

struct Tasks {
  TaskGraph graph;
  /// The task that makes a tensor that no operator makes (a parameter or an
  /// argument), by its number in GraphOfModule::values; -1 of others.
  std::vector<int> ofTensor;
  /// By the operator's number in GraphOfModule::applications.
  std::vector<int> ofOperator;
  /// By edge: what is read is no run of the tensor's bytes, so that GPUs which
  /// do not reach each other's memory pack it (compiler/memory/Staging.h).
  std::vector<bool> packs;
};

/// What the tensor as a whole takes.
int64_t bytesOf(const partition::Tensor &tensor);

/// A task for each argument and parameter, which take no time, and then one for
/// each application, in the order of the module, which is that of a plan's
/// instructions. Parameters are residual; what computes a parameter's next
/// value is a reference to it, and comes after what reads the value before.
/// What goes element by element overwrites an operand that nothing reads later,
/// as plans do; bytes are multiples of 64, as plans place them.
/// Seconds are those that the simulator says of the operator as a whole
/// (compiler/simulate/KernelTime.h), or those of a profile where it has the
/// operator.
///
/// `before`: steps that are decided already. Tasks are then what the first of
/// the groups that these make does, with its shares of tensors; what it gets
/// from other groups is no edge.
Tasks tasksOf(const partition::GraphOfModule &module,
              const tdl::LambdaTable &lambdas, const machines::Device &device,
              const machines::Profile *profile = nullptr,
              const partition::PartitionPlan &before = {});

} // namespace smex::placement

#endif
