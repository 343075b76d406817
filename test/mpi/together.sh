#!/bin/bash
# What tests of several processes share; sourced, after inputs_of.sh.

# Open MPI's own: root may run it, in containers too; more processes than cores;
# on this machine alone.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_plm_rsh_agent=/bin/false OMPI_MCA_plm=isolated
export HOME=${HOME:-/tmp}

command -v mpirun > /dev/null || fail "there is no mpirun: tools/setup installs openmpi-bin"

# together N PROGRAM ARGUMENT..., for so long at most.
together() {
  timeout "${TOGETHER_SECONDS:-120}" mpirun -n "$@"
}

# What smex-run printed, without times, and without what mpirun says of it.
words() {
  sed -e 's/, [0-9.]* s$/, T s/' -e 's/of [0-9.]* to [0-9.]* s$/of T s/' "$1" |
    grep -v '^wrote '
}
# errors FILE: what smex-run said on standard error.
errors() {
  grep '^smex-run: ' "$1" || true
}
# Metrics without times.
counted() {
  sed -e 's/"seconds": *[-0-9.e+]*/"seconds": T/' "$1"
}
