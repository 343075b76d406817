// The dialect `tdl`: a lambda under a name. One operation; the lambda itself is
// plain data (dialects/tdl/lambda), and its text is its syntax here too.
#ifndef SMEX_TDL_TD
#define SMEX_TDL_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"

def TdlDialect : Dialect {
  let name = "tdl";
  let cppNamespace = "::smex::tdl";
  let summary = "Lambdas: what an operator computes, as data.";
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
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$text);
  let assemblyFormat = "$sym_name `=` $text attr-dict";
  let hasVerifier = 1;
}

#endif
