// RUN: smex-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{is no division: whole, part, placed, or term of a reducer}}
func.func private @f() attributes {a = #smex.division<all>}

// -----

// expected-error @+1 {{is no division: whole, part, placed, or term of a reducer}}
func.func private @f() attributes {a = #smex.division<term Mean>}

// -----

// expected-error @+1 {{has to be 0 to 65535}}
func.func private @f() attributes {a = #smex.division<part -1>}

// -----

// expected-error @+1 {{has to be 0 to 65535}}
func.func private @f() attributes {a = #smex.division<placed 65536>}

// -----

// expected-error @+1 {{has to be 0 to 9223372036854775807}}
func.func private @f() attributes {a = #smex.division<part 0 by weights [1, -1]>}

// -----

// expected-error @+1 {{expected 'bounds'}}
func.func private @f() attributes {a = #smex.division<part 0 at [1]>}
