"""Everything smex builds against: Debian packages, found where apt put them. Nothing is downloaded."""

def _system(name, path):
    native.new_local_repository(
        name = name,
        path = path,
        build_file = "//tools/bazel/external:%s.BUILD" % name,
    )

def smex_repositories():
    # Bazel itself refers to these and would fetch them from the network.
    native.local_repository(name = "platforms", path = "/usr/share/bazel/tools/platforms")
    native.local_repository(name = "rules_java", path = "/usr/share/bazel/rules/java")
    native.local_repository(name = "rules_proto", path = "/usr/share/bazel/rules/proto")
    native.local_repository(name = "rules_cc", path = "tools/bazel/rules_cc")
    native.local_repository(name = "remote_coverage_tools", path = "tools/bazel/remote_coverage_tools")

    _system("catch2", "/usr/include/catch2")
    _system("cli11", "/usr/include/CLI")
    _system("jemalloc", "/usr/include/jemalloc")
    _system("json", "/usr/include/nlohmann")
    _system("llvm", "/usr/lib/llvm-22")
    _system("minizip", "/usr/include/minizip")
    _system("onednn", "/usr/include/oneapi")
    _system("onnx", "/usr/include/onnx")
    _system("protobuf", "/usr/include/google/protobuf")
    native.new_local_repository(
        name = "zlib",
        path = "tools/bazel/external",
        build_file = "//tools/bazel/external:zlib.BUILD",
    )
