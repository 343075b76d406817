"""A program, and all of the project that is linked into it, built with a sanitizer."""

def _sanitize(settings, attr):
    flag = "-fsanitize=" + attr.sanitizer
    return {
        "//command_line_option:copt": settings["//command_line_option:copt"] + [flag, "-g1"],
        "//command_line_option:linkopt": settings["//command_line_option:linkopt"] + [flag],
    }

_sanitized = transition(
    implementation = _sanitize,
    inputs = ["//command_line_option:copt", "//command_line_option:linkopt"],
    outputs = ["//command_line_option:copt", "//command_line_option:linkopt"],
)

def _sanitized_binary_impl(ctx):
    program = ctx.attr.binary[0][DefaultInfo].files_to_run.executable
    link = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = link, target_file = program, is_executable = True)
    return DefaultInfo(executable = link, runfiles = ctx.runfiles([program]))

sanitized_binary = rule(
    doc = "`binary`, built with `sanitizer`: address, thread or undefined.",
    implementation = _sanitized_binary_impl,
    executable = True,
    attrs = {
        "binary": attr.label(cfg = _sanitized, executable = True, mandatory = True),
        "sanitizer": attr.string(mandatory = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)
