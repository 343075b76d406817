"""How lit runs smex's tests. Bazel calls it, a file at a time: see lit_test in tools/bazel/test.bzl."""

import os

import lit.formats

LLVM_BIN = "/usr/lib/llvm-22/bin"

config.name = "smex"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".tdl", ".json", ".txt", ".md"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.environ["SMEX_LIT_OUT"]

# RUN lines call tools by their bare name: those that the test declared, then LLVM's.
config.environment["PATH"] = os.pathsep.join([os.environ["SMEX_LIT_BIN"], LLVM_BIN, "/usr/bin", "/bin"])
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input-filter=error"
for name in ["CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "OMP_NUM_THREADS", "SMEX_KERNEL_CACHE"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]
