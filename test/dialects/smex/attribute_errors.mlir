// RUN: smex-opt %s --split-input-file --verify-diagnostics

// Recipes.

// expected-error @+1 {{is no derivation: offsets, order, or gathered}}
func.func private @f() attributes {a = #smex.recipe<sorted of "x">}

// -----

// expected-error @+1 {{expected 'by'}}
func.func private @f() attributes {a = #smex.recipe<gathered of "x">}

// -----

// expected-error @+1 {{has to be 0 to 9223372036854775807}}
func.func private @f() attributes {a = #smex.recipe<order of "x" row -1>}

// -----

// expected-error @+1 {{has "smex.recipe", which has to be a #smex.recipe}}
func.func private @f(tensor<4xi64> {smex.recipe = "offsets"})

// -----

// Ranges.

// expected-error @+1 {{has a range from 3 to 1: the least comes first}}
func.func private @f() attributes {a = #smex.range<3 to 1>}

// -----

// expected-error @+1 {{has "smex.range", which has to be a #smex.range, of a tensor of integers}}
func.func private @f(tensor<4xi64> {smex.range = array<i64: 0, 3>})

// -----

// expected-error @+1 {{has "smex.range", which has to be a #smex.range, of a tensor of integers}}
func.func private @f(tensor<4xf32> {smex.range = #smex.range<0 to 3>})

// -----

// expected-error @+1 {{has "smex.range", which has to be a #smex.range, of a tensor of integers}}
func.func private @f() -> (tensor<4xf32> {smex.range = #smex.range<0 to 3>})

// -----

// expected-error @+1 {{has a range from 3 to 1: the least comes first}}
func.func private @f() attributes {a = #smex.part_ranges<3 to 1 in [0]>}

// -----

// A part ends behind where it begins.

// expected-error @+1 {{has to be 3 to 9223372036854775807}}
func.func private @f() attributes {a = #smex.part_ranges<0 to 1 in [2:2]>}

// -----

// expected-error @+1 {{has to be 1 to 9223372036854775807}}
func.func private @f() attributes {a = #smex.part_ranges<0 to 1 in [0:4:0]>}

// -----

// expected-error @+1 {{has a range of a part that has 2 dimensions, and its tensor has 1}}
func.func private @f(tensor<4xi64> {smex.part_ranges = #smex.part_ranges<0 to 1 in [0, 0]>})

// -----

// expected-error @+1 {{has a range of a part that leaves dimension 0 of its tensor}}
func.func private @f(tensor<4xi64> {smex.part_ranges = #smex.part_ranges<0 to 1 in [0:5]>})

// -----

// Graphs.

// expected-error @+1 {{expected 'nodes'}}
func.func private @f() attributes {a = #smex.graph<sources "s" destinations "d" edges 4>}

// -----

// expected-error @+1 {{has to be 0 to 9223372036854775807}}
func.func private @f() attributes {a = #smex.graph<sources "s" destinations "d" nodes -1 edges 4>}

// -----

// Of types there is one at least.

// expected-error @+1 {{has to be 1 to 9223372036854775807}}
func.func private @f() attributes {a = #smex.graph<sources "s" destinations "d" nodes 4 edges 4 types 0 by "t">}

// -----

// expected-error @+1 {{is no list of a graph's nodes or edges}}
func.func private @f() attributes {a = #smex.graph<sources "s" destinations "d" nodes 4 edges 4 buckets [4 of 2] lists ["n" is bucket_names]>}

// -----

// expected-error @+1 {{has "n" as bucket1.lengths, for which it has no room}}
func.func private @f() attributes {a = #smex.graph<sources "s" destinations "d" nodes 4 edges 4 buckets [4 of 2] lists ["n" is bucket_lengths at 1]>}

// -----

// expected-error @+1 {{buckets[1]: is not wider than the one before}}
func.func private @f() attributes {a = #smex.graph<sources "s" destinations "d" nodes 4 edges 4 buckets [2 of 2, 2 of 1]>}

// -----

// expected-error @+1 {{has "smex.graphs", which has to be a list of #smex.graph}}
func.func private @f() attributes {smex.graphs = ["g"]}

// -----

// expected-error @+1 {{has to be 0 to 9223372036854775807}}
func.func private @f() attributes {a = #smex.edge_rows<given -1 nodes [] edges 4>}

// -----

// expected-error @+1 {{has "smex.edge_rows", which has to be a list of #smex.edge_rows}}
func.func private @f() attributes {smex.edge_rows = ["g"]}

// -----

// Names and cuts.

// expected-error @+1 {{has "smex.listed_parameters", which has to be a list of names}}
func.func private @f() attributes {smex.listed_parameters = "w"}

// -----

// expected-error @+1 {{has "smex.outputs", which has to be a list of names}}
func.func private @f() attributes {smex.outputs = [1]}

// -----

// expected-error @+1 {{has "smex.name", which has to be a string}}
func.func private @f(tensor<4xi64> {smex.name = 1})

// -----

// expected-error @+1 {{has "smex.cut", which has to be a #smex.division}}
func.func private @f(tensor<4xi64> {smex.cut = "rows"})

// -----

// expected-error @+1 {{has "smex.loss", which has to be there, without a value}}
func.func private @f() -> (tensor<f32> {smex.loss = 1})
