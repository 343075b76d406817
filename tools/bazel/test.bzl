"""catch_test, lit_test and lit_suite: one test target per program, and per lit file."""

def catch_test(name, srcs, deps = [], **kwargs):
    """A Catch2 test program: `#include <catch2/catch.hpp>`, no main().

    Many compile models in their own process, with smexc's allocator.
    """
    native.cc_test(
        name = name,
        srcs = srcs,
        deps = deps + ["@catch2//:catch_main", "@jemalloc"],
        **kwargs
    )

_SCRIPT = """#!/bin/bash
# Runs one lit file on a private copy of the tree that holds nothing but what it declared.
set -euo pipefail
tree=$TEST_TMPDIR/src
link() {
  mkdir -p "$(dirname "$2")"
  ln -s "$PWD/$1" "$2"
}
copy() {
  mkdir -p "$(dirname "$2")"
  cp -L "$1" "$2"
}
%{commands}
export SMEX_LIT_BIN=$TEST_TMPDIR/bin SMEX_LIT_OUT=$TEST_TMPDIR/out
exec /usr/lib/llvm-22/bin/lit -v --no-progress-bar "$tree/%{src}"
"""

def _lit_test_impl(ctx):
    src = ctx.file.src
    commands = [
        "copy '%s' \"$tree\"/lit.cfg.py" % ctx.file._config.short_path,
        "copy '%s' \"$tree\"/'%s'" % (src.short_path, src.short_path),
    ]
    runfiles = ctx.runfiles(files = ctx.files.data + [src, ctx.file._config])
    for tool in ctx.attr.tools:
        program = tool[DefaultInfo].files_to_run.executable
        commands.append("link '%s' \"$TEST_TMPDIR\"/bin/'%s'" % (program.short_path, program.basename))
        runfiles = runfiles.merge(tool[DefaultInfo].default_runfiles).merge(ctx.runfiles([program]))
    for file in depset(ctx.files.data).to_list():
        if file != src:
            commands.append("link '%s' \"$tree\"/'%s'" % (file.short_path, file.short_path))
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(
        script,
        _SCRIPT.replace("%{commands}", "\n".join(commands)).replace("%{src}", src.short_path),
        is_executable = True,
    )
    return [DefaultInfo(executable = script, runfiles = runfiles)]

_lit_test = rule(
    implementation = _lit_test_impl,
    test = True,
    attrs = {
        "src": attr.label(allow_single_file = True, mandatory = True),
        "tools": attr.label_list(cfg = "target", doc = "programs that RUN lines call by name"),
        "data": attr.label_list(allow_files = True, doc = "files beside the test, found through %S"),
        "_config": attr.label(default = "//test:lit.cfg.py", allow_single_file = True),
    },
)

_DEFAULT_TOOLS = ["//tools:smex-opt"]

def lit_test(name, src, tools = _DEFAULT_TOOLS, data = [], **kwargs):
    """One lit file.

    Args:
      name: of the test target.
      src: the file with RUN lines.
      tools: programs it calls by their name.
      data: files it reads, besides itself; they lie where they are in the repository.
      **kwargs: size, tags and the like.
    """
    if name == src:
        fail("lit_test needs another name than its file: " + src + ".test")
    _lit_test(name = name, src = src, tools = tools, data = data, **kwargs)

def lit_suite(srcs, tools = _DEFAULT_TOOLS, data = [], name = "lit", **kwargs):
    """A lit_test per file, named `<file>.test`, and a test_suite of them all.

    Args:
      srcs: files with RUN lines, most often a glob.
      tools: as in lit_test.
      data: as in lit_test.
      name: of the test_suite.
      **kwargs: passed on to each lit_test.
    """
    for src in srcs:
        lit_test(name = src + ".test", src = src, tools = tools, data = data, **kwargs)
    native.test_suite(name = name, tests = [":" + src + ".test" for src in srcs])
