// RUN: not smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=1,2,3}))' 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=-1}))' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=1 most-states=0}))' 2>&1 | FileCheck %s --check-prefix=STATES
// RUN: not smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=1 choices=neither}))' 2>&1 | FileCheck %s --check-prefix=CHOICES
// RUN: not smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host{capacities=1 machine=none.json}))' 2>&1 | FileCheck %s --check-prefix=MACHINE
// RUN: smex-opt %s --pass-pipeline='builtin.module(exec.program(exec-move-to-host))' | FileCheck %s

// NUMBER: error: 3 capacities for 2 workers
// NEGATIVE: error: a capacity is negative
// STATES: error: a search of at least one state and one way
// CHOICES: error: choices are both, moves or recompute, not "neither"
// MACHINE: error: none.json
// CHECK: exec.program @none
// CHECK-NOT: host
exec.program @none ways [2] {
  %x = exec.buffer input "x" : tensor<16xf32> #smex.division<part 0>
  exec.output "x" %x
}
