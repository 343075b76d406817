"""embed_text: text files as C++ data, for programs that need no file beside them."""

_HEADER = """#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace {namespace} {{
/// File names, from the folder of {label}, with what is in them.
std::vector<std::pair<std::string_view, std::string_view>> {function}();
}} // namespace {namespace}
"""

# A raw string of any length, with a delimiter that the shell command below checks for.
_COMMAND = """
set -euo pipefail
out=$1 header=$2 namespace=$3 function=$4 strip=$5
shift 5
{
  echo "#include \\"$header\\""
  echo "std::vector<std::pair<std::string_view, std::string_view>>"
  echo "$namespace::$function() {"
  echo "  return {"
  for file; do
    if grep -qF ')smex_text"' "$file"; then
      echo "$file: holds the delimiter of embed_text" >&2
      exit 1
    fi
    printf '      {"%s", std::string_view(R"smex_text(' "${file#"$strip"/}"
    cat "$file"
    printf ')smex_text", %s)},\\n' "$(wc -c < "$file")"
  done
  echo "  };"
  echo "}"
} > "$out"
"""

def _embed_text_rule_impl(ctx):
    ctx.actions.write(ctx.outputs.header, _HEADER.format(
        namespace = ctx.attr.namespace,
        function = ctx.attr.function,
        label = ctx.label.package or "the repository",
    ))
    ctx.actions.run_shell(
        command = _COMMAND,
        arguments = [
            ctx.outputs.source.path,
            ctx.outputs.header.short_path,
            ctx.attr.namespace,
            ctx.attr.function,
            ctx.label.package,
        ] + [f.path for f in ctx.files.srcs],
        inputs = ctx.files.srcs,
        outputs = [ctx.outputs.source],
        mnemonic = "EmbedText",
    )

_embed_text_rule = rule(
    implementation = _embed_text_rule_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = True),
        "namespace": attr.string(),
        "function": attr.string(),
        "header": attr.output(),
        "source": attr.output(),
    },
)

def embed_text(name, srcs, function, header, namespace = "smex", **kwargs):
    """A cc_library with `std::vector<std::pair<std::string_view, std::string_view>> NAMESPACE::FUNCTION()`: name and content of each file.

    Args:
      name: of the cc_library.
      srcs: text files of this package; a glob is in the order of their names.
      function: to generate.
      header: that declares it, to generate; included by its path from the repository root.
      namespace: of the function.
      **kwargs: passed on to the cc_library.
    """
    source = name + ".embedded.cpp"
    _embed_text_rule(
        name = name + "_embedded",
        srcs = srcs,
        namespace = namespace,
        function = function,
        header = header,
        source = source,
    )
    native.cc_library(name = name, srcs = [source], hdrs = [header], **kwargs)
