// RUN: smex-opt %s | smex-opt | FileCheck %s

// The text of recipes: what is 0 is left out.

func.func @main() {
  // CHECK: smex.parameter "offsets" {recipe = #smex.recipe<offsets of "destinations">}
  %0 = smex.parameter "offsets" {recipe = #smex.recipe<offsets of "destinations" row 0 wrap 0>} : tensor<9xi32>
  // CHECK: smex.parameter "order" {recipe = #smex.recipe<order of "edges" row 1>}
  %1 = smex.parameter "order" {recipe = #smex.recipe<order of "edges" row 1>} : tensor<20xi32>
  // CHECK: smex.parameter "sorted" {recipe = #smex.recipe<gathered of "sources" by "edges" row 1 wrap 8>}
  %2 = smex.parameter "sorted" {recipe = #smex.recipe<gathered of "sources" by "edges" row 1 wrap 8>} : tensor<20xi32>
  return
}

// Of ranges: one number may count for nothing; a part is a coordinate, or
// several, per dimension.

// CHECK: func.func private @ranges(tensor<20xi64> {smex.range = #smex.range<0 to 7>},
// CHECK-SAME: tensor<20xi64> {smex.range = #smex.range<-8 to 7 or -100>},
// CHECK-SAME: tensor<2x20xi64> {smex.part_ranges = #smex.part_ranges<0 to 3 in [0, 0:20], -1 to 7 in [1, 1:20:2], 0 to 9 in [1, 0:19:2]>},
// CHECK-SAME: tensor<i64> {smex.part_ranges = #smex.part_ranges<0 to 3 in []>})
func.func private @ranges(
    tensor<20xi64> {smex.range = #smex.range<0 to 7>},
    tensor<20xi64> {smex.range = #smex.range<-8 to 7 or -100>},
    tensor<2x20xi64> {smex.part_ranges = #smex.part_ranges<0 to 3 in [0:1, 0:20], -1 to 7 in [1, 1:20:2], 0 to 9 in [1:2, 0:20:2]>},
    tensor<i64> {smex.part_ranges = #smex.part_ranges<0 to 3 in []>})

// Of graphs: one of one type of nodes; one of two types, with types of edges
// and a batch; nodes in groups.

// CHECK: func.func private @graphs() attributes {smex.graphs = [
// CHECK-SAME: #smex.graph<sources "src" destinations "dst" nodes 34 of "nodes" inputs ["x", "labels"] edges 156 of "edges" inputs ["e"] outputs ["y"] self_loops>,
// CHECK-SAME: #smex.graph<"buys" sources "user" destinations "item" nodes 8 of "items" from 5 of "users" inputs ["u"] graphs 3 of "carts" inputs ["c"] by "cart" edges 20 types 4 by "kind" values "price" added "loops">,
// CHECK-SAME: #smex.graph<sources "src" destinations "dst" nodes 5 edges 4 buckets [3 of 0, 2 of 2] lists ["n" is bucket_nodes, "l" is bucket_lengths at 1]>,
// CHECK-SAME: #smex.graph<sources "src" destinations "dst" nodes 5 edges 4 levels [3, 1 with [2 from 0], 1 with [1 from 0, 1 from 1]] lists ["s" is level_sources at 2 from 1]>,
// CHECK-SAME: #smex.graph<layer 2 sources "src" destinations "dst" nodes 5 of "n" edges 3 of "e" values "w">]}
func.func private @graphs() attributes {smex.graphs = [
    #smex.graph<sources "src" destinations "dst" nodes 34 of "nodes" inputs ["x", "labels"] edges 156 of "edges" inputs ["e"] outputs ["y"] self_loops>,
    #smex.graph<"buys" sources "user" destinations "item" nodes 8 of "items" from 5 of "users" inputs ["u"] graphs 3 of "carts" inputs ["c"] by "cart" edges 20 types 4 by "kind" values "price" added "loops">,
    #smex.graph<sources "src" destinations "dst" nodes 5 edges 4 buckets [3 of 0, 2 of 2] lists ["n" is bucket_nodes, "l" is bucket_lengths at 1]>,
    #smex.graph<sources "src" destinations "dst" nodes 5 edges 4 levels [3, 1 with [2 from 0], 1 with [1 from 0, 1 from 1]] lists ["s" is level_sources at 2 from 1]>,
    #smex.graph<layer 2 sources "src" destinations "dst" nodes 5 of "n" edges 3 of "e" values "w">]}

// Of what has a row per edge of a graph that is part of the model.

// CHECK: func.func private @rows() attributes {smex.edge_rows = [
// CHECK-SAME: #smex.edge_rows<"follows" given 20 nodes [5, 4] edges 25 of "edges" inputs ["e"] outputs ["y"]>, #smex.edge_rows<given 4 nodes [] edges 4>]}
func.func private @rows() attributes {smex.edge_rows = [
    #smex.edge_rows<"follows" given 20 nodes [5, 4] edges 25 of "edges" inputs ["e"] outputs ["y"]>,
    #smex.edge_rows<given 4 nodes [] edges 4>]}
