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
    A model is a `func.func @main`: its arguments are the model's inputs
    (argument attribute `smex.name`; `smex.range` is the least and the largest
    integer that an element may be, and possibly one beside these that counts for
    nothing; `smex.part_ranges` are those of parts of it, PartRanges.h), its results the outputs (function attribute
    `smex.outputs`, a list of names; a result has a `smex.range` where a step
    whose integers are beyond it must be refused, and `smex.loss` is what
    training makes small). Where two inputs are a graph that a model
    works on, and the graph comes when the plan runs, the function's `smex.graph`,
    a list of graphs, names them, `sources` and `destinations`, and says how many
    `nodes` there may be, and whether `self_loops` are to be added. Edges may come
    from nodes of another type, of which there are `source_nodes`, and a third
    input may hold their `types`; one of several graphs has a `name`.

    An input that follows from others has `smex.derivation`, `smex.of`, the names
    of these, and perhaps `smex.wraps` and `smex.rows`, all as a parameter has them: nobody gives
    it, a runtime derives it before each step.

    Decisions are attributes: `cut` on the producer of a tensor (`smex.cut` on an
    argument) is the division of the tensor in each step of the recursion, `split`
    on an application that of its index variables. The module's `smex.ways` lists
    into how many groups each step divides every group of workers.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void addDivision();";
}

def DivisionAttr : AttrDef<SmexDialect, "Division"> {
  let summary = "what every step of the partition leaves of a box to its groups";
  let description = [{
    A division (dialects/support/Division.h) per step: of a tensor, or of the
    index variables of an operator.

    ```mlir
    #smex.division<part 0, whole, placed 1>
    #smex.division<part 1 by weights [2, 1], part 0 at bounds [[3], [5]], term Sum>
    ```
  }];
  let mnemonic = "division";
  let parameters = (ins "const ::smex::Divisions &":$value);
  let genStorageClass = 0;
  let genAccessors = 0;
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static DivisionAttr get(::mlir::MLIRContext *context,
                            const ::smex::Divisions &value);
    const ::smex::Divisions &getValue() const;
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

    `derivation` says how the bytes follow from those of other constants, `of`,
    lists of integers (dialects/smex/lists/Derived.h); `wraps` is what is added to their
    numbers below 0, `rows` which row of it is meant, for each of them. Facts about such a list are
    `range`, the smallest and the largest number of it, and `ascending`.

    ```mlir
    %w = smex.parameter "fc.weight" : tensor<10x64xf32>
    %d = smex.parameter "destinations" {ascending, constant, range = array<i64: 0, 7>} : tensor<20xi64>
    %o = smex.parameter "destinations.offsets"
        {constant, derivation = "offsets", of = ["destinations"]} : tensor<9xi32>
    ```
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<F64Attr>:$drawn,
                       UnitAttr:$state, UnitAttr:$constant, UnitAttr:$ascending,
                       OptionalAttr<DenseI64ArrayAttr>:$range,
                       OptionalAttr<StrAttr>:$derivation,
                       OptionalAttr<StrArrayAttr>:$of,
                       OptionalAttr<DenseI64ArrayAttr>:$wraps,
                       OptionalAttr<DenseI64ArrayAttr>:$rows,
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
    result is, or a part of it.

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
