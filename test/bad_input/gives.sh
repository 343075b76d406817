# What tests of messages share. Sourced; complain() sets $failed.
ulimit -c 0
failed=0
complain() {
  echo "FAILED: $*"
  failed=1
}

# gives STATUS MESSAGE COMMAND...: that status and one line on standard error.
gives() {
  local wanted=$1 expected=$2 message status
  shift 2
  message=$(timeout 60 "$@" 2>&1 > /dev/null | tr '\0' '?'; exit "${PIPESTATUS[0]}")
  status=$?
  [ $status = "$wanted" ] && [ "$(wc -l <<< "$message")" = 1 ] &&
    LC_ALL=C grep -Eq -- "^(smexc|smex-run): error: .*$expected" <<< "$message" ||
    complain "$*: status $status: $message"
}
