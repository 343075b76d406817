// RUN: smex-opt %s --smex-lower-to-exec --split-input-file --verify-diagnostics

// The module's smex.ways say how many groups each step makes: a number that a
// program can have.

// expected-error @+1 {{has a step of 0 ways after which there are 1 workers; 1 to 65536 are possible in all}}
module attributes {smex.ways = array<i64: 0>} {
  func.func @main() attributes {smex.outputs = []} {
    return
  }
}

// -----

// expected-error @+1 {{has a step of -1 ways}}
module attributes {smex.ways = array<i64: -1>} {
  func.func @main() attributes {smex.outputs = []} {
    return
  }
}

// -----

// expected-error @+1 {{has a step of 4294967296 ways after which there are 2 workers}}
module attributes {smex.ways = array<i64: 2, 4294967296>} {
  func.func @main() attributes {smex.outputs = []} {
    return
  }
}

// -----

// expected-error @+1 {{has smex.ways that are no array<i64>}}
module attributes {smex.ways = [2]} {
  func.func @main() attributes {smex.outputs = []} {
    return
  }
}

// -----

// expected-error @+1 {{there is a @partitioned already; the option `program` gives another name}}
module {
  func.func private @partitioned()
  func.func @main() attributes {smex.outputs = []} {
    return
  }
}
