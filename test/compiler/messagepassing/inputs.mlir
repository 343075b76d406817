// RUN: smex-opt %s --smex-segment-reductions --split-input-file | FileCheck %s

// Ends of edges that come when the plan runs: what follows from them are inputs
// more. In what order the edges will be, nobody knows.

tdl.lambda @sum = "(x0: f32[2], x1: i64[1], x2: i64[1], x3: f32[1]) -> f32: lambda i0, i1: Sum(lambda r0: x0[x1[r0], i1] * x3[r0] where x2[r0] == i0)"

// CHECK: "(x0: i32[1], x1: f32[2], x2: i32[1], x3: f32[1], x4: i32[1]) -> f32: lambda i0, i1: Sum(lambda r0: x1[i64(x0[r0]), i1] * x3[i64(x2[r0])] where i64(x4[i0]) <= r0 and r0 < i64(x4[i0 + 1]))"
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[SRC:[a-z0-9]+]]: tensor<9xi32> {smex.name = "src.by.dst", smex.recipe = #smex.recipe<gathered of "src" by "dst">},
// CHECK-SAME: %[[ORDER:[a-z0-9]+]]: tensor<9xi32> {smex.name = "dst.order", smex.recipe = #smex.recipe<order of "dst">},
// CHECK-SAME: %[[OFFSETS:[a-z0-9]+]]: tensor<5xi32> {smex.name = "dst.offsets.2", smex.recipe = #smex.recipe<offsets of "dst">})
// CHECK: smex.apply @{{.*}}(%[[SRC]], %arg0, %[[ORDER]], %arg1, %[[OFFSETS]]) extents [4, 3, 9] "s"
func.func @main(%x: tensor<4x3xf32> {smex.name = "x"}, %w: tensor<9xf32> {smex.name = "w"},
                %src: tensor<9xi64> {smex.name = "src", smex.range = #smex.range<0 to 3>},
                %dst: tensor<9xi64> {smex.name = "dst"})
    -> (tensor<4x3xf32>, tensor<4x3xf32>) attributes {smex.outputs = ["s", "name"]} {
  %s = smex.apply @sum(%x, %src, %dst, %w) extents [4, 3, 9] "s" : (tensor<4x3xf32>, tensor<9xi64>, tensor<9xi64>, tensor<9xf32>) -> tensor<4x3xf32>
  // A model's own name for a tensor.
  %taken = smex.apply @sum(%x, %src, %dst, %w) extents [4, 3, 9] "dst.offsets" : (tensor<4x3xf32>, tensor<9xi64>, tensor<9xi64>, tensor<9xf32>) -> tensor<4x3xf32>
  return %s, %taken : tensor<4x3xf32>, tensor<4x3xf32>
}

// -----

// A range that all keep: the check of it is gone. A value that counts for
// nothing is one more that there may be: with -1, it stays.

tdl.lambda @sum = "(x0: f32[2], x1: i64[1], x2: i64[1]) -> f32: lambda i0, i1: Sum(lambda r0: x0[x1[r0], i1] where x2[r0] == i0 and (x1[r0] < 4 and x1[r0] >= 0))"

// CHECK-DAG: tdl.lambda @[[$ALL:segment_.]] = {{.*}}Sum(lambda r0: x1[i64(x0[r0]), i1] where i64(x2[i0]) <= r0 and r0 < i64(x2[i0 + 1]))"
// CHECK-DAG: tdl.lambda @[[$SOME:segment_.]] = {{.*}}Sum(lambda r0: x1[i64(x0[r0]), i1] where i64(x2[i0]) <= r0 and r0 < i64(x2[i0 + 1]) and i64(x0[r0]) >= 0)"
// CHECK-LABEL: func.func @main
// CHECK: smex.apply @[[$ALL]]({{.*}} "a"
// CHECK: smex.apply @[[$SOME]]({{.*}} "b"
func.func @main(%x: tensor<4x3xf32> {smex.name = "x"},
                %all: tensor<9xi64> {smex.name = "all", smex.range = #smex.range<0 to 3>},
                %some: tensor<9xi64> {smex.name = "some", smex.range = #smex.range<0 to 3 or -1>},
                %dst: tensor<9xi64> {smex.name = "dst"})
    -> (tensor<4x3xf32>, tensor<4x3xf32>) attributes {smex.outputs = ["a", "b"]} {
  %a = smex.apply @sum(%x, %all, %dst) extents [4, 3, 9] "a" : (tensor<4x3xf32>, tensor<9xi64>, tensor<9xi64>) -> tensor<4x3xf32>
  %b = smex.apply @sum(%x, %some, %dst) extents [4, 3, 9] "b" : (tensor<4x3xf32>, tensor<9xi64>, tensor<9xi64>) -> tensor<4x3xf32>
  return %a, %b : tensor<4x3xf32>, tensor<4x3xf32>
}

// -----

// Indices that count from the end where they are negative: a key that does is
// another one than the same list without; a list that does is gathered so.

tdl.lambda @wrapped = "(x0: f32[1], x1: i64[1], x2: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[x1[r0] + 4 if x1[r0] < 0 else x1[r0]] where (x2[r0] + 4 if x2[r0] < 0 else x2[r0]) == i0)"
tdl.lambda @plain = "(x0: f32[1], x1: i64[1], x2: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[r0] + f32(x1[r0]) where x2[r0] == i0)"

// CHECK-DAG: lambda i0: Sum(lambda r0: x1[i64(x0[r0])] where i64(x2[i0]) <= r0 and r0 < i64(x2[i0 + 1]))"
// No number of the list is out of range, so none is lost in 32 bits; of one
// without a range, nobody knows.
// CHECK-DAG: "(x0: i32[1], x1: f32[1], x2: i64[1], x3: i32[1]) -> f32: lambda i0: Sum(lambda r0: x1[i64(x0[r0])] + f32(x2[r0]) where
// CHECK-LABEL: func.func @main
// CHECK-SAME: tensor<9xi32> {smex.name = "src.by.dst", smex.recipe = #smex.recipe<gathered of "src" wrap 4 by "dst" wrap 4>}
// CHECK-SAME: tensor<5xi32> {smex.name = "dst.offsets", smex.recipe = #smex.recipe<offsets of "dst" wrap 4>}
// CHECK-SAME: tensor<9xi32> {smex.name = "dst.order", smex.recipe = #smex.recipe<order of "dst">}
// CHECK-SAME: tensor<9xi64> {smex.name = "other.by.dst", smex.recipe = #smex.recipe<gathered of "other" by "dst">}
// CHECK-SAME: tensor<5xi32> {smex.name = "dst.offsets.2", smex.recipe = #smex.recipe<offsets of "dst">}
func.func @main(%x: tensor<4xf32> {smex.name = "x"}, %m: tensor<9xf32> {smex.name = "m"},
                %src: tensor<9xi64> {smex.name = "src", smex.range = #smex.range<-4 to 3>},
                %other: tensor<9xi64> {smex.name = "other"},
                %dst: tensor<9xi64> {smex.name = "dst"})
    -> (tensor<4xf32>, tensor<4xf32>) attributes {smex.outputs = ["a", "b"]} {
  %a = smex.apply @wrapped(%x, %src, %dst) extents [4, 9] "a" : (tensor<4xf32>, tensor<9xi64>, tensor<9xi64>) -> tensor<4xf32>
  %b = smex.apply @plain(%m, %other, %dst) extents [4, 9] "b" : (tensor<9xf32>, tensor<9xi64>, tensor<9xi64>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// Limits that no number of the list meets are the list itself.

tdl.lambda @sum = "(x0: f32[1], x1: i32[1]) -> f32: lambda i0: Sum(lambda r0: x0[r0] where min(max(i64(x1[r0]), 0), 3) % 4 == i0)"

// CHECK-LABEL: func.func @main
// CHECK-SAME: smex.recipe = #smex.recipe<order of
// CHECK-SAME: smex.recipe = #smex.recipe<offsets of
func.func @main(%m: tensor<9xf32> {smex.name = "m"}, %k: tensor<9xi32> {smex.name = "k", smex.range = #smex.range<0 to 3>})
    -> tensor<4xf32> attributes {smex.outputs = ["a"]} {
  %a = smex.apply @sum(%m, %k) extents [4, 9] "a" : (tensor<9xf32>, tensor<9xi32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// No keys: numbers that a cast may change; limits that some number meets; a list
// of another length than there are terms.

tdl.lambda @cast = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[r0] where i64(i8(x1[r0])) == i0)"
tdl.lambda @limit = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[r0] where max(x1[r0], 0) == i0)"
tdl.lambda @part = "(x0: f32[1], x1: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[r0] where x1[r0] == i0)"

// CHECK-LABEL: func.func @main
// CHECK-NOT: smex.recipe
// CHECK: smex.apply @cast
// CHECK-NEXT: smex.apply @limit
// CHECK-NEXT: smex.apply @part
func.func @main(%m: tensor<9xf32> {smex.name = "m"}, %k: tensor<9xi64> {smex.name = "k", smex.range = #smex.range<-1 to 300>})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {smex.outputs = ["a", "b", "c"]} {
  %a = smex.apply @cast(%m, %k) extents [4, 9] "a" : (tensor<9xf32>, tensor<9xi64>) -> tensor<4xf32>
  %b = smex.apply @limit(%m, %k) extents [4, 9] "b" : (tensor<9xf32>, tensor<9xi64>) -> tensor<4xf32>
  %c = smex.apply @part(%m, %k) extents [4, 8] "c" : (tensor<9xf32>, tensor<9xi64>) -> tensor<4xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A constant list is put in the order of a constant key; not in an input's.

tdl.lambda @sum = "(x0: f32[2], x1: i64[1], x2: i64[1]) -> f32: lambda i0, i1: Sum(lambda r0: x0[x1[r0], i1] where x2[r0] == i0)"

// CHECK: Sum(lambda r0: x2[x1[i64(x0[r0])], i1] where i64(x3[i0]) <= r0 and r0 < i64(x3[i0 + 1]))"
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4x3xf32> {smex.name = "x"}, %dst: tensor<9xi64> {smex.name = "dst"})
    -> tensor<4x3xf32> attributes {smex.outputs = ["s"]} {
  %src = smex.parameter "src" {constant, range = #smex.range<0 to 3>} : tensor<9xi64>
  %s = smex.apply @sum(%x, %src, %dst) extents [4, 3, 9] "s" : (tensor<4x3xf32>, tensor<9xi64>, tensor<9xi64>) -> tensor<4x3xf32>
  return %s : tensor<4x3xf32>
}

// -----

// Both ends of edges in one tensor, a row each: lists like others.

tdl.lambda @sum = "(x0: f32[1], x1: i64[2]) -> f32: lambda i0: Sum(lambda r0: x0[x1[0, r0]] where (x1[1, r0] + 4 if x1[1, r0] < 0 else x1[1, r0]) == i0)"
// Which row, nobody knows beforehand; nor is a column a list.
tdl.lambda @any = "(x0: f32[1], x1: i64[2]) -> f32: lambda i0, i1: Sum(lambda r0: x0[x1[i1, r0]] where x1[i1, r0] == i0)"

// CHECK: lambda i0: Sum(lambda r0: x1[x0[r0]] where i64(x2[i0]) <= r0 and r0 < i64(x2[i0 + 1]))"
// CHECK: Sum(lambda r0: {{.*}} where x1[i1, r0] == i0)
// CHECK-LABEL: func.func @main
// CHECK-SAME: tensor<9xi64> {smex.name = "edges.0.by.edges.1", smex.recipe = #smex.recipe<gathered of "edges" by "edges" row 1 wrap 4>}
// CHECK-SAME: tensor<5xi32> {smex.name = "edges.1.offsets", smex.recipe = #smex.recipe<offsets of "edges" row 1 wrap 4>}
func.func @main(%x: tensor<4xf32> {smex.name = "x"}, %edges: tensor<2x9xi64> {smex.name = "edges"})
    -> (tensor<4xf32>, tensor<4x2xf32>) attributes {smex.outputs = ["a", "b"]} {
  %a = smex.apply @sum(%x, %edges) extents [4, 9] "a" : (tensor<4xf32>, tensor<2x9xi64>) -> tensor<4xf32>
  %b = smex.apply @any(%x, %edges) extents [4, 2, 9] "b" : (tensor<4xf32>, tensor<2x9xi64>) -> tensor<4x2xf32>
  return %a, %b : tensor<4xf32>, tensor<4x2xf32>
}

// -----

// A row that an operator takes out is the same list; nobody needs it any more.

tdl.lambda @from = "(x0: i64[2]) -> i64: lambda i0: x0[0, i0]"
tdl.lambda @to = "(x0: i64[2]) -> i64: lambda i0: x0[1, i0]"
tdl.lambda @turned = "(x0: i64[2]) -> i64: lambda i0: x0[1, 8 - i0]"
tdl.lambda @sum = "(x0: f32[1], x1: i64[1], x2: i64[1]) -> f32: lambda i0: Sum(lambda r0: x0[x1[r0]] where x2[r0] == i0)"

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[SRC:[a-z0-9]+]]: tensor<9xi64> {smex.name = "edges.0.by.edges.1", smex.recipe = #smex.recipe<gathered of "edges" by "edges" row 1>}
// CHECK-SAME: %[[OFFSETS:[a-z0-9]+]]: tensor<5xi32> {smex.name = "edges.1.offsets", smex.recipe = #smex.recipe<offsets of "edges" row 1>}
// CHECK: %[[TURNED:.*]] = smex.apply @turned
// CHECK: smex.apply @{{.*}}(%[[SRC]], %arg0, %[[OFFSETS]]) extents [4, 9] "a"
// CHECK: smex.apply @sum(%arg0, %{{.*}}, %[[TURNED]]) extents [4, 9] "b"
func.func @main(%x: tensor<4xf32> {smex.name = "x"}, %edges: tensor<2x9xi64> {smex.name = "edges"})
    -> (tensor<4xf32>, tensor<4xf32>) attributes {smex.outputs = ["a", "b"]} {
  %src = smex.apply @from(%edges) extents [9] "src" : (tensor<2x9xi64>) -> tensor<9xi64>
  %dst = smex.apply @to(%edges) extents [9] "dst" : (tensor<2x9xi64>) -> tensor<9xi64>
  %turned = smex.apply @turned(%edges) extents [9] "turned" : (tensor<2x9xi64>) -> tensor<9xi64>
  %a = smex.apply @sum(%x, %src, %dst) extents [4, 9] "a" : (tensor<4xf32>, tensor<9xi64>, tensor<9xi64>) -> tensor<4xf32>
  %b = smex.apply @sum(%x, %src, %turned) extents [4, 9] "b" : (tensor<4xf32>, tensor<9xi64>, tensor<9xi64>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
