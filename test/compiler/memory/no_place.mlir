// RUN: smex-opt %s --exec-insert-waits --verify-diagnostics

// Which bytes are used again is known only once each buffer has its place.

exec.program @p ways [1] {
  // expected-error @+1 {{has no place yet: run exec-plan-memory first}}
  %x = exec.buffer input "x" : tensor<16xf32> #smex.division<whole>
  exec.output "x" %x
}
