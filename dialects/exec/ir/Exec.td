// The dialect `exec`: the execution dataflow graph (thesis section 3.6). One
// list of instructions for every worker, which has queues that do their own in
// order; what differs between workers are regions, and those are attributes
// with one entry per worker.
#ifndef SMEX_EXEC_TD
#define SMEX_EXEC_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def ExecDialect : Dialect {
  let name = "exec";
  let cppNamespace = "::smex::exec";
  let summary = "The execution dataflow graph: fetch, compute, reduce, move.";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void addOurAttributes();";
  let description = [{
    Workers are numbered in the mixed radix of the program's `ways`, one for each
    step of the partition (dialects/support/Shares.h). What they have of a buffer
    or of index variables is an attribute: #smex.division, #exec.read and
    #exec.result say it once for all workers, #exec.boxes lists a box for each.
    Boxes are in the tensor's coordinates.

    A worker has a queue for each kind of work that can go on at the same time:
    computes, transfers (fetch, reduce), moves to the host, and moves from there
    (dialects/support/Queue.h). Each does its own in the order of the list.
  }];
}

class ExecAttr<string name, string mnemonic_, string type> : AttrDef<ExecDialect, name> {
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

def BoxesAttr : ExecAttr<"Boxes", "boxes", "::std::vector<::smex::Box>"> {
  let summary = "a box for each worker";
  let description = [{
    ```mlir
    #exec.boxes<[0:2, 0:8], [2:4, 0:8], nothing>
    ```
  }];
}

def PiecesAttr : ExecAttr<"Pieces", "pieces", "::smex::exec::PieceLists"> {
  let summary = "for each worker, what it gets from whom";
  let description = [{
    Two workers; the first gets two rows of its own and two of worker 1.

    ```mlir
    #exec.pieces<[0 [0:2], 1 [2:4]], []>
    ```
  }];
}

def RowsAttr : ExecAttr<"Rows", "rows", "::smex::exec::RowLists"> {
  let summary = "for each worker, rows of a tensor, as runs of neighbours";
  let description = [{
    Two workers; the first gets rows 0, 1 and 7, the other one none.

    ```mlir
    #exec.rows<[0:2, 7:8], []>
    ```
  }];
}

def WaitsAttr : ExecAttr<"Waits", "waits", "::smex::exec::WaitList"> {
  let summary = "which instructions must be done";
  let description = [{
    A worker waits until it has done instruction 2 on another queue, and until
    all workers that differ from it in steps 0 and 1 only have done instruction
    3, as far as they do it. Buffers and outputs are not counted; instructions
    come before the one that waits.

    ```mlir
    #exec.waits<2, 3 over [0, 1]>
    ```
  }];
}

def ReadAttr : AttrDef<ExecDialect, "Read"> {
  let summary = "what each worker reads of an operand";
  let description = [{
    The region of operand `operand` that the lambda reads where its index
    variables, which run over `extents`, are divided so. The operands of the
    lambda have these `shapes`.

    ```mlir
    #exec.read<@matmul operand 1 of shapes [[4, 6], [6, 5]] over [4, 5, 6] by <part 0>>
    ```
  }];
  let mnemonic = "read";
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$lambda, "int64_t":$operand,
                        "::mlir::ArrayAttr":$shapes,
                        "::mlir::DenseI64ArrayAttr":$extents,
                        "::smex::semantic::DivisionAttr":$division);
  let assemblyFormat =
      "`<` $lambda `operand` $operand `of` `shapes` $shapes `over` $extents `by` $division `>`";
}

def ResultAttr : AttrDef<ExecDialect, "Result"> {
  let summary = "what each worker computes of a result, of its terms too";
  let description = [{
    The first dimensions, as many as the tensor has, of index variables over
    `extents` that are divided so. The others are reductions: where they are cut,
    workers have terms; whose part of them is empty has none.

    ```mlir
    #exec.result<[4, 5, 6] by <part 2>>
    ```
  }];
  let mnemonic = "result";
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$extents,
                        "::smex::semantic::DivisionAttr":$division);
  let assemblyFormat = "`<` $extents `by` $division `>`";
}

