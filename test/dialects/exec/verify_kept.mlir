// RUN: smex-opt %s --split-input-file --verify-diagnostics

// What some workers keep is the same part of the same tensor, and where others
// look for it.

exec.program @p ways [2] {
  %a = exec.buffer temporary "a" : tensor<4xf32> #smex.division<part 0>
  // expected-error @+1 {{is kept as another buffer, but on no worker}}
  %b = exec.buffer temporary "a" : tensor<4xf32> #smex.division<part 0> as %a
}

// -----

exec.program @p ways [2] {
  %a = exec.buffer temporary "a" : tensor<4xf32> #smex.division<part 0>
  // expected-error @+1 {{is kept on workers that are not in ascending order, or not there: 2}}
  %b = exec.buffer temporary "a" : tensor<4xf32> #smex.division<part 0> kept on [2] as %a
}

// -----

exec.program @p ways [2] {
  // expected-error @+1 {{is kept, but not said as what}}
  %b = exec.buffer temporary "a" : tensor<4xf32> #smex.division<part 0> kept on [1]
}

// -----

exec.program @p ways [2] {
  // expected-error @+1 {{is kept on the device, where it is on all workers}}
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0> kept on [1]
}

// -----

exec.program @p ways [2] {
  %a = exec.buffer temporary "a" : tensor<4xf32> #smex.division<part 0>
  // expected-error @+1 {{is kept as what is not the same of "a"}}
  %b = exec.buffer temporary "a" : tensor<4xf32> #smex.division<whole> kept on [1] as %a
}

// -----

exec.program @p ways [2] {
  %x = exec.buffer input "x" : tensor<4xf32> #smex.division<part 0>
  %y = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole>
  %z = exec.buffer temporary "x" : tensor<4xf32> #smex.division<whole> kept on [1] as %y
  exec.fetch %x to %y
  // expected-error @+1 {{fills "x", which some workers keep; only a compute or a move may}}
  exec.fetch %x to %z
}

// -----

exec.program @p ways [2] {
  %a = exec.buffer parameter "a" : tensor<4xf32> #smex.division<part 0>
  %h = exec.buffer temporary "a" : tensor<4xf32> on host #smex.division<part 0> kept on [1] as %a
  %b = exec.buffer temporary "a" : tensor<4xf32> #smex.division<part 0>
  exec.to_host %a to %h
  // expected-error @+1 {{uses "a", which worker 1 keeps in another memory}}
  exec.from_host %h to %b
}
