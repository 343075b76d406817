// The dialect `smex`: the semantic dataflow graph (thesis section 3.2). What is
// computed, and, once decided, how it is split; nothing about buffers or order.
#ifndef SMEX_SMEX_TD
#define SMEX_SMEX_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def SmexDialect : Dialect {
  let name = "smex";
  let cppNamespace = "::smex::semantic";
  let summary = "The semantic dataflow graph: lambdas applied to tensors.";
  let description = [{
    A model is a `func.func @main`. Its arguments are the model's inputs, its
    results the outputs. Attributes say more of them:

    - of an argument: `smex.name`; `smex.range` and `smex.part_ranges`, what its
      integers may be; `smex.recipe`, how it follows from others: nobody gives
      it, a runtime derives it before each step;
    - of a result: `smex.range`, where a step whose integers are beyond it must
      be refused; `smex.loss`, what training makes small;
    - of the function: `smex.outputs`, the names of the results; `smex.graphs`,
      the graphs that the model works on, where these come when the plan runs;
      `smex.edge_rows`, what has a row per edge of others;
      `smex.listed_parameters`, names of parameters that the model's file lists,
      and of which nothing is left.

    Decisions are attributes: `cut` on the producer of a tensor (`smex.cut` on an
    argument) is the division of the tensor in each step of the recursion, `split`
    on an application that of its index variables. The module's `smex.ways` lists
    into how many groups each step divides every group of workers.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void addOurAttributes();";
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

/// Holds a plain struct.
class ValueAttr<string name, string mnemonic_, string type>
    : AttrDef<SmexDialect, name> {
  let mnemonic = mnemonic_;
  let parameters = (ins "const " # type # " &":$value);
  let genStorageClass = 0;
  let genAccessors = 0;
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration =
      "static " # name # "Attr get(::mlir::MLIRContext *context, const " # type # " &value);" #
      "const " # type # " &getValue() const;";
}

def DivisionAttr : ValueAttr<"Division", "division", "::smex::Divisions"> {
  let summary = "what every step of the partition leaves of a box to its groups";
  let description = [{
    A division (dialects/support/Division.h) per step: of a tensor, or of the
    index variables of an operator.

    ```mlir
    #smex.division<part 0, whole, placed 1>
    #smex.division<part 1 by weights [2, 1], part 0 at bounds [[3], [5]], term Sum>
    ```
  }];
}

def RecipeAttr : ValueAttr<"Recipe", "recipe", "::smex::graph::Recipe"> {
  let summary = "how a list of integers follows from others";
  let description = [{
    Of inputs or parameters, which are named (dialects/smex/lists/Derived.h). Of
    a matrix, one `row` is meant, 0 where nothing is said; `wrap` is added to
    numbers below 0.

    ```mlir
    #smex.recipe<offsets of "destinations" wrap 8>
    #smex.recipe<order of "edges" row 1>
    #smex.recipe<gathered of "sources" by "destinations" wrap 8>
    ```
  }];
}

def RangeAttr : AttrDef<SmexDialect, "Range"> {
  let summary = "what integers may be";
  let description = [{
    The least and the largest, and possibly one beside these that counts for
    nothing.

    ```mlir
    #smex.range<0 to 7>
    #smex.range<0 to 7 or -100>
    ```
  }];
  let mnemonic = "range";
  let parameters = (ins "int64_t":$low, "int64_t":$high,
                        OptionalParameter<"::std::optional<int64_t>">:$ignore);
  let assemblyFormat = "`<` $low `to` $high (`or` $ignore^)? `>`";
  let genVerifyDecl = 1;
}

def PartRangesAttr : ValueAttr<"PartRanges", "part_ranges",
                               "::std::vector<::smex::PartRange>"> {
  let summary = "what the integers of parts of a tensor may be";
  let description = [{
    Of each part, per dimension, a coordinate, or coordinates from one up to
    before another, perhaps in steps (dialects/support/PartRange.h).

    ```mlir
    #smex.part_ranges<0 to 3 in [0, 0:20], 0 to 7 in [1, 0:20:2]>
    ```
  }];
}

def GraphAttr : ValueAttr<"Graph", "graph", "::smex::graph::GraphInputs"> {
  let summary = "which inputs are a graph that comes when the plan runs";
  let description = [{
    The struct is in dialects/smex/lists/GraphInputs.h. One of several graphs has
    a name. So many `nodes`, `edges`, and `graphs` of a batch there is room for;
    of each, the dimension that it is, and the inputs and outputs with a row for
    each. Edges may come `from` nodes of another type. Nodes in groups have
    `buckets`, so many nodes of so many edges, or `levels`, so many nodes with so
    many edges from lower levels; `lists` are inputs that say what is where
    (dialects/smex/lists/Rooms.h).

    ```mlir
    #smex.graph<sources "src" destinations "dst" nodes 34 of "nodes" inputs ["x"] edges 156 of "edges" self_loops>
    #smex.graph<"buys" sources "user" destinations "item" nodes 8 of "items" from 5 of "users" edges 20 types 3 by "kind">
    #smex.graph<sources "src" destinations "dst" nodes 5 edges 4 buckets [3 of 1, 2 of 2] lists ["n" is bucket_nodes]>
    #smex.graph<sources "src" destinations "dst" nodes 5 edges 4 levels [3, 2 with [4 from 0]] lists ["s" is level_sources at 1]>
    ```
  }];
}

def EdgeRowsAttr : ValueAttr<"EdgeRows", "edge_rows", "::smex::graph::EdgeRows"> {
  let summary = "what has a row per edge of a graph that the model is compiled with";
  let description = [{
    The struct is in dialects/smex/lists/GraphInputs.h. Of the edges, `given` are
    in the graph's files; `nodes` are those at their ends, by type.

    ```mlir
    #smex.edge_rows<"follows" given 20 nodes [5, 5] edges 25 of "edges" inputs ["e"]>
    ```
  }];
}

/// What lambdas compute with; its type says all of it.
def LambdaTensor : Type<
    And<[AnyStaticShapeTensor.predicate,
         CPred<"::smex::tdl::toDType(::llvm::cast<::mlir::ShapedType>($_self)"
               ".getElementType()).has_value()">]>,
    "statically shaped tensor of elements that lambdas know",
    "::mlir::RankedTensorType">;

def ParameterOp : Op<SmexDialect, "parameter", [Pure]> {
  let summary = "a tensor that the model brings along";
  let description = [{
    Its bytes are not in the IR: they are read by name, region by region, when
    the plan is written. With `drawn`, they are not stored at all but drawn,
    uniform in [-drawn, drawn), when the plan runs. `state` marks what belongs to
    the optimizer, not to the model, `constant` what is no weight but part of the
    model's text.

    `recipe` says how the bytes follow from those of other constants, lists of
    integers. Facts about such a list are `range` and `ascending`.

    ```mlir
    %w = smex.parameter "fc.weight" : tensor<10x64xf32>
    %d = smex.parameter "destinations" {ascending, constant, range = #smex.range<0 to 7>} : tensor<20xi64>
    %o = smex.parameter "destinations.offsets"
        {constant, recipe = #smex.recipe<offsets of "destinations">} : tensor<9xi32>
    ```
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<F64Attr>:$drawn,
                       UnitAttr:$state, UnitAttr:$constant, UnitAttr:$ascending,
                       OptionalAttr<RangeAttr>:$range,
                       OptionalAttr<RecipeAttr>:$recipe,
                       OptionalAttr<DivisionAttr>:$cut);
  let results = (outs LambdaTensor:$result);
  let builders = [OpBuilder<(ins "mlir::Type":$type, "mlir::StringAttr":$name), [{
    $_state.addTypes(type);
    $_state.addAttribute(getNameAttrName($_state.name), name);
  }]>];
  let assemblyFormat = "$name attr-dict `:` type($result)";
}

def ApplyOp : Op<SmexDialect, "apply",
                 [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "applies a lambda";
  let description = [{
    `extents` gives the range of each index variable of the lambda, outputs
    first; the result's shape is the leading ones. `node` is the model's node
    that it is of; `gradient_of` the name of the tensor whose gradient the
    result is, or a part of it. What training asks: `detached` passes no gradient
    on; with `first`, the gradient of a maximum goes to the first of the terms
    that attain it.

    ```mlir
    %c = smex.apply @matmul(%a, %b) extents [16, 8, 32]
        : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$lambda,
                       Variadic<LambdaTensor>:$inputs,
                       DenseI64ArrayAttr:$extents,
                       StrAttr:$name, OptionalAttr<StrAttr>:$node,
                       OptionalAttr<StrAttr>:$gradient_of,
                       UnitAttr:$detached, UnitAttr:$first,
                       OptionalAttr<DivisionAttr>:$split,
                       OptionalAttr<DivisionAttr>:$cut);
  let results = (outs LambdaTensor:$result);
  let assemblyFormat = [{
    $lambda `(` $inputs `)` `extents` $extents $name attr-dict `:`
    functional-type($inputs, $result)
  }];
}

def UpdateOp : Op<SmexDialect, "update"> {
  let summary = "a parameter takes a value after each step of training";
  let description = [{
    Both are cut alike, so that nothing moves.

    ```mlir
    smex.update %w by %next : tensor<10x64xf32>, tensor<10x64xf32>
    ```
  }];
  let arguments = (ins LambdaTensor:$parameter,
                       LambdaTensor:$value);
  let assemblyFormat =
      "$parameter `by` $value attr-dict `:` type($parameter) `,` type($value)";
  let hasVerifier = 1;
}

#endif