/// Of a buffer or of index variables, per worker.
def Regions : AttrConstraint<
    CPred<"::smex::exec::isRegions($_self)">,
    "#smex.division, #exec.read, #exec.result or #exec.boxes">;
def RegionsAttr : Attr<Regions.predicate, Regions.summary> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}

/// An attribute of the dialect smex.
class SmexAttr<string name, string text>
    : Attr<CPred<"::llvm::isa<::smex::semantic::" # name # "Attr>($_self)">, "#smex." # text> {
  let storageType = "::smex::semantic::" # name # "Attr";
  let returnType = storageType;
  let convertFromStorage = "$_self";
}
def SmexRangeAttr : SmexAttr<"Range", "range">;
def SmexPartRangesAttr : SmexAttr<"PartRanges", "part_ranges">;
def SmexRecipeAttr : SmexAttr<"Recipe", "recipe">;
def SmexGraphsAttr : TypedArrayAttrBase<SmexAttr<"Graph", "graph">, "a list of #smex.graph">;

def Role : I32EnumAttr<"Role", "what a buffer holds", [
    I32EnumAttrCase<"Input", 0, "input">,
    I32EnumAttrCase<"Parameter", 1, "parameter">,
    I32EnumAttrCase<"State", 2, "state">, // a parameter of the optimizer
    I32EnumAttrCase<"Constant", 3, "constant">, // a parameter that is no weight
    I32EnumAttrCase<"Temporary", 4, "temporary">]> {
  let cppNamespace = "::smex::exec";
  let genSpecializedAttr = 0;
}
def RoleAttr : EnumAttr<ExecDialect, Role, "role">;

/// tdl::Reducer, of which one is none.
def Reducer : I32EnumAttr<"Reducer", "how partial results become one", [
    I32EnumAttrCase<"Sum", 0>, I32EnumAttrCase<"Prod", 1>,
    I32EnumAttrCase<"Max", 2>, I32EnumAttrCase<"Min", 3>]> {
  let cppNamespace = "::smex::exec";
  let genSpecializedAttr = 0;
}
def ReducerAttr : EnumAttr<ExecDialect, Reducer, "reducer">;

/// plan::Space.
def Space : I32EnumAttr<"Space", "where bytes are", [
    I32EnumAttrCase<"Device", 0, "device">, // in the memory of the worker's device
    I32EnumAttrCase<"Host", 1, "host">]> { // for what the device has no room for
  let cppNamespace = "::smex::exec";
  let genSpecializedAttr = 0;
}
def SpaceAttr : EnumAttr<ExecDialect, Space, "space">;

def BufferType : TypeDef<ExecDialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a region of a tensor on each worker";
}

class ExecOp<string mnemonic, list<Trait> traits = []>
    : Op<ExecDialect, mnemonic, traits>;

