// The dialect `tdl`: a lambda under a name. One operation; the lambda itself is
// plain data (dialects/tdl/lambda), and its text is its syntax here too.
#ifndef SMEX_TDL_TD
#define SMEX_TDL_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"

def TdlDialect : Dialect {
  let name = "tdl";
  let cppNamespace = "::smex::tdl";
  let summary = "Lambdas: what an operator computes, as data.";
  let useDefaultAttributePrinterParser = 1;
}

def LambdaAttr : AttrDef<TdlDialect, "Lambda"> {
  let summary = "a lambda, parsed once";
  let description = [{
    Lambdas of the same text are one attribute, however they were spelled.

    ```mlir
    #tdl.lambda<"(x0: f32[2]) -> f32: lambda i0, i1: max(x0[i0, i1], 0.0)">
    ```
  }];
  let mnemonic = "lambda";
  let parameters = (ins "const ::smex::tdl::Lambda &":$value);
  let genStorageClass = 0;
  let genAccessors = 0;
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static LambdaAttr get(::mlir::MLIRContext *context, const Lambda &lambda);
    /// Null, with an error, where the text is no lambda.
    static LambdaAttr
    parse(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
          ::mlir::MLIRContext *context, ::llvm::StringRef text);

    const Lambda &getValue() const;
    ::llvm::StringRef getText() const; // of the value: its canonical spelling
  }];
}

def LambdaOp : Op<TdlDialect, "lambda", [Symbol]> {
  let summary = "names a lambda";
  let description = [{
    Distinct lambdas have distinct symbols: an analysis or a kernel is made once
    per symbol, however often it is applied.

    ```mlir
    tdl.lambda @relu = "(x0: f32[2]) -> f32: lambda i0, i1: max(x0[i0, i1], 0.0)"
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, LambdaAttr:$lambda);
  let assemblyFormat = "$sym_name `=` custom<LambdaText>($lambda) attr-dict";
}

#endif
