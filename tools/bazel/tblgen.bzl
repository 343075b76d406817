"""td_library and gentbl: TableGen sources, and the C++ that mlir-tblgen makes of them."""

TdInfo = provider(
    doc = "TableGen sources, with those they include.",
    fields = {
        "sources": "depset of .td files",
        "includes": "depset of include folders",
    },
)

def _repository_root(ctx):
    return ctx.label.workspace_root or "."

def _collect(deps, srcs, includes):
    return TdInfo(
        sources = depset(srcs, transitive = [d[TdInfo].sources for d in deps]),
        includes = depset(includes, transitive = [d[TdInfo].includes for d in deps]),
    )

def _td_library_impl(ctx):
    root = _repository_root(ctx)
    includes = [root] + [root + "/" + i for i in ctx.attr.includes]
    info = _collect(ctx.attr.deps, ctx.files.srcs, includes)
    return [info, DefaultInfo(files = depset(ctx.files.srcs))]

td_library = rule(
    doc = "TableGen files that others include, by their path from the repository root.",
    implementation = _td_library_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".td"]),
        "deps": attr.label_list(providers = [TdInfo]),
        "includes": attr.string_list(doc = "more include folders, from the repository's root"),
    },
)

def _gentbl_rule_impl(ctx):
    info = _collect(ctx.attr.deps, [ctx.file.src], [_repository_root(ctx)])
    ctx.actions.run(
        executable = ctx.executable.tool,
        arguments = [ctx.actions.args().add_all(ctx.attr.opts)
            .add_all(info.includes, before_each = "-I")
            .add(ctx.file.src)
            .add("-o", ctx.outputs.out)],
        inputs = info.sources,
        outputs = [ctx.outputs.out],
        mnemonic = "TableGen",
        progress_message = "Generating " + ctx.outputs.out.short_path,
    )

_gentbl_rule = rule(
    implementation = _gentbl_rule_impl,
    attrs = {
        "src": attr.label(allow_single_file = [".td"]),
        "deps": attr.label_list(providers = [TdInfo]),
        "opts": attr.string_list(),
        "out": attr.output(),
        "tool": attr.label(allow_single_file = True, executable = True, cfg = "exec"),
    },
)

def gentbl(name, src, outs, deps = [], tool = "@llvm//:bin/mlir-tblgen", **kwargs):
    """Runs a TableGen back end once per output.

    Args:
      name: a cc_library with all the outputs, included by their path from the repository root.
      src: the .td file.
      outs: pairs of options and output file, such as ("-gen-op-decls", "SmexOps.h.inc").
      deps: td_library targets that src includes; MLIR's own files are always there.
      tool: the TableGen program.
      **kwargs: passed on to the cc_library.
    """
    for opts, out in outs:
        _gentbl_rule(
            name = "%s_%s" % (name, out.replace(".", "_").replace("/", "_")),
            src = src,
            out = out,
            opts = opts.split(" ") if type(opts) == "string" else opts,
            deps = deps + ["@llvm//:td"],
            tool = tool,
        )
    native.cc_library(
        name = name,
        textual_hdrs = [out for _, out in outs],
        **kwargs
    )