def ProgramOp : ExecOp<"program", [Symbol, SingleBlock, NoTerminator,
                                   IsolatedFromAbove]> {
  let summary = "the program of all workers";
  let description = [{
    ```mlir
    exec.program @partitioned ways [2] {
      %x = exec.buffer input "x" : tensor<4x8xf32> #smex.division<part 0>
      ...
    }
    ```
    `arena` (bytes per worker) and `workspace` (its offset per worker, and its
    bytes last) are there once memory is planned, and `host_arena` (bytes per
    worker, in the host's memory), if buffers are there. `staging` is how many
    bytes at the end of each arena are kept for exchanges between GPUs, if any
    are. `graphs` is the function's `smex.graphs`. `host_lower_bound`: where buffers
    move to the host and back, the bytes of that which no choice of buffers saves.
    `recomputing`: where computes are repeated instead, the bytes that would move
    in that time, and the nanoseconds that it takes.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, DenseI64ArrayAttr:$ways,
                       OptionalAttr<DenseI64ArrayAttr>:$arena,
                       OptionalAttr<DenseI64ArrayAttr>:$workspace,
                       OptionalAttr<SmexGraphsAttr>:$graphs,
                       OptionalAttr<DenseI64ArrayAttr>:$host_arena,
                       OptionalAttr<DenseI64ArrayAttr>:$staging,
                       OptionalAttr<I64Attr>:$host_lower_bound,
                       OptionalAttr<DenseI64ArrayAttr>:$recomputing);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `ways` $ways attr-dict-with-keyword $body";
  let extraClassDeclaration = "int64_t getWorkers();";
  let hasVerifier = 1;
  let hasRegionVerifier = 1; // waits: against the number of instructions
}

def BufferOp : ExecOp<"buffer",
                      [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "storage for a region of a tensor on each worker";
  let description = [{
    A `partial` buffer holds a worker's
    share of a reduction, not the tensor's value; of sums of f16 or bf16 it is f32.
    A compute that reads partial buffers alone, by a linear map, makes another
    one, and a fetch brings a worker a term of its own groups: where a division
    says `term Sum`, groups have terms of their own. What is `on host` only moves
    may use; an input or a parameter there is there when a step begins. All else is on the device. `offsets` (bytes into each worker's arena, of the buffer's space)
    are there once memory is planned. `range`, `part_ranges` and `recipe` are those of an input
    (dialects/smex).

    `kept`: on these workers nothing fills it, since they have the same already: it is the bytes of an earlier
    buffer of the tensor. Moves and computes that fill it are not there for them. An input or a
    parameter that is on the host of other workers is kept as itself, and has a place on the device of these.

    ```mlir
    %b = exec.buffer temporary "a" : tensor<8xf32> #smex.division<part 0> kept on [1] as %a
    exec.from_host %h to %b
    ```
  }];
  let arguments = (ins RoleAttr:$role, StrAttr:$tensor,
                       TypeAttrOf<AnyStaticShapeTensor>:$tensorType, UnitAttr:$partial,
                       OptionalAttr<F64Attr>:$drawn,
                       OptionalAttr<SmexRangeAttr>:$range,
                       OptionalAttr<SmexPartRangesAttr>:$part_ranges,
                       OptionalAttr<SmexRecipeAttr>:$recipe,
                       RegionsAttr:$regions,
                       OptionalAttr<DenseI64ArrayAttr>:$offsets,
                       DefaultValuedAttr<SpaceAttr, "::smex::exec::Space::Device">:$space,
                       OptionalAttr<DenseI64ArrayAttr>:$kept_on,
                       Optional<BufferType>:$kept_as);
  let results = (outs BufferType:$result);
  let assemblyFormat = [{
    $role $tensor `:` $tensorType (`partial` $partial^)? (`on` $space^)? $regions
    (`kept` `on` $kept_on^)? (`as` $kept_as^)? attr-dict
  }];
  let hasVerifier = 1;
}

def FetchOp : ExecOp<"fetch"> {
  let summary = "assembles a region from the workers that hold it (MultiFetch)";
  let description = [{
    Each worker assembles what it has of `to`. Where `from` is divided, the
    division says who has what (piecesOf in dialects/support/Shares.h), and there
    are no `pieces`; where its boxes are listed, pieces are. With `rows`, a
    worker gets these rows of its region alone, and nothing reads the others:
    where the reader finds its rows by a list of integers, as by the sources of
    a graph's edges.

    `beside`: so many instructions on is the last one that is expected to start
    before this one has ended. Of a reduce and of a move, too. `node`, here and elsewhere: the
    model's node that the instruction serves.
  }];
  let arguments = (ins BufferType:$from, BufferType:$to,
                       OptionalAttr<PiecesAttr>:$pieces,
                       OptionalAttr<RowsAttr>:$rows,
                       OptionalAttr<StrAttr>:$node,
                       OptionalAttr<WaitsAttr>:$waits,
                       OptionalAttr<I64Attr>:$beside);
  let assemblyFormat = [{
    $from `to` $to (`pieces` $pieces^)? (`rows` $rows^)? attr-dict
  }];
  let hasVerifier = 1;
}

def ComputeOp : ExecOp<"compute",
                       [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "evaluates a lambda on each worker's part of its index variables";
  let description = [{
    `extents` are those of the whole operator: what the workers' parts must make
    up. `epilogue` numbers the input that is a matrix product, in whose place of
    the list this map may be done by a library that does both at once.
  }];
  let arguments = (ins FlatSymbolRefAttr:$lambda, Variadic<BufferType>:$inputs,
                       BufferType:$to, DenseI64ArrayAttr:$extents,
                       RegionsAttr:$indices, OptionalAttr<StrAttr>:$node,
                       OptionalAttr<WaitsAttr>:$waits,
                       OptionalAttr<I64Attr>:$epilogue);
  let assemblyFormat = [{
    $lambda `(` $inputs `)` `to` $to `extents` $extents `indices` $indices
    attr-dict
  }];
  let hasVerifier = 1;
}

def ReduceOp : ExecOp<"reduce"> {
  let summary = "combines partial results of several workers, each its own part";
  let description = [{
    `from` has the type of `to`, or is f32 for sums of f16 or bf16, which are
    rounded once, when they are whole. Terms are combined in the order of their
    parts of the reduction.
  }];
  let arguments = (ins ReducerAttr:$reducer, BufferType:$from, BufferType:$to,
                       OptionalAttr<PiecesAttr>:$pieces,
                       OptionalAttr<StrAttr>:$node,
                       OptionalAttr<WaitsAttr>:$waits,
                       OptionalAttr<I64Attr>:$beside);
  let assemblyFormat = [{
    $reducer $from `to` $to (`pieces` $pieces^)? attr-dict
  }];
  let hasVerifier = 1;
}

class MoveOp<string mnemonic> : ExecOp<mnemonic> {
  let arguments = (ins BufferType:$from, BufferType:$to,
                       OptionalAttr<StrAttr>:$node,
                       OptionalAttr<WaitsAttr>:$waits,
                       OptionalAttr<I64Attr>:$beside);
  let assemblyFormat = "$from `to` $to attr-dict";
  let hasVerifier = 1;
}

def ToHostOp : MoveOp<"to_host"> {
  let summary = "copies a buffer from the device to the host, on each worker that has not kept it";
  let description = [{
    The two have the same regions of the same tensor, and no partial results.
    Of a move back, too.

    ```mlir
    %h = exec.buffer temporary "a" : tensor<8xf32> on host #smex.division<part 0>
    exec.to_host %a to %h
    ```
  }];
}

def FromHostOp : MoveOp<"from_host"> {
  let summary = "copies a buffer from the host to the device, on each worker that has not kept it";
}

def OutputOp : ExecOp<"output"> {
  let summary = "names the buffer that holds an output of the model";
  let description = [{
    `range`: what its integers may be; a step with others has gone wrong. `loss`: what training makes small, one float.
  }];
  let arguments = (ins StrAttr:$name, BufferType:$buffer,
                       OptionalAttr<SmexRangeAttr>:$range, UnitAttr:$loss);
  let assemblyFormat = "$name $buffer attr-dict";
  let hasVerifier = 1;
}

def UpdateOp : ExecOp<"update"> {
  let summary = "a parameter takes the value of a buffer after each step";
  let description = "Both are on the device, or both on the host.";
  let arguments = (ins BufferType:$parameter, BufferType:$value);
  let assemblyFormat = "$parameter `by` $value attr-dict";
  let hasVerifier = 1;
}

#endif
